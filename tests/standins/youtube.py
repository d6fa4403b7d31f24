"""A stand-in for YouTube's iframe player on loopback, with the real one's ways.

It serves `/iframe_api`, the script that this loads, and `/embed/<id>`: a page in a frame of
another origin that keeps a simulated clock and talks by postMessage only. So what is cached,
late, dropped or refused in the real player is so here too:

- times come a few times a second, and `getCurrentTime` gives the last one that came;
- a seek takes effect late, and may land on the keyframe before its target;
- a seek drops `endSeconds`;
- without a Referer the frame shows error 153, an id of another shape error 2, an unknown id 100;
- messages go to the `origin` that the page named: a wrong one means silence;
- a clip may forbid embedding (101, 150), fail (5), say nothing, block autoplay, take the focus.

The script's own origin is http://127.0.0.1, the frame's http://localhost: two origins, as
youtube.com and youtube-nocookie.com are. `window.YT.calls` holds what the page asked for.
"""

import json
import re
import threading
import time
from dataclasses import asdict, dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Self

HERE = Path(__file__).parent
ICON = '<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16"/>'
EMBED = re.compile(r"/embed/([^/?]*)")


@dataclass(frozen=True)
class Clip:
    """How one video behaves. `error` is told on each of the first `failing` loads."""

    duration: float = 600.0
    error: int = 0
    failing: int = 99
    silent: bool = False
    autoplay_blocks: int = 0  # so many calls to play are refused
    takes_focus: bool = False
    keyframes: float = 0.0  # seconds between keyframes; 0: a seek lands where it was sent
    tell_ms: int = 250  # between two messages with the time
    seek_ms: int = 120  # until a seek takes effect


@dataclass
class YouTube:
    """Use as a context manager. `script` is "ok", "refused" (404) or "silent" (no answer)."""

    clips: dict[str, Clip] = field(default_factory=dict)
    script: str = "ok"

    def __enter__(self) -> Self:
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                stand_in.answer(self)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.closing = threading.Event()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.closing.set()
        self.server.shutdown()
        self.server.server_close()

    @property
    def script_origin(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    @property
    def frame_origin(self) -> str:
        return f"http://localhost:{self.server.server_port}"

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        path = request.path.partition("?")[0]
        if path == "/iframe_api" and self.script == "silent":
            self.closing.wait(30)
        elif path == "/iframe_api" and self.script == "ok":
            loader = f"""var tag = document.createElement("script");
                tag.src = "{self.script_origin}/s/player/www-widgetapi.js";
                document.head.append(tag);"""
            send(request, loader, "text/javascript")
        elif path == "/favicon.ico" and self.script == "silent":
            self.closing.wait(30)
        elif path == "/favicon.ico" and self.script == "ok":
            send(request, ICON, "image/svg+xml")
        elif path == "/s/player/www-widgetapi.js":
            send(request, (HERE / "youtube_widgetapi.js").read_text(), "text/javascript")
        elif found := EMBED.fullmatch(path):
            send(request, self.frame(found[1], request.headers.get("Referer", "")), "text/html")
        else:
            request.send_error(404)

    def frame(self, video_id: str, referer: str) -> str:
        """Return the page of the frame. Failing loads are counted by clip."""
        clip = self.clips.get(video_id)
        ways = asdict(clip or Clip(error=100)) | {"id": video_id}
        if not re.fullmatch(r"[\w-]{11}", video_id):
            ways["error"], ways["failing"] = 2, 99
        elif not referer:
            ways["error"], ways["failing"] = 153, 99
        page = (HERE / "youtube_frame.html").read_text()
        return page.replace("/*WAYS*/null", json.dumps(ways))


def send(request: BaseHTTPRequestHandler, text: str, kind: str) -> None:
    body = text.encode()
    request.send_response(200)
    request.send_header("Content-Type", f"{kind}; charset=utf-8")
    request.send_header("Content-Length", str(len(body)))
    request.send_header("Cache-Control", "no-store")
    request.end_headers()
    request.wfile.write(body)


def main() -> None:
    """Serve a few clips until stopped, for a look by hand."""
    clips = {
        "AAAAAAAAAAA": Clip(),
        "EMBEDDING-0": Clip(error=150),
        "FOCUS-TAKER": Clip(takes_focus=True),
    }
    with YouTube(clips) as standin:
        print(f"SONOVQA_YOUTUBE_SCRIPT_ORIGIN={standin.script_origin}")
        print(f"SONOVQA_YOUTUBE_FRAME_ORIGIN={standin.frame_origin}", flush=True)
        while True:
            time.sleep(3600)


if __name__ == "__main__":
    main()
