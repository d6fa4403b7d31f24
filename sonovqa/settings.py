"""Settings. Each variable read here is described in docs/settings.md."""

from pathlib import Path

import dj_database_url
from csp.constants import NONCE, NONE, SELF
from kombu import Queue

from sonovqa import __version__, broker, env, secret_store
from sonovqa.people_settings import *  # noqa: F403  all that accounts need
from sonovqa.people_settings import ALLAUTH_TRUSTED_PROXY_COUNT, HTTPS, OIDC_ORIGINS
from sonovqa.static_version import static_version

BASE = Path(__file__).resolve().parent.parent
VAR = env.folder("SONOVQA_VAR", BASE / "var")
VAR.mkdir(mode=0o700, parents=True, exist_ok=True)

DEBUG = env.flag("SONOVQA_DEBUG")
SECRET_KEY = env.text("SONOVQA_SECRET_KEY") or secret_store.read_or_make(VAR / "secret_key")
ALLOWED_HOSTS = env.words("SONOVQA_HOSTS", "localhost,127.0.0.1,[::1]")
CSRF_TRUSTED_ORIGINS = env.words("SONOVQA_TRUSTED_ORIGINS")

INSTALLED_APPS = [
    "sonovqa",
    "annotation",
    "evaluation",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "csp",
    "rest_framework",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "annotation.middleware.last_seen",
    "annotation.middleware.kept_nowhere",
    "annotation.middleware.second_factor",
]

ROOT_URLCONF = "sonovqa.urls"
WSGI_APPLICATION = "sonovqa.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "csp.context_processors.nonce",
                "annotation.context.frame",
            ],
        },
    },
]

# SQLite: writers queue up instead of failing (IMMEDIATE + timeout), readers never wait (WAL).
SQLITE_OPTIONS = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": "PRAGMA journal_mode=WAL;PRAGMA synchronous=NORMAL;PRAGMA foreign_keys=ON;",
}
DATABASES = {
    "default": dj_database_url.parse(
        env.text("DATABASE_URL") or f"sqlite:///{VAR / 'sonovqa.sqlite3'}",
        conn_max_age=60,
        conn_health_checks=True,
    )
}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["OPTIONS"] = SQLITE_OPTIONS
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

BROKER_SOCKET = broker.socket_path(VAR)
GIVEN_REDIS = env.redis("REDIS_URL")
REDIS_URL = GIVEN_REDIS or f"unix://{BROKER_SOCKET}?db=0"
CACHES = {
    "default": {
        "BACKEND": "sonovqa.cache.Cache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "sonovqa",
        "OPTIONS": {"socket_connect_timeout": 1, "socket_timeout": 5},
    }
}

CELERY_BROKER_URL = GIVEN_REDIS or f"redis+socket://{BROKER_SOCKET}?virtual_host=0"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = False  # pumps claim from the database, so a lost message loses nothing
CELERY_TASK_REJECT_ON_WORKER_LOST = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 10
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 3600,
    "unacked_restore_throttle": 1,
    # Who sends a message does not wait 6 s for a broker that is away: the sweeps make up for it.
    "max_retries": 1,
    "interval_start": 0,
    "interval_step": 0.05,
}
CELERY_REDIS_SOCKET_TIMEOUT = 60
CELERY_TASK_TIME_LIMIT = 1200
CELERY_TASK_SOFT_TIME_LIMIT = 1080
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR / "beat-schedule")
# Runs wait for the network in a worker of threads; a worker without -Q serves both queues.
CELERY_TASK_DEFAULT_QUEUE = "celery"
CELERY_TASK_QUEUES = [Queue("celery"), Queue("runs")]
CELERY_TASK_ROUTES = {
    "evaluation.pump": {"queue": "runs"},
    "evaluation.batches": {"queue": "runs"},
}
SWEEP_SECONDS = env.whole("SONOVQA_SWEEP_SECONDS", 10, low=1, high=300)
CELERY_BEAT_SCHEDULE: dict[str, dict[str, object]] = {
    "sweep-runs": {
        "task": "evaluation.sweep",
        "schedule": float(SWEEP_SECONDS),
        "options": {"expires": SWEEP_SECONDS},
    },
    "look-at-workers": {
        "task": "evaluation.look_at_workers",
        "schedule": 30.0,
        "options": {"expires": 30},
    },
    "make-waiting-audits": {"task": "annotation.make_waiting_audits", "schedule": 60.0},
    "advance-bulk-actions": {"task": "annotation.advance_waiting_bulks", "schedule": 60.0},
    "find-repairs": {"task": "annotation.find_waiting_repairs", "schedule": 60.0},
    "measure-items": {"task": "evaluation.measure_waiting_items", "schedule": 60.0},
    "check-submissions": {"task": "evaluation.check_submissions", "schedule": 60.0},
    "purge-media": {"task": "annotation.purge_media", "schedule": 6 * 3600.0},
}

