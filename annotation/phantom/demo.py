"""Makes the demo benchmark: draws its videos, writes its files, imports them."""

from dataclasses import dataclass
from pathlib import Path

from annotation import media_store
from annotation.actions.benchmarks import describe_benchmark
from annotation.actions.trail import IMPORT
from annotation.domain.import_report import ImportReport
from annotation.importer import import_benchmark
from annotation.models import Benchmark
from annotation.phantom.layout import FOLDER, write_layout
from annotation.phantom.reels import make_reels

SLUG = "phantom"
NAME = "Phantom"
DESCRIPTION = (
    "A demonstration: six synthetic ultrasound teaching videos drawn by this program, with "
    "their event logs and items. No patient, no narration, no network."
)
ATTRIBUTION = "Drawn by sonovqa"


@dataclass(frozen=True)
class Demo:
    """What was done: names of the videos drawn, and the report of the import, None where
    everything was there already."""

    drawn: list[str]
    report: ImportReport | None


def reel_folder() -> Path:
    return media_store.root() / "sources" / FOLDER


def make_demo() -> Demo:
    """Make what is missing of the demo benchmark; a second call finds everything in place.

    Raises FfmpegError where the videos cannot be encoded.
    """
    drawn = make_reels(reel_folder())
    changed = write_layout(media_store.root() / FOLDER)
    benchmark = Benchmark.objects.filter(slug=SLUG).first()
    report = None
    if changed or benchmark is None or not benchmark.releases.exists():
        folder = media_store.root() / FOLDER
        report = import_benchmark(folder, slug=SLUG, name=NAME, by=IMPORT)
        describe_benchmark(
            benchmark=Benchmark.objects.get(slug=SLUG),
            name=NAME,
            description=DESCRIPTION,
            attribution=ATTRIBUTION,
            by=IMPORT,
        )
    return Demo([path.name for path in drawn], report)
