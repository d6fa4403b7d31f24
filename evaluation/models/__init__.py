"""Models answering the benchmark, one concept a file."""

from evaluation.models.contestant import Contestant, Provider
from evaluation.models.leaderboard import LeaderboardEntry
from evaluation.models.prediction import Judgement, Prediction
from evaluation.models.run import Call, PumpLease, Run, WorkItem
from evaluation.models.submission import Submission

__all__ = [
    "Call",
    "Contestant",
    "Judgement",
    "LeaderboardEntry",
    "Prediction",
    "Provider",
    "PumpLease",
    "Run",
    "Submission",
    "WorkItem",
]
