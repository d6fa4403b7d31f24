"""What every process of the site has in memory: not what a few of them need."""

import subprocess
import sys

SELDOM = (
    "google.genai",  # 24 MB: who asks Gemini
    "scipy.ndimage",  # 19 MB: who looks for a ROI
    "yt_dlp",  # who resolves an address on YouTube
    "openai",  # the tests alone
)


def test_a_worker_does_not_load_what_few_runs_need() -> None:
    loads = "import sys, django; django.setup(); import annotation.tasks, evaluation.tasks; "
    tells = f"print([name for name in {SELDOM!r} if name in sys.modules])"
    told = subprocess.run(
        [sys.executable, "-c", loads + tells],
        capture_output=True,
        text=True,
        timeout=180,
        check=True,
    )
    assert told.stdout.strip() == "[]"
