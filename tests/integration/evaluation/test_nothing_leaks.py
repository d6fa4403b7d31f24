"""A crawl of every page that a stranger reaches, with canaries planted in all that must
stay inside: keys, ground truths, reference answers, replies, explanations, item ids' scores."""

import json
import re
from typing import Any

import pytest
from django.test import Client

from evaluation.actions.entries import publish_entry
from evaluation.baselines import settle_references
from evaluation.leaderboard import compute_entry
from tests import evaluation_factories as make
from tests import factories

pytestmark = pytest.mark.django_db
CANARY = "CANARYbird"
HELD = "HELDOUTbird"
NO_NEWS = ("/static/", "//", "/accounts/login/?next=")  # the last without end
QUESTIONS = "/b/phantom/questions/r1.jsonl"
STARTS = (
    "/",
    "/method/",
    "/b/phantom/leaderboard/",
    "/b/phantom/leaderboard/?condition=blind",
    "/b/phantom/leaderboard/?condition=gain",
    "/b/phantom/leaderboard.json",
    "/b/phantom/leaderboard.csv",
    "/b/phantom/compare/",
    "/b/phantom/embed/",
    "/accounts/login/",
)
OPEN_FILES = (
    QUESTIONS,
    "/b/phantom/submit/",
    "/b/phantom/submit/template.jsonl",
    "/b/phantom/datasheet/r1/",
    "/b/phantom/datasheet/r1.md",
    "/b/phantom/croissant/r1.json",
    "/b/phantom/leaderboard.json",
    "/api/v1/benchmarks/phantom/releases/r1/items/",
    "/api/v1/benchmarks/phantom/releases/r1/entries/",
)
INSIDE = ("/evidence/{item}/", "/b/phantom/review/", "/b/phantom/review/{item}/")


@pytest.fixture
def planted() -> Any:
    bench = factories.benchmark(slug="phantom", name="Phantom")
    for number in range(4):
        vid = factories.video(bench)
        factories.event(vid, action=f"{CANARY} event", interpretation=f"{CANARY} event")
        options = (f"{CANARY} key", "Slide.", "Freeze.", f"{CANARY} distractor")
        mcq = factories.mcq_item(
            vid, stem=f"{CANARY} stem {number}", options=options, ground_truth=f"{CANARY} truth"
        )
        free = factories.free_item(
            vid,
            stem=f"{CANARY} stem",
            reference_answer=f"{CANARY} reference",
            ground_truth=f"{CANARY} truth",
        )
        factories.kept(mcq)
        factories.kept(free)
    hide(bench, before_release=True)
    release = factories.release(bench)
    settle_references(release)
    model = make.contestant("Seer")
    for condition in ("video", "blind"):
        run = make.run(release, contestant=model, condition=condition)
        for row in release.release_items.select_related("item_version").order_by("position"):
            found = make.prediction(
                run,
                row.item_version,
                1,
                raw_reply=f"{CANARY} reply",
                answer_text=f"{CANARY} answer",
                error_message=f"{CANARY} error",
            )
            found.judgements.update(explanation=f"{CANARY} judge", raw_reply=f"{CANARY} judge")
        publish_entry(entry=compute_entry(run), by="import")
    hide(bench, before_release=False)
    return bench


def hide(bench: Any, *, before_release: bool) -> None:
    """Plant two held-out items, or hold one more out that its release has shown till now."""
    if before_release:
        vid = factories.video(bench, name=f"{HELD}_video", title=f"{HELD} video")
        options = (f"{HELD} key", f"{HELD} b", f"{HELD} c", f"{HELD} d")
        for item in (
            factories.mcq_item(vid, stem=f"{HELD} stem", options=options),
            factories.free_item(vid, stem=f"{HELD} stem", reference_answer=f"{HELD} reference"),
            factories.mcq_item(factories.video(bench), stem=f"{HELD} later"),
        ):
            factories.kept(item)
        bench.items.filter(video=vid).update(held_out=True)
    else:
        bench.items.filter(text__contains=f"{HELD} later").update(held_out=True)


def crawl(client: Client) -> dict[str, str]:
    """Return all that a stranger reaches by links of this site, by path."""
    seen: dict[str, str] = {}
    waiting = list(STARTS)
    while waiting:
        assert len(seen) < 2_000, f"no end of addresses, the next is {waiting[-1]}"
        path = waiting.pop()
        if path in seen:
            continue
        response = client.get(path, follow=True)
        body = b"".join(response) if response.streaming else response.content
        seen[path] = body.decode("utf-8", "replace")
        if not response.headers.get("Content-Type", "").startswith("text/html"):
            continue
        for link in re.findall(r'(?:href|action|src)="([^"]+)"', seen[path]):
            target = link.replace("&amp;", "&").split("#")[0]
            if target.startswith("?"):
                target = path.split("?")[0] + target
            if target.startswith("/") and not target.startswith(NO_NEWS):
                waiting.append(target)
    return seen


def test_no_canary_reaches_a_stranger(planted: Any, client: Client) -> None:
    pages = crawl(client)
    assert len(pages) > 20
    for start in ("/b/phantom/entry/", *STARTS):
        assert any(path.startswith(start) for path in pages), start
    assert any("Seer" in body for body in pages.values())
    told = {path for path, body in pages.items() if CANARY in body}
    assert told == {QUESTIONS}  # what a model is asked may be read by anybody, and no more of it
    assert not re.search(
        f"{CANARY} (truth|reference|reply|answer|event|error|judge)", pages[QUESTIONS]
    )
    fields = {name for line in pages[QUESTIONS].splitlines() for name in json.loads(line)}
    assert fields.isdisjoint({"key", "key_index", "answer", "answer_key", "reference_answer"})


def test_pages_inside_are_closed_to_strangers_and_to_accounts_without_a_role(
    planted: Any, client: Client, client_for: Any, outsider: Any
) -> None:
    item = planted.items.first()
    for visitor in (client, client_for(outsider)):
        for path in INSIDE:
            response = visitor.get(path.format(item=item.pk))
            assert response.status_code in (302, 403, 404)
            assert CANARY not in response.content.decode()


def test_no_held_out_item_reaches_a_stranger_or_a_sender(
    planted: Any, client: Client, client_for: Any, outsider: Any
) -> None:
    pages = crawl(client)
    for visitor in (client, client_for(outsider)):
        for path in OPEN_FILES:
            response = visitor.get(path, follow=True)
            body = b"".join(response) if response.streaming else response.content
            pages[f"{path} {visitor is client}"] = body.decode()
    assert sum("item" in body for body in pages.values()) > 3
    assert not {path for path, body in pages.items() if HELD in body}
    seen = len(pages[QUESTIONS].splitlines())
    assert seen == planted.releases.get().release_items.filter(keep=True).count() - 3
    entry = planted.releases.get().entries.filter(published_at__isnull=False).first()
    assert entry.figures["held_out"] == {
        "mcq": {"n": 1, "share": None},
        "free": {"n": 1, "share": None},
    }
    assert entry.figures["items"] == 9
    held = planted.items.filter(held_out=True).values_list("current_id", flat=True)
    frozen = planted.releases.get().release_items.filter(held_out=True)
    versions = set(frozen.values_list("item_version_id", flat=True))
    assert len(held) == 3 and len(versions) == 2
    assert versions.isdisjoint(entry.per_item["versions"])


def test_files_hold_no_score_of_a_single_item(planted: Any, client: Client) -> None:
    found = client.get("/b/phantom/leaderboard.json").json()
    text = str(found)
    for word in ("per_item", "clusters", "versions': [1", "sums", "chosen"):
        assert word not in text
