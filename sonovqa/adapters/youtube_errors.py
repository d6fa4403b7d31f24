"""Why a YouTube upload cannot be had, and what to do about it."""

import re
from enum import StrEnum


class Problem(StrEnum):
    PRIVATE = "private"
    REMOVED = "removed"
    REGION = "region"
    AGE = "age"
    BOT_CHECK = "bot_check"
    NO_RUNTIME = "no_javascript_runtime"
    NO_FORMAT = "no_format"
    REFUSED = "refused"
    NETWORK = "network"
    COOKIES = "cookies"
    UNKNOWN = "unknown"


REASON = {
    Problem.PRIVATE: "The video is private.",
    Problem.REMOVED: "The video was removed.",
    Problem.REGION: "The video is not available in this server's country.",
    Problem.AGE: "The video asks for proof of age.",
    Problem.BOT_CHECK: "YouTube takes this server for a robot.",
    Problem.NO_RUNTIME: "yt-dlp found no JavaScript runtime and so no playable format.",
    Problem.NO_FORMAT: "The video has no H.264 format of at most 720 lines.",
    Problem.REFUSED: "The address was refused.",
    Problem.NETWORK: "YouTube cannot be reached.",
    Problem.COOKIES: "The file of cookies cannot be read.",
    Problem.UNKNOWN: "YouTube gave an answer that yt-dlp does not understand.",
}

SUPPLY = "put a lawful copy named <id>.mp4 into the folder SONOVQA_SOURCES"
ADVICE = {
    Problem.PRIVATE: f"Ask its owner, or {SUPPLY}; else drop its items.",
    Problem.REMOVED: f"Where you hold the right, {SUPPLY}; else drop its items.",
    Problem.REGION: f"Run the worker elsewhere, or {SUPPLY}.",
    Problem.AGE: f"Set SONOVQA_YOUTUBE_COOKIES to the cookies of a signed-in account, or {SUPPLY}.",
    Problem.BOT_CHECK: (
        "Wait some hours; set SONOVQA_YOUTUBE_COOKIES to the cookies of a signed-in account; "
        f"or {SUPPLY}."
    ),
    Problem.NO_RUNTIME: (
        "Install a JavaScript runtime that yt-dlp supports (deno 2.3, node 22 or newer), "
        f"or {SUPPLY}."
    ),
    Problem.NO_FORMAT: f"Upgrade yt-dlp, or {SUPPLY}.",
    Problem.REFUSED: "Only YouTube is fetched; correct the source.",
    Problem.NETWORK: f"Check the server's network and proxy, or {SUPPLY}.",
    Problem.COOKIES: "Correct SONOVQA_YOUTUBE_COOKIES; it names a Netscape cookie file.",
    Problem.UNKNOWN: f"Upgrade yt-dlp, or {SUPPLY}.",
}

PERMANENT = frozenset({Problem.PRIVATE, Problem.REMOVED, Problem.REFUSED})

# The first that matches decides: the narrow ones stand before the wide ones.
SIGNS: list[tuple[Problem, tuple[str, ...]]] = [
    (Problem.BOT_CHECK, ("confirm you.{1,3}re not a bot", "HTTP Error 429", "Too Many Requests")),
    (Problem.AGE, ("confirm your age", "age.restricted", "inappropriate for some users")),
    (Problem.PRIVATE, ("private video", "video is private", "members.only", "join this channel")),
    (Problem.REGION, ("in your country", "geo.?restrict", "from your location")),
    (Problem.REFUSED, ("No suitable extractor", "Unsupported URL", "file:// URLs are disabled")),
    (
        Problem.NETWORK,
        (
            "Failed to resolve",
            "Temporary failure",
            "Name or service",
            "timed out",
            "Connection (refused|reset|aborted)",
            "RemoteDisconnected",
            "Network is unreachable",
            "Unable to connect",
            "Tunnel connection failed",
            "ProxyError",
            "HTTP Error 5[0-9][0-9]",
        ),
    ),
    (
        Problem.REMOVED,
        (
            "has been removed",
            "no longer available",
            "account.{0,60}terminated",
            "video unavailable",
            "does not exist",
            "HTTP Error 4(04|10)",
        ),
    ),
    (Problem.NO_RUNTIME, ("JavaScript runtime",)),
    (Problem.NO_FORMAT, ("Requested format is not available", "No video formats", "Only images")),
]


class YoutubeError(Exception):
    """A video cannot be had: `problem`, a sentence for people, and `advice` on what to do."""

    def __init__(self, problem: Problem, reason: str = "") -> None:
        super().__init__(reason or REASON[problem])
        self.problem = problem
        self.advice = ADVICE[problem]

    @property
    def permanent(self) -> bool:
        """Say whether trying again later is pointless."""
        return self.problem in PERMANENT


def read_problem(said: str) -> YoutubeError:
    """Return the typed error for what yt-dlp said. Its words are not repeated to people."""
    for problem, patterns in SIGNS:
        if any(re.search(pattern, said, re.IGNORECASE) for pattern in patterns):
            return YoutubeError(problem)
    return YoutubeError(Problem.UNKNOWN)
