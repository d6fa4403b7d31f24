"""A model that is a program, as the engine runs it; told by its arguments how to misbehave.

`--hang N`: no reply to the Nth line; `--die N`: ends with it; `--long N`: a line without end;
`--noise`: prints other things in between and much on stderr; `--child FILE`: starts a child
of its own and writes its process id there.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.standins import model_replies


def reply_to(asked: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": asked["id"],
        "text": model_replies.answer(asked["user"]),
        "tokens_in": 300,
        "tokens_out": 20,
        "model_version": "program-1",
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("hang", "die", "long"):
        parser.add_argument(f"--{name}", type=int, default=0)
    parser.add_argument("--noise", action="store_true")
    parser.add_argument("--child", default="")
    parser.add_argument("--log", default="")
    chosen = parser.parse_args()
    if chosen.child:
        child = subprocess.Popen(["sleep", "600"])
        Path(chosen.child).write_text(str(child.pid))
    for number, line in enumerate(sys.stdin, start=1):
        if chosen.log:
            with Path(chosen.log).open("a") as output:
                output.write(line)
        if chosen.noise:
            print('loading weights ...\n[1, 2]\n{"id": "x"}\n{"id": 99999, "text": "?"}')
            print("E" * 100_000, file=sys.stderr, flush=True)
        if number == chosen.die:
            print("out of memory", file=sys.stderr, flush=True)
            sys.exit(3)
        if number == chosen.long:
            print("x" * 3_000_000, flush=True)
        if number != chosen.hang:
            print(json.dumps(reply_to(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
