"""The API of editing: conflicts with what can be merged, who is editing, the category."""

from datetime import timedelta

import pytest
from django.urls import reverse

from annotation.models import EditHint, ItemVersion, Revision
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def item():
    return factories.free_item(factories.video(factories.benchmark(), category="Aorta"))


def send(client, name, pk, body, method="put"):
    url = reverse(f"annotation:{name}", args=[pk])
    return getattr(client, method)(url, body, content_type="application/json")


def edit(client, item, base=1, **changes):
    body = {"base_version": base, "changes": changes, "reason": "because"}
    return send(client, "versions", item.pk, body, "post")


def test_a_conflict_names_the_parts_and_a_merge_keeps_both(client_for, item, reviewer, reviewer_2):
    first, second = client_for(reviewer), client_for(reviewer_2)
    assert edit(first, item, accepted_variants=["Air."], end=31.0).json()["saved_at"]
    both = edit(second, item, stem="Why?", start=21.0).json()
    assert (both["conflicts"], both["mergeable"]) == (["window"], False)
    apart = edit(second, item, stem="Why?", roi={"x": 0, "y": 0, "w": 0.5, "h": 0.5}).json()
    assert (apart["conflicts"], apart["mergeable"]) == ([], True)
    edit(second, item, base=2, **apart["yours"])
    now = factories.current(item)
    assert (now.stem, now.accepted_variants, now.end, now.roi_w) == ("Why?", ["Air."], 31.0, 0.5)


@pytest.mark.parametrize(
    "changes",
    [
        {"accepted_variants": "one"},
        {"accepted_variants": [1]},
        {"accepted_variants": ["x" * 2_001]},
        {"accepted_variants": [str(n) for n in range(11)]},
        {"roi": {"x": 0, "y": 0, "w": 0}},
        {"roi": {"x": 0.9, "y": 0, "w": 0.5, "h": 1}},
        {"roi": "all"},
        {"roi": {"x": 0, "y": 0, "w": 1, "h": 1, "z": 1}},
    ],
)
def test_hostile_changes(client_for, item, reviewer, changes):
    assert edit(client_for(reviewer), item, **changes).status_code == 400
    assert ItemVersion.objects.count() == 1


def test_an_edit_kept_for_another_account_is_refused(client_for, item, reviewer, reviewer_2):
    body = {"base_version": 1, "changes": {"stem": "Why?"}, "reason": "r", "reader": reviewer.pk}
    answer = send(client_for(reviewer_2), "versions", item.pk, body, "post")
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:sonovqa:other-reader")
    assert ItemVersion.objects.count() == 1
    assert send(client_for(reviewer), "versions", item.pk, body, "post").status_code == 201


def test_who_is_editing_is_told_to_others_until_it_goes_stale(
    client_for, item, reviewer, reviewer_2
):
    first, second = client_for(reviewer), client_for(reviewer_2)
    assert send(first, "editing", item.pk, {}).json() == {"others": []}
    assert send(second, "editing", item.pk, {}, "get").json() == {"others": ["reviewer"]}
    slug = item.benchmark.slug
    text = second.get(reverse("annotation:review", args=[slug, item.pk])).content.decode()
    assert "reviewer is editing" in text
    EditHint.objects.update(seen_at=EditHint.objects.get().seen_at - timedelta(minutes=1))
    assert send(second, "editing", item.pk, {}).json() == {"others": []}
    assert send(first, "editing", item.pk, {}, "get").json() == {"others": ["reviewer-2"]}
    assert send(second, "editing", item.pk, {}, "delete").status_code == 204
    assert send(first, "editing", item.pk, {}, "get").json() == {"others": []}
    assert send(first, "editing", 0, {}).status_code == 404


def test_the_category_of_a_video_makes_no_version(client_for, item, reviewer, reviewer_2):
    client, video = client_for(reviewer), item.video
    assert send(client, "category", video.pk, {"category": "x"}).status_code == 428
    answer = send(client, "category", video.pk, {"was": "Aorta", "category": " Vena cava "})
    assert answer.json()["category"] == "Vena cava" and answer.json()["saved_at"]
    video.refresh_from_db()
    assert video.category == "Vena cava" and ItemVersion.objects.count() == 1
    revision = Revision.objects.get(verb="set_category")
    assert (revision.before, revision.after) == ({"category": "Aorta"}, {"category": "Vena cava"})
    late = send(client_for(reviewer_2), "category", video.pk, {"was": "Aorta", "category": "Liver"})
    assert late.status_code == 409 and late.json()["current"] == {"category": "Vena cava"}
    known = send(client, "category", video.pk, {}, "get").json()
    assert known == {"category": "Vena cava", "known": ["Vena cava"]}
    for bad in ("x" * 65, "a\nb", "nul \x00", 1):
        body = {"was": "Vena cava", "category": bad}
        assert send(client, "category", video.pk, body).status_code == 400
