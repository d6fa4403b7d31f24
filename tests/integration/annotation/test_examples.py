"""Items that an admin shows to the public as examples."""

from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.actions import examples
from annotation.actions.examples import ExampleRefused, show_as_example, take_back_example
from annotation.actions.held_out import set_held_out
from annotation.models import Benchmark, Item, Revision
from annotation.queries.examples import example_items, shown_examples
from tests import factories

pytestmark = pytest.mark.django_db
URL = "/b/bench/examples/"
LIST = "/b/bench/held-out/"


@pytest.fixture
def bench() -> Benchmark:
    return factories.small_benchmark(slug="bench", videos=3)


@pytest.fixture
def item(bench: Benchmark) -> Item:
    return bench.items.select_related("video__source").first()


def verbs(item: Item) -> list[str]:
    trail = Revision.objects.filter(target_kind="item", target_id=item.pk).order_by("pk")
    return list(trail.values_list("verb", flat=True))


def test_an_admin_shows_an_item_and_takes_it_back(
    bench: Benchmark, item: Item, client_for: Any, admin_user: Any, maintainer: Any
) -> None:
    client = client_for(admin_user)
    said = {"do": "show", "key": f" {item.key} ", "reason": "a typical one"}
    page = client.post(URL, said, follow=True).content.decode()
    assert "is shown to the public" in page and f"Take back {item.key}" in page
    assert "1 of at most 20" in page
    client.post(URL, said)
    assert list(shown_examples(bench)) == [item] and verbs(item).count("show_as_example") == 1
    seen = client_for(maintainer).get(LIST).content.decode()
    assert item.key in seen and "Take back" not in seen and "An admin chooses them." in seen
    page = client.post(URL, {"do": "back", "key": item.key}, follow=True).content.decode()
    assert "is shown no more" in page and "No item is shown as an example." in page
    assert verbs(item)[-2:] == ["show_as_example", "take_back_example"]
    assert Revision.objects.get(verb="show_as_example").reason == "a typical one"


@pytest.mark.parametrize(
    "said",
    [
        {"do": "show", "key": "ANY", "reason": " "},
        {"do": "show", "key": "no/such/0", "reason": "why"},
        {"do": "show", "key": "THEIRS", "reason": "why"},
        {"do": "show", "key": "a\x00b", "reason": "why"},
        {"do": "show", "key": "\ud800".encode("utf-8", "surrogatepass"), "reason": "why"},
        {"do": "show", "key": "k" * 10_000, "reason": "why"},
        {"do": "show", "key": "ANY", "reason": "y" * 401},
        {"do": "both", "key": "ANY", "reason": "why"},
        {},
    ],
)
def test_what_makes_no_sense_changes_nothing(
    item: Item, client_for: Any, admin_user: Any, said: dict[str, Any]
) -> None:
    theirs = factories.small_benchmark(slug="other", videos=1).items.get(kind="free")
    named = {"ANY": item.key, "THEIRS": theirs.key}
    said = {name: named.get(value, value) for name, value in said.items()}
    assert client_for(admin_user).post(URL, said).status_code == 302
    assert not Item.objects.filter(is_example=True).exists()
    assert "show_as_example" not in verbs(item)


def test_only_an_admin_may(
    bench: Benchmark, item: Item, maintainer: Any, client_for: Any, admin_user: Any
) -> None:
    show_as_example(benchmark=bench, key=item.key, reason="why", by=admin_user)
    with pytest.raises(PermissionDenied):
        take_back_example(benchmark=bench, key=item.key, by=maintainer)
    with pytest.raises(PermissionDenied):
        show_as_example(benchmark=bench, key=item.key, reason="why", by=maintainer)
    answer = client_for(maintainer).post(URL, {"do": "back", "key": item.key})
    assert answer.status_code == 403
    assert client_for(admin_user).get(URL).status_code == 405


def test_what_is_held_out_or_was_is_never_shown(
    bench: Benchmark, item: Item, admin_user: Any
) -> None:
    said = {"benchmark": bench, "reason": "why", "by": admin_user}
    show_as_example(**said, key=item.key)
    set_held_out(**said, keys=[item.key], held_out=True)
    item.refresh_from_db()
    assert not item.is_example
    assert Revision.objects.filter(verb="hold_out_item").get().after["is_example"] is False
    with pytest.raises(ExampleRefused, match="held out"):
        show_as_example(**said, key=item.key)
    factories.release(bench)
    set_held_out(**said, keys=[item.key], held_out=False)
    with pytest.raises(ExampleRefused, match="held out"):
        show_as_example(**said, key=item.key)
    with pytest.raises(IntegrityError), transaction.atomic():
        bench.items.filter(pk=item.pk).update(held_out=True, is_example=True)


@pytest.mark.parametrize("where", ["itself", "overlap"])
def test_none_in_quarantine_is_shown(
    bench: Benchmark, item: Item, admin_user: Any, where: str
) -> None:
    said = {"benchmark": bench, "key": item.key, "reason": "why", "by": admin_user}
    show_as_example(**said)
    apart = factories.video(bench, of=item.video.source, start=500.0, end=520.0)
    apart.quarantined_at = timezone.now()
    apart.save()
    assert list(shown_examples(bench)) == [item]
    other = factories.video(bench, of=item.video.source, start=60.0, end=90.0)
    video = item.video if where == "itself" else other
    video.quarantined_at = timezone.now()
    video.save()
    assert not shown_examples(bench).exists()
    assert [one.in_quarantine for one in example_items(bench)] == [True]
    take_back_example(benchmark=bench, key=item.key, by=admin_user)
    with pytest.raises(ExampleRefused, match="quarantine"):
        show_as_example(**said)


def test_only_so_many_are_shown(
    bench: Benchmark, admin_user: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examples, "MOST_EXAMPLES", 2)
    keys = list(bench.items.values_list("key", flat=True))
    said = {"benchmark": bench, "reason": "why", "by": admin_user}
    for key in keys[:2]:
        show_as_example(**said, key=key)
    with pytest.raises(ExampleRefused, match="2 items"):
        show_as_example(**said, key=keys[2])
    take_back_example(benchmark=bench, key=keys[0], by=admin_user)
    assert show_as_example(**said, key=keys[2]).is_example
