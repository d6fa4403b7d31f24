"""Figures of a whole benchmark: at once while it is small, else counted by a worker."""

from datetime import timedelta

import pytest
from django.utils import timezone
from kombu.exceptions import OperationalError

from annotation.figures import FIGURES, count_figures, figures
from annotation.queries import counts, kept_figures
from annotation.queries.releases import draft_since
from annotation.queries.workspace import reviewed_count
from tests import factories
from tests.unit.annotation.queries.voting import vote

pytestmark = pytest.mark.django_db


@pytest.fixture
def bench():
    return factories.small_benchmark()


@pytest.fixture
def asked(monkeypatch):
    """What workers were asked for; nothing runs by itself."""
    sent = []
    monkeypatch.setattr(
        kept_figures.current_app, "send_task", lambda name, args, **_: sent.append((name, *args))
    )
    return sent


@pytest.fixture
def large(bench, asked, monkeypatch):
    for module in (kept_figures, counts):
        monkeypatch.setattr(module, "EXACT_UP_TO", 1)
    return bench


def test_a_small_benchmark_is_counted_at_once(bench, asked, reviewer):
    vote(bench.items.first(), reviewer, "keep")
    found = figures(bench, "composition", "readers")
    assert found.as_of is None and set(found.values) == {"composition", "readers"}
    assert found.values["composition"].all.reviewed == 1
    assert not asked


def test_votes_alone_make_a_benchmark_large(bench, reviewer, monkeypatch):
    monkeypatch.setattr(kept_figures, "EXACT_UP_TO", 3)
    assert not kept_figures.is_large(bench, items=3)
    for item in bench.items.all():
        vote(item, reviewer, "keep")
    assert kept_figures.is_large(bench, items=3)


def test_a_large_one_is_counted_by_a_worker_who_is_asked_once(large, asked):
    assert [figures(large, "composition") for _ in range(3)] == [None] * 3
    assert asked == [(kept_figures.TASK, large.pk)]

    count_figures(large.pk)

    found = figures(large, "composition")
    assert set(found.values) == set(FIGURES)
    assert found.values["composition"].all.total == 4
    assert timezone.now() - found.as_of < timedelta(minutes=1)
    assert len(asked) == 1


def test_old_figures_are_shown_and_counted_again(large, asked, time_machine, reviewer):
    time_machine.move_to("2026-11-30 12:03:00+00:00")
    count_figures(large.pk)
    vote(large.items.first(), reviewer, "keep")
    time_machine.shift(timedelta(minutes=2))
    found = figures(large, "composition")
    assert found.values["composition"].all.reviewed == 0
    assert asked == [(kept_figures.TASK, large.pk)]

    count_figures(large.pk)
    assert figures(large, "composition").values["composition"].all.reviewed == 1
    assert reviewed_count(large, items=4) == 1


def test_what_takes_long_to_count_is_counted_less_often(large, asked, time_machine):
    time_machine.move_to("2026-11-30 12:03:00+00:00")
    kept_figures.keep(large.pk, {}, took=timedelta(seconds=3))
    time_machine.shift(timedelta(minutes=4))
    assert kept_figures.read(large.pk) is not None and not asked
    time_machine.shift(timedelta(minutes=2))
    assert kept_figures.read(large.pk) is not None and len(asked) == 1


def test_a_broker_that_is_away_is_not_looked_for_by_every_visitor(large, monkeypatch, time_machine):
    time_machine.move_to("2026-11-30 12:03:00+00:00")
    tried = []

    def gone(*_args, **_options):
        tried.append(1)
        raise OperationalError("no broker")

    monkeypatch.setattr(kept_figures.current_app, "send_task", gone)
    assert [figures(large, "composition") for _ in range(3)] == [None] * 3
    assert len(tried) == 1
    time_machine.shift(timedelta(seconds=kept_figures.AWAY_FOR + 1))
    assert figures(large, "composition") is None
    assert len(tried) == 2


def test_a_benchmark_that_is_gone_is_no_fault(db):
    count_figures(10**9)


def test_a_release_made_since_leaves_no_change(large):
    count_figures(large.pk)
    counted = figures(large, "draft").values["draft"]
    assert draft_since(counted, None) == counted
    newest = factories.release(large)
    assert draft_since(counted, newest).total == 0


@pytest.mark.parametrize("name", ["", "adjudication/", "readers/"])
def test_pages_wait_for_the_worker_and_tell_the_time(large, client_for, admin_user, name):
    client = client_for(admin_user)
    waiting = client.get(f"/b/{large.slug}/{name}")
    assert waiting.status_code == 202 and waiting["Refresh"] == "3"
    assert "are being counted" in waiting.content.decode()

    count_figures(large.pk)
    page = client.get(f"/b/{large.slug}/{name}")
    assert page.status_code == 200 and "Refresh" not in page
    assert "Counted at" in page.content.decode()
