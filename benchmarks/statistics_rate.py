"""How long all figures of many runs take: headlines, slices, intervals, all paired tests.

Draws runs over a made benchmark with clusters like the published ones and computes what an
entry and a board hold, from arrays of scores. Other sizes: --runs, --items.

    python benchmarks/statistics_rate.py [--quick] [--runs N] [--items N] [--limit SECONDS]
"""

import argparse
import json
import resource
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from evaluation.domain.metrics import (  # noqa: E402
    AskedItem,
    Scores,
    build_frames,
    cluster_sums,
    kind_figures,
)
from evaluation.domain.ranking import compare_all, rank_intervals  # noqa: E402

SOURCES = 35
TYPES = ("Type1", "Type2", "Type3")
CATEGORIES = ("abdomen", "vascular", "obstetric", "musculoskeletal", "lung")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one round instead of five")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--items", type=int, default=514)
    parser.add_argument("--limit", type=float, default=2.0, help="seconds wanted")
    return parser.parse_args()


def made_items(count: int, random: np.random.Generator) -> list[AskedItem]:
    sources = max(SOURCES, count // 1000)
    return [
        AskedItem("mcq" if mcq else "free", TYPES[kind], seconds, CATEGORIES[category], source)
        for mcq, kind, seconds, category, source in zip(
            (random.random(count) < 0.485).tolist(),
            random.integers(0, 3, count).tolist(),
            random.gamma(2, 5, count).tolist(),
            random.integers(0, 5, count).tolist(),
            random.integers(0, sources, count).tolist(),
            strict=True,
        )
    ]


def drawn_scores(level: float, count: int, random: np.random.Generator) -> Scores:
    values = (random.random(count) < level).astype(float)
    return Scores(values, values, random.random(count) > 0.01)


def figures_of_all(items: list[AskedItem], runs: list[Scores]) -> float:
    """Compute everything once; return the seconds it took."""
    start = time.perf_counter()
    frames = build_frames(items)
    sums: dict[str, list[list[float]]] = {kind: [] for kind in frames}
    for scores in runs:
        for kind, frame in frames.items():
            kind_figures(frame, scores)
            sums[kind].append(cluster_sums(frame.all, scores))
    for kind, frame in frames.items():
        rank_intervals(compare_all(np.array(sums[kind]), frame.all.sizes))
    return time.perf_counter() - start


def main() -> int:
    chosen = parse()
    random = np.random.default_rng(20260407)
    items = made_items(chosen.items, random)
    runs = [
        drawn_scores(0.3 + 0.4 * random.random(), chosen.items, random) for _ in range(chosen.runs)
    ]
    figures_of_all(items, runs[:2])  # imports are no part of the figure
    rounds = [figures_of_all(items, runs) for _ in range(1 if chosen.quick else 5)]
    seconds = sorted(rounds)[len(rounds) // 2]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    pairs = chosen.runs * (chosen.runs - 1) // 2
    print(f"{chosen.runs} runs × {chosen.items} items, {pairs} pairs a kind with Holm")
    print(f"rounds: {', '.join(f'{value:.2f}' for value in rounds)} s; peak memory {peak:.0f} MB")
    print(
        json.dumps(
            {
                "name": "statistics_rate",
                "figure": round(seconds, 3),
                "unit": f"s for {chosen.runs} runs x {chosen.items} items",
                "wanted": f"< {chosen.limit:g}",
                "held": seconds < chosen.limit,
            }
        )
    )
    return 0 if seconds < chosen.limit else 1


if __name__ == "__main__":
    sys.exit(main())
