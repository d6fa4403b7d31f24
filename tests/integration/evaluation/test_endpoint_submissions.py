"""A server of an outsider, from its submission to the leaderboard: asked by the engine itself over
real TLS on loopback, which a test alone may allow."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from annotation.models import Revision
from evaluation.endpoint_runs import LONGEST, end_endpoints
from evaluation.engine import calls
from evaluation.engine.pump import pump
from evaluation.models import Contestant, LeaderboardEntry, Provider, Run, Submission
from evaluation.submissions import check_submission
from sonovqa.adapters.public_pool import PublicBackend, open_public_pool
from tests import factories
from tests.standins import model_replies
from tests.standins.model_server import ModelServer
from tests.standins.tls_server import Standing, tls_server

pytestmark = pytest.mark.django_db(transaction=True)
HOST, KEY = "model.lab-of-echo.org", "sk-outsiders-own-9876"
URL = "/b/bench/submit/server/"


@pytest.fixture
def bench() -> Any:
    made = factories.benchmark(slug="bench")
    for number in range(3):
        video = factories.video(made)
        factories.kept(factories.mcq_item(video, stem=f"What happens in step {number}?"))
        factories.kept(factories.free_item(video, stem=f"Why is step {number} done?"))
    factories.release(made)
    return made


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Standing]:
    def answer(handler: Any, body: bytes) -> None:
        text = model_replies.answer(model_replies.prompt_of(json.loads(body)))
        said = json.dumps(model_replies.openai_body(text, "echo-1")).encode()
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(said)))
        handler.end_headers()
        handler.wfile.write(said)

    with tls_server(tmp_path, HOST, answer) as standing:
        yield standing


@pytest.fixture
def reachable(server: Standing, monkeypatch: pytest.MonkeyPatch) -> Standing:
    """Let the engine reach the stand-in: port 443 of HOST is its port of loopback."""

    async def resolve(host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    class Led(PublicBackend):
        async def connect_tcp(self, host: str, port: int, *args: Any, **more: Any) -> Any:
            assert (host, port) == (HOST, 443)
            return await super().connect_tcp(host, server.port, *args, **more)

    backend = Led(resolve=resolve, allowed=lambda one: one == "127.0.0.1", ports=[server.port])
    opened = partial(open_public_pool, backend=backend, context=server.context)
    monkeypatch.setattr(calls, "open_public_pool", opened)
    return server


def said(**more: Any) -> dict[str, Any]:
    return {
        "release": "r1",
        "model_name": "Echo",
        "condition": "blind",
        "base_url": f"https://{HOST}/v1",
        "model_id": "echo-1",
        "video_part": "video_url",
        "key": KEY,
    } | more


def sent(client: Client, **more: Any) -> Submission:
    assert client.post(URL, said(**more)).status_code == 302
    return Submission.objects.select_related("run").latest("pk")


def test_from_an_address_to_a_verified_entry(
    bench: Any,
    reachable: Standing,
    client: Client,
    client_for: Any,
    outsider: Any,
    maintainer: Any,
    settings: Any,
    caplog: Any,
) -> None:
    with ModelServer() as judging:
        provider = Provider.objects.create(
            name="judge", dialect="openai_compatible", base_url=f"{judging.url}/v1"
        )
        judge = Contestant.objects.create(
            name="Judge", slug="judge", provider=provider, model_id="j-1", can_judge=True,
            price_in=1, price_out=2,
        )  # fmt: skip
        settings.SUBMISSION_JUDGE, settings.SUBMISSION_BUDGET = judge.name, 2
        sender = client_for(outsider)
        made = sent(sender)
        check_submission(made.pk)
        page = sender.get(f"/submissions/{made.pk}/").content.decode()
        assert "Asking its server" in page and "0 of 6 items answered" in page
        assert "9876" in page and KEY not in page
        assert pump(made.run_id)
    made.refresh_from_db()
    assert made.shown_state == ("scored", "Scored")
    assert made.run.state == "done" and made.run.budget == 2 and 0 < made.run.spent < 2
    assert reachable.keys == {KEY} and len(reachable.asked) == 6
    entry = LeaderboardEntry.objects.get(run=made.run)
    assert entry.figures["scored"] == 6 and not entry.provisional
    assert "Echo" not in client.get("/b/bench/leaderboard/?condition=blind").content.decode()

    end_endpoints()

    own = Provider.objects.get(public_only=True)
    assert own.key_sealed == own.key_last4 == ""
    assert "its key is deleted" in sender.get(f"/submissions/{made.pk}/").content.decode()
    client_for(maintainer).post(f"/submissions/{made.pk}/approve/")
    found = client.get("/b/bench/leaderboard.json?condition=blind").json()["entries"]
    assert [(row["model"], row["verified"], row["self_reported"]) for row in found] == [
        ("Echo", True, False)
    ]
    assert KEY not in caplog.text
    assert KEY not in str(list(Revision.objects.values_list("before", "after", "reason")))


def test_a_server_inside_is_never_reached(bench: Any, server: Standing, outsider: Any) -> None:
    """The product's own pool: the name leads to loopback, so the call is refused, not retried."""
    client = Client()
    client.force_login(outsider)
    made = sent(client)
    check_submission(made.pk)

    async def inside(host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    backend = PublicBackend(resolve=inside)
    patched = partial(open_public_pool, backend=backend)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(calls, "open_public_pool", patched)
        pump(made.run_id)
    made.refresh_from_db()
    assert server.asked == [] and made.run.state == "failed"
    page = client.get(f"/submissions/{made.pk}/").content.decode()
    assert "Its server did not answer" in page and "Approve" not in page
    errors = set(made.run.work_items.values_list("state", "error_class"))
    assert errors == {("failed", "bad_request")}


@pytest.mark.parametrize(
    "more",
    [
        {"base_url": "http://model.lab-of-echo.org/v1"},
        {"base_url": "https://127.0.0.1/v1"},
        {"base_url": "https://[::ffff:7f00:1]/v1"},
        {"base_url": "https://metadata.google.internal/"},
        {"base_url": "https://user:pw@model.lab-of-echo.org"},
        {"base_url": "https://model.lab-of-echo.org:6379"},
        {"base_url": "x" * 5_000},
        {"key": ""},
        {"key": "a b"},
        {"key": "k" * 500},
        {"key": "k\x00"},
        {"model_id": ""},
        {"model_id": "a\x00"},
        {"video_part": "all"},
        {"condition": "frames of another"},
        {"release": "r9"},
        {"model_name": ""},
        {"model_name": "Taken"},
    ],
    ids=str,
)
def test_what_cannot_be_asked_is_refused_and_nothing_is_kept(
    bench: Any, client_for: Any, outsider: Any, more: dict[str, str]
) -> None:
    provider = Provider.objects.create(name="import", dialect="import")
    Contestant.objects.create(name="taken", slug="taken", provider=provider)
    answer = client_for(outsider).post(URL, said(**more))
    assert answer.status_code == 400
    assert not more.get("key") or more["key"] not in answer.content.decode()
    assert not Submission.objects.exists() and Provider.objects.count() == 1
    assert not Run.objects.exists() and Contestant.objects.count() == 1


def test_the_key_goes_when_the_submission_does(
    bench: Any, client_for: Any, outsider: Any, maintainer: Any, settings: Any, tmp_path: Path
) -> None:
    settings.SUBMISSIONS_A_DAY = 10
    client = client_for(outsider)
    withdrawn, rejected, late = (
        sent(client, model_name=f"Echo {n}", model_id=f"echo-{n}") for n in range(3)
    )
    assert client.post(URL, said(model_name="Again", model_id="echo-0")).status_code == 400
    for one in (withdrawn, rejected, late):
        check_submission(one.pk)
    client.post(f"/submissions/{withdrawn.pk}/withdraw/")
    client_for(maintainer).post(f"/submissions/{rejected.pk}/reject/", {"reason": "no such lab"})
    with_keys = Provider.objects.filter(public_only=True).exclude(key_sealed="")
    assert with_keys.get() == late.run.contestant.provider
    Submission.objects.filter(pk=late.pk).update(checked_at=timezone.now() - LONGEST)
    end_endpoints()
    assert not with_keys.exists()
    assert set(Run.objects.values_list("state", flat=True)) == {"cancelled"}
    call_command("dumpdata", output=str(tmp_path / "all.json"))
    assert KEY not in (tmp_path / "all.json").read_text()
