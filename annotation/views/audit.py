"""The shortcut audit of a benchmark: its page, and asking for a new one."""

import logging
from typing import Any

from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe
from kombu.exceptions import OperationalError

from annotation.actions.audits import request_audit
from annotation.actions.releases import TAG
from annotation.models import Benchmark, Release, ShortcutAudit, User
from annotation.permissions import Verb, require
from annotation.queries.audits import DRAFT, audit_view
from annotation.tasks import make_audit

log = logging.getLogger(__name__)


def adjudicator_of(request: HttpRequest) -> User:
    """Return the signed-in reader. Raises PermissionDenied where flags must stay hidden."""
    require(request.user, Verb.ADJUDICATE)
    assert isinstance(request.user, User)  # noqa: S101  require lets nobody else through
    return request.user


def release_of(benchmark: Benchmark, tag: str) -> Release | None:
    """Return the release that `tag` names; the newest audited one for "", None for the draft."""
    if tag == DRAFT:
        return None
    if tag and not TAG.fullmatch(tag):  # PostgreSQL cannot even be asked for a NUL
        raise Http404("No release has such a tag.")
    if tag:
        return get_object_or_404(Release, benchmark=benchmark, tag=tag)
    newest = benchmark.audits.select_related("release").defer("report").first()
    return newest.release if newest else benchmark.releases.first()


def tell_worker(audit_id: int) -> None:
    """Wake a worker; without a broker the audit waits for the next sweep."""
    try:
        make_audit.delay(audit_id)
    except (OperationalError, OSError) as error:
        log.warning("audit %s: no broker (%s); the next sweep makes it", audit_id, error)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def audit(request: HttpRequest, slug: str) -> HttpResponse:
    """The newest audit of a release; POST asks for a new one."""
    user = adjudicator_of(request)
    benchmark = get_object_or_404(Benchmark, slug=slug)
    asked: Any = request.POST if request.method == "POST" else request.GET
    release = release_of(benchmark, asked.get("release", ""))
    if request.method == "POST":
        made = request_audit(benchmark=benchmark, release=release, by=user)
        transaction.on_commit(lambda: tell_worker(made.pk))
        query = urlencode({"release": release.tag if release else DRAFT})
        return redirect(f"{reverse('annotation:audit', args=[slug])}?{query}")
    view = audit_view(
        benchmark,
        user,
        release=release,
        flag=request.GET.get("flag", ""),
        page=request.GET.get("page", ""),
    )
    context = {"view": view, "benchmark": benchmark, "nav_active": "benchmark", "draft": DRAFT}
    return render(request, "annotation/audit.html", context)


@login_required
@never_cache
@require_safe
def audit_state(request: HttpRequest, pk: int) -> JsonResponse:
    """How far an audit is, for the page that waits for it."""
    adjudicator_of(request)
    found = get_object_or_404(ShortcutAudit.objects.defer("report"), pk=pk)
    return JsonResponse({"state": found.state, "error": found.error})
