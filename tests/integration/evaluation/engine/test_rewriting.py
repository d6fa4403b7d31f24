"""A text model behind a stand-in proposes options of even length; a person decides."""

import io
import json
from decimal import Decimal

import pytest
from django.core.exceptions import PermissionDenied
from django.core.management import call_command
from django.core.management.base import CommandError

from annotation.actions.length_repairs import propose_length
from annotation.actions.repairs import accept_repair
from annotation.models import Repair, Revision
from evaluation.actions.run_checks import RunRefused
from evaluation.models import MonthSpend
from evaluation.rewriting import rewrite_options
from tests import factories
from tests.standins import model_replies
from tests.standins.model_script import Fault, Script
from tests.unit.evaluation.domain.test_option_rewriting import EVEN, OPTIONS

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def bench(monkeypatch):
    """Three MCQs whose key stands out, one whose does not; the model answers as it should."""
    made = factories.benchmark(slug="bench")
    video = factories.video(made)
    for number in range(3):
        item = factories.mcq_item(video, stem=f"Question {number}?", options=tuple(OPTIONS))
        factories.kept(item)
    factories.kept(factories.mcq_item(video, options=(OPTIONS[0], *EVEN)))
    monkeypatch.setattr(model_replies, "answer", lambda _prompt: json.dumps({"options": EVEN}))
    return made


def test_what_the_model_says_waits_for_a_person(bench, contestant, admin_user, server):
    asked = {"benchmark": bench, "model": contestant, "budget": Decimal(1), "by": admin_user}
    found = rewrite_options(**asked, most=2)
    assert (found.uneven, found.asked, found.proposed) == (3, 2, 2)
    assert found.spent == 2 * Decimal("0.000340")
    spent = MonthSpend.objects.get(scope=contestant.provider_id)
    assert (spent.spent, spent.reserved) == (680, 0)
    repair = Repair.objects.order_by("pk").first()
    assert (repair.kind, repair.cosmetic, repair.state) == ("length", False, "open")
    assert factories.current(repair.item).options == OPTIONS, "nothing is changed unasked"
    accept_repair(repair_id=repair.pk, by=admin_user)
    version = factories.current(repair.item)
    assert version.options == [OPTIONS[0], *EVEN] and version.key_index == 0
    assert rewrite_options(**asked, most=9).asked == 1, "no item is asked about twice"
    assert Revision.objects.filter(verb="propose_length").count() == 3
    with pytest.raises(ValueError, match="key"):
        propose_length(version=version, options=[*EVEN, "x"], words="", by=admin_user)


def test_bad_replies_and_faults_change_nothing(
    bench, contestant, admin_user, server, monkeypatch, reviewer
):
    asked = {"benchmark": bench, "model": contestant, "most": 9}
    monkeypatch.setattr(model_replies, "answer", lambda _prompt: "I would rather not.")
    found = rewrite_options(**asked, budget=Decimal(1), by=admin_user)
    assert (found.asked, found.proposed, sum(found.refused.values())) == (3, 0, 3)
    server.script(Script(faults=[Fault("auth", share=1.0)]))
    found = rewrite_options(**asked, budget=Decimal(1), by=admin_user)
    assert found.failed == 3 and found.stopped and found.spent == 0
    found = rewrite_options(**asked, budget=Decimal("0.00001"), by=admin_user)
    assert (found.asked, found.stopped) == (0, "the budget does not cover the next call")
    assert not Repair.objects.exists()
    with pytest.raises(PermissionDenied):
        rewrite_options(**asked, budget=Decimal(1), by=reviewer)
    for wrong in ({"budget": Decimal("NaN")}, {"most": 0}):
        with pytest.raises(RunRefused):
            rewrite_options(**{"budget": Decimal(1), **asked, **wrong}, by=admin_user)


def test_the_command(bench, contestant, admin_user):
    def call(*arguments: str) -> dict:
        out = io.StringIO()
        call_command(
            "rewrite_options", "bench", "--model", contestant.slug, "--json", *arguments, stdout=out
        )
        return json.loads(out.getvalue())

    assert call("--dry-run") == {"uneven": 3}
    told = call("--budget", "1", "--most", "1")
    assert (told["asked"], told["proposed"], told["spent"]) == (1, 1, "0.000340")
    with pytest.raises(CommandError, match="budget"):
        call()
