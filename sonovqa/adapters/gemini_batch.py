"""Gemini's batch mode through Google's SDK: many requests as one job, at half the price.

A job is submitted under a display name of ours, by which it is found again when nobody heard
of its acceptance. Its requests and replies carry keys of ours.
"""

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from io import IOBase
from typing import Any, BinaryIO, cast

from google.genai import types

from sonovqa.adapters import errors
from sonovqa.adapters.asking import Endpoint, Reply, Request
from sonovqa.adapters.gemini_body import body_of
from sonovqa.adapters.gemini_replies import read_reply
from sonovqa.adapters.gemini_sdk import Sdk, typed_errors
from sonovqa.adapters.reply_fields import mapping

INLINE_BYTES = 15_000_000  # Gemini takes 20 MB inline, and this counts without its envelope
PAGE, MOST_LISTED = 100, 2_000
UNHEARD = "the job ended without a reply to this request"
# google.rpc codes of a single request's failure, as HTTP has them.
HTTP_OF = {3: 400, 4: 504, 5: 404, 7: 403, 8: 429, 9: 400, 11: 400, 13: 500, 14: 503, 16: 401}
STATES = {
    types.JobState.JOB_STATE_SUCCEEDED: "succeeded",
    types.JobState.JOB_STATE_PARTIALLY_SUCCEEDED: "succeeded",
    types.JobState.JOB_STATE_FAILED: "failed",
    types.JobState.JOB_STATE_CANCELLED: "cancelled",
    types.JobState.JOB_STATE_EXPIRED: "expired",
}
Outcome = Reply | errors.ModelError


class JobStatus(StrEnum):
    """What becomes of a job."""

    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    EXPIRED = "expired"


@dataclass(frozen=True)
class Job:
    """A job at the provider; `given` holds its replies or says where they lie."""

    name: str
    status: JobStatus
    given: types.BatchJobDestination | None = field(default=None, repr=False)


class GeminiBatches:
    """The jobs of one key; made and used in one event loop."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.sdk = Sdk(endpoint)
        self._timeout = endpoint.timeout
        self._jobs = self.sdk.client.aio.batches
        self._files = self.sdk.client.aio.files

    async def submit(
        self, display_name: str, model: str, requests: Sequence[tuple[str, Request]]
    ) -> str:
        """Submit requests by key; return the job's name. Raises a ModelError."""
        with tempfile.TemporaryFile() as lines, typed_errors(self._timeout):
            size = _write(lines, requests)
            source: Any
            if size <= INLINE_BYTES:
                source = [_inlined(key, request) for key, request in requests]
            else:
                source = await self._put(lines, display_name)
            job = await self._jobs.create(
                model=model,
                src=source,
                config=types.CreateBatchJobConfig(display_name=display_name),
            )
        if not job.name:
            raise errors.Unparsable("the job has no name")
        return job.name

    async def _put(self, lines: BinaryIO, display_name: str) -> str:
        how = types.UploadFileConfig(mime_type="application/jsonl", display_name=display_name)
        lines.seek(0)
        file = await self._files.upload(file=cast(IOBase, lines), config=how)
        if not file.name:
            raise errors.Unparsable("the uploaded file has no name")
        return file.name

    async def find(self, display_name: str) -> Job | None:
        """Return the job of that display name, if the provider has it. Raises a ModelError."""
        with typed_errors(self._timeout):
            seen = 0
            pages = await self._jobs.list(config=types.ListBatchJobsConfig(page_size=PAGE))
            async for job in pages:
                seen += 1
                if job.display_name == display_name:
                    return _job(job)
                if seen >= MOST_LISTED:
                    break
        return None

    async def look(self, name: str) -> Job:
        """Return how a job stands. Raises a ModelError."""
        with typed_errors(self._timeout):
            return _job(await self._jobs.get(name=name))

    async def cancel(self, name: str) -> None:
        """Ask the provider to end a job; what it has answered may still come."""
        with typed_errors(self._timeout):
            await self._jobs.cancel(name=name)

    async def replies(self, job: Job, keys: Sequence[str]) -> dict[str, Outcome]:
        """Return what became of each request; those without a word are left out.

        `keys` are the requests' in their order, for a provider that gives none back.
        Raises a ModelError.
        """
        with typed_errors(self._timeout):
            if job.given is None:
                return {}
            if job.given.file_name:
                return _from_lines(await self._files.download(file=job.given.file_name))
            found = job.given.inlined_responses or []
            return {
                str((one.metadata or {}).get("key") or key): _outcome(
                    _plain(one.response), _plain(one.error)
                )
                for key, one in zip(keys, found, strict=False)
            }

    async def close(self) -> None:
        """Close the connections."""
        await self.sdk.close()


def _inlined(key: str, request: Request) -> types.InlinedRequest:
    body = json.loads(body_of(request))
    how = body["generationConfig"] | {"systemInstruction": body.get("systemInstruction")}
    words = {"contents": body["contents"], "config": how, "metadata": {"key": key}}
    return types.InlinedRequest.model_validate_json(json.dumps(words))  # JSON: media are base64


def _write(lines: BinaryIO, requests: Sequence[tuple[str, Request]]) -> int:
    """Write requests as JSON lines, in the words of the REST interface; return the bytes."""
    for key, request in requests:
        lines.write(b'{"key":%s,"request":%s}\n' % (json.dumps(key).encode(), body_of(request)))
    return lines.tell()


def _plain(value: Any) -> Any:
    """Return what the SDK has read as JSON again; None for None."""
    return value and value.model_dump(mode="json", by_alias=True, exclude_none=True)


def _job(job: types.BatchJob) -> Job:
    status = JobStatus(STATES[job.state]) if job.state in STATES else JobStatus.RUNNING
    return Job(job.name or "", status, job.dest)


def _from_lines(data: bytes) -> dict[str, Outcome]:
    return {key: outcome for line in data.splitlines() for key, outcome in _from_line(line)}


def _from_line(line: bytes) -> Iterator[tuple[str, Outcome]]:
    """Yield what a line says; a line that says nothing leaves its request without a word."""
    try:
        row = json.loads(line)
        key = row["key"]
        raw, error = row.get("response"), row.get("error")
        if not isinstance(key, str) or not isinstance(raw or error, Mapping):
            return
        yield key, _outcome(raw, error)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return


def _outcome(response: Any, error: Any) -> Outcome:
    """Read one reply or one error, as they are in JSON."""
    if response is None:
        told = mapping(error)
        code, message = told.get("code"), str(told.get("message") or UNHEARD)
        code = code if isinstance(code, int) and code else 13
        return errors.from_status(HTTP_OF.get(code, code if code >= 400 else 500), message)
    try:
        return read_reply(mapping(response), 0.0)
    except errors.ModelError as failure:
        return failure
