"""Gemini's batch jobs, as far as its SDK uses them: by file or not, polled, cancelled, listed."""

import json
from dataclasses import dataclass, field
from typing import Any

from tests.standins import model_replies

BATCHES = "/v1beta/batches"
NOT_FOUND = {"error": {"code": 404, "message": "no such job", "status": "NOT_FOUND"}}


@dataclass
class Jobs:
    """`polls` looks go by before a job ends as `end` says. `unheard` submissions are accepted and
    their connections dropped; `refusals` are answered with a status. `mute` are digests of prompts
    without a reply; `faulty` fail with a google.rpc code."""

    polls: int = 1
    end: str = "SUCCEEDED"
    unheard: int = 0
    refusals: list[int] = field(default_factory=list)
    mute: set[str] = field(default_factory=set)
    faulty: dict[str, int] = field(default_factory=dict)
    made: dict[str, dict[str, Any]] = field(default_factory=dict)
    submitted: int = 0
    cancelled: int = 0


def answers(connection: Any, method: str, path: str, body: bytes) -> bool:
    """Answer a request about jobs; False where it is none."""
    where, jobs = path.split("?")[0], connection.server.jobs
    if method == "POST" and where.endswith(":batchGenerateContent"):
        _submit(connection, jobs, json.loads(body)["batch"])
    elif method == "GET" and where == BATCHES:
        connection.send(200, {"operations": [_shown(one) for one in jobs.made.values()]})
    elif method == "GET" and where.startswith(f"{BATCHES}/"):
        job = jobs.made.get(where.removeprefix("/v1beta/"))
        _look(connection, jobs, job)
    elif method == "POST" and where.startswith(f"{BATCHES}/") and where.endswith(":cancel"):
        name = where.removeprefix("/v1beta/").removesuffix(":cancel")
        jobs.cancelled += 1
        jobs.made[name]["state"] = "CANCELLED"
        connection.send(200, {})
    elif method == "GET" and where.endswith(":download"):
        name = where.split("/files/")[1].removesuffix(":download")
        connection.send_bytes(200, connection.server.counted.results[name])
    else:
        return False
    return True


def _submit(connection: Any, jobs: Jobs, batch: dict[str, Any]) -> None:
    if jobs.refusals:
        status = jobs.refusals.pop(0)
        connection.send(status, {"error": {"code": status, "message": "no", "status": "NO"}})
        return
    source = batch["inputConfig"]
    counted = connection.server.counted
    if "fileName" in source:
        stored = next(
            data for uri, data in counted.files.items() if uri.endswith(source["fileName"][6:])
        )
        rows = [json.loads(line) for line in stored.splitlines()]
        asked = [(row["key"], row["request"]) for row in rows]
    else:
        rows = source["requests"]["requests"]
        asked = [(row["metadata"]["key"], row["request"]) for row in rows]
    jobs.submitted += 1
    name = f"batches/job-{jobs.submitted}"
    jobs.made[name] = {
        "name": name,
        "title": batch["displayName"],
        "asked": asked,
        "by_file": "fileName" in source,
        "state": "PENDING",
        "looks": 0,
    }
    if jobs.unheard:
        jobs.unheard -= 1
        connection.transport.abort()
        return
    connection.send(200, _shown(jobs.made[name]))


def _look(connection: Any, jobs: Jobs, job: dict[str, Any] | None) -> None:
    if job is None:
        connection.send(404, NOT_FOUND)
        return
    job["looks"] += 1
    if job["looks"] > jobs.polls and job["state"] == "PENDING":
        job["state"] = jobs.end
    shown = _shown(job)
    if job["state"] == "SUCCEEDED":
        shown["metadata"]["output"] = _output(connection, jobs, job)
    connection.send(200, shown)


def _shown(job: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": job["name"],
        "metadata": {"displayName": job["title"], "state": f"BATCH_STATE_{job['state']}"},
    }


def _output(connection: Any, jobs: Jobs, job: dict[str, Any]) -> dict[str, Any]:
    counted = connection.server.counted
    rows = []
    for key, request in job["asked"]:
        prompt = model_replies.prompt_of(request)
        name = model_replies.digest(prompt)
        counted.media.update(model_replies.media_of(request))
        if name in jobs.faulty:
            rows.append((key, {"error": {"code": jobs.faulty[name], "message": "no"}}))
        elif name not in jobs.mute:
            if not job.get("billed"):
                counted.billed[name] += 1
            text = model_replies.answer(prompt)
            rows.append((key, {"response": model_replies.gemini_body(text, "batch-1")}))
    job["billed"] = True
    if not job["by_file"]:
        listed = [row | {"metadata": {"key": key}} for key, row in rows]
        return {"inlinedResponses": {"inlinedResponses": listed}}
    name = job["name"].split("/")[1]
    lines = [json.dumps({"key": key} | row) for key, row in reversed(rows)]
    counted.results[name] = "\n".join([*lines, "{not json", "[]"]).encode()
    return {"responsesFile": f"files/{name}"}
