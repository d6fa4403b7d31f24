"""Throws broken, hostile and odd input at the reader of submissions, and counts what it is not
meant for: an exception, a 5xx, a text that cannot be stored, a score that a file brought along.

Each input is a file of one to six rows. Every one of them is read as a file of lines and as rows
of the original layout; one in `--whole` also goes the whole way, uploaded through the page,
checked by the worker's function, its page shown. A tenth is made by hypothesis, the rest by
seeded mutation of sound rows: bits, bytes and pieces changed, tokens put in that have broken
parsers (1e999, NUL, lone surrogates, formulas, deep brackets, duplicate keys, keys and verdicts
that a file may not bring). Last, an upload of 10 GB is made up while it is read.

    python benchmarks/submission_fuzz.py [--quick] [--inputs N] [--seed N] [--whole N]
"""

import argparse
import io
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

TOKENS = (
    b"1e999", b"-1e999", b"NaN", b"Infinity", b"9" * 400, b"-0", b"0.1e-400", b"\x00", b"\\u0000",
    b"\\ud800", b"\\udc00\\ud800", b"\xed\xa0\x80", b"\xff\xfe", b"\xef\xbb\xbf", b"\x85",
    b"\xe2\x80\xa8", b"=HYPERLINK(1)", b"@SUM(1+1)", b"+cmd|' /C calc'!A0", b"-2+3", b"\t=1",
    b"<script>alert(1)</script>", b"{{7*7}}", b"' OR 1=1 --", b"%s%n", b"../../etc/passwd",
    b"[" * 300, b"{\"a\":" * 300, b"]" * 20, b"}" * 20, b"\"", b"\\", b",", b":", b"\r\n", b"\n",
    b'"item": "mcq/again/0",', b'"prediction": "A",', b'"score": 9,', b'"eval_score": 9,',
    b'"answer": "A",', b'"key_index": 0,', b'"keep": false,', b'"shown_order": [3, 2, 1, 0],',
    b'"run": 1,', b'"outcome": "answered",', b'"__proto__": {},', b"null", b"true", b"[]", b"{}",
    "ⅷ①ſK\u0130ı\u202e\u200b\ufeff".encode(), "答案：B".encode(), b"A" * 5_000, b"PK\x03\x04",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 9, 10**17, 1.5, 1e308, "", " ", "A", "Z", "B or C", "=1+1", "\x7f",
    "Answer: " + "(" * 500, "<b>A</b>", "\u202eA", "A" * 3_000, [], {}, [["A"]], {"score": 9},
)  # fmt: skip
NAMES = (
    "item", "prediction", "question", "original_question", "model_prediction", "answer", "score",
    "eval_score", "eval_max_score", "keep", "key_index", "inference_metadata", "", "=1", "_import",
)  # fmt: skip
STATED = 10 * 1024**3  # bytes that the made-up upload would have


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="5,000 inputs instead of 100,000")
    parser.add_argument("--inputs", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--whole", type=int, default=100, help="one in N goes the whole way")
    chosen = parser.parse_args()
    chosen.inputs = chosen.inputs or (5_000 if chosen.quick else 100_000)
    return chosen


# The inputs.


def sound_rows(keys: Iterable[str], questions: Iterable[str]) -> list[dict[str, Any]]:
    """Return rows of both layouts that would be taken as they are."""
    rows: list[dict[str, Any]] = [{"item": key, "prediction": "Answer: B"} for key in keys]
    return rows + [{"question": text, "model_prediction": "B"} for text in questions]


def mutated(rows: list[dict[str, Any]], draw: random.Random) -> bytes:
    """Return one to six rows, broken in one to eight places."""
    chosen = [json.dumps(spoiled(draw.choice(rows), draw)) for _ in range(draw.randint(1, 6))]
    data = bytearray("\n".join(chosen).encode())
    if draw.random() < 0.3:
        data = bytearray(f"[{','.join(chosen)}]".encode())
    for _ in range(draw.randint(0, 8)):
        place = draw.randrange(len(data) + 1)
        match draw.randrange(6):
            case 0:
                data[place:place] = draw.choice(TOKENS)
            case 1:
                del data[place : place + draw.randint(1, 30)]
            case 2 if data:
                data[place % len(data)] ^= 1 << draw.randrange(8)
            case 3:
                data[place:place] = data[: draw.randint(1, 80)]
            case 4:
                data[place:place] = bytes(draw.randrange(256) for _ in range(4))
            case _:
                del data[place + draw.randint(0, 400) :]
    return bytes(data)


def spoiled(row: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    found = dict(row)
    for _ in range(draw.randint(0, 3)):
        found[draw.choice(NAMES)] = draw.choice(VALUES)
    return found


def made_by_hypothesis(count: int, seed: int) -> list[bytes]:
    """Return `count` files of structures of any shape, as JSON that may hold NaN and surrogates."""
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import seed as seeded
    from hypothesis import strategies as some

    text = some.text(alphabet=some.characters(), max_size=40)
    leaf = some.none() | some.booleans() | some.integers() | some.floats() | text
    value = some.recursive(
        leaf, lambda one: some.lists(one) | some.dictionaries(text, one), max_leaves=20
    )
    row = some.dictionaries(some.sampled_from(NAMES) | text, value | text, max_size=8)
    found: list[bytes] = []

    @seeded(seed)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(some.lists(row | value, min_size=1, max_size=4))
    def collect(rows: list[Any]) -> None:
        found.append("\n".join(json.dumps(one) for one in rows).encode())

    collect()
    return found


def inputs(rows: list[dict[str, Any]], count: int, seed: int) -> Iterator[bytes]:
    """Yield `count` inputs; the same ones for the same seed."""
    made = made_by_hypothesis(max(1, count // 10), seed)
    yield from made[:count]
    draw = random.Random(seed)
    for _ in range(count - min(count, len(made))):
        yield mutated(rows, draw)


# The reader. Each function raises AssertionError, or whatever the reader should not have raised.


def read_both(data: bytes, seen: Counter[str]) -> None:
    """Read `data` as lines and as a file of rows; count what was taken and refused."""
    from annotation.domain.rows import Finding
    from annotation.domain.strict_json import BadJson, parse_json
    from evaluation.domain.prediction_files import read_prediction
    from evaluation.domain.submission_files import Answer, read_lines, replies_alone

    for one in read_lines(io.BytesIO(data), "p.jsonl"):
        seen["lines taken" if isinstance(one, Answer) else "lines refused"] += 1
        parts = one if isinstance(one, Answer) else (one.reason,)
        assert all(is_storable(part) for part in parts), one
    try:
        value = parse_json(data, name="pred_x.json")
    except BadJson as error:
        seen["files refused"] += 1
        assert is_storable(str(error)), error
        return
    for place, row in enumerate(value if isinstance(value, list) else [value]):
        read = read_prediction(place, replies_alone(row), file="pred_x.json")
        if isinstance(read, list):
            seen["rows refused"] += 1
            assert read and all(isinstance(one, Finding) for one in read)
            continue
        seen["rows taken"] += 1
        assert is_storable(read.prediction) and read.verdict is None
        assert not read.claims and not read.extra


def is_storable(text: str) -> bool:
    try:
        return "\x00" not in text.encode().decode()
    except UnicodeError:
        return False


def send(client: Any, data: bytes, name: str, seen: Counter[str]) -> None:
    """Upload `data`, have it checked, and show its page: what a score may be is asserted."""
    from django.core.files.uploadedfile import SimpleUploadedFile

    from evaluation.models import Prediction, Run, Submission
    from evaluation.submissions import check_submission

    fields = {"release": "r1", "model_name": f"M{seen['sent']}", "condition": "video"}
    seen["sent"] += 1
    answer = client.post("/b/fuzzed/submit/", fields | {"uploads": SimpleUploadedFile(name, data)})
    assert answer.status_code in (302, 400), answer.status_code
    if answer.status_code == 400:
        seen["uploads refused"] += 1
        return
    made = Submission.objects.latest("pk")
    check_submission(made.pk)
    made.refresh_from_db()
    seen[f"submissions {made.state}"] += 1
    assert made.state in ("checked", "invalid"), (made.state, made.reason)
    assert client.get(f"/submissions/{made.pk}/").status_code == 200
    scores = set(Prediction.objects.filter(run=made.run).values_list("score", flat=True))
    assert scores <= {None, 0.0, 1.0}, scores
    Submission.objects.filter(pk=made.pk).delete()
    if made.run_id:
        Run.objects.filter(pk=made.run_id).delete()


class Endless:
    """An upload that says nothing of its size and goes on for 10 GB."""

    name: str | None = "endless.jsonl"
    handed = 0

    def chunks(self) -> Iterator[bytes]:
        part = (b'{"item": "k1", "prediction": "' + b"A" * 990 + b'"}\n') * 64
        while self.handed < STATED:
            self.handed += len(part)
            yield part


def send_endless(release: Any, sender: Any) -> int:
    """Return how many bytes of the endless upload were taken before it was refused."""
    from evaluation.actions.submissions import SubmissionRefused, receive_submission

    upload = Endless()
    try:
        receive_submission(
            release=release, files=[upload], model_name="Endless", condition="video", by=sender
        )
    except SubmissionRefused:
        return upload.handed
    raise AssertionError("10 GB were taken")


class Fuzzer:
    """A small benchmark in the present database, and a sender without end of quota."""

    def __init__(self) -> None:
        from django.conf import settings
        from django.test import Client

        from tests import factories

        settings.SUBMISSIONS_A_DAY = 10**6
        bench = factories.small_benchmark(slug="fuzzed", videos=3)
        self.release = factories.release(bench)
        self.sender = factories.account("fuzzer", role="")
        self.client = Client(raise_request_exception=True)
        self.client.force_login(self.sender)
        self.name = f"pred_{bench.videos.values_list('name', flat=True)[0]}.json"
        items = list(bench.items.select_related("current"))
        questions = [
            "\n".join([one.stem, *(f"{'ABCD'[n]}. {text}" for n, text in enumerate(one.options))])
            for one in (factories.current(item) for item in items)
        ]
        self.rows = sound_rows([item.key for item in items], questions)

    def run(self, count: int, *, seed: int, whole: int) -> tuple[Counter[str], list[str]]:
        """Return what was counted, and each failure with its input."""
        seen: Counter[str] = Counter()
        failures: list[str] = []
        for number, data in enumerate(inputs(self.rows, count, seed)):
            seen["inputs"] += 1
            try:
                read_both(data, seen)
                if number % whole == 0:
                    name = "p.jsonl" if number % (2 * whole) else self.name
                    send(self.client, data, name, seen)
            except Exception as error:  # noqa: BLE001 whatever it is, it is what we look for
                failures.append(f"{type(error).__name__}: {error!s:.200} for {data[:300]!r}")
        return seen, failures


def main() -> int:
    chosen = parse_arguments()
    with tempfile.TemporaryDirectory(prefix="submission-fuzz-") as scratch:
        os.environ |= {"SONOVQA_VAR": scratch, "DJANGO_SETTINGS_MODULE": "sonovqa.settings"}
        os.environ.setdefault("SONOVQA_HOSTS", "testserver")
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        start = time.perf_counter()
        fuzzer = Fuzzer()
        seen, failures = fuzzer.run(chosen.inputs, seed=chosen.seed, whole=chosen.whole)
        taken = send_endless(fuzzer.release, fuzzer.sender)
    for name, count in sorted(seen.items()):
        print(f"  {name:<24}{count:>10,}")
    print(f"  of an upload of 10 GB   {taken / 1e6:>10,.0f} MB were read before it was refused")
    print(f"  {time.perf_counter() - start:.0f} s; seed {chosen.seed}")
    for failure in failures[:20]:
        print(failure)
    result = {"name": "submission_fuzz", "figure": len(failures), "unit": "server errors"}
    wanted = f"0 over {chosen.inputs:,} inputs"
    print(json.dumps({**result, "wanted": wanted, "held": not failures}))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
