"""Makes the demo benchmark."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.phantom.demo import SLUG, Demo, make_demo, reel_folder
from annotation.phantom.reels import are_made
from sonovqa.adapters.ffmpeg import FfmpegError


class Command(BaseCommand):
    help = (
        "Draw the videos of the demo benchmark 'phantom' and import it. What is there already "
        "is left alone, so that a second call is done at once."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["json"] and not are_made(reel_folder()):
            self.stdout.write("Drawing the videos of the demo; it takes half a minute, once.")
            self.stdout.flush()
        try:
            demo = make_demo()
        except FfmpegError as error:
            raise CommandError(f"{error} {error.tail}".strip()) from None
        except OSError as error:
            raise CommandError(f"The store cannot be written: {error.strerror}.") from None
        if options["json"]:
            report = demo.report.as_dict() if demo.report else None
            told = {"benchmark": SLUG, "drawn": demo.drawn, "import": report}
            self.stdout.write(json.dumps(told))
        else:
            self.stdout.write(_told(demo))


def _told(demo: Demo) -> str:
    if demo.report is None and not demo.drawn:
        return f"The demo benchmark {SLUG} is in place."
    lines = []
    if demo.drawn:
        lines.append(f"Drew {len(demo.drawn)} videos: {', '.join(demo.drawn)}.")
    if demo.report is not None:
        lines.append(f"Imported the demo benchmark {SLUG}.")
        lines += demo.report.notes
    return "\n".join(lines)
