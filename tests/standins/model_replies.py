"""What the stand-in model answers: a function of the prompt, so that a test can say whose
answer was stored."""

import hashlib
import json
import re
from typing import Any

MCQ_LINE = re.compile(r"^([A-Z])\. ", re.MULTILINE)
JUDGE_MARK = "ANSWER TO MARK"
VERDICTS = (
    (0, "both_fail"),
    (1, "wrong_conclusion"),
    (1, "wrong_visual_evidence"),
    (2, "none"),
)


def digest(prompt: str) -> str:
    """Name a prompt: the item that a call asks about."""
    return hashlib.sha256(prompt.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def is_judge(prompt: str) -> bool:
    return JUDGE_MARK in prompt


def item_of(prompt: str) -> str:
    """Name the item that a call asks about: the same for every call of it. The fence of a
    judge's prompt is new in every call."""
    return digest(re.sub(r"<<[^>]*>>", "", prompt) if is_judge(prompt) else prompt)


def answer(prompt: str) -> str:
    """The model's reply to `prompt`; it carries the prompt's digest."""
    name = digest(prompt)
    if is_judge(prompt):
        score, error_type = VERDICTS[int(item_of(prompt), 16) % len(VERDICTS)]
        return json.dumps({"score": score, "error_type": error_type, "explanation": f"[{name}]"})
    options = sorted(set(MCQ_LINE.findall(prompt)))
    if not options:
        return f"The probe slides to bring the vessel into view. [{name}]"
    return f"Answer: {options[int(name, 16) % len(options)]}\nThe probe moves. [{name}]"


def prompt_of(body: dict[str, Any]) -> str:
    """The user's text in a request of either dialect."""
    if "contents" in body:
        parts = body["contents"][-1]["parts"]
        return next(part["text"] for part in reversed(parts) if "text" in part)
    content = body["messages"][-1]["content"]
    if isinstance(content, str):
        return content
    return next(part["text"] for part in reversed(content) if part.get("type") == "text")


def media_of(body: dict[str, Any]) -> list[str]:
    """The kinds of media parts in a request: video/mp4, image_url, video_url, input_video."""
    if "contents" in body:
        inline = (part.get("inlineData") or part.get("inline_data") for part in _parts(body))
        files = (part.get("fileData") for part in _parts(body))
        return [
            *(part.get("mimeType") or part.get("mime_type") for part in inline if part),
            *(f"file {part.get('mimeType') or part.get('mime_type')}" for part in files if part),
        ]
    content = body["messages"][-1]["content"]
    kinds = [] if isinstance(content, str) else [part["type"] for part in content]
    return [kind for kind in kinds if kind != "text"]


def _parts(body: dict[str, Any]) -> list[dict[str, Any]]:
    return body["contents"][-1]["parts"]


def gemini_body(text: str, version: str, *, finish: str = "STOP", thoughts: int = 0) -> dict:
    parts = [{"text": text}] if text else []
    return {
        "candidates": [
            {"content": {"role": "model", "parts": parts}, "finishReason": finish, "index": 0}
        ],
        "usageMetadata": {
            "promptTokenCount": 300,
            "candidatesTokenCount": 20 if text else 0,
            "thoughtsTokenCount": thoughts,
            "totalTokenCount": 320 + thoughts,
        },
        "modelVersion": version,
    }


def openai_body(text: str, version: str, *, finish: str = "stop", thoughts: int = 0) -> dict:
    return {
        "id": "standin",
        "object": "chat.completion",
        "created": 1,
        "model": version,
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": text},
            }
        ],
        "usage": {
            "prompt_tokens": 300,
            "completion_tokens": (20 if text else 0) + thoughts,
            "total_tokens": 320 + thoughts,
        },
    }