ENGINE_LEASE_SECONDS = env.whole("SONOVQA_LEASE_SECONDS", 30, low=2, high=600)
ENGINE_SLOTS = env.whole("SONOVQA_SLOTS", 128, low=1, high=1024)
METRICS_TOKEN = env.text("SONOVQA_METRICS_TOKEN")
MONTH_BUDGET = env.whole("SONOVQA_MONTH_BUDGET", 0, low=0, high=10_000_000)
SEAL_KEY = env.text("SONOVQA_SEAL_KEY")

SUBMISSIONS_A_DAY = env.whole("SONOVQA_SUBMISSIONS_A_DAY", 3, low=0, high=1000)
SUBMISSION_MEGABYTES = env.whole("SONOVQA_SUBMISSION_MEGABYTES", 256, low=1, high=4096)
SUBMISSION_JUDGE = env.text("SONOVQA_SUBMISSION_JUDGE")
SUBMISSION_BUDGET = env.whole("SONOVQA_SUBMISSION_BUDGET", 5, low=0, high=100_000)

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False

STATIC_URL = f"/static/{static_version(BASE / 'static')}/"
STATIC_ROOT = VAR / "static"
STATIC_ROOT.mkdir(exist_ok=True)  # WhiteNoise warns where it is missing
STATICFILES_DIRS = [BASE / "static"]
WHITENOISE_USE_FINDERS = True
if not DEBUG:  # the version stands in the address, so what it names never changes
    WHITENOISE_IMMUTABLE_FILE_TEST = r""  # matches each

MEDIA_STORE = VAR / "media"
MEDIA_DAYS = env.whole("SONOVQA_MEDIA_DAYS", 30, low=1, high=3650)
MEDIA_GIGABYTES = env.whole("SONOVQA_MEDIA_GIGABYTES", 20, low=1, high=100_000)
SOURCES_FOLDER = env.place("SONOVQA_SOURCES")
YOUTUBE_COOKIES = env.place("SONOVQA_YOUTUBE_COOKIES")

# YouTube's player shows error 153 without a Referer, so not Django's default "same-origin".
SECURE_REFERRER_POLICY = "strict-origin-when-cross-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^healthz$"]
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
# Subdomains and preload bind hosts that are not ours to decide on.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
YOUTUBE_SCRIPT_ORIGIN = env.text("SONOVQA_YOUTUBE_SCRIPT_ORIGIN", "https://www.youtube.com")
YOUTUBE_FRAME_ORIGIN = env.text("SONOVQA_YOUTUBE_FRAME_ORIGIN", "https://www.youtube-nocookie.com")
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        # The next page to fetch ahead is named in an inline script that can run nothing.
        "script-src": [SELF, NONCE, "'inline-speculation-rules'", YOUTUBE_SCRIPT_ORIGIN],
        "style-src": [SELF],
        "img-src": [SELF, "data:", "https://i.ytimg.com"],
        "media-src": [SELF, "blob:"],
        "frame-src": [YOUTUBE_FRAME_ORIGIN, YOUTUBE_SCRIPT_ORIGIN],
        "connect-src": [SELF],
        "object-src": [NONE],
        "base-uri": [NONE],
        # A browser holds a form to this on the way to the hospital's sign-in too.
        "form-action": [SELF, *OIDC_ORIGINS],
        "frame-ancestors": [NONE],
    }
}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "annotation.token_sign_in.TokenSignIn",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["sonovqa.json_body.StrictJson"],
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
    "EXCEPTION_HANDLER": "sonovqa.problems.as_problem",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "NUM_PROXIES": ALLAUTH_TRUSTED_PROXY_COUNT,  # else a made-up header escapes the throttles
}

SPECTACULAR_SETTINGS = {
    "TITLE": "sonovqa",
    "DESCRIPTION": "Benchmarks, releases, items, reviews, runs, predictions, leaderboard, "
    "submissions. Lists come in pages: follow `next`.",
    "VERSION": __version__,
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "sonovqa.problems.describe",
    ],
}

# Of one account, on the JSON API of reviewing: several times what a fast reader does.
API_READS_A_MINUTE = env.whole("SONOVQA_API_READS", 600, low=1, high=1_000_000)
API_WRITES_A_MINUTE = env.whole("SONOVQA_API_WRITES", 300, low=1, high=1_000_000)
DATA_UPLOAD_MAX_MEMORY_SIZE = 1_048_576
LOG_LEVEL = env.choice("SONOVQA_LOG_LEVEL", "INFO", ("DEBUG", "INFO", "WARNING", "ERROR"))
LOG_FORMAT = env.choice("SONOVQA_LOG_FORMAT", "LINE", ("LINE", "JSON"))
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": "sonovqa.logs.SafeFormatter",
            "format": "%(asctime)s %(levelname)s %(name)s %(message)s",
        },
        "json": {"()": "sonovqa.logs.JsonFormatter"},
    },
    "filters": {"refusals": {"()": "sonovqa.logs.OneLineRefusals"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT.lower()}},
    "root": {"handlers": ["stderr"], "level": LOG_LEVEL},
    # Django's own handlers would print a second time, and mail admins that nobody named.
    "loggers": {
        "django": {"handlers": [], "propagate": True, "level": "INFO"},
        "django.request": {"filters": ["refusals"]},
        "httpx2": {"level": "WARNING"},  # a line a call
        "google_genai": {"level": "WARNING"},
    },
}
