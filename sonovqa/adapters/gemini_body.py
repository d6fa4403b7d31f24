"""What Gemini is asked with: the words of its REST interface."""

from typing import Any

from sonovqa.adapters.asking import Media, Request
from sonovqa.adapters.bodies import with_media

RESOLUTIONS = {
    "low": "MEDIA_RESOLUTION_LOW",
    "medium": "MEDIA_RESOLUTION_MEDIUM",
    "high": "MEDIA_RESOLUTION_HIGH",
}


def body_of(request: Request) -> bytes:
    """Return the body of a request, as JSON; clips that are not uploaded are in it."""
    inline = [one for one in request.media if not one.uri]
    return with_media(lambda mark: _words(request, mark), inline, url_safe=True)


def _words(request: Request, mark: str) -> dict[str, Any]:
    parts = [_part(one, mark) for one in request.media]
    words: dict[str, Any] = {
        "contents": [{"role": "user", "parts": [*parts, {"text": request.user}]}],
        "generationConfig": _generation(request),
    }
    if request.system:
        words["systemInstruction"] = {"role": "user", "parts": [{"text": request.system}]}
    return words


def _part(media: Media, mark: str) -> dict[str, Any]:
    is_clip = media.mime.startswith("video/")
    sampled = {"videoMetadata": {"fps": media.fps}} if is_clip and media.fps else {}
    if media.uri:
        return {"fileData": {"fileUri": media.uri, "mimeType": media.mime}} | sampled
    return {"inlineData": {"data": mark, "mimeType": media.mime}} | sampled


def _generation(request: Request) -> dict[str, Any]:
    """Return how the reply is to be made."""
    how: dict[str, Any] = {"maxOutputTokens": request.max_output_tokens}
    if request.temperature is not None:
        how["temperature"] = request.temperature
    if request.seed is not None:
        how["seed"] = request.seed
    if request.thinking_budget is not None or request.thinking_level:
        how["thinkingConfig"] = _thinking(request)
    if request.media_resolution in RESOLUTIONS:
        how["mediaResolution"] = RESOLUTIONS[request.media_resolution]
    if request.schema is not None:
        how["responseMimeType"] = "application/json"
        how["responseJsonSchema"] = request.schema
    return how


def _thinking(request: Request) -> dict[str, Any]:
    budget = {} if request.thinking_budget is None else {"thinkingBudget": request.thinking_budget}
    level = request.thinking_level.upper()
    return budget | ({"thinkingLevel": level} if level else {})
