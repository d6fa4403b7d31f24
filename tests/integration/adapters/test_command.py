"""A model that is a program: real processes, well behaved and not."""

import asyncio
import json
import os
import sys
import time
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import pytest

from sonovqa.adapters import errors
from sonovqa.adapters.asking import Media, Reply, Request
from sonovqa.adapters.command import CommandModel
from tests.standins import model_program, model_replies

PROMPT = "Question:\nWhich?\n\nOptions:\nA. Slide\nB. Tilt"
ROOT = Path(model_program.__file__).parent.parent.parent


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sonovqa.adapters.command.GRACE", 0.3)


def program(*options: object) -> list[str]:
    start = f"import sys; sys.path.insert(0, {str(ROOT)!r});"
    start += "from tests.standins.model_program import main; main()"
    return [sys.executable, "-c", start, *map(str, options)]


def ask_all(
    arguments: list[str],
    count: int = 1,
    *,
    timeout: float = 60.0,
    started: bool = False,
    **fields: Any,
) -> list[Reply | BaseException]:
    """`started`: one call goes before the others, so that none of them waits for the start."""

    async def run() -> list[Reply | BaseException]:
        model = CommandModel(arguments, timeout=60.0 if started else timeout)

        def ask(number: int) -> Awaitable[Reply]:
            return model.ask(Request(**{"model": "m", "user": f"{PROMPT} {number}", **fields}))

        try:
            first = [await ask(-1)] if started else []
            model._timeout = timeout
            later = await asyncio.gather(*map(ask, range(count)), return_exceptions=True)
            return [*first, *later]
        finally:
            await model.close()

    return asyncio.run(run())


def is_gone(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return True
    return state == "Z"


def test_many_calls_at_once_each_get_their_own_reply() -> None:
    for number, reply in enumerate(ask_all(program("--noise"), 30)):
        assert isinstance(reply, Reply), reply
        assert reply.text == model_replies.answer(f"{PROMPT} {number}")
        assert (reply.tokens_in, reply.tokens_out, reply.model_version) == (300, 20, "program-1")


def test_program_sees_the_clips_path_and_none_of_our_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SONOVQA_SEAL_KEY", "a-secret")
    clip, log = tmp_path / "clip.mp4", tmp_path / "asked"
    media = (Media(b"clip", "video/mp4", 2.0, clip), Media(b"still", "image/jpeg"))
    ask_all(program("--log", log), media=media, system="Be brief.", temperature=0.0)
    asked = json.loads(log.read_text())
    assert asked["media"][0] == {"mime": "video/mp4", "path": str(clip)}
    assert asked["media"][1]["base64"]
    assert (asked["fps"], asked["system"], asked["temperature"]) == (2.0, "Be brief.", 0.0)

    tell = "import json,os,sys\nfor l in sys.stdin:\n print(json.dumps({'id': json.loads(l)['id'],"
    tell += " 'text': json.dumps([dict(os.environ), os.getcwd()])}), flush=True)"
    (reply,) = ask_all([sys.executable, "-c", tell])
    assert isinstance(reply, Reply)
    environment, folder = json.loads(reply.text)
    assert not {name for name in environment if name.startswith(("SONOVQA", "DJANGO"))}
    assert not Path(folder).exists(), "its folder is left behind"


def test_hanging_program_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    noted = tmp_path / "pid"
    _, error = ask_all(program("--hang", 2, "--child", noted), started=True, timeout=0.5)
    assert isinstance(error, errors.TimedOut)
    child = int(noted.read_text())
    deadline = time.monotonic() + 60
    while not is_gone(child):
        assert time.monotonic() < deadline, "its child lives on"
        time.sleep(0.05)


def test_one_slow_call_does_not_end_the_others() -> None:
    results = ask_all(program("--hang", 3), 4, started=True, timeout=4.0)
    kinds = [type(one) for one in results]
    assert kinds.count(Reply) == 1 + 3
    assert kinds.count(errors.TimedOut) == 1


def test_program_that_dies_says_why_and_is_started_again() -> None:
    async def run() -> list[Any]:
        model = CommandModel(program("--die", 2), timeout=60.0)
        found: list[Any] = []
        try:
            for _ in range(4):
                try:
                    found.append(await model.ask(Request(model="m", user=PROMPT)))
                except errors.ModelError as error:
                    found.append(error)
        finally:
            await model.close()
        return found

    first, second, third, fourth = asyncio.run(run())
    assert isinstance(first, Reply)
    assert isinstance(third, Reply)
    assert type(second) is type(fourth) is errors.Unreachable
    assert "out of memory" in second.message


def test_line_without_end_is_refused() -> None:
    (error,) = ask_all(program("--long", 1))
    assert isinstance(error, errors.Unparsable)


def test_program_that_is_not_there() -> None:
    (error,) = ask_all(["/nowhere/model"])
    assert isinstance(error, errors.NotConnected)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ('{"id": %d}', errors.Unparsable),
        ('{"id": %d, "text": 5}', errors.Unparsable),
        ('{"id": %d, "text": ""}', errors.EmptyReply),
        ('{"id": %d, "text": " ", "finish": "length"}', errors.TruncatedReply),
        ('{"id": %d, "error": "no such clip"}', errors.BadRequest),
    ],
)
def test_replies_without_an_answer_are_typed(line: str, kind: type) -> None:
    tell = f"import json,sys\nfor l in sys.stdin: print({line!r} % json.loads(l)['id'], flush=True)"
    (error,) = ask_all([sys.executable, "-c", tell])
    assert type(error) is kind


def test_hostile_counts_are_taken_as_none() -> None:
    said = {"text": "A", "tokens_in": -5, "tokens_out": 10**30, "model_version": ["x"]}
    tell = "import json,sys\nfor l in sys.stdin: print(json.dumps("
    tell += f"{said!r} | {{'id': json.loads(l)['id']}}), flush=True)"
    (reply,) = ask_all([sys.executable, "-c", tell])
    assert isinstance(reply, Reply)
    assert (reply.tokens_in, reply.tokens_out, reply.model_version) == (0, 0, "")


def test_no_process_is_left_behind() -> None:
    tell = "import json,os,sys\nfor l in sys.stdin:\n print(json.dumps({'id': json.loads(l)['id'],"
    tell += " 'text': str(os.getpid())}), flush=True)"
    (reply,) = ask_all([sys.executable, "-c", tell])
    assert isinstance(reply, Reply)
    assert is_gone(int(reply.text))
    assert os.getpid()
