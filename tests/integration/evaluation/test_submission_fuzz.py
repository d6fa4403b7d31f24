"""The fuzzer of submissions on a few thousand inputs; `benchmarks/submission_fuzz.py` throws
100,000 and more."""

from typing import Any

import pytest

from benchmarks.submission_fuzz import Fuzzer, send_endless
from evaluation.models import Run, Submission

pytestmark = pytest.mark.django_db


def test_broken_and_hostile_inputs_are_refused_and_never_a_fault(settings: Any) -> None:
    settings.SUBMISSIONS_A_DAY = 10**6
    seen, failures = Fuzzer().run(2_000, seed=7, whole=100)
    assert not failures, failures[:3]
    assert seen["inputs"] == 2_000 and seen["sent"] == 20
    assert min(seen[name] for name in ("lines taken", "lines refused", "rows taken")) > 50
    assert not Run.objects.filter(origin="submission").exists()


def test_an_upload_without_end_is_cut_off(settings: Any) -> None:
    settings.SUBMISSION_MEGABYTES = 1
    fuzzer = Fuzzer()
    assert send_endless(fuzzer.release, fuzzer.sender) < 2_000_000
    assert not Submission.objects.exists()
