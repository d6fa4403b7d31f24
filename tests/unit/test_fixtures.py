"""The fixtures give what they promise."""

import os
import subprocess
import sys

import redis
from django.conf import settings

from annotation.models import Benchmark
from tests import factories


def test_small_benchmark_has_items_versions_and_a_release(db):
    bench = factories.small_benchmark()

    release = factories.release(bench)

    assert (release.kept_mcq, release.kept_free) == (2, 2)
    assert release.release_items.count() == 4
    assert factories.current(bench.items.first()).number == 1


def test_the_broker_is_real_and_empty(broker):
    client = redis.Redis.from_url(broker)

    assert client.ping()
    assert client.dbsize() == 0
    assert client.config_get("maxmemory-policy")["maxmemory-policy"] == "noeviction"


def test_a_child_process_sees_the_rows_of_the_test(child_env):
    factories.benchmark(slug="seen-by-the-child")
    code = (
        "import django; django.setup();"
        "from annotation.models import Benchmark; print(Benchmark.objects.get().slug)"
    )

    out = subprocess.run([sys.executable, "-c", code], env=child_env, capture_output=True)

    assert out.stdout.decode().strip() == "seen-by-the-child", out.stderr.decode()
    assert Benchmark.objects.count() == 1


def test_the_tests_work_in_a_folder_of_their_own():
    assert settings.VAR.name.startswith("sonovqa-test-")
    assert os.environ["SONOVQA_VAR"] == str(settings.VAR)
