"""Settings of accounts: signing in, second factors, a hospital's sign-in, mail."""

from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from sonovqa import env

HTTPS = env.flag("SONOVQA_HTTPS")

AUTH_USER_MODEL = "annotation.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"

ACCOUNT_ADAPTER = "annotation.accounts.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*"]
ACCOUNT_LOGOUT_REDIRECT_URL = "/"
ACCOUNT_EMAIL_VERIFICATION = "none"  # an address is confirmed before it counts, not before login
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False  # a stranger's address gets no mail from us
ACCOUNT_EMAIL_SUBJECT_PREFIX = "[sonovqa] "
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if HTTPS else "http"
ACCOUNT_LOGIN_ON_PASSWORD_RESET = False  # the second factor is still to be asked for
ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE = False
ACCOUNT_REAUTHENTICATION_REQUIRED = True  # an open screen must not be enough to change an address
ACCOUNT_REAUTHENTICATION_METHODS = {"password", "mfa"}
ACCOUNT_RATE_LIMITS = {"login": "30/m/ip", "login_failed": "10/m/ip,5/300s/key"}
# How many proxies stand before the web server: their X-Forwarded-For tells the visitor's address.
ALLAUTH_TRUSTED_PROXY_COUNT = env.whole("SONOVQA_PROXIES", 0, high=5)

INVITATION_DAYS = env.whole("SONOVQA_INVITATION_DAYS", 7, low=1, high=90)

MFA_ADAPTER = "annotation.second_factor.SecondFactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "sonovqa"
MFA_TOTP_TOLERANCE = 1  # a clock half a minute off is no reason to lock somebody out
MFA_ALLOW_UNVERIFIED_EMAIL = True  # accounts need no address at all
MFA_REQUIRED = env.choice("SONOVQA_MFA", "OPTIONAL", ("OPTIONAL", "PRIVILEGED", "ALL"))

EMAIL_HOST = env.text("SONOVQA_EMAIL_HOST")
MAIL_IS_SENT = bool(EMAIL_HOST)
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if EMAIL_HOST else 'dummy'}.EmailBackend"
EMAIL_SECURITY = env.choice("SONOVQA_EMAIL_SECURITY", "STARTTLS", ("STARTTLS", "TLS", "NONE"))
EMAIL_USE_TLS, EMAIL_USE_SSL = EMAIL_SECURITY == "STARTTLS", EMAIL_SECURITY == "TLS"
EMAIL_PORT = env.whole(
    "SONOVQA_EMAIL_PORT", {"STARTTLS": 587, "TLS": 465, "NONE": 25}[EMAIL_SECURITY], high=65535
)
EMAIL_HOST_USER = env.text("SONOVQA_EMAIL_USER")
EMAIL_HOST_PASSWORD = env.secret("SONOVQA_EMAIL_PASSWORD", "SONOVQA_EMAIL_PASSWORD_FILE")
EMAIL_TIMEOUT = 15
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.text("SONOVQA_EMAIL_FROM", "sonovqa@localhost")

OIDC_ISSUER = env.text("SONOVQA_OIDC_ISSUER")
OIDC_NAME = env.text("SONOVQA_OIDC_NAME", "your hospital")
OIDC_CLIENT_ID = env.text("SONOVQA_OIDC_CLIENT_ID")
OIDC_CLIENT_SECRET = env.secret("SONOVQA_OIDC_CLIENT_SECRET", "SONOVQA_OIDC_CLIENT_SECRET_FILE")
OIDC_DOMAINS = [domain.lower().lstrip("@") for domain in env.words("SONOVQA_OIDC_DOMAINS")]
OIDC_SIGNUP = env.flag("SONOVQA_OIDC_SIGNUP")
OIDC_ROLE_CLAIM = env.text("SONOVQA_OIDC_ROLE_CLAIM")
OIDC_ROLES = env.pairs("SONOVQA_OIDC_ROLES")
OIDC_LOOPBACK_ALLOWED = False  # plain HTTP to this machine; the tests alone switch it on
if OIDC_ISSUER and (urlsplit(OIDC_ISSUER).scheme != "https" or not OIDC_CLIENT_ID):
    raise ImproperlyConfigured(
        "SONOVQA_OIDC_ISSUER has to be an https address, with SONOVQA_OIDC_CLIENT_ID beside it."
    )
if OIDC_SIGNUP and not OIDC_DOMAINS:
    raise ImproperlyConfigured("SONOVQA_OIDC_SIGNUP=1 needs SONOVQA_OIDC_DOMAINS.")
if unknown := set(OIDC_ROLES.values()) - {"reviewer", "adjudicator", "maintainer", "admin"}:
    raise ImproperlyConfigured(f"SONOVQA_OIDC_ROLES gives unknown roles: {sorted(unknown)}.")

OIDC_ORIGINS = [f"https://{urlsplit(OIDC_ISSUER).netloc}"] if OIDC_ISSUER else []

SOCIALACCOUNT_ADAPTER = "annotation.hospital_sign_in.HospitalAdapter"
SOCIALACCOUNT_ONLY = False
SOCIALACCOUNT_STORE_TOKENS = False
SOCIALACCOUNT_REQUESTS_TIMEOUT = 10
SOCIALACCOUNT_PROVIDERS = {
    "openid_connect": {
        "provider_class": "annotation.hospital_sign_in.HospitalProvider",
        "OAUTH_PKCE_ENABLED": True,
        "APPS": [
            {
                "provider_id": "hospital",
                "name": OIDC_NAME,
                "client_id": OIDC_CLIENT_ID,
                "secret": OIDC_CLIENT_SECRET,
                "settings": {"server_url": OIDC_ISSUER.rstrip("/")},
            }
        ]
        if OIDC_ISSUER
        else [],
    }
}
