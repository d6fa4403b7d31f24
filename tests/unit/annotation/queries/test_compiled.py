"""A query whose SQL is made once answers for whoever asks."""

import pytest
from django.db.models import F

from annotation.models import User
from annotation.queries.among import AnyOf, among, one_value
from annotation.queries.compiled import Compiled
from tests import factories

pytestmark = pytest.mark.django_db


def test_values_are_those_of_each_asking_and_the_sql_is_made_once():
    made = []

    def named(role, name):
        made.append(name)
        return User.objects.filter(role=role, username__gt=name).order_by("pk").values_list("pk")

    query = Compiled(named)
    a, b, c = (factories.account(name).pk for name in "abc")
    assert query.column(role="reviewer", name="a") == [b, c]
    assert query.first(role="reviewer", name="b") == c
    assert query.first(role="reviewer", name="c") is None
    assert query.rows(role="reviewer", name="") == [(a,), (b,), (c,)]
    assert query.rows(role="' OR 1 = 1 -- %s", name="") == []
    assert len(made) == 1


def test_a_value_that_is_not_given_is_an_error():
    query = Compiled(lambda name: User.objects.filter(username=name).values_list("pk"))
    with pytest.raises(KeyError, match="name"):
        query.rows(user="a")


@pytest.mark.parametrize("more", [0, 40_000])
def test_many_numbers_are_one_value(more):
    first, second, third = (factories.account().pk for _ in range(3))
    far = list(range(third + 1, third + 1 + more))
    query = Compiled(lambda ids: User.objects.filter(AnyOf(F("pk"), ids)).values_list("pk"))
    assert set(query.column(ids=one_value([first, third, *far]))) == {first, third}
    assert set(among(User.objects.all(), [*far, second]).values_list("pk", flat=True)) == {second}
    assert query.column(ids=one_value(far)) == []
