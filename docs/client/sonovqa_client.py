"""A client of sonovqa's API: one file, Python 3.11 and its standard library alone.

    site = Client("https://sonovqa.example.org", token="snq_...")
    for item in site.items("phantom", "r1"):
        ...

Lists are followed page by page, bodies are streamed, a limit (429) is waited out. What the site
refuses raises `Refused`, which says why.
"""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Literal, NotRequired, TypedDict, cast
from urllib.parse import quote, urlencode, urlsplit

Condition = Literal["video", "frames", "blind", "shuffled", "still", "full-frame"]
UNSETTLED = frozenset({"received", "asking", "judging", "scoring"})  # it goes on by itself
TYPES = {".jsonl": "application/x-ndjson", ".json": "application/json"}
LONGEST_WAIT = 120.0  # seconds; the longest `Retry-After` that is waited out


class Benchmark(TypedDict):
    slug: str
    name: str
    description: str


class Release(TypedDict):
    tag: str
    hash: str
    kept_mcq: int
    kept_free: int
    created_at: str


class Item(TypedDict):
    """What a model is asked. `options` by letter, {} for a free response; seconds of the source."""

    item: str
    kind: Literal["mcq", "free"]
    question_type: str
    question: str
    options: dict[str, str]
    video: str
    start: float
    end: float


class Figures(TypedDict):
    """Shares and their intervals from 0 to 1."""

    n: int
    scored: int
    share: NotRequired[float | None]
    ci: list[float] | None


class Entry(TypedDict):
    """`rank` is an interval, None for references."""

    model: str
    condition: str
    rank: list[int] | None
    provisional: bool
    mcq: Figures
    free: Figures


class Submission(TypedDict):
    """`report` says row by row what was refused; figures are None until it is scored."""

    id: int
    model: str
    state: str
    reason: str
    place: int
    report: dict[str, Any]
    mcq: Figures | None
    free: Figures | None


class Run(TypedDict):
    id: int
    benchmark: str
    release: str
    model: str
    condition: Condition
    state: str
    state_reason: str


class Changed(TypedDict):
    """A run after it was asked for a change; sent twice, `changed` is false the second time."""

    run: int
    state: str
    changed: bool


class Prediction(TypedDict):
    """`chosen` is a letter, "" where the model chose none; `score` that of an MCQ."""

    item: str
    repeat: int
    outcome: str
    raw_reply: str
    chosen: str
    score: float | None
    verdicts: list[dict[str, Any]]


