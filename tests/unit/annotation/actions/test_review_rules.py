import pytest
from django.core.exceptions import PermissionDenied

from annotation.actions.review_rules import set_rules
from annotation.models import Benchmark, Revision
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def bench():
    return factories.benchmark()


def test_rules_are_set_once_and_recorded(bench, admin_user):
    for _ in range(2):
        set_rules(benchmark=bench, changes={"votes_required": 2}, by=admin_user)
    assert Benchmark.objects.get(pk=bench.pk).votes_required == 2
    revision = Revision.objects.get(verb="set_rules")
    assert (revision.before, revision.after) == ({"votes_required": 1}, {"votes_required": 2})


@pytest.mark.parametrize("changes", [{"votes_required": 0}, {"votes_required": 4}, {"slug": "x"}])
def test_other_values_and_fields_are_refused(bench, admin_user, changes):
    with pytest.raises(ValueError, match="cannot set"):
        set_rules(benchmark=bench, changes=changes, by=admin_user)


def test_a_maintainer_may_not(bench, maintainer):
    with pytest.raises(PermissionDenied):
        set_rules(benchmark=bench, changes={"votes_required": 2}, by=maintainer)


def test_the_admin_page_goes_through_the_action(bench, admin_user, client_for):
    client = client_for(admin_user)
    url = f"/admin/annotation/benchmark/{bench.pk}/change/"
    form = {"votes_required": "3", "citation": "", "is_public": "on"}
    assert client.post(url, form).status_code == 302
    assert Benchmark.objects.get(pk=bench.pk).votes_required == 3
    assert Revision.objects.filter(verb="set_rules").count() == 1
    assert client.post(url, form | {"votes_required": "9"}).status_code in (200, 302)
    assert Benchmark.objects.get(pk=bench.pk).votes_required == 3
    assert client.get("/admin/annotation/benchmark/add/").status_code == 403
