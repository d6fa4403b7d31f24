"""Fixtures that every test may use: the cast, the broker, the published data, the browser."""

import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from tests import factories, migrated, network

# A busy machine is slow, not wrong: no property fails for the clock's sake.
hypothesis.settings.register_profile(
    "sonovqa", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("sonovqa")

REQUIRE_ALL = os.environ.get("SONOVQA_REQUIRE_ALL") == "1"
PUBLISHED = os.environ.get("SONOVQA_REX_DATA")
NO_DATA = "SONOVQA_REX_DATA does not name the published benchmark"
ON_POSTGRES = os.environ.get("SONOVQA_TEST_DB") == "postgres"
DATABASE_FIXTURES = {"db", "transactional_db"}
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser"))),
    None,
)
PATIENCE = 30_000  # milliseconds: a busy machine is slow, not wrong
CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # This machine alone is reached. A route would do it too, but slow each request down.
    "--host-resolver-rules=MAP * ~NOTFOUND,EXCLUDE localhost,EXCLUDE 127.0.0.1",
]


def touches_the_database(item: pytest.Item) -> bool:
    """Say whether a test is worth running again on another database."""
    if item.get_closest_marker("chromium") or item.get_closest_marker("sqlite"):
        return False
    fixtures = getattr(item, "fixturenames", ())
    return bool(item.get_closest_marker("django_db")) or bool(DATABASE_FIXTURES & set(fixtures))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """On PostgreSQL only what touches the database is run again.

    Browser tests come last: Playwright leaves a running loop in the main thread, and engine
    tests start one of their own.
    """
    items.sort(key=lambda item: item.get_closest_marker("chromium") is not None)
    if ON_POSTGRES:
        config.hook.pytest_deselected(items=[i for i in items if not touches_the_database(i)])
        items[:] = [item for item in items if touches_the_database(item)]


