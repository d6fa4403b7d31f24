"""One answer of a run, its clip, and the pages of the table: what they show and what they cost."""

import hashlib
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation import media_store
from annotation.models import Item
from evaluation.models import Call, Judgement, Prediction, Run, WorkItem
from evaluation.queries import run_item_pages
from evaluation.queries.run_item_filter import ItemFilter
from evaluation.queries.run_item_pages import cursor_of, item_page, read_cursor
from evaluation.queries.run_items import item_rows
from tests import evaluation_factories as made
from tests import factories

pytestmark = pytest.mark.django_db
FILM = b"not really a film, but bytes" * 40


@pytest.fixture
def run(db: None) -> Run:
    """A run with an engine's ledger: six items, the last one never answered."""
    release = factories.release(factories.small_benchmark(videos=3))
    run = made.run(release, origin="engine", condition="blind", judge_label="judge",
                   prompt_version="answer-first-1", rubric_version="rubric-1")  # fmt: skip
    run.extra = {"answers": 6}
    run.save()
    began = timezone.now() - timedelta(minutes=9)
    rows = release.release_items.select_related("item_version__item").order_by("position")
    for number, row in enumerate(rows):
        version, is_last = row.item_version, number == 5
        step = WorkItem.objects.create(
            run=run, item_version=version, stage="predict", state="waiting" if is_last else "done",
            attempt=0 if is_last else 1,
            finished_at=None if is_last else began + timedelta(seconds=number),
        )  # fmt: skip
        if is_last:
            continue
        Call.objects.create(work_item=step, attempt=1, state="settled", latency=2.5, tokens_in=11,
                            tokens_out=7, model_version=f"m-{number % 2}")  # fmt: skip
        prediction = made.prediction(
            run, version, 1 if number else 0, raw_reply="Answer: <b>B</b>",
            model_version=f"m-{number % 2}", answer_text="<b>B</b>",
        )  # fmt: skip
        if version.item.kind == "free":
            state = "failed" if number == 3 else "done"
            WorkItem.objects.create(
                run=run, item_version=version, stage="judge", state=state, attempt=2,
                error_class="unparsable" if number == 3 else "",
                error_message="GET https://x.example/v1?key=abcdefgh12345 failed",
            )  # fmt: skip
            if number == 3:
                Judgement.objects.filter(prediction=prediction).update(failed=True, score=None)
    return run


def path_of(row: Prediction | WorkItem) -> str:
    return f"/runs/{row.run_id}/items/{row.item_version_id}/{row.repeat}/"


def test_a_page_begins_after_the_last_row_of_the_one_before(run: Run) -> None:
    seen, cursor = [], ""
    for _ in range(4):
        page = item_page(run, ItemFilter(), cursor, size=2)
        seen += [(row.finished_at is None, row.pk) for row in page.rows]
        cursor = page.next
        if not cursor:
            break
    assert len(seen) == len(set(seen)) == 6
    assert [is_open for is_open, _ in seen] == [False] * 5 + [True]
    ends = list(WorkItem.objects.filter(run=run, stage="predict").order_by("-finished_at", "pk"))
    assert [pk for _, pk in seen[:5]] == [row.pk for row in ends if row.finished_at]


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ({"score": "right"}, 2), ({"score": "wrong"}, 1), ({"score": "part"}, 1),
        ({"score": "none"}, 2), ({"model": "m-0"}, 3), ({"model": "m-9"}, 0),
        ({"state": "failed"}, 1), ({"state": "waiting"}, 1), ({"state": "done"}, 4),
        ({"state": "retrying"}, 0), ({"error": "unparsable"}, 1),
        ({"state": "done", "kind": "mcq"}, 3), ({"type": "x" * 999}, 0),
        ({"q": "\ud800"}, 6), ({"model": "\x00m-0"}, 3), ({"score": "2"}, 6),
    ],
)  # fmt: skip
def test_items_are_narrowed(run: Run, asked: dict[str, str], rows: int) -> None:
    if "kind" in asked or asked.get("score") in ("right", "part"):
        free = Prediction.objects.filter(run=run, item_version__item__kind="free")
        Judgement.objects.filter(prediction__in=free, failed=False).update(score=1)
    assert len(item_page(run, ItemFilter.read(asked)).rows) == rows


