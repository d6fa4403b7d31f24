"""How a model is asked: the parameters of a contestant, checked where they come in."""

from dataclasses import dataclass, fields
from typing import Any

VIDEO_PARTS = ("video_url", "input_video", "frames")
THINKING_LEVELS = ("", "minimal", "low", "medium", "high")
RESOLUTIONS = ("", "low", "medium", "high")
TOKEN_PARAMETERS = ("max_tokens", "max_completion_tokens")


@dataclass(frozen=True)
class Parameters:
    """`fps` is what the model is told to sample a clip at; `frames` the number of stills of
    the condition "frames". A clip shorter than `min_clip_seconds`, which some providers refuse,
    is lengthened evenly within its video. None leaves a setting to the provider.

    `video_part` says how an OpenAI-compatible server takes a clip: a `video_url` part
    (vLLM, DashScope), an `input_video` part (Ark), or stills.
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
}
_WORDS: dict[str, tuple[str, ...]] = {
    "thinking_level": THINKING_LEVELS,
    "media_resolution": RESOLUTIONS,
    "video_part": VIDEO_PARTS,
    "token_parameter": TOKEN_PARAMETERS,
}
_OPTIONAL = frozenset({"temperature", "thinking_budget", "seed", "fps"})


def read_parameters(raw: dict[str, Any]) -> Parameters:
    """Return the parameters in `raw`. Raises BadParameters and names the bad one."""
    if not isinstance(raw, dict):
        raise BadParameters("parameters are not a JSON object")
    known = {field.name for field in fields(Parameters)}
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
    if not isinstance(value, bool):
        raise BadParameters(f"{name} has to be true or false")
    return value
