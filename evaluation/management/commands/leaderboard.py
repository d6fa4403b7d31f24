"""Prints the leaderboard of a benchmark."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.queries.named import NotFound, benchmark_named, release_named
from evaluation.board.figure_text import points_text, rank_text, share_text
from evaluation.board.files import board_json
from evaluation.models.run import ON_BOARD
from evaluation.queries.board import Board, Row, board_of, by_mcq


class Command(BaseCommand):
    help = "Print the published leaderboard of a benchmark's newest release, or of --release."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--release", metavar="TAG", default="")
        parser.add_argument(
            "--condition", choices=ON_BOARD, help="default: the entries of all conditions"
        )
        parser.add_argument("--json", action="store_true", help="one JSON object for machines")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            benchmark = benchmark_named(options["slug"])
            release = release_named(benchmark, options["release"])
        except NotFound as error:
            raise CommandError(str(error)) from None
        condition = options["condition"] or ""
        rows = chosen_rows(board_of(release), condition)
        if options["json"]:
            found = board_json(benchmark, release, rows, condition=condition)
            self.stdout.write(json.dumps(found, indent=1, ensure_ascii=False))
            return
        self.stdout.write(f"{benchmark.slug} {release.tag} {release.hash[:8]}")
        self.stdout.write(f"{'rank':>7}  {'MCQ':>15}  {'free':>14}  {'scored':>11}  model")
        for row in rows:
            self.stdout.write(line_of(row))
        if not rows:
            self.stdout.write("No entry is published here yet.")


def chosen_rows(board: Board, condition: str) -> list[Row]:
    """Return the rows of one condition with the references, or of all conditions; people last."""
    people = board.readers(condition) if condition else board.readers()
    return [
        *by_mcq(
            row
            for row in board.rows
            if not row.head.human
            and (not condition or row.head.condition == condition or row.head.reference)
        ),
        *people,
    ]


def line_of(row: Row) -> str:
    """Return one line of the table for people."""
    rank = rank_text(row.rank)
    if row.head.reference:
        rank = "reader" if row.head.human else "ref"
    mcq, free = row.share("mcq"), row.share("free")
    if row.head.slug == "chance" and row.figures["chance"] is not None:
        mcq_text = f"{share_text(row.figures['chance'])} % expected"  # as the page, not as drawn
    elif mcq is None:
        mcq_text = "–"
    else:
        mcq_text = f"{share_text(mcq)} % of {row.figures['mcq']['n']}"
    free_text = "–" if free is None else f"{points_text(free)} over {row.figures['free']['n']}"
    scored = f"{row.figures['scored']} / {row.figures['items']}"
    return (
        f"{rank:>7}  {mcq_text:>15}  {free_text:>14}  {scored:>11}  "
        f"{row.head.model} ({row.head.condition})"
    )