def test_a_filter_looks_at_so_many_rows_and_goes_on_from_there(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_item_pages, "WALK", 2)
    wanted, cursor, found, pages = ItemFilter(kind="free"), "", [], 0
    while True:
        page = item_page(run, wanted, cursor, size=50)
        found += [row.pk for row in page.rows]
        pages += 1
        if not page.next:
            break
        assert page.walked
        cursor = page.next
    assert pages > 1 and len(found) == len(set(found)) == 3


@pytest.mark.parametrize(
    "text", ["", "~", "x~1", "-1~5", "1~5~", "9" * 40, "1~" + "9" * 30, "\x00"]
)
def test_a_cursor_that_cannot_be_understood_is_the_beginning(run: Run, text: str) -> None:
    assert read_cursor(text) is None
    assert len(item_page(run, ItemFilter(), text).rows) == 6


@pytest.mark.parametrize("text", ["99999999999999999~1", "~999999999999999999~99999", "0~1"])
def test_a_cursor_beyond_everything_is_no_fault(run: Run, text: str) -> None:
    assert len(item_page(run, ItemFilter(), text).rows) <= 6


def test_imported_predictions_have_their_table_too(
    run: Run, admin_user: Any, client_for: Any
) -> None:
    Run.objects.filter(pk=run.pk).update(origin="import")
    WorkItem.objects.filter(run=run).delete()
    run.refresh_from_db()
    pages = [item_page(run, ItemFilter(), size=3)]
    pages.append(item_page(run, ItemFilter(), pages[0].next, size=3))
    assert [len(page.rows) for page in pages] == [3, 2] and not pages[1].next
    page = client_for(admin_user).get(f"/runs/{run.pk}/").content.decode()
    assert page.count("data-open=") == 5
    first = Prediction.objects.filter(run=run).first()
    assert "made elsewhere" in client_for(admin_user).get(path_of(first)).content.decode()


def test_a_row_says_the_question_that_was_asked(run: Run) -> None:
    asked = run.release.release_items.order_by("position")[0].item_version
    Item.objects.filter(pk=asked.item_id).update(text="Edited since?")
    rows = item_rows(run, item_page(run, ItemFilter()).rows)
    assert asked.stem in [row.text for row in rows]
    assert "Edited since?" not in [row.text for row in rows]


@pytest.mark.parametrize("fragment", ["", "?fragment=1"])
def test_an_answer_tells_reply_reading_verdict_and_calls(
    run: Run, admin_user: Any, client_for: Any, fragment: str
) -> None:
    client = client_for(admin_user)
    mcq = Prediction.objects.filter(run=run, item_version__item__kind="mcq").first()
    page = client.get(path_of(mcq) + fragment).content.decode()
    assert "Answer: &lt;b&gt;B&lt;/b&gt;" in page and "<b>B</b>" not in page
    assert "Exactly one option is right" in page  # the prompt
    assert "m-0" in page and "2.50" in page
    free = Prediction.objects.filter(run=run, item_version__item__kind="free").first()
    page = client.get(path_of(free) + fragment).content.decode()
    assert "As the reference says." in page and "ANSWER TO MARK" in page
    assert ("<html" in page) == (not fragment)


def test_no_secret_of_an_address_is_shown(run: Run, admin_user: Any, client_for: Any) -> None:
    step = WorkItem.objects.get(run=run, stage="judge", state="failed")
    page = client_for(admin_user).get(path_of(step)).content.decode()
    assert "x.example/v1" in page and "abcdefgh12345" not in page


def test_the_page_leads_to_the_next_of_what_is_looked_for(
    run: Run, admin_user: Any, client_for: Any
) -> None:
    client = client_for(admin_user)
    rows = item_page(run, ItemFilter(kind="free")).rows
    page = client.get(path_of(rows[0]) + "?kind=free").content.decode()
    assert f'rel="next" href="{path_of(rows[1])}?kind=free"' in page
    assert 'rel="next"' not in client.get(path_of(rows[-1]) + "?kind=free").content.decode()


def test_the_reading_names_its_rule(run: Run, admin_user: Any, client_for: Any) -> None:
    row = Prediction.objects.filter(run=run, item_version__item__kind="mcq").first()
    order = row.item_version.shown_order
    row.raw_reply, row.chosen = "I think so. Answer: A", order[0]
    row.save()
    page = client_for(admin_user).get(path_of(row)).content.decode()
    assert "rule: the last statement of the answer in words" in page
    row.raw_reply = "No letter at all"
    row.save()
    assert "as it was imported" in client_for(admin_user).get(path_of(row)).content.decode()


