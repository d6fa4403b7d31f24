"""The figures that Prometheus reads, for who holds the token."""

import hmac

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Gauge, generate_latest

from evaluation.queries.operations import figures


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Serve the figures. Without the token of SONOVQA_METRICS_TOKEN there is no such page."""
    given = request.headers.get("Authorization", "").removeprefix("Bearer ").encode()
    wanted = settings.METRICS_TOKEN.encode()
    if not wanted or not hmac.compare_digest(given, wanted):
        raise Http404
    registry = CollectorRegistry()
    gauges: dict[str, Gauge] = {}
    for name, said, labels, value in figures():
        if name not in gauges:
            gauges[name] = Gauge(f"sonovqa_{name}", said, sorted(labels), registry=registry)
        gauge = gauges[name].labels(**labels) if labels else gauges[name]
        gauge.set(value)
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)
