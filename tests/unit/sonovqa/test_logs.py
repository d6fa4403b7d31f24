"""A key that gets into a log line does not get into the log."""

import io
import logging
import logging.config
import sys

import pytest
from django.conf import settings

from sonovqa.logs import OneLineRefusals, SafeFormatter, hide

GOOGLE = "AIza" + "Sy0123456789abcdefghijklmnopqrstuvw"
OPENAI = "sk-" + "proj-0123456789abcdefghij"


@pytest.mark.parametrize(
    "line",
    [
        f"POST https://models.example/v1?key={GOOGLE}&alt=sse",
        f"x-goog-api-key: {GOOGLE}",
        f"headers={{'Authorization': 'Bearer {GOOGLE}'}}",
        f"Authorization: Basic {GOOGLE}=",
        f'{{"api_key": "{OPENAI}"}}',
        f"the key {OPENAI} was refused",
        f"api-key={GOOGLE[4:]}",
        f"postgres://sonovqa:{GOOGLE}@db/sonovqa",
        f"https://media.example/videoplayback?expire=1&sig={GOOGLE}",
        f"password={GOOGLE}",
    ],
)
def test_secrets_are_hidden(line):
    shown = hide(line)

    for secret in (GOOGLE, OPENAI, GOOGLE[4:]):
        assert secret not in shown
    assert "***" in shown


@pytest.mark.parametrize(
    "line",
    [
        "GET /b/phantom/review/12/ 200",
        "item mcq/Renal_Ultrasound/3 settled as kept",
        "the answer key stands at place 2",
        "run 3: 12 of 657 done, 8 in flight",
    ],
)
def test_ordinary_lines_stay(line):
    assert hide(line) == line


def test_arguments_and_tracebacks_are_covered():
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(SafeFormatter("%(message)s"))
    logger = logging.Logger("canary")
    logger.addHandler(handler)

    try:
        raise ValueError(f"bad key {GOOGLE}")
    except ValueError:
        logger.exception("call with %s failed", OPENAI)

    assert GOOGLE not in stream.getvalue()
    assert OPENAI not in stream.getvalue()
    assert "Traceback" in stream.getvalue()


def test_every_handler_of_the_project_hides_secrets():
    formatters = settings.LOGGING["formatters"]
    for handler in settings.LOGGING["handlers"].values():
        assert formatters[handler["formatter"]]["()"] == "sonovqa.logs.SafeFormatter"


@pytest.mark.parametrize(("status", "lines"), [(403, 1), (500, 4)])
def test_a_refusal_is_one_line_and_a_fault_keeps_its_traceback(status, lines):
    name = "django.request"
    assert settings.LOGGING["loggers"][name]["filters"] == ["refusals"]
    record = logging.makeLogRecord({"name": name, "msg": "Forbidden", "status_code": status})
    try:
        raise PermissionError("no")
    except PermissionError:
        record.exc_info = sys.exc_info()
    assert OneLineRefusals().filter(record)
    assert len(SafeFormatter("%(message)s").format(record).splitlines()) >= lines
    assert (record.exc_info is None) == (status == 403)
