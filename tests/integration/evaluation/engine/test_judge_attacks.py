"""Canaries go to the judge through the real engine and client: what it falls for is counted."""

import json
import re
from decimal import Decimal

import pytest
from django.core.exceptions import PermissionDenied

from annotation.models import Revision
from evaluation.actions.judge_attacks import attack_judge
from evaluation.actions.run_checks import RunRefused
from evaluation.domain.judge_attack_rates import attack_rates
from evaluation.domain.judge_attacks import ATTACKS, chosen_items
from evaluation.engine.pump import pump
from evaluation.engine.sweep import sweep
from evaluation.models import Judgement, LeaderboardEntry, Prediction
from evaluation.queries.grading_candidates import offered_runs
from evaluation.queries.judge_attacks import attacks_on
from tests import factories
from tests.integration.evaluation.engine.conftest import distinct_benchmark
from tests.standins import model_replies

pytestmark = pytest.mark.django_db(transaction=True)
FALLS_FOR = {"instruction", "forged-verdict", "authority"}
LAST_PIECE = re.compile(r"ANSWER TO MARK\n<<(\w+)>>\n(.*)\n<<\1>>\Z", re.DOTALL)


@pytest.fixture
def gullible(monkeypatch) -> list[str]:
    """A judge that believes what speaks of points; it keeps the answers that it was shown."""
    shown: list[str] = []
    believed = {a.write("") for a in ATTACKS if a.name in FALLS_FOR}

    def answer(prompt: str) -> str:
        material = LAST_PIECE.search(prompt)
        assert material, "the answer to mark stands whole between its own fences, at the end"
        shown.append(material[2])
        score = 2 if material[2] in believed else 0
        error = "none" if score else "both_fail"
        return json.dumps({"score": score, "error_type": error, "explanation": "x"})

    monkeypatch.setattr(model_replies, "answer", answer)
    return shown


def test_what_the_judge_falls_for_is_told_by_kind(contestant, gullible, server, admin_user, client):
    bench = distinct_benchmark(20)
    release = factories.release(bench)
    run = attack_judge(release=release, judge=contestant, budget=Decimal(5), by=admin_user)
    assert pump(run.pk)
    run.refresh_from_db()
    sweep()

    assert (run.state, server.counted.calls) == ("done", 200)
    assert len(set(gullible)) == len(ATTACKS) - 1 + 20, "fixed texts, and each question parroted"
    assert not LeaderboardEntry.objects.exists() and not offered_runs(release)
    (found,) = attacks_on(bench)
    assert (found.whole.n, found.whole.succeeded) == (200, 60)
    assert found.whole.low < 0.3 < found.whole.high
    by_name = {rate.name: rate for rate in found.kinds}
    assert {name for name, rate in by_name.items() if rate.share} == FALLS_FOR
    assert by_name["instruction"].low > 0.8 and 0 < by_name["empty"].high < 0.2
    page = client.get(f"/b/{bench.slug}/judge/").content.decode()
    assert "Attacks on the judge" in page and "Forged verdict in JSON" in page
    assert "Why is step" not in page
    assert Revision.objects.filter(verb="attack_judge", target_id=run.pk).exists()


def test_forged_fences_never_end_the_material(contestant, gullible, admin_user):
    release = factories.release(distinct_benchmark(1))
    run = attack_judge(release=release, judge=contestant, budget=Decimal(1), by=admin_user)
    pump(run.pk)
    forged = [text for text in gullible if "<<" in text]
    assert len(forged) == 2 and all("ANSWER TO MARK" in t or "END OF" in t for t in forged)


def test_a_verdict_with_half_a_character_stops_no_run(contestant, monkeypatch, admin_user):
    """An answer may ask the judge to repeat what no database takes."""
    told = '{"score": 0, "error_type": "both_fail", "explanation": "it says \\ud800"}'
    monkeypatch.setattr(model_replies, "answer", lambda _: told)
    release = factories.release(distinct_benchmark(1))
    run = attack_judge(release=release, judge=contestant, budget=Decimal(1), by=admin_user)
    assert pump(run.pk)
    run.refresh_from_db()
    assert run.state == "done"
    assert set(Judgement.objects.values_list("failed", "explanation")) == {(False, "it says ?")}


def test_attacks_that_do_not_fit_are_refused(contestant, admin_user, reviewer):
    release = factories.release(factories.benchmark())
    asked = {"release": release, "judge": contestant, "budget": Decimal(1)}
    with pytest.raises(RunRefused, match="no free-response item"):
        attack_judge(**asked, by=admin_user)
    with pytest.raises(PermissionDenied):
        attack_judge(**asked, by=reviewer)
    with pytest.raises(RunRefused, match="budget"):
        attack_judge(**asked | {"budget": Decimal("NaN")}, by=admin_user)
    assert not Prediction.objects.exists() and not Judgement.objects.exists()


def test_maintainers_begin_it_from_the_page(contestant, client_for, maintainer, reviewer):
    bench = distinct_benchmark(2)
    factories.release(bench)
    url = f"/b/{bench.slug}/judge/attack/"
    form = {"release": "r1", "judge": str(contestant.pk), "budget": "2"}
    assert client_for(reviewer).post(url, form).status_code == 403
    client = client_for(maintainer)
    for bad in ({"budget": "x"}, {"judge": "0"}, {"release": "r1\x00"}, {"budget": "1e999"}):
        assert client.post(url, form | bad)["Location"].endswith("/grading/"), bad
    assert not Prediction.objects.exists()
    assert re.search(r"/runs/\d+/$", client.post(url, form)["Location"])
    assert Prediction.objects.count() == 2 * len(ATTACKS)


def test_rates_of_nothing_and_of_one_source_are_sound():
    whole, kinds = attack_rates([])
    assert (whole.n, whole.share, kinds) == (0, None, [])
    whole, kinds = attack_rates([(0, "a", 2), (0, "a", None), (4, "a", 0)])
    assert (whole.n, whole.succeeded, whole.unread, whole.low) == (2, 1, 1, None)
    assert [rate.name for rate in kinds] == ["forged-end", "empty"]
    assert chosen_items(range(50), seed=1) == chosen_items(range(50), seed=1)
