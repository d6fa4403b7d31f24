import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.audit import make_waiting_audits
from annotation.models import AuditState, ShortcutAudit
from tests import factories

pytestmark = pytest.mark.django_db
OPTIONS = ("Stop", "Slide it up.", "Turn it round.", "Wait a while.")


def leaky(items, slug="leaky"):
    bench = factories.benchmark(slug=slug, name="Leaky")
    for number in range(items):
        vid = factories.video(bench)
        order = [OPTIONS[(place + number) % 4] for place in range(4)]
        factories.kept(
            factories.mcq_item(
                vid,
                stem=f"Based on the video clip, which step {number} is it?",
                options=tuple(order),
                key_index=order.index("Stop"),
            )
        )
    return bench


@pytest.fixture
def bench():
    return leaky(24)


def ask(client, bench, **fields):
    return client.post(f"/b/{bench.slug}/audit/", fields)


def test_only_adjudicators_see_flags(bench, client, client_for, reviewer, outsider, adjudicator):
    path = f"/b/{bench.slug}/audit/"
    assert client.get(path).status_code == 302
    for user in (reviewer, outsider):
        assert client_for(user).get(path).status_code == 403
        assert client_for(user).post(path).status_code == 403
    assert client_for(adjudicator).get(path).status_code == 200
    assert client_for(adjudicator).get("/b/nope/audit/").status_code == 404
    assert client_for(adjudicator).get(path + "?release=nope").status_code == 404
    assert not ShortcutAudit.objects.exists()


def test_before_the_first_audit_the_page_says_what_it_is(bench, client_for, adjudicator):
    page = client_for(adjudicator).get(f"/b/{bench.slug}/audit/").content.decode()
    assert "Not audited yet" in page
    assert "Audit now" in page


def test_an_audit_is_asked_for_made_and_shown(
    bench, client_for, adjudicator, django_capture_on_commit_callbacks
):
    client = client_for(adjudicator)
    with django_capture_on_commit_callbacks(execute=False):
        answer = ask(client, bench, release="draft")
    assert answer.headers["Location"] == f"/b/{bench.slug}/audit/?release=draft"
    asked = ShortcutAudit.objects.get()
    waiting = client.get(f"/b/{bench.slug}/audit/").content.decode()
    assert f"/audits/{asked.pk}/state.json" in waiting
    assert client.get(f"/audits/{asked.pk}/state.json").json()["state"] == "waiting"
    make_waiting_audits()
    assert client.get(f"/audits/{asked.pk}/state.json").json()["state"] == "done"
    page = client.get(f"/b/{bench.slug}/audit/?flag=shortest").content.decode()
    assert "Leaks found" in page
    assert "Which step 3 is it?" in page
    assert "The key is the shortest option" in page
    assert "data-audit-state" not in page


def test_no_reason_is_told_to_who_is_to_answer_the_item_first(
    bench, client_for, adjudicator, django_capture_on_commit_callbacks
):
    client = client_for(adjudicator)
    with django_capture_on_commit_callbacks(execute=False):
        ask(client, bench, release="draft")
    make_waiting_audits()
    flag = ShortcutAudit.objects.get().flags.order_by("pk")[0]
    url, why = f"/b/{bench.slug}/audit/?flag={flag.flag}", f'<td class="why">{flag.reason}</td>'
    told = client.get(url).content.decode().count(why)
    factories.review_round(bench, [flag.item], [adjudicator], mode="answer")
    page = client.get(url).content.decode()
    assert page.count("the reason leads to its key") == 1
    assert page.count(why) == told - 1


def test_state_is_for_adjudicators(bench, client_for, reviewer, adjudicator):
    ask(client_for(adjudicator), bench)
    asked = ShortcutAudit.objects.get()
    assert client_for(reviewer).get(f"/audits/{asked.pk}/state.json").status_code == 403
    assert client_for(adjudicator).post(f"/audits/{asked.pk}/state.json").status_code == 405


def test_a_failed_audit_shows_its_sentence(bench, client_for, adjudicator):
    ask(client_for(adjudicator), bench)
    ShortcutAudit.objects.update(state=AuditState.FAILED, error="<b>no</b> memory")
    page = client_for(adjudicator).get(f"/b/{bench.slug}/audit/").content.decode()
    assert "&lt;b&gt;no&lt;/b&gt; memory" in page


def test_a_benchmark_without_mcqs_has_a_page_too(client_for, adjudicator):
    bench = factories.benchmark(slug="free")
    factories.kept(factories.free_item(factories.video(bench)))
    ask(client_for(adjudicator), bench)
    make_waiting_audits()
    page = client_for(adjudicator).get("/b/free/audit/").content.decode()
    assert "There is no kept MCQ with a key" in page


def test_the_page_asks_as_many_questions_for_many_items(client_for, adjudicator):
    counts = []
    for items in (8, 40):
        bench = leaky(items, slug=f"leaky-{items}")
        client = client_for(adjudicator)
        ask(client, bench)
        make_waiting_audits()
        with CaptureQueriesContext(connection) as asked:
            assert client.get(f"/b/{bench.slug}/audit/?flag=shortest&page=99").status_code == 200
        counts.append(len(asked))
    assert counts[0] == counts[1] <= 14


def test_hostile_queries_are_no_crash(bench, client_for, adjudicator):
    client = client_for(adjudicator)
    ask(client, bench)
    make_waiting_audits()
    for query in ("flag=%3Cscript%3E&page=-1", "page=zz&flag=", "flag=shortest&page=1e9"):
        answer = client.get(f"/b/{bench.slug}/audit/?{query}")
        assert answer.status_code == 200
        assert b"<script>&" not in answer.content


@pytest.mark.parametrize("tag", ["a\x00b", "../r1", "x" * 40, "r9"])
def test_an_unknown_release_is_not_found(bench, client_for, adjudicator, tag):
    answer = client_for(adjudicator).get(f"/b/{bench.slug}/audit/", {"release": tag})

    assert answer.status_code == 404
