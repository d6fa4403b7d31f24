"""What a chat completion is asked with: OpenAI's protocol, and the dialects of DashScope, Ark and
vLLM for clips."""

from typing import Any

from sonovqa.adapters.asking import Media, Request
from sonovqa.adapters.bodies import with_media


def body_of(request: Request) -> bytes:
    """Return the body of a request, as JSON."""
    return with_media(lambda mark: _arguments(request, mark), request.media)


def _arguments(request: Request, mark: str) -> dict[str, Any]:
    content: Any = request.user
    if request.media:
        parts = [_part(media, request.video_part, mark) for media in request.media]
        content = [*parts, {"type": "text", "text": request.user}]
    messages = [{"role": "user", "content": content}]
    if request.system:
        messages.insert(0, {"role": "system", "content": request.system})
    arguments: dict[str, Any] = {
        "model": request.model,
        "messages": messages,
        request.token_parameter: request.max_output_tokens,
    }
    if request.temperature is not None:
        arguments["temperature"] = request.temperature
    if request.seed is not None:
        arguments["seed"] = request.seed
    if request.thinking_level:
        arguments["reasoning_effort"] = request.thinking_level
    if request.schema is not None:
        arguments["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "verdict", "strict": True, "schema": request.schema},
        }
    return arguments | _beside_the_protocol(request)


def _beside_the_protocol(request: Request) -> dict[str, Any]:
    """Return what an admin sends along, and for vLLM how a clip is sampled, pinned."""
    if request.video_part != "vllm" or not request.media:
        return request.extra_body
    video: dict[str, Any] = {}
    fps = request.media[0].fps
    if request.sampled_frames is not None or fps is not None:
        count = request.sampled_frames
        video["num_frames"] = -1 if count is None else count
    pinned: dict[str, Any] = {}
    if fps is not None:
        video["fps"] = fps
        pinned["mm_processor_kwargs"] = {"fps": fps}
    if video:
        pinned["media_io_kwargs"] = {"video": video}
    return pinned | request.extra_body


def _part(media: Media, video_part: str, mark: str) -> dict[str, Any]:
    url = f"data:{media.mime};base64,{mark}"
    if media.mime.startswith("image/"):
        return {"type": "image_url", "image_url": {"url": url}}
    if video_part == "input_video":
        part: dict[str, Any] = {"type": "input_video", "video_url": url}
        return part if media.fps is None else {**part, "fps": media.fps}
    body: dict[str, Any] = {"url": url}
    if media.fps is not None and video_part != "vllm":
        body["fps"] = media.fps
    return {"type": "video_url", "video_url": body}
