"""Gemini's file store, as far as its SDK uses it: resumable upload, state, expiry."""

import hashlib
from datetime import UTC, datetime, timedelta
from typing import Any

UPLOAD = "/upload/v1beta/files"
FILES = "/v1beta/files/"


def answers(connection: Any, method: str, path: str, headers: dict[str, str], body: bytes) -> bool:
    """Answer a request to the store; False where it is none."""
    server = connection.server
    if method == "POST" and path.startswith(UPLOAD):
        if headers.get("x-goog-upload-command") == "start":
            url = f"{server.url}{UPLOAD}?upload_id=1"
            connection.send(
                200, {}, f"X-Goog-Upload-URL: {url}\r\nX-Goog-Upload-Status: active\r\n"
            )
            return True
        connection.send(200, {"file": _store(server, body)}, "X-Goog-Upload-Status: final\r\n")
        return True
    if method == "GET" and path.startswith(FILES) and ":download" not in path:
        name = path.removeprefix(FILES).split("?")[0]
        connection.send(200, _file(server, name))
        return True
    return False


def _store(server: Any, body: bytes) -> dict[str, Any]:
    sha256 = hashlib.sha256(body).hexdigest()
    counted = server.counted
    counted.uploads[sha256] = counted.uploads.get(sha256, 0) + 1
    name = f"{sha256[:12]}-{counted.uploads[sha256]}"
    counted.files[f"{server.url}{FILES}{name}"] = body
    return _file(server, name) | {"state": "PROCESSING"}


def _file(server: Any, name: str) -> dict[str, Any]:
    until = datetime.now(UTC) + timedelta(seconds=server.counted.file_life)
    return {
        "name": f"files/{name}",
        "mimeType": "video/mp4",
        "expirationTime": until.isoformat().replace("+00:00", "Z"),
        "uri": f"{server.url}{FILES}{name}",
        "state": "ACTIVE",
    }


def misses_file(counted: Any, body: dict[str, Any]) -> bool:
    """Say whether a request shows a file that is not in the store."""
    files = [
        part["fileData"]
        for content in body.get("contents", [])
        for part in content["parts"]
        if "fileData" in part
    ]
    return any((one.get("fileUri") or one.get("file_uri")) not in counted.files for one in files)
