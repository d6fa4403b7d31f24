"""Reads what Gemini replies, live and in batch."""

import json
from collections.abc import Mapping
from typing import Any

from sonovqa.adapters import errors, hints
from sonovqa.adapters.asking import Reply
from sonovqa.adapters.reply_fields import count, mapping, rows

BLOCKED = frozenset(
    {"SAFETY", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "RECITATION", "MODEL_ARMOR", "LANGUAGE"}
)
KNOWN = ("candidates", "promptFeedback", "usageMetadata")


def read_reply(response: Mapping[str, Any], latency: float, used_up_for: float = 0.0) -> Reply:
    """Return the reply of a response. Raises a ModelError where it holds no text."""
    if not any(name in response for name in KNOWN):
        raise errors.Unparsable("the reply is no response of Gemini")
    candidate = mapping(next(iter(rows(response.get("candidates"))), None))
    finish = str(candidate.get("finishReason") or "")[:40]
    usage = mapping(response.get("usageMetadata"))
    reply = Reply(
        text=_text(candidate),
        tokens_in=count(usage.get("promptTokenCount")),
        tokens_out=_tokens_out(usage),
        latency=latency,
        model_version=str(response.get("modelVersion") or "")[:200],
        finish=finish,
        used_up_for=used_up_for,
    )
    blocked = mapping(response.get("promptFeedback")).get("blockReason")
    if blocked:
        raise errors.Refused(f"the prompt was blocked: {str(blocked)[:40]}", reply=reply)
    if finish in BLOCKED:
        raise errors.Refused(f"the reply was blocked: {finish}", reply=reply)
    if not reply.text.strip():
        if finish == "MAX_TOKENS":
            raise errors.TruncatedReply("the output limit was used up without text", reply=reply)
        raise errors.EmptyReply(f"no text, finish reason {finish or 'missing'}", reply=reply)
    return reply


def _text(candidate: Mapping[str, Any]) -> str:
    """Return the text of a candidate without the model's thoughts."""
    parts = map(mapping, rows(mapping(candidate.get("content")).get("parts")))
    texts = (part.get("text") for part in parts if not part.get("thought"))
    return "".join(text for text in texts if isinstance(text, str))


def _tokens_out(usage: Mapping[str, Any]) -> int:
    """Return the tokens that are billed as output: thoughts are."""
    return count(count(usage.get("candidatesTokenCount")) + count(usage.get("thoughtsTokenCount")))


def typed_error(
    status: int, told: Mapping[str, Any], headers: Mapping[str, str]
) -> errors.ModelError:
    """Return the typed error of an HTTP status and what its body tells of the error."""
    wait = hints.retry_after(headers) or _hinted_wait(told)
    message = f"{status} {told.get('status') or ''}: {told.get('message') or ''}".strip(": ")
    if status == 400 and "API_KEY_INVALID" in json.dumps(told.get("details"), default=str):
        return errors.KeyRefused(message)
    return errors.from_status(status, message, wait)


def _hinted_wait(told: Mapping[str, Any]) -> float | None:
    """Return the seconds of a google.rpc.RetryInfo, which Gemini sends in the body."""
    for row in rows(told.get("details")):
        delay = mapping(row).get("retryDelay")
        if isinstance(delay, str):
            return errors.seconds_of(delay.removesuffix("s"))
    return None
