"""Makes leaderboard rows of readers' own answers: one a reader, and the pooled one."""

import json
from argparse import ArgumentParser
from typing import Any

from annotation.actions.trail import SYSTEM
from annotation.queries.named import NotFound, benchmark_named, release_named
from evaluation.actions.readers import ReadersRefused
from evaluation.models import Contestant
from evaluation.readers import settle_readers
from sonovqa.reporting import ReportingCommand


class Command(ReportingCommand):
    help = (
        "Make or bring up to date the leaderboard rows of the readers of a release, from what "
        "they answered before the key was shown. Without --judge, free responses stay unscored."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug")
        parser.add_argument("--release", default="", metavar="TAG", help="default: the newest")
        parser.add_argument("--judge", default="", metavar="NAME", help="name or slug of a judge")
        parser.add_argument("--no-publish", action="store_true", help="leave the entries private")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            benchmark = benchmark_named(options["slug"])
            release = release_named(benchmark, options["release"])
            judge = judge_named(options["judge"])
            publish = not options["no_publish"]
            settled = settle_readers(release, by=SYSTEM, judge=judge, publish=publish)
        except (NotFound, ReadersRefused) as error:
            raise self.refuse(error, as_json=options["json"]) from None
        if options["json"]:
            facts = {"ok": True, "benchmark": benchmark.slug, "release": release.tag}
            self.stdout.write(json.dumps(facts | settled.facts(), ensure_ascii=False))
            return
        self.stdout.write(f"{benchmark.slug} {release.tag}: {settled.told()}")
        for entry in settled.facts()["entries"]:
            state = "published" if entry["published"] else "private"
            self.stdout.write(
                f"  {entry['name']}: {entry['scored']} of {entry['items']} items scored, {state}"
            )


def judge_named(name: str) -> Contestant | None:
    """Return the judge of that name or slug, None without a name. Raises ReadersRefused."""
    if not name:
        return None
    models = Contestant.objects.filter(can_judge=True)
    found = models.filter(name=name).first() or models.filter(slug=name).first()
    if found is None:
        raise ReadersRefused(f"No judge is called {name!r}.")
    return found
