"""How a model is asked: the parameters of a contestant, checked where they come in."""

import json
from dataclasses import dataclass, field, fields
from typing import Any

VIDEO_PARTS = ("video_url", "input_video", "vllm", "frames")
CLIP_AS = ("inline", "file")
# What the engine itself says in a request: `extra_body` may add to it, never change it.
OURS = frozenset(
    {
        *("model", "messages", "max_tokens", "max_completion_tokens", "temperature", "seed"),
        *("response_format", "reasoning_effort", "stream", "n", "tools", "tool_choice"),
    }
)
EXTRA_LENGTH = 4_000  # characters as JSON
THINKING_LEVELS = ("", "minimal", "low", "medium", "high")
RESOLUTIONS = ("", "low", "medium", "high")
TOKEN_PARAMETERS = ("max_tokens", "max_completion_tokens")


@dataclass(frozen=True)
class Parameters:
    """`fps` is what the model is told to sample a clip at; `frames` the number of stills of
    the condition "frames". A clip shorter than `min_clip_seconds`, which some providers refuse,
    is lengthened evenly within its video. None leaves a setting to the provider.

    `video_part` says how an OpenAI-compatible server takes a clip: a `video_url` part
    (DashScope), an `input_video` part (Ark), a `video_url` part whose `fps` and
    `sampled_frames` stand in the body (vLLM; -1: as many as `fps` gives), or stills.
    `batch`: predictions go as batch jobs, at half the price and within a day (Gemini).
    `clip_as` file: uploaded once to the provider's file store (Gemini). A clip above
    `clip_megabytes` is cut smaller, level by level. `ask_confidence` asks of each MCQ how sure
    the model is. `extra_body` goes into each request as it is.
    """

    temperature: float | None = None
    max_output_tokens: int = 2048
    thinking_budget: int | None = None
    thinking_level: str = ""
    seed: int | None = None
    fps: float | None = None
    frames: int = 8
    min_clip_seconds: float = 0.0
    media_resolution: str = ""
    video_part: str = "video_url"
    token_parameter: str = "max_tokens"  # noqa: S105 (a field's name)
    json_schema: bool = True
    ask_confidence: bool = False
    clip_as: str = "inline"
    batch: bool = False
    clip_megabytes: float = 19.0
    sampled_frames: int | None = None
    extra_body: dict[str, Any] = field(default_factory=dict)


class BadParameters(ValueError):
    """A parameter is unknown or out of bounds; the text says which."""


_NUMBERS: dict[str, tuple[type, float, float]] = {
    "temperature": (float, 0, 2),
    "max_output_tokens": (int, 16, 131_072),
    "thinking_budget": (int, -1, 131_072),
    "seed": (int, 0, 2**31 - 1),
    "fps": (float, 0.1, 30),
    "frames": (int, 1, 64),
    "min_clip_seconds": (float, 0, 10),
    "clip_megabytes": (float, 0.001, 100),
    "sampled_frames": (int, -1, 4096),
}
_WORDS: dict[str, tuple[str, ...]] = {
    "thinking_level": THINKING_LEVELS,
    "media_resolution": RESOLUTIONS,
    "video_part": VIDEO_PARTS,
    "token_parameter": TOKEN_PARAMETERS,
    "clip_as": CLIP_AS,
}
_OPTIONAL = frozenset({"temperature", "thinking_budget", "seed", "fps", "sampled_frames"})


def read_parameters(raw: dict[str, Any]) -> Parameters:
    """Return the parameters in `raw`. Raises BadParameters and names the bad one."""
    if not isinstance(raw, dict):
        raise BadParameters("parameters are not a JSON object")
    known = {one.name for one in fields(Parameters)}
    unknown = sorted(set(raw) - known)
    if unknown:
        raise BadParameters(f"unknown parameter {str(unknown[0])[:40]!r}")
    return Parameters(**{name: _checked(name, value) for name, value in raw.items()})


def _checked(name: str, value: Any) -> Any:
    if value is None and name in _OPTIONAL:
        return None
    if name in _NUMBERS:
        kind, low, high = _NUMBERS[name]
        is_number = isinstance(value, (int, float) if kind is float else int)
        if isinstance(value, bool) or not is_number or not low <= value <= high:
            raise BadParameters(f"{name} has to be a number from {low} to {high}")
        return kind(value)
    if name in _WORDS:
        if value not in _WORDS[name]:
            raise BadParameters(f"{name} has to be one of {', '.join(filter(None, _WORDS[name]))}")
        return value
    if name == "extra_body":
        return _extra_body(value)
    if not isinstance(value, bool):
        raise BadParameters(f"{name} has to be true or false")
    return value


def _extra_body(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadParameters("extra_body has to be a JSON object")
    taken = sorted(OURS & value.keys())
    if taken:
        raise BadParameters(f"extra_body cannot set {taken[0]!r}")
    try:
        text = json.dumps(value, allow_nan=False)
    except (ValueError, TypeError, RecursionError):
        raise BadParameters("extra_body holds what JSON does not know") from None
    if len(text) > EXTRA_LENGTH or "\\ud" in text.lower() or "\\u0000" in text:
        raise BadParameters(f"extra_body has at most {EXTRA_LENGTH} plain characters")
    return value
