"""Runs of a model that is a program on the worker's machine."""

import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied

from evaluation.actions.providers import BadCommand, save_provider
from evaluation.engine.pump import pump
from evaluation.models import Contestant, Prediction, Provider
from tests.standins import model_program

pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(model_program.__file__).parent.parent.parent


def command(*options: str) -> list[str]:
    start = f"import sys; sys.path.insert(0, {str(ROOT)!r});"
    start += "from tests.standins.model_program import main; main()"
    return [sys.executable, "-c", start, *options]


@pytest.fixture
def program(admin_user: Any, transactional_db: None) -> Contestant:
    provider = Provider(name="Local", dialect="command", command=command("--die", "4"))
    save_provider(provider=provider, by=admin_user)
    return Contestant.objects.create(
        name="Local model", slug="local", provider=provider, model_id="weights"
    )


def test_program_answers_a_run_and_is_started_again_after_it_died(
    queued: Any, server: Any, program: Contestant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evaluation.engine.replies.FIRST_PAUSE", 0.01)
    Provider.objects.filter(pk=program.provider_id).update(max_in_flight=2)
    run = queued(videos=4, contestant=program)
    assert pump(run.pk)
    run.refresh_from_db()
    assert run.state == "done"
    rows = Prediction.objects.filter(run=run)
    assert {row.model_version for row in rows} == {"program-1"}
    assert len(rows) == 8
    assert server.counted.calls == 4, "the judge is asked where it always was"


@pytest.mark.parametrize(
    "wrong",
    ["/bin/sh -c x", ["model"], ["/bin/x", 5], ["/bin/x\x00"], ["/x"] * 41, {"a": 1}, [], None,
     ["/x", "y" * 2000]],
)  # fmt: skip
def test_what_is_no_argument_list_is_refused(wrong: Any, admin_user: Any) -> None:
    with pytest.raises(BadCommand):
        save_provider(provider=Provider(name="L", dialect="command", command=wrong), by=admin_user)
    assert not Provider.objects.filter(name="L").exists()


def test_only_an_admin_sets_a_program(maintainer: Any) -> None:
    with pytest.raises(PermissionDenied):
        save_provider(
            provider=Provider(name="L", dialect="command", command=["/bin/x"]), by=maintainer
        )
