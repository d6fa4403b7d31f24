"""schemathesis asks the API what its own description allows, and what it forbids, in each role.

A few examples an operation here; `pytest tests/integration/test_api_description.py --examples 500`
asks longer.
"""

import uuid

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from annotation.actions.tokens import make_token
from annotation.models import ApiToken
from annotation.scopes import Scope
from evaluation.actions.entries import publish_entry
from evaluation.leaderboard import compute_entry
from sonovqa.wsgi import application
from tests import evaluation_factories as make
from tests import factories

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(3600)]  # with many examples
ROLES = {
    "signed out": (None, ()),
    "no role": ("", Scope),
    "reviewer": ("reviewer", Scope),
    "adjudicator": ("adjudicator", Scope),
    "maintainer": ("maintainer", Scope),
    "admin": ("admin", Scope),
    "a maintainer's token to submit": ("maintainer", (Scope.SUBMIT,)),
}


@pytest.fixture
def known(reviewer):
    """What the places of addresses name."""
    bench = factories.small_benchmark(slug="bench", videos=2)
    release = factories.release(bench)
    run = make.scored_run(release, [1] * 4, name="Seer")
    publish_entry(entry=compute_entry(run), by="import")
    item = bench.items.first()
    return {
        "slug": "bench",
        "tag": "r1",
        "item_id": item.pk,
        "video_id": item.video_id,
        "vote_id": str(uuid.uuid4()),
        "answer_id": str(uuid.uuid4()),
        "id": run.pk,
    }


@pytest.fixture
def no_limit(settings, monkeypatch):
    settings.API_WRITES_A_MINUTE = settings.API_READS_A_MINUTE = 10**9
    settings.SUBMISSIONS_A_DAY = 1000
    for name in ("StrangerThrottle", "AccountThrottle"):
        monkeypatch.setattr(f"evaluation.api_base.{name}.rate", "1000000000/min")


@pytest.fixture
def one_connection():
    """No request opens or closes the connection that holds the test's transaction."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


# What is wrong with these bodies depends on several fields at once, or on the item: a drop needs
# reasons, an edit a reason, an MCQ is answered by an option. Or no schema says it: a budget is
# above 0, a category on one line.
RULED = (
    "/votes/{vote_id}/",
    "/grades/{grade_id}/",
    "/answers/{answer_id}/",
    "/versions/",
    "/roi/",
    "/report/",
    "/category/",
    "/extend/",
    "/rejudge/",
)

# A worker reads these bodies; what is wrong with them stands in the report.
READ_LATER = "/releases/{tag}/submissions/"


def headers_of(role, scopes):
    if role is None:
        return {}
    is_admin = role == "admin"
    user = factories.account(role=role, is_staff=is_admin, is_superuser=is_admin)
    token, text = make_token(name="t", scopes=[Scope.READ], days=7, by=user)
    ApiToken.objects.filter(pk=token.pk).update(scopes=[str(one) for one in scopes])
    return {"Authorization": f"Bearer {text}"}


def cases(operation, known):
    """Allowed and forbidden requests, of what there is and of what there is not."""
    places = {one.name: known[one.name] for one in operation.path_parameters if one.name in known}
    return st.one_of(
        operation.as_strategy(path_parameters=places),
        operation.as_strategy(GenerationMode.NEGATIVE, path_parameters=places),
        operation.as_strategy(),
    )


class Asked:
    """One operation, asked in every role; `faults` says what was against the description."""

    def __init__(self, operation, people):
        self.operation, self.people, self.faults = operation, people, []
        self.left_out = [positive_data_acceptance] if operation.path.endswith(RULED) else []
        if operation.path.endswith(READ_LATER):
            self.left_out.append(negative_data_rejection)

    def ask(self, case):
        for name, headers in self.people.items():
            with transaction.atomic():
                try:
                    case.call_and_validate(headers=headers, excluded_checks=self.left_out)
                except BaseExceptionGroup as error:
                    self.faults.append(f"{name}: {self.operation.label}: {error}")
                transaction.set_rollback(True)


def test_the_api_keeps_to_its_description(known, no_limit, one_connection, pytestconfig):
    people = {name: headers_of(*role) for name, role in ROLES.items()}
    schema = schemathesis.openapi.from_wsgi("/api/v1/schema/", application)
    few = settings(
        max_examples=pytestconfig.getoption("--examples"), database=None, deadline=None,
        derandomize=True, phases=[Phase.generate], suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    every = [Asked(found.ok(), people) for found in schema.get_all_operations()]
    for one in every:
        few(given(case=cases(one.operation, known))(one.ask))()
    faults = [fault for one in every for fault in one.faults]
    assert not faults, "\n\n".join(faults)
    assert len(every) > 25
