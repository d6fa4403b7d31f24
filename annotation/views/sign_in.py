"""The sign-in page: allauth's, with a look at whether clips will play on this network."""

from typing import Any

from allauth.account.views import LoginView
from csp.decorators import csp_update
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from annotation.models import Source
from annotation.models.benchmark import SourceKind


class SignInView(LoginView):
    def get_context_data(self, **more: Any) -> dict[str, Any]:
        about = {
            "mail_is_sent": settings.MAIL_IS_SENT,
            "hospital": settings.OIDC_NAME if settings.OIDC_ISSUER else "",
            "plays_youtube": Source.objects.filter(kind=SourceKind.YOUTUBE).exists(),
            "youtube_script_origin": settings.YOUTUBE_SCRIPT_ORIGIN,
            "youtube_frame_origin": settings.YOUTUBE_FRAME_ORIGIN,
        }
        return super().get_context_data(**more) | about


def sign_in(request: HttpRequest) -> HttpResponseBase:
    """Signing in. The page may ask YouTube for its icon, and run no script of it."""
    reach = {
        "img-src": [settings.YOUTUBE_SCRIPT_ORIGIN],
        "connect-src": [settings.YOUTUBE_FRAME_ORIGIN],
    }
    return csp_update(reach)(SignInView.as_view())(request)
