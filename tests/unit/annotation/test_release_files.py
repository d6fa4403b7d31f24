"""A release taken away as a zip in the published layout, and as lines with provenance."""

import io
import json
import zipfile

import pytest

from annotation.actions.items import edit_item
from annotation.actions.releases import make_release
from annotation.exporter import export_benchmark
from annotation.importer import import_benchmark
from annotation.models import Benchmark
from annotation.release_files import lines, zipped
from tests import factories
from tests.unit.annotation.queries.voting import vote

pytestmark = pytest.mark.django_db


@pytest.fixture
def release(adjudicator, reviewer):
    bench = factories.small_benchmark(name="Bauch & Gefäße", citation="@misc{x}")
    item = bench.items.filter(kind="mcq").first()
    vote(item, reviewer, "drop", reasons=[4])
    made = make_release(benchmark=bench, tag="r1", notes="First.", by=adjudicator)
    edit_item(item_id=item.pk, base_version=1, changes={"stem": "Why?"}, reason="x", by=reviewer)
    return made


def test_the_zip_holds_what_an_export_writes(release, tmp_path):
    export_benchmark(release.benchmark, tmp_path, release=release)
    with zipped(release) as file, zipfile.ZipFile(file) as packed:
        names = sorted(packed.namelist())
        assert names == sorted(
            path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()
        )
        for name in names:
            assert packed.read(name) == (tmp_path / name).read_bytes()
        assert packed.testzip() is None


def test_the_same_release_gives_the_same_bytes(release):
    with zipped(release) as one, zipped(release) as other:
        assert one.read() == other.read()


def test_the_published_benchmark_comes_back_from_its_zip(rex, tmp_path, adjudicator):
    import_benchmark(rex, slug="rex", by="import")
    bench = Benchmark.objects.get(slug="rex")
    with zipped(bench.releases.get()) as file, zipfile.ZipFile(file) as packed:
        packed.extractall(tmp_path)
    for path in tmp_path.rglob("*.json"):
        theirs = json.loads((rex / path.relative_to(tmp_path)).read_text(encoding="utf-8"))
        assert json.loads(path.read_text(encoding="utf-8")) == theirs


def test_lines_say_what_was_frozen_and_how_it_came_to_be(release, adjudicator, reviewer):
    head, *items = [json.loads(line) for line in lines(release)]

    assert (head["record"], head["tag"], head["hash"]) == ("release", "r1", release.hash)
    assert (head["name"], head["notes"]) == ("Bauch & Gefäße", "First.")
    assert head["made_by"] == adjudicator.pseudonym
    assert head["kept"] == {"mcq": 1, "free": 2}
    assert len(items) == 4
    dropped = next(item for item in items if not item["keep"])
    assert dropped["stem"] == "What does the operator do next?"  # not the later edit
    assert dropped["version"] == 1
    (vote_,) = dropped["trail"]
    assert (vote_["did"], vote_["by"]) == ("cast_vote", reviewer.pseudonym)
    assert vote_["after"]["reasons"] == [4]
    assert {"digest", "roi", "video", "written", "key_index"} <= set(dropped)


def test_no_name_of_a_person_is_in_the_lines(release, adjudicator, reviewer):
    text = "".join(lines(release))
    assert reviewer.get_username() not in text.replace(reviewer.pseudonym, "")
    assert adjudicator.get_username() not in text


def test_lines_are_read_in_batches(release, monkeypatch, django_assert_num_queries):
    monkeypatch.setattr("annotation.release_files.BATCH", 2)
    with django_assert_num_queries(3):  # items once, the trail of each batch
        assert sum(1 for _ in lines(release)) == 5


def test_each_line_is_one_line(release):
    release.notes = "one\ntwo\u2028three"
    assert io.StringIO(next(iter(lines(release)))).read().count("\n") == 1
