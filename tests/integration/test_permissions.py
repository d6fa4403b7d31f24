"""Who may open which URL: every route of the project, for every role.

A new route gets its row in TABLE; without one the first test here fails.
"""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.contrib import admin
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from annotation.models import BulkAction, Repair, Review, ShortcutAudit
from annotation.permissions import Verb, has_permission
from evaluation.leaderboard import compute_entry
from evaluation.models import Contestant, GradingSample, LeaderboardEntry, Provider, Run, WorkItem
from tests import factories

EVERYBODY, SIGNED_IN = "everybody", "whoever is signed in"
ROLES = ("signed out", "", "reviewer", "adjudicator", "maintainer", "admin")


@dataclass(frozen=True)
class Row:
    """Who may, what stands in the path (parameter to key of `world`), and how it is asked."""

    who: Verb | str
    places: dict[str, str] = field(default_factory=dict)
    method: str = "get"


BENCH = {"slug": "bench"}
IN_BENCH = {**BENCH, "item_id": "item"}
TABLE = {
    "healthz": Row(EVERYBODY),
    "evaluation:metrics": Row(EVERYBODY),  # without the token there is no such page
    "account_login": Row(EVERYBODY),
    "account_logout": Row(EVERYBODY),
    "account_inactive": Row(EVERYBODY),
    "account_change_password": Row(SIGNED_IN),
    "account_set_password": Row(SIGNED_IN),
    "account_reauthenticate": Row(SIGNED_IN),
    "account_reset_password": Row(EVERYBODY),
    "account_reset_password_done": Row(EVERYBODY),
    "account_reset_password_from_key": Row(EVERYBODY, {"uidb36": "uid", "key": "key"}),
    "account_reset_password_from_key_done": Row(EVERYBODY),
    "account_email": Row(SIGNED_IN),
    "account_confirm_email": Row(EVERYBODY, {"key": "key"}),
    "usersessions_list": Row(SIGNED_IN),
    "openid_connect_login": Row(EVERYBODY, {"provider_id": "key"}),
    "openid_connect_callback": Row(EVERYBODY, {"provider_id": "key"}),
    "socialaccount_login_cancelled": Row(EVERYBODY),
    "mfa_index": Row(EVERYBODY),  # leads on to the own account
    "mfa_authenticate": Row(SIGNED_IN),  # who owes a code; who is in already is led on
    "mfa_reauthenticate": Row(SIGNED_IN),
    "mfa_activate_totp": Row(SIGNED_IN),
    "mfa_deactivate_totp": Row(SIGNED_IN),
    "mfa_view_recovery_codes": Row(SIGNED_IN),
    "mfa_generate_recovery_codes": Row(SIGNED_IN),
    "mfa_download_recovery_codes": Row(SIGNED_IN),
    "annotation:account": Row(SIGNED_IN),
    "annotation:account_name": Row(SIGNED_IN, method="post"),
    "annotation:account_export": Row(SIGNED_IN, method="post"),
    "annotation:account_erasure": Row(SIGNED_IN, method="post"),
    "annotation:tokens": Row(SIGNED_IN),
    "annotation:revoke_token": Row(SIGNED_IN, {"pk": "nothing"}, "post"),
    "annotation:invitation": Row(EVERYBODY, {"token": "key"}),
    "annotation:accept": Row(EVERYBODY),
    "annotation:people": Row(Verb.ADMINISTER),
    "annotation:invite": Row(Verb.ADMINISTER, method="post"),
    "annotation:renew_invitation": Row(Verb.ADMINISTER, {"pk": "person"}, "post"),
    "annotation:revoke_invitation": Row(Verb.ADMINISTER, {"pk": "person"}, "post"),
    "annotation:person": Row(Verb.ADMINISTER, {"pk": "person"}),
    "annotation:change_person": Row(Verb.ADMINISTER, {"pk": "person"}, "post"),
    "annotation:remove_second_factor": Row(Verb.ADMINISTER, {"pk": "person"}, "post"),
    "annotation:erase_person": Row(Verb.ADMINISTER, {"pk": "person"}),
    "annotation:theme": Row(EVERYBODY, method="post"),
    "annotation:keys": Row(SIGNED_IN),
    "annotation:answers_first": Row(Verb.REVIEW, method="post"),
    "annotation:questions": Row(Verb.REVIEW),
    "annotation:open_thread": Row(Verb.REVIEW, IN_BENCH, "post"),
    "annotation:comment": Row(Verb.REVIEW, {"thread_id": "thread"}, "post"),
    "annotation:settle_thread": Row(Verb.REVIEW, {"thread_id": "thread"}, "post"),
    "annotation:editing": Row(Verb.EDIT_ITEM, {"item_id": "item"}, "put"),
    "annotation:category": Row(Verb.EDIT_ITEM, {"video_id": "video"}, "put"),
    "annotation:source_file": Row(Verb.REVIEW, {"pk": "source"}),
    "annotation:preview": Row(Verb.REVIEW, {"video_id": "video", "name": "preview"}),
    "annotation:still": Row(Verb.REVIEW, {"video_id": "video", "ms": "ms"}),
    "annotation:review_home": Row(Verb.REVIEW),
    "annotation:review_next": Row(Verb.REVIEW, BENCH),
    "annotation:review_done": Row(Verb.REVIEW, BENCH),
    "annotation:review": Row(Verb.REVIEW, IN_BENCH),
    "annotation:roi": Row(Verb.EDIT_ITEM, IN_BENCH),
    "annotation:item_history": Row(Verb.REVIEW, IN_BENCH),
    "annotation:restore_version": Row(Verb.EDIT_ITEM, IN_BENCH, "post"),
    "annotation:item_column": Row(Verb.REVIEW, IN_BENCH),
    "annotation:skip_video": Row(Verb.REVIEW, {**BENCH, "video_id": "video"}, "post"),
    "annotation:queue_group": Row(Verb.REVIEW, {**BENCH, "video_id": "video"}),
    "annotation:benchmark": Row(Verb.REVIEW, BENCH),
    "annotation:find": Row(Verb.REVIEW, BENCH),
    "annotation:decisions": Row(Verb.REVIEW, BENCH),
    "annotation:undo_any": Row(Verb.REVIEW, BENCH, "post"),
    "annotation:save_filter": Row(Verb.REVIEW, BENCH, "post"),
    "annotation:change_filter": Row(Verb.REVIEW, {**BENCH, "filter_id": "nothing"}, "post"),
    "annotation:bulk_prepare": Row(Verb.ADJUDICATE, BENCH, "post"),
    "annotation:bulk": Row(Verb.ADJUDICATE, {**BENCH, "pk": "bulk"}),
    "annotation:bulk_state": Row(Verb.ADJUDICATE, {**BENCH, "pk": "bulk"}),
    "annotation:bulk_apply": Row(Verb.ADJUDICATE, {**BENCH, "pk": "bulk"}, "post"),
    "annotation:bulk_undo": Row(Verb.ADJUDICATE, {**BENCH, "pk": "bulk"}, "post"),
    "annotation:guidelines": Row(Verb.REVIEW, BENCH),
    "annotation:write_guidelines": Row(Verb.IMPORT, BENCH, "post"),
    "annotation:readers": Row(Verb.IMPORT, BENCH),
    "annotation:adjudication": Row(Verb.ADJUDICATE, BENCH),
    "annotation:adjudicate": Row(Verb.ADJUDICATE, IN_BENCH, "post"),
    "annotation:undo_decision": Row(Verb.ADJUDICATE, BENCH, "post"),
    "annotation:rounds": Row(Verb.ADJUDICATE, BENCH),
    "annotation:new_round": Row(Verb.ADJUDICATE, BENCH),
    "annotation:round": Row(Verb.ADJUDICATE, {**BENCH, "pk": "round"}),
    "annotation:change_round": Row(
        Verb.ADJUDICATE, {**BENCH, "pk": "round", "name": "close"}, "post"
    ),
    "annotation:make_release": Row(Verb.ADJUDICATE, BENCH, "post"),
    "annotation:compare_releases": Row(Verb.ADJUDICATE, BENCH),
    "annotation:held_out": Row(Verb.PUBLISH, BENCH),
    "annotation:change_example": Row(Verb.ADMINISTER, BENCH, "post"),
    "annotation:release_zip": Row(Verb.IMPORT, {**BENCH, "tag": "tag"}),
    "annotation:release_lines": Row(Verb.IMPORT, {**BENCH, "tag": "tag"}),
    "annotation:clear_quarantine": Row(Verb.ADJUDICATE, {**BENCH, "video_id": "video"}, "post"),
    "annotation:repairs": Row(Verb.ADJUDICATE, BENCH),
    "annotation:find_repairs": Row(Verb.ADJUDICATE, BENCH, "post"),
    "annotation:accept_repairs": Row(Verb.ADJUDICATE, BENCH, "post"),
    "annotation:decide_repair": Row(
        Verb.ADJUDICATE, {**BENCH, "pk": "repair", "answer": "reject"}, "post"
    ),
    "annotation:audit": Row(Verb.ADJUDICATE, BENCH),
    "annotation:audit_state": Row(Verb.ADJUDICATE, {"pk": "audit"}),
    "annotation:decision": Row(Verb.ADJUDICATE, {"item_id": "item"}, "put"),
    "annotation:me": Row(SIGNED_IN),
    "annotation:review_items": Row(Verb.REVIEW, BENCH),
    "annotation:own_votes": Row(Verb.REVIEW),
    "annotation:item": Row(Verb.REVIEW, {"item_id": "item"}),
    "annotation:vote": Row(Verb.REVIEW, {"item_id": "item", "vote_id": "vote"}, "put"),
    "annotation:answer": Row(Verb.REVIEW, {"item_id": "item", "answer_id": "vote"}, "put"),
    "annotation:versions": Row(Verb.EDIT_ITEM, {"item_id": "item"}, "post"),
    "annotation:hold": Row(Verb.REVIEW, {"item_id": "item"}, "post"),
    "annotation:release": Row(Verb.REVIEW, {"item_id": "item"}, "post"),
    "annotation:claim": Row(Verb.REVIEW, {"pk": "round"}, "post"),
    "annotation:video_roi": Row(Verb.EDIT_ITEM, {"video_id": "video"}, "post"),
    "annotation:roi_suggestion": Row(Verb.EDIT_ITEM, {"video_id": "video"}),
    "annotation:undo_roi": Row(Verb.EDIT_ITEM, {"video_id": "video"}, "post"),
    "annotation:item_preview": Row(Verb.EDIT_ITEM, {"item_id": "item"}, "post"),
    "annotation:video_report": Row(Verb.REVIEW, {"video_id": "video"}, "post"),
    "evaluation:home": Row(EVERYBODY),
    "evaluation:method": Row(EVERYBODY),
    "evaluation:leaderboard": Row(EVERYBODY, BENCH),
    "evaluation:leaderboard_csv": Row(EVERYBODY, BENCH),
    "evaluation:leaderboard_json": Row(EVERYBODY, BENCH),
    "evaluation:leaderboard_release": Row(EVERYBODY, {**BENCH, "tag": "tag"}),
    "evaluation:model": Row(EVERYBODY, {**BENCH, "model_slug": "model"}),
    "evaluation:entry": Row(EVERYBODY, {**BENCH, "prefix": "entry_hash"}),
    "evaluation:datasheet": Row(EVERYBODY, {**BENCH, "tag": "tag"}),
    "evaluation:datasheet_file": Row(EVERYBODY, {**BENCH, "tag": "tag"}),
    "evaluation:croissant": Row(EVERYBODY, {**BENCH, "tag": "tag"}),
    "evaluation:questions": Row(EVERYBODY, {**BENCH, "tag": "tag"}),
    "evaluation:embed": Row(EVERYBODY, BENCH),
    "evaluation:badge": Row(EVERYBODY, {**BENCH, "model_slug": "model"}),
    "evaluation:compare": Row(EVERYBODY, BENCH),
    "evaluation:compare_csv": Row(EVERYBODY, BENCH),
    "evaluation:api_benchmarks": Row(EVERYBODY),
    "evaluation:api_releases": Row(EVERYBODY, BENCH),
    "evaluation:api_items": Row(EVERYBODY, {**BENCH, "tag": "tag"}),
    "evaluation:api_entries": Row(EVERYBODY, {**BENCH, "tag": "tag"}),
    "evaluation:api_benchmark": Row(EVERYBODY, BENCH),
    "evaluation:api_release": Row(EVERYBODY, {**BENCH, "tag": "tag"}),
    "evaluation:api_leaderboard": Row(EVERYBODY, {**BENCH, "tag": "tag"}),
    "evaluation:api_keys": Row(Verb.IMPORT, {**BENCH, "tag": "tag"}),
    "evaluation:api_send": Row(SIGNED_IN, {**BENCH, "tag": "tag"}, "post"),
    "evaluation:api_run": Row(Verb.SEE_RUNS, {"pk": "run"}),
    "evaluation:api_predictions": Row(Verb.SEE_RUNS, {"pk": "run"}),
    "evaluation:api_withdraw": Row(SIGNED_IN, {"pk": "submission"}, "post"),
    "evaluation:api_nothing": Row(EVERYBODY),
    "evaluation:api_runs": Row(Verb.SEE_RUNS),
    "evaluation:api_submissions": Row(SIGNED_IN),
    "evaluation:api_submission": Row(SIGNED_IN, {"pk": "submission"}),
    "evaluation:api_run_figures": Row(Verb.SEE_RUNS, {"pk": "run"}),
    "evaluation:api_run_pause": Row(Verb.RUN, {"pk": "run"}, "post"),
    "evaluation:api_run_resume": Row(Verb.RUN, {"pk": "run"}, "post"),
    "evaluation:api_run_cancel": Row(Verb.RUN, {"pk": "run"}, "post"),
    "evaluation:api_run_retry_failed": Row(Verb.RUN, {"pk": "run"}, "post"),
    "evaluation:api_run_extend": Row(Verb.RUN, {"pk": "run"}, "post"),
    "evaluation:api_run_rejudge": Row(Verb.RUN, {"pk": "run"}, "post"),
    "evaluation:api_schema": Row(EVERYBODY),
    "evaluation:api_docs": Row(EVERYBODY),
    "evaluation:submit": Row(SIGNED_IN, BENCH),
    "evaluation:submit_endpoint": Row(SIGNED_IN, BENCH),
    "evaluation:submit_template": Row(SIGNED_IN, BENCH),
    "evaluation:submissions": Row(SIGNED_IN),
    "evaluation:submission": Row(SIGNED_IN, {"pk": "submission"}),
    "evaluation:submission_action": Row(
        SIGNED_IN, {"pk": "submission", "action": "withdraw"}, "post"
    ),
    "evaluation:organisations": Row(Verb.PUBLISH),
    "evaluation:runs": Row(Verb.SEE_RUNS),
    "evaluation:run_new": Row(Verb.RUN),
    "evaluation:crew": Row(Verb.RUN),
    "evaluation:crew_state": Row(Verb.RUN),
    "evaluation:run": Row(Verb.SEE_RUNS, {"pk": "run"}),
    "evaluation:run_progress": Row(Verb.SEE_RUNS, {"pk": "run"}),
    "evaluation:run_item": Row(
        Verb.SEE_RUNS, {"pk": "run", "version_id": "version", "repeat": "nothing"}
    ),
    "evaluation:run_item_clip": Row(
        Verb.SEE_RUNS, {"pk": "run", "version_id": "version", "repeat": "nothing"}
    ),
    "evaluation:run_extend": Row(Verb.RUN, {"pk": "run"}),
    "evaluation:run_rejudge": Row(Verb.RUN, {"pk": "run"}),
    "evaluation:run_action": Row(Verb.RUN, {"pk": "run", "action": "action"}, "post"),
    "evaluation:entries": Row(Verb.PUBLISH, BENCH),
    "evaluation:add_readers": Row(Verb.PUBLISH, BENCH, "post"),
    "evaluation:entry_action": Row(
        Verb.PUBLISH, {**BENCH, "pk": "entry", "action": "withdraw"}, "post"
    ),
    "evaluation:audit_models": Row(Verb.ADJUDICATE, {**BENCH, "tag": "tag"}),
    "evaluation:look_again": Row(Verb.ADJUDICATE, BENCH),
    "evaluation:evidence": Row(Verb.REVIEW, {"item_id": "item"}),
    "evaluation:gain": Row(Verb.REVIEW, BENCH),
    "evaluation:judge": Row(EVERYBODY, BENCH),
    "evaluation:judge_attack": Row(Verb.RUN, BENCH, "post"),
    "evaluation:judge_rule": Row(Verb.PUBLISH, BENCH, "post"),
    "evaluation:grading_samples": Row(Verb.PUBLISH, BENCH),
    "evaluation:grading_sample_action": Row(
        Verb.PUBLISH, {**BENCH, "pk": "sample", "action": "discard"}, "post"
    ),
    "evaluation:grading": Row(Verb.REVIEW),
    "evaluation:grading_next": Row(Verb.REVIEW, {"pk": "nothing"}),
    "evaluation:grading_answer": Row(Verb.REVIEW, {"pk": "nothing", "answer_id": "nothing"}),
    "evaluation:grade": Row(Verb.REVIEW, {"answer_id": "nothing", "grade_id": "vote"}, "put"),
}