def pytest_runtest_setup(item: pytest.Item) -> None:
    if reason := os.environ.get("SONOVQA_TEST_NO_POSTGRES"):
        pytest.skip(reason)
    if item.get_closest_marker("chromium") and CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    if item.get_closest_marker("postgres") and not ON_POSTGRES:
        pytest.skip("needs PostgreSQL: SONOVQA_TEST_DB=postgres")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Where everything is required, a part that is missing fails instead of being skipped.

    The published data is no part of the project, and rights are not ours to take: without
    them their tests are skipped anywhere.
    """
    report = yield
    excused = item.get_closest_marker("postgres") and not ON_POSTGRES
    excused = excused or item.get_closest_marker("privileged")
    excused = excused or (NO_DATA in str(report.longrepr) and not PUBLISHED)
    if REQUIRE_ALL and report.skipped and not hasattr(report, "wasxfail") and not excused:
        report.outcome = "failed"
        report.longrepr = f"skipped, but SONOVQA_REQUIRE_ALL=1: {report.longrepr}"
    return report


def pytest_addoption(parser: Any) -> None:
    parser.addoption(
        "--examples", type=int, default=4, help="requests of schemathesis for each operation"
    )


@pytest.fixture(autouse=True, scope="session")
def only_this_machine() -> Iterator[None]:
    with network.only_this_machine():
        yield


# The database.


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_keepdb: bool) -> bool:
    """SQLite works on a copy that is there already; PostgreSQL makes its own."""
    return django_db_keepdb or not ON_POSTGRES


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None) -> migrated.Migrated | None:
    shared = migrated.of_this_run()
    if shared:
        shared.offer()
    return shared


@pytest.fixture(scope="session")
def django_db_setup(
    django_db_modify_db_settings: migrated.Migrated | None,
    django_db_setup: None,
    django_db_blocker: Any,
) -> None:
    if django_db_modify_db_settings:
        with django_db_blocker.unblock():
            django_db_modify_db_settings.keep()


@pytest.fixture(autouse=True)
def fresh_cache() -> None:
    from django.core.cache import cache

    cache.clear()


@pytest.fixture
def rex() -> Path:
    """The published benchmark, where SONOVQA_REX_DATA names its folder."""
    if not PUBLISHED:
        pytest.skip(NO_DATA)
    return Path(PUBLISHED).resolve()


# The cast.


@pytest.fixture
def reviewer(db: None) -> Any:
    return factories.account("reviewer", role="reviewer")


@pytest.fixture
def reviewer_2(db: None) -> Any:
    return factories.account("reviewer-2", role="reviewer")


@pytest.fixture
def adjudicator(db: None) -> Any:
    return factories.account("adjudicator", role="adjudicator")


@pytest.fixture
def maintainer(db: None) -> Any:
    return factories.account("maintainer", role="maintainer")


@pytest.fixture
def admin_user(db: None) -> Any:
    return factories.account("admin", role="admin", is_staff=True, is_superuser=True)


@pytest.fixture
def outsider(db: None) -> Any:
    """An account without a role."""
    return factories.account("outsider", role="")


@pytest.fixture
def client_for() -> Callable[[Any], Any]:
    """Return a function that gives a signed-in test client for an account."""
    from django.test import Client

    def make(user: Any, **options: Any) -> Client:
        client = Client(**options)
        client.force_login(user)
        return client

    return make


# The broker.


@pytest.fixture(scope="session")
def broker_server() -> Iterator[Path]:
    """A Valkey server on the socket of the test settings; yields the socket."""
    from django.conf import settings

    from sonovqa import broker
    from sonovqa.supervisor import die_with_parent

    socket, data = settings.BROKER_SOCKET, settings.VAR / "broker"
    data.mkdir()
    broker.make_socket_folder(socket)
    command = [broker.server_program(), *broker.server_arguments(socket, data)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, preexec_fn=die_with_parent) as server:
        deadline = time.monotonic() + 60
        while not socket.exists():
            assert server.poll() is None and time.monotonic() < deadline, "the broker is dead"
            time.sleep(0.02)
        yield socket
        server.terminate()


def point_celery_at(url: str) -> None:
    from kombu import pools

    from sonovqa.celery import app

    app.conf.broker_url = url
    app.conf.broker_read_url = app.conf.broker_write_url = url
    pools.reset()  # kombu keeps closed pools for a URL, and would hand them out again
    app._pool = app.amqp._producer_pool = None


@pytest.fixture
def broker(broker_server: Path, settings: Any) -> Iterator[str]:
    """An empty real broker: Celery and the cache use it; yields its URL for redis-py."""
    import redis
    from django.core.cache import caches

    url = f"unix://{broker_server}?db=0"
    redis.Redis.from_url(url).flushall()
    before = settings.CELERY_BROKER_URL
    settings.CACHES = {
        "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": url}
    }
    point_celery_at(f"redis+socket://{broker_server}?virtual_host=0")
    yield url
    point_celery_at(before)
    caches["default"].close()


@pytest.fixture
def child_env(transactional_db: None) -> dict[str, str]:
    """The environment of a child process that works on this test's database and broker."""
    from django.db import connection

    row = connection.settings_dict
    url = f"sqlite:///{row['NAME']}"
    if connection.vendor == "postgresql":
        given = os.environ["DATABASE_URL"]
        url = re.sub(r"(//[^/]*/)[^?]*", rf"\g<1>{row['NAME']}", given, count=1)
    return {**os.environ, "DJANGO_SETTINGS_MODULE": "sonovqa.settings", "DATABASE_URL": url}


# The browser.


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_type_launch_args, "executable_path": CHROMIUM, "args": CHROMIUM_ARGUMENTS}


@pytest.fixture
def context(context: Any) -> Any:
    """A browser context with the patience of these tests."""
    from playwright.sync_api import expect

    context.set_default_timeout(PATIENCE)
    expect.set_options(timeout=PATIENCE)
    return context


@pytest.fixture
def sign_in(context: Any, live_server: Any, client_for: Callable[[Any], Any]) -> Any:
    """Return a function that signs an account in in the browser, without the login page."""

    def sign(user: Any) -> None:
        cookie = client_for(user).cookies["sessionid"]
        context.add_cookies([{"name": "sessionid", "value": cookie.value, "url": live_server.url}])

    return sign
