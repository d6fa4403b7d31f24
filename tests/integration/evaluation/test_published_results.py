"""The published benchmark and its published results, from files to every place that shows
figures. The expected counts are those that the publication's own files add up to."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from annotation.actions.trail import IMPORT
from annotation.importer import import_benchmark
from annotation.models import Benchmark, ReleaseItem
from evaluation.domain.resampling import cluster_bootstrap, sign_flip
from evaluation.domain.uncertainty import mcnemar_exact, paired_difference
from evaluation.importer import import_predictions
from evaluation.models import LeaderboardEntry

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
FOLDERS = {
    "Gemini 3 Pro": ("final_scores_all_MCQ", "final_scores_all_free"),
    "Qwen3.5-397B": ("qwen_result/scores_mcq2", "qwen_result/scores_free2"),
}
TYPES = (
    "Type1_ActionGoalReasoning",
    "Type2_ArtifactResolutionOptimization",
    "Type3_ProcedureContextPlanning",
)
MCQ = {"Gemini 3 Pro": 165, "Qwen3.5-397B": 138}
FREE = {"Gemini 3 Pro": 240, "Qwen3.5-397B": 196}
MCQ_SHARES = {"Gemini 3 Pro": (0.699, 0.608, 0.672), "Qwen3.5-397B": (0.524, 0.544, 0.612)}
FREE_MEANS = {"Gemini 3 Pro": (0.915, 0.789, 0.975), "Qwen3.5-397B": (0.814, 0.737, 0.620)}
OUTCOMES = {  # 2; 1 wrong conclusion; 1 wrong evidence; 0
    "Gemini 3 Pro": (99, 24, 18, 124),
    "Qwen3.5-397B": (74, 16, 32, 143),
}
REFERENCES = {"Always A": 110, "Shortest option": 191, "Punctuation, then length": 209}


@pytest.fixture
def published(rex: Path, django_capture_on_commit_callbacks: Any) -> Benchmark:
    with django_capture_on_commit_callbacks(execute=True):  # the release settles its references
        import_benchmark(rex, slug="rex", by=IMPORT)
    bench = Benchmark.objects.get(slug="rex")
    for model, folders in FOLDERS.items():
        for folder in folders:
            import_predictions(rex / folder, benchmark=bench, model=model, by=IMPORT)
    return bench


def command_entries(capsys: Any) -> dict[str, Any]:
    capsys.readouterr()
    call_command("leaderboard", "rex", "--json")
    return {e["model"]: e for e in json.loads(capsys.readouterr().out)["entries"]}


def test_every_place_shows_the_published_figures(
    published: Benchmark, client: Client, capsys: Any, django_assert_max_num_queries: Any
) -> None:
    entries = command_entries(capsys)
    for model in FOLDERS:
        check_entry(entries[model], model)
    for name, correct in REFERENCES.items():
        assert (entries[name]["mcq"]["correct"], entries[name]["mcq"]["n"]) == (correct, 249)
        assert entries[name]["reference"] is True
    check_files(client)
    with django_assert_max_num_queries(8):
        check_page(client.get("/b/rex/leaderboard/").content.decode())


def check_entry(entry: dict[str, Any], model: str) -> None:
    mcq, free = entry["mcq"], entry["free"]
    assert (mcq["correct"], mcq["n"], mcq["scored"]) == (MCQ[model], 249, 249)
    assert (free["points"], free["n"], free["scored"]) == (FREE[model], 265, 265)
    assert tuple(mcq["by_type"]) == tuple(free["by_type"]) == TYPES
    assert [mcq["by_type"][name]["n"] for name in TYPES] == [103, 79, 67]
    assert [free["by_type"][name]["n"] for name in TYPES] == [129, 57, 79]
    shares = [round(mcq["by_type"][n]["correct"] / mcq["by_type"][n]["n"], 3) for n in TYPES]
    means = [round(free["by_type"][n]["points"] / free["by_type"][n]["n"], 3) for n in TYPES]
    assert shares == pytest.approx(MCQ_SHARES[model])
    assert means == pytest.approx(FREE_MEANS[model])
    assert mcq["ci"][0] < mcq["correct"] / 249 < mcq["ci"][1]
    assert [mcq["by_duration"][b]["n"] for b in ("0-5", "5-10", "10-20", "20+")] == [41, 98, 77, 33]
    counts = entry["free_outcomes"]
    assert OUTCOMES[model] == (
        counts["2"]["none"],
        counts["1"]["wrong_conclusion"],
        counts["1"]["wrong_visual_evidence"],
        sum(counts["0"].values()),
    )
    assert entry["provisional"] is False


def check_files(client: Client) -> None:
    served = client.get("/b/rex/leaderboard.json").json()["entries"]
    by_model = {entry["model"]: entry for entry in served}
    for model in FOLDERS:
        check_entry(by_model[model], model)
    text = client.get("/b/rex/leaderboard.csv").content.decode()
    rows = {row["model"]: row for row in csv.DictReader(io.StringIO(text))}
    for model in FOLDERS:
        assert int(rows[model]["mcq_correct"]) == MCQ[model]
        assert int(rows[model]["free_points"]) == FREE[model]


def check_page(html: str) -> None:
    shown = (
        "66.3", "69.9", "60.8", "67.2", "0.91", "0.79", "0.97",
        "55.4", "52.4", "54.4", "61.2", "0.74", "0.81", "0.62",
        "83.9", "76.7", "44.2", "25.0", "+10.8 points, p 0.033",
    )  # fmt: skip
    for figure in shown:
        assert figure in html, figure
    for model, counts in OUTCOMES.items():
        label = "2, right: {}; 1, wrong conclusion: {}; 1, wrong evidence: {}".format(*counts[:3])
        assert label in html, model


def test_the_paired_difference_by_three_ways(published: Benchmark) -> None:
    """Clustered t, cluster bootstrap and sign flips agree; McNemar stands beside them."""
    scores, sources = [], None
    for model in FOLDERS:
        entry = LeaderboardEntry.objects.filter(run__contestant__name=model).latest("version")
        rows = dict(zip(entry.per_item["versions"], entry.per_item["scores"], strict=True))
        mcqs = list(
            ReleaseItem.objects.filter(release=entry.release, keep=True)
            .filter(item_version__item__kind="mcq")
            .order_by("position")
            .values_list("item_version_id", "item_version__item__video__source_id")
        )
        scores.append([rows[version] for version, _ in mcqs])
        sources = [source for _, source in mcqs]
    gemini, qwen = scores
    found = paired_difference(gemini, qwen, sources)
    assert found.mean == pytest.approx(0.108, abs=5e-4)
    assert (found.n, found.clusters) == (249, 35)
    assert found.p == pytest.approx(0.0326, abs=5e-4)
    assert min(1.0, 2 * found.p) == pytest.approx(0.065, abs=1e-3)  # Holm among the four
    differences = [a - b for a, b in zip(gemini, qwen, strict=True)]
    low, high = cluster_bootstrap(differences, sources, seed=1)
    assert (low, high) == (pytest.approx(found.low, abs=0.02), pytest.approx(found.high, abs=0.02))
    assert sign_flip(differences, sources, seed=1) == pytest.approx(found.p, abs=0.02)
    only_a = sum(d > 0 for d in differences)
    only_b = sum(d < 0 for d in differences)
    assert mcnemar_exact(only_a, only_b) < 0.01