def routes(patterns: list[Any], space: str = "") -> Iterator[str]:
    """The names of all routes but the admin site's, which one test below covers whole."""
    for pattern in patterns:
        if isinstance(pattern, URLResolver) and pattern.namespace != "admin":
            inner = f"{space}{pattern.namespace}:" if pattern.namespace else space
            yield from routes(pattern.url_patterns, inner)
        elif isinstance(pattern, URLPattern):
            yield f"{space}{pattern.name}"


@pytest.fixture
def world(db, settings):
    """One of each: what the paths of TABLE name. Mail is sent, so its pages are there."""
    settings.MAIL_IS_SENT = True
    bench = factories.small_benchmark()
    factories.release(bench)
    item = bench.items.first()
    provider = Provider.objects.create(name="p", dialect="import")
    model = Contestant.objects.create(name="m", slug="m", provider=provider)
    run = Run.objects.create(
        benchmark=bench, release=bench.releases.get(), contestant=model, condition="blind"
    )
    published = compute_entry(run)
    WorkItem.objects.create(run=run, item_version=item.current, stage="predict")
    LeaderboardEntry.objects.update(published_at=timezone.now())
    return {
        "bench": bench.slug,
        "item": item.pk,
        "video": item.video_id,
        "source": item.video.source_id,
        "ms": 1000,
        "preview": f"{'0' * 16}-{'0' * 64}",
        "tag": "r1",
        "vote": uuid.uuid4(),
        "uid": "1",
        "key": "unknown",
        "person": factories.account("somebody", role="reviewer").pk,
        "thread": uuid.uuid4(),  # there is none: who may is told so
        "run": run.pk,
        "version": item.current_id,
        "entry": published.pk,
        "model": model.slug,
        "entry_hash": published.hash,
        "submission": 0,  # of somebody else: whoever is signed in is told there is none
        "nothing": 0,  # of somebody else: whoever is signed in is told there is none
        "bulk": BulkAction.objects.create(benchmark=bench, kind="drop", words="x", seen=0).pk,
        "audit": ShortcutAudit.objects.create(benchmark=bench).pk,
        "round": factories.review_round(bench).pk,
        "close": "close",
        "reject": "reject",
        "repair": Repair.objects.create(
            benchmark=bench,
            item=item,
            item_version=item.current,
            kind="punctuation",
            changes={},
            words="none",
        ).pk,
        "action": "cancel",
        "withdraw": "withdraw",
        "discard": "discard",
        "sample": GradingSample.objects.create(
            benchmark=bench, release=bench.releases.get(), name="s", rubric_version="r", seed=1
        ).pk,
    }


