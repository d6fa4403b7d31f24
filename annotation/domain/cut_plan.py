"""Which windows of one source are cut together: overlapping and near ones, decoded once."""

from collections.abc import Iterable
from dataclasses import dataclass

from annotation.domain.clips import Box, Span

NEAR = 1.0  # seconds between two windows that decoding on costs less than seeking anew
MOST = 12  # clips of one job


@dataclass(frozen=True)
class Piece:
    """One clip to cut: `name` in the store, its window in source time, its box in pixels, and
    how many pixels high it is at most."""

    name: str
    span: Span
    box: Box
    max_height: int = 720


@dataclass(frozen=True)
class Job:
    """What one program run decodes, and the clips that it cuts out of it, by start."""

    span: Span
    pieces: tuple[Piece, ...]


def plan_jobs(pieces: Iterable[Piece], *, near: float = NEAR, most: int = MOST) -> list[Job]:
    """Return the jobs that cut `pieces`, each once, by start.

    A job decodes nothing between its clips but gaps of at most `near` seconds.
    """
    ordered = sorted(
        {piece.name: piece for piece in pieces}.values(),
        key=lambda piece: (piece.span.start, piece.span.end, piece.name),
    )
    jobs: list[list[Piece]] = []
    reached = 0.0
    for piece in ordered:
        if jobs and piece.span.start <= reached + near and len(jobs[-1]) < most:
            jobs[-1].append(piece)
            reached = max(reached, piece.span.end)
        else:
            jobs.append([piece])
            reached = piece.span.end
    return [_job(job) for job in jobs]


def _job(pieces: list[Piece]) -> Job:
    last = max(piece.span.end for piece in pieces)
    return Job(Span(pieces[0].span.start, last), tuple(pieces))


def union(spans: Iterable[Span]) -> float:
    """Return how many seconds of the source `spans` cover, each second counted once."""
    total, reached = 0.0, float("-inf")
    for span in sorted(spans, key=lambda one: one.start):
        total += max(0.0, span.end - max(span.start, reached))
        reached = max(reached, span.end)
    return total
