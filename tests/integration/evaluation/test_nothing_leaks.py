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
    return bench


def crawl(client: Client) -> dict[str, str]:
    """Return all that a stranger reaches by links of this site, by path."""
    seen: dict[str, str] = {}
    waiting = list(STARTS)
    while waiting and len(seen) < 200:
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
    assert any(path.startswith("/b/phantom/entry/") for path in pages)
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


def test_files_hold_no_score_of_a_single_item(planted: Any, client: Client) -> None:
    found = client.get("/b/phantom/leaderboard.json").json()
    text = str(found)
    for word in ("per_item", "clusters", "versions': [1", "sums", "chosen"):
        assert word not in text