@pytest.fixture
def visitor(world, client_for):
    """Return a function that gives a client in a role, who has voted on the item."""

    def make(role: str):
        if role == "signed out":
            return Client(), None
        is_admin = role == "admin"
        user = factories.account(role=role, is_staff=is_admin, is_superuser=is_admin)
        version = factories.current(factories.Item.objects.get(pk=world["item"]))
        Review.objects.create(
            item=version.item, item_version=version, reviewer=user, verdict="keep"
        )
        return client_for(user), user

    return make


def may(user, who):
    if who == EVERYBODY:
        return True
    if user is None or who == SIGNED_IN:
        return user is not None
    return has_permission(user, who)


def is_refused(response) -> bool:
    to_login = response.status_code == 302 and "/accounts/login/" in response["Location"]
    return to_login or response.status_code in (401, 403)


def test_every_route_has_its_row():
    assert set(routes(get_resolver().url_patterns)) == set(TABLE)


@pytest.mark.parametrize("name", TABLE)
def test_role_and_route(world, visitor, name):
    """Each role finds the world as it was: what another one did is rolled back."""
    row = TABLE[name]
    url = reverse(name, kwargs={key: world[place] for key, place in row.places.items()})
    options = {} if row.method == "get" else {"data": {}, "content_type": "application/json"}
    for role in ROLES:
        with transaction.atomic():
            client, user = visitor(role)
            response = getattr(client, row.method)(url, **options)
            transaction.set_rollback(True)
        allowed = may(user, row.who)
        assert response.status_code < 500, role
        assert is_refused(response) is not allowed, role
        if user is not None and not allowed:
            assert response.status_code == 403, role


@pytest.mark.parametrize("role", ROLES)
def test_only_admins_enter_the_admin_site(visitor, role):
    client, _ = visitor(role)
    pages = [reverse("admin:index")] + [
        reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        for model in admin.site._registry
    ]

    for page in pages:
        response = client.get(page, follow=False)
        assert (response.status_code == 200) is (role == "admin"), page
