"""Holding items out of all that the public sees."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.core.management import call_command

from annotation.actions.held_out import HoldingRefused, draw_held_out, set_held_out
from annotation.domain.held_out import draw_sources
from annotation.models import Benchmark, Revision
from annotation.release_files import lines, zipped
from tests import factories

pytestmark = pytest.mark.django_db
URL = "/b/bench/held-out/"


@pytest.fixture
def bench() -> Benchmark:
    return factories.small_benchmark(slug="bench", videos=4)


def test_items_are_held_out_one_by_one_and_put_back(
    bench: Benchmark, client_for: Any, maintainer: Any
) -> None:
    client = client_for(maintainer)
    first, second = bench.items.values_list("key", flat=True)[:2]
    said = {"do": "hold", "keys": f"{first}\n {second} \n{first}", "reason": "leaked elsewhere"}
    page = client.post(URL, said, follow=True).content.decode()
    assert "2 items held out." in page and first in page
    assert bench.items.filter(held_out=True).count() == 2
    client.post(URL, said | {"do": "back", "keys": first, "reason": "it was not"})
    assert list(bench.items.filter(held_out=True).values_list("key", flat=True)) == [second]
    item = bench.items.get(key=first)
    seen = Revision.objects.filter(target_kind="item", target_id=item.pk).order_by("pk")
    assert [one.verb for one in seen][-2:] == ["hold_out_item", "put_back_item"]


@pytest.mark.parametrize(
    "said",
    [
        {"do": "hold", "keys": "no/such/0", "reason": "why"},
        {"do": "hold", "keys": "", "reason": "why"},
        {"do": "hold", "keys": "ANY", "reason": " "},
        {"do": "hold", "keys": "a\x00b", "reason": "why"},
        {"do": "hold", "keys": "ANY\nno/such/0", "reason": "why"},
        {"do": "draw", "percent": "0", "seed": "1", "reason": "why"},
        {"do": "draw", "percent": "1e9", "seed": "1", "reason": "why"},
        {"do": "draw", "percent": "20", "seed": "", "reason": "why"},
        {"do": "draw", "percent": "20", "seed": "9" * 400, "reason": "why"},
        {"do": "all", "reason": "why"},
    ],
)
def test_what_makes_no_sense_changes_nothing(
    bench: Benchmark, client_for: Any, maintainer: Any, said: dict[str, str]
) -> None:
    key = bench.items.values_list("key", flat=True)[0]
    said = said | {"keys": said["keys"].replace("ANY", key)} if "keys" in said else said
    assert client_for(maintainer).post(URL, said).status_code == 302
    assert not bench.items.filter(held_out=True).exists()


def test_a_draw_takes_whole_sources_and_the_same_ones_again(
    bench: Benchmark, maintainer: Any, reviewer: Any
) -> None:
    said = {"benchmark": bench, "share": 0.5, "seed": 3, "reason": "a test part"}
    with pytest.raises(PermissionDenied):
        draw_held_out(**said, by=reviewer)
    assert draw_held_out(**said, by=maintainer) == 4
    held = set(bench.items.filter(held_out=True).values_list("video__source", flat=True))
    rest = set(bench.items.filter(held_out=False).values_list("video__source", flat=True))
    assert held.isdisjoint(rest)
    assert draw_held_out(**said, by=maintainer) == 0
    with pytest.raises(HoldingRefused):
        draw_held_out(**said | {"share": 0.01}, by=maintainer)


def test_a_draw_comes_near_its_share() -> None:
    sizes = {n: 5 + 37 * n % 60 for n in range(40)}
    for seed in range(50):
        drawn = sum(sizes[source] for source in draw_sources(sizes, 0.2, seed))
        assert abs(drawn / sum(sizes.values()) - 0.2) < 0.02
    with pytest.raises(ValueError, match="share"):
        draw_sources(sizes, 1.0, 1)


def test_a_release_freezes_what_is_held_out_and_files_leave_it_out(
    bench: Benchmark, maintainer: Any, tmp_path: Path
) -> None:
    item = bench.items.first()
    said = {"benchmark": bench, "keys": [item.key], "reason": "why", "by": maintainer}
    set_held_out(**said, held_out=True)
    release = factories.release(bench)
    set_held_out(**said, held_out=False)
    assert release.release_items.get(held_out=True).item_version_id == item.current_id
    with zipfile.ZipFile(zipped(release)) as packed:
        events = [name for name in packed.namelist() if name.startswith("gt_all/")]
        kinds = [name for name in packed.namelist() if name.startswith("benchmark_questions/")]
        assert sum(len(json.loads(packed.read(name))) for name in kinds) == 7
        own = [name for name in events if item.video.name in name]
        assert all(json.loads(packed.read(name)) == [] for name in own)
    keys = [json.loads(line).get("key") for line in lines(release)]
    assert item.key not in keys and len(keys) == 8
    for more, count in (([], 8), (["--public"], 7)):
        out = tmp_path / f"out{count}"
        call_command("export_benchmark", "bench", out, "--release", release.tag, *more)
        files = out.glob("benchmark_questions/*/*.json")
        assert sum(len(json.loads(path.read_text())) for path in files) == count
