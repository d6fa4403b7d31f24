"""How fast a benchmark comes in, and with how much memory, beside what cannot be avoided.

Each figure is taken in a process of its own on a fresh SQLite file:

- parse: `json.load` of the same files, nothing else
- raw: the peer: the same rows read by `json.load` and written by `bulk_create`, 500 at a time,
  with no check, no digest, no shown order, no comparison and no trail
- import: `import_benchmark`, from the folder to the frozen release. What other rooms make of a
  new release (reference runs) is not part of it
- again: the second import of the same folder, which compares everything and writes nothing

The generated benchmark has 100 items (50 MCQ, 50 free response) and 20 events a video; a tenth
of it is imported too, to show how memory grows. The published benchmark is measured where
SONOVQA_REX_DATA names its folder. Shares are of processor time, which a busy machine does not
bend; seconds are by the clock.

    python benchmarks/import_rate.py [--quick] [--items N]
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PER_VIDEO, EVENTS, BATCH = 100, 20, 500
WANTED_SHARE, WANTED_GROWTH_MB = 0.4, 64.0
TYPES = ("Type1_ActionGoalReasoning", "Type2_ArtifactResolution", "Type3_ProcedureContext")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="5,000 items instead of 100,000")
    parser.add_argument("--items", type=int, default=0)
    parser.add_argument("--child", nargs=2, metavar=("WHAT", "FOLDER"), help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    chosen.items = chosen.items or (5_000 if chosen.quick else 100_000)
    return chosen


# The generated benchmark.


def generate(folder: Path, items: int) -> Path:
    """Write a benchmark of `items` items in the published layout."""
    for name in ("benchmark_questions/mcq", "benchmark_questions/free", "gt_all"):
        (folder / name).mkdir(parents=True)
    metadata = {}
    for number in range(items // PER_VIDEO):
        name = f"Generated_Kidney_{number}"
        metadata[name] = video(number)
        rows = range(PER_VIDEO // 2)
        write(folder / f"benchmark_questions/mcq/{name}.json", [mcq(number, i) for i in rows])
        write(folder / f"benchmark_questions/free/{name}.json", [free(number, i) for i in rows])
        write(folder / f"gt_all/gt_{name}.json", [event(i) for i in range(EVENTS)])
    write(folder / "video_metadata_new.json", metadata)
    return folder


def write(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=2))


def video(number: int) -> dict[str, Any]:
    roi = {"x_prop": 0.1, "y_prop": 0.2, "w_prop": 0.5, "h_prop": 0.6}
    url = f"https://www.youtube.com/watch?v=gen{number // 2:08d}"
    return {"youtube_url": url, "start_time": 5.25, "end_time": 405.5, "roi": roi, "_score": 0.9}


def mcq(number: int, place: int) -> dict[str, Any]:
    options = [
        f"{letter}. The operator takes way {place + i} of video {number}, to bring the long axis "
        "of the vessel into the plane of the beam."
        for i, letter in enumerate("ABCD")
    ]
    stem = f"[MCQ] Based on the clip, which maneuver number {place} is shown, and to what end?"
    return row("\n".join([stem, *options]), "ABCD"[place % 4], place)


def free(number: int, place: int) -> dict[str, Any]:
    stem = f"[FREE] Based on the clip, why is step {place} of video {number} made here?"
    answer = f"To avoid the shadow of rib {place}, so that the kidney’s lower pole can be seen."
    return row(stem, answer, place)


def row(question: str, answer: str, place: int) -> dict[str, Any]:
    return {
        "question": question,
        "answer": answer,
        "groundtruth": f"The probe slides cranially, {place}, until the upper pole is seen.",
        "time_start": 2.5 * place,
        "time_end": 2.5 * place + 8.25,
        "keep": place % 5 != 0,
        "question_type": TYPES[place % 3],
    }


def event(place: int) -> dict[str, Any]:
    action, seen = f"Slide the probe, step {place}.", "The upper pole comes into view."
    return {"start": 8.0 * place, "end": 8.0 * place + 7, "action": action, "interpretation": seen}


# What is measured, each in its own process.


def load_all(folder: Path) -> int:
    found = 0
    for path in sorted(folder.glob("benchmark_questions/*/*.json")):
        found += len(json.loads(path.read_text(encoding="utf-8")))
    for path in [*folder.glob("gt_all/*.json"), folder / "video_metadata_new.json"]:
        json.loads(path.read_text(encoding="utf-8"))
    return found


def load_raw(folder: Path) -> int:
    """Write the same rows with nothing around them: the peer."""
    from django.db import transaction

    from annotation.models import Benchmark, Event, Source, Video

    metadata = json.loads((folder / "video_metadata_new.json").read_text(encoding="utf-8"))
    files = {path.stem: path for path in (folder / "benchmark_questions/mcq").glob("*.json")}
    bench = Benchmark.objects.create(slug="raw", name="Raw")
    found = 0
    for position, (name, entry) in enumerate(metadata.items()):
        with transaction.atomic():
            source, _ = Source.objects.get_or_create(
                benchmark=bench, kind="youtube", key=entry["youtube_url"][-11:]
            )
            segment = {"start": max(0, entry["start_time"]), "end": entry["end_time"]}
            vid = Video.objects.create(
                benchmark=bench, source=source, name=name, title=name, position=position, **segment
            )
            for kind in ("mcq", "free") if name in files else ():
                path = folder / f"benchmark_questions/{kind}/{name}.json"
                found += write_items(bench, vid, kind, json.loads(path.read_text()))
            path = folder / f"gt_all/gt_{name}.json"
            rows = json.loads(path.read_text()) if path.exists() else []
            Event.objects.bulk_create(
                [Event(video=vid, position=i, **one) for i, one in enumerate(rows)]
            )
    return found


def write_items(bench: Any, vid: Any, kind: str, rows: list[dict[str, Any]]) -> int:
    from annotation.models import Item, ItemVersion

    items = [
        Item(
            benchmark=bench,
            video=vid,
            kind=kind,
            index=index,
            key=f"{kind}/{vid.name}/{index}",
            position=index,
            video_position=vid.position,
            ordinal=index,
            question_type=one["question_type"],
            start=one["time_start"],
            end=one["time_end"],
            text=one["question"][:300],
            keep=one["keep"],
            keep_source="import",
            state="kept",
        )
        for index, one in enumerate(rows)
    ]
    Item.objects.bulk_create(items, batch_size=BATCH)
    zero = "0" * 64
    segment = {"video_start": vid.start, "video_end": vid.end}
    box = {"roi_x": 0, "roi_y": 0, "roi_w": 1, "roi_h": 1}
    versions = [
        ItemVersion(
            item=item,
            number=1,
            stem=one["question"].split("\n")[0],
            options=one["question"].split("\n")[1:],
            key_index="ABCD".index(one["answer"]) if kind == "mcq" else None,
            reference_answer=one["answer"] if kind == "free" else "",
            ground_truth=one["groundtruth"],
            question_type=one["question_type"],
            start=one["time_start"],
            end=one["time_end"],
            text_digest=zero,
            clip_digest=zero,
            digest=zero,
            **segment,
            **box,
        )
        for item, one in zip(items, rows, strict=True)
    ]
    ItemVersion.objects.bulk_create(versions, batch_size=BATCH)
    return len(items)


def load_import(folder: Path) -> int:
    from annotation.importer import import_benchmark
    from annotation.signals import release_made

    release_made.receivers.clear()
    report = import_benchmark(folder, slug="bench", by="import")
    assert report.ok, report.refused.first[:3]
    return report.tallies["mcq"].read + report.tallies["free"].read


WAYS: dict[str, Callable[[Path], int]] = {
    "parse": load_all,
    "raw": load_raw,
    "import": load_import,
    "again": load_import,
}


def child(what: str, folder: Path) -> None:
    """Measure one way in this process; print seconds, items, and memory in MB."""
    if what != "parse":
        import django

        sys.path.insert(0, str(ROOT))
        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
    before = peak_mb()
    start, cpu = time.perf_counter(), time.process_time()
    items = WAYS[what](folder)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    print(json.dumps({"s": seconds, "cpu": cpu, "items": items, "base": before, "peak": peak_mb()}))


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(what: str, folder: Path, var: Path) -> dict[str, float]:
    env = {**os.environ, "SONOVQA_VAR": str(var), "DJANGO_SETTINGS_MODULE": "sonovqa.settings"}
    env.pop("DATABASE_URL", None)
    command = [sys.executable, __file__, "--child", what, str(folder)]
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def measure_all(title: str, folder: Path, scratch: Path) -> dict[str, dict[str, float]]:
    print(title)
    found = {}
    for what in WAYS:
        var = scratch / ("import" if what == "again" else what)
        found[what] = one = measure(what, folder, var)
        rate = one["items"] / one["s"]
        memory = f"peak {one['peak']:.0f} MB, {one['peak'] - one['base']:.0f} MB above the start"
        print(f"  {what:<7}{one['s']:7.2f} s {one['cpu']:7.2f} s CPU {rate:8.0f} items/s  {memory}")
    return found


def main() -> int:
    chosen = parse_arguments()
    if chosen.child:
        child(chosen.child[0], Path(chosen.child[1]))
        return 0
    with tempfile.TemporaryDirectory(prefix="import-rate-") as name:
        scratch = Path(name)
        published = os.environ.get("SONOVQA_REX_DATA")
        if published:
            measure_all("the published benchmark", Path(published), scratch / "published")
        tenth = generate(scratch / "tenth-in", chosen.items // 10)
        small = measure_all(f"{chosen.items // 10} items", tenth, scratch / "tenth")
        whole = generate(scratch / "whole-in", chosen.items)
        large = measure_all(f"{chosen.items} items", whole, scratch / "whole")
    return conclude(small, large)


def conclude(small: dict[str, dict[str, float]], large: dict[str, dict[str, float]]) -> int:
    rate = large["import"]["items"] / large["import"]["s"]
    share = large["raw"]["cpu"] / large["import"]["cpu"]
    growth = large["import"]["peak"] - small["import"]["peak"]
    held = share >= WANTED_SHARE and growth <= WANTED_GROWTH_MB
    print(f"import: {share:.0%} of the peer's rate; ten times the items: {growth:+.0f} MB")
    unit = f"items/s, {share:.2f} of bare bulk_create, peak {large['import']['peak']:.0f} MB"
    wanted = f">= {WANTED_SHARE} of bare bulk_create, <= {WANTED_GROWTH_MB:g} MB for 10x the items"
    result = {"name": "import_rate", "figure": round(rate), "unit": unit}
    print(json.dumps({**result, "wanted": wanted, "held": held}))
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