class Refused(Exception):
    """The site said no: `status` as in HTTP, `kind` for programs, `problem` the whole answer."""

    def __init__(self, status: int, problem: dict[str, Any]) -> None:
        self.status, self.problem = status, problem
        self.kind = str(problem.get("type", "")).rsplit(":", 1)[-1]
        more = f" {problem['errors']}" if problem.get("errors") else ""
        super().__init__(f"{status}: {problem.get('detail', 'no reason given')}{more}")


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """A token never follows a redirect to another place."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class Client:
    """One site, and the token of one account; without a token what is open to everybody."""

    def __init__(self, site: str, token: str = "", *, timeout: float = 60.0) -> None:
        if urlsplit(site).scheme not in ("http", "https"):
            raise ValueError("the site is an address that begins with https:// or http://")
        self.root, self.token, self.timeout = f"{site.rstrip('/')}/api/v1/", token, timeout
        self.opener = urllib.request.build_opener(NoRedirects)

    def benchmarks(self) -> Iterator[Benchmark]:
        return cast(Iterator[Benchmark], self._pages("benchmarks/"))

    def releases(self, benchmark: str) -> Iterator[Release]:
        """Yield the releases of a benchmark, the newest first."""
        return cast(Iterator[Release], self._pages(f"benchmarks/{quote(benchmark, '')}/releases/"))

    def items(self, benchmark: str, release: str) -> Iterator[Item]:
        """Yield the items of a release as a model is asked them, page by page."""
        return cast(Iterator[Item], self._pages(f"{_place(benchmark, release)}items/"))

    def leaderboard(
        self, benchmark: str, release: str, condition: str | None = None
    ) -> list[Entry]:
        """Return the entries that stand now; `condition` is one, or a heading of the board."""
        query = f"?{urlencode({'condition': condition})}" if condition else ""
        found = self._call("GET", f"{_place(benchmark, release)}leaderboard/{query}")
        return cast(list[Entry], found["results"])

    def submit(
        self,
        benchmark: str,
        release: str,
        predictions: Path | str,
        *,
        model: str,
        condition: Condition,
        organisation: str = "",
        open_weights: bool | None = None,
    ) -> Submission:
        """Send a file of predictions, streamed: .jsonl with `item` and `prediction` a line, or
        .json of the original layout."""
        path = Path(predictions)
        said = {"model": model, "condition": condition, "organisation": organisation}
        if open_weights is not None:
            said["open_weights"] = str(open_weights).lower()
        where = f"{_place(benchmark, release)}submissions/?{urlencode(said)}"
        headers = {
            "Content-Type": TYPES[path.suffix.lower()],
            "Content-Length": str(path.stat().st_size),
        }
        with path.open("rb") as body:
            return cast(Submission, self._call("POST", where, body, headers))

    def submission(self, number: int) -> Submission:
        return cast(Submission, self._call("GET", f"submissions/{number:d}/"))

    def wait(self, number: int, *, every: float = 5.0, most: float = 3600.0) -> Submission:
        """Return a submission once it is checked and scored, or refused. Raises TimeoutError."""
        end = time.monotonic() + most
        while (found := self.submission(number))["state"] in UNSETTLED:
            if time.monotonic() > end:
                raise TimeoutError(f"submission {number} is still {found['state']}")
            time.sleep(every)
        return found

    def withdraw(self, number: int) -> Submission:
        return cast(Submission, self._call("POST", f"submissions/{number:d}/withdraw/"))

    def runs(self) -> Iterator[Run]:
        return cast(Iterator[Run], self._pages("runs/"))

    def run(self, number: int) -> Run:
        return cast(Run, self._call("GET", f"runs/{number:d}/"))

    def pause(self, run: int) -> Changed:
        """Stop a run within seconds; calls in flight are finished."""
        return self._control(run, "pause")

    def resume(self, run: int) -> Changed:
        return self._control(run, "resume")

    def cancel(self, run: int) -> Changed:
        return self._control(run, "cancel")

    def retry_failed(self, run: int) -> Changed:
        """Ask once more what failed, and that alone."""
        return self._control(run, "retry-failed")

    def predictions(self, run: int) -> Iterator[Prediction]:
        """Yield the replies of a run with scores and verdicts, as they were stored."""
        return cast(Iterator[Prediction], self._pages(f"runs/{run:d}/predictions/"))

    def _control(self, run: int, what: str) -> Changed:
        return cast(Changed, self._call("POST", f"runs/{run:d}/{what}/"))

    def _pages(self, path: str) -> Iterator[Any]:
        after: str | None = path
        while after:
            page = self._call("GET", after)
            yield from page["results"]
            query = urlsplit(page["next"] or "").query
            after = f"{path}?{query}" if query else None

    def _call(
        self,
        method: str,
        path: str,
        body: IO[bytes] | None = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Return the JSON that answers. Raises Refused; waits where the site says so."""
        more = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        if method != "GET" and body is None:
            more["Content-Length"] = "0"
        while True:
            asked = urllib.request.Request(  # noqa: S310 the scheme was checked
                self.root + path,
                data=cast(Any, body),
                method=method,
                headers={"Accept": "application/json", **more, **(headers or {})},
            )
            try:
                with self.opener.open(asked, timeout=self.timeout) as answer:
                    return json.load(answer)
            except urllib.error.HTTPError as error:
                wait = _seconds(error.headers.get("Retry-After"))
                if error.code != 429 or not 0 < wait <= LONGEST_WAIT:
                    raise Refused(error.code, _problem(error)) from None
            time.sleep(wait)
            if body is not None:
                body.seek(0)


def _place(benchmark: str, release: str) -> str:
    return f"benchmarks/{quote(benchmark, '')}/releases/{quote(release, '')}/"


def _seconds(text: str | None) -> float:
    return float(text) if text and text.isascii() and text.isdigit() else 0.0


def _problem(error: urllib.error.HTTPError) -> dict[str, Any]:
    try:
        found = json.load(error)
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {"detail": error.reason}