def test_only_those_who_see_runs_see_an_answer(run: Run, reviewer: Any, client_for: Any) -> None:
    row = Prediction.objects.filter(run=run).first()
    assert client_for(reviewer).get(path_of(row)).status_code == 403
    assert client_for(reviewer).get(path_of(row) + "clip.mp4").status_code == 403


def test_what_the_run_does_not_ask_is_not_there(run: Run, admin_user: Any, client_for: Any) -> None:
    client, row = client_for(admin_user), Prediction.objects.filter(run=run).first()
    other = factories.current(factories.mcq_item(factories.video(factories.benchmark())))
    for version, repeat in ((other.pk, 0), (row.item_version_id, 7), (10**19, 0)):
        assert client.get(f"/runs/{run.pk}/items/{version}/{repeat}/").status_code == 404


def test_an_answer_asks_as_few_queries_in_a_long_run(
    run: Run, admin_user: Any, client_for: Any
) -> None:
    client, row = client_for(admin_user), Prediction.objects.filter(run=run).first()
    client.get(path_of(row))
    with CaptureQueriesContext(connection) as before:
        client.get(path_of(row))
    video = factories.video(run.benchmark)
    for _ in range(30):
        version = factories.current(factories.mcq_item(video))
        WorkItem.objects.create(run=run, item_version=version, stage="predict", state="done",
                                finished_at=timezone.now())  # fmt: skip
        made.prediction(run, version, 1)
    with CaptureQueriesContext(connection) as after:
        client.get(path_of(row))
    assert len(before) == len(after) <= 26


# The clip.


@pytest.fixture
def shown(run: Run, settings: Any, tmp_path: Any) -> Prediction:
    """A prediction whose clip is kept in the store under its sha256."""
    settings.MEDIA_STORE = tmp_path / "store"
    Run.objects.filter(pk=run.pk).update(condition="video")
    row = (
        Prediction.objects.filter(run=run)
        .select_related("item_version__item__video__source")
        .first()
    )
    source = row.item_version.item.video.source
    path = media_store.place(
        "clips", media_store.name_of((source.kind, source.key), "clip"), ".mp4"
    )
    path.write_bytes(FILM)
    row.clip_sha256 = hashlib.sha256(FILM).hexdigest()
    row.extra = {
        "clip": {"frames": 45, "fps": 15.0, "size": [320, 240], "seconds": 3.0, "bytes": 5}
    }
    row.save()
    notes = {"sha256": row.clip_sha256, "width": 320, "height": 240, "fps": 15.0, "frames": 45,
             "duration": 3.0, "bytes": len(FILM)}  # fmt: skip
    media_store.write_json(path.with_suffix(".json"), notes)
    return row


def test_the_very_file_is_played(shown: Prediction, admin_user: Any, client_for: Any) -> None:
    client = client_for(admin_user)
    page = client.get(path_of(shown)).content.decode()
    assert f'src="{path_of(shown)}clip.mp4"' in page
    assert "320 × 240 px" in page and shown.clip_sha256 in page
    answer = client.get(path_of(shown) + "clip.mp4", headers={"range": "bytes=0-9"})
    assert answer.status_code == 206 and b"".join(answer.streaming_content) == FILM[:10]


def test_another_file_is_not_taken_for_it(
    shown: Prediction, admin_user: Any, client_for: Any
) -> None:
    Prediction.objects.filter(pk=shown.pk).update(clip_sha256="0" * 64)
    client = client_for(admin_user)
    assert "not kept on this machine" in client.get(path_of(shown)).content.decode()
    assert client.get(path_of(shown) + "clip.mp4").status_code == 404


def test_a_clip_in_quarantine_is_shown_to_nobody(
    shown: Prediction, admin_user: Any, client_for: Any
) -> None:
    video = shown.item_version.item.video
    video.quarantined_at = timezone.now()
    video.save()
    client = client_for(admin_user)
    assert "quarantine" in client.get(path_of(shown)).content.decode()
    assert client.get(path_of(shown) + "clip.mp4").status_code == 403


def test_a_broken_note_of_the_store_is_passed_over(
    shown: Prediction, admin_user: Any, client_for: Any
) -> None:
    source = shown.item_version.item.video.source
    name = media_store.name_of((source.kind, source.key), "another")
    media_store.place("clips", name, ".json").write_text("{")
    assert client_for(admin_user).get(path_of(shown) + "clip.mp4").status_code == 200


def test_cursor_of_a_prediction_is_its_place(run: Run) -> None:
    row = Prediction.objects.filter(run=run).first()
    assert read_cursor(cursor_of(row)) == (None, row.item_version_id, row.repeat)
