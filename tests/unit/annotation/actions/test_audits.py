from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied
from django.utils import timezone

from annotation import audit as audit_module
from annotation.actions.audits import LEASE, claim_audit, request_audit
from annotation.audit import make_audit, make_waiting_audits
from annotation.models import AuditState, Revision, ShortcutAudit
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def bench():
    return factories.small_benchmark()


def test_an_adjudicator_asks_for_an_audit(bench, adjudicator):
    asked = request_audit(benchmark=bench, by=adjudicator)
    assert (asked.state, asked.asked_by, asked.release) == (AuditState.WAITING, adjudicator, None)
    assert Revision.objects.get(verb="request_audit").actor == adjudicator.pseudonym


def test_a_reviewer_may_not(bench, reviewer):
    with pytest.raises(PermissionDenied):
        request_audit(benchmark=bench, by=reviewer)
    assert not ShortcutAudit.objects.exists()


def test_asking_twice_asks_once(bench, adjudicator):
    one = request_audit(benchmark=bench, by=adjudicator)
    assert request_audit(benchmark=bench, by=adjudicator) == one
    assert request_audit(benchmark=bench, release=factories.release(bench), by=adjudicator) != one


def test_one_worker_makes_it(bench, adjudicator):
    asked = request_audit(benchmark=bench, by=adjudicator)
    assert claim_audit(audit_id=asked.pk)
    assert not claim_audit(audit_id=asked.pk)
    assert make_audit(asked.pk) is None


def test_an_audit_whose_worker_died_is_made_by_the_sweep(bench, adjudicator):
    asked = request_audit(benchmark=bench, by=adjudicator)
    dead = timezone.now() - LEASE - timedelta(minutes=1)
    ShortcutAudit.objects.filter(pk=asked.pk).update(state=AuditState.RUNNING, started_at=dead)
    make_waiting_audits()
    asked.refresh_from_db()
    assert asked.state == AuditState.DONE
    assert asked.report["kept"] == 4


def test_a_failed_audit_says_why_and_can_be_asked_for_again(bench, adjudicator, monkeypatch):
    def broken(_):
        raise ValueError("out of ink")

    asked = request_audit(benchmark=bench, by=adjudicator)
    monkeypatch.setattr(audit_module, "audit", broken)
    with pytest.raises(ValueError, match="out of ink"):
        make_audit(asked.pk)
    asked.refresh_from_db()
    assert asked.state == AuditState.FAILED
    assert asked.error == "The audit ended with ValueError: out of ink"
    assert request_audit(benchmark=bench, by=adjudicator) != asked
