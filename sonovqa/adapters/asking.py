"""The one interface to every model: a Request goes in, a Reply comes out or a ModelError."""

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol, runtime_checkable


@dataclass(frozen=True)
class Endpoint:
    """Where a provider answers. `timeout` is the whole call's deadline, in seconds.

    The key is kept out of the representation, so that no log and no traceback shows it.
    """

    base_url: str
    key: str = field(repr=False)
    timeout: float = 300.0
    connections: int = 64


@dataclass(frozen=True)
class Media:
    """A clip or a still, whole, with its MIME type; `fps` is what a clip is sampled at.

    `path` is where a clip lies on this machine, `uri` where it lies at the provider, if it does.
    """

    data: bytes = field(repr=False)
    mime: str
    fps: float | None = None
    path: Path | None = None
    uri: str = ""


@dataclass(frozen=True)
class Upload:
    """A clip in the provider's file store, until `expires_at`."""

    uri: str
    expires_at: datetime


@dataclass(frozen=True)
class Request:
    """One question to one model. `schema` asks for JSON of that shape where it can be asked."""

    model: str
    user: str
    system: str = ""
    media: tuple[Media, ...] = ()
    max_output_tokens: int = 2048
    temperature: float | None = None
    thinking_budget: int | None = None
    thinking_level: str = ""
    media_resolution: str = ""
    seed: int | None = None
    schema: dict[str, Any] | None = None
    video_part: str = "video_url"
    token_parameter: str = "max_tokens"  # noqa: S105 (a field's name)
    sampled_frames: int | None = None
    extra_body: dict[str, Any] = field(default_factory=dict)

    @property
    def has_uploads(self) -> bool:
        """Say whether a medium lies in the provider's file store."""
        return any(one.uri for one in self.media)


@dataclass(frozen=True)
class Reply:
    """What came back: the text without thoughts, tokens as billed (thoughts count as output),
    seconds from sending to the last byte, and the model version that says it answered.

    `used_up_for`: the provider says that its limit is used up for so many seconds.
    """

    text: str
    tokens_in: int = 0
    tokens_out: int = 0
    latency: float = 0.0
    model_version: str = ""
    finish: str = ""
    used_up_for: float = 0.0


class Model(Protocol):
    """A provider's client. One serves any number of calls at once, in one event loop."""

    async def ask(self, request: Request) -> Reply:
        """Ask once, never again by itself. Raises a ModelError from sonovqa.adapters.errors."""

    async def close(self) -> None:
        """Close the connections."""


@runtime_checkable
class FileStore(Protocol):
    """A client whose provider keeps clips for calls to come."""

    async def upload(self, data: bytes, mime: str, name: str) -> Upload:
        """Put a clip into the store and wait until it can be used. Raises a ModelError."""
