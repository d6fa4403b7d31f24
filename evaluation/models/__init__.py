"""Models answering the benchmark, one concept a file."""

from evaluation.models.contestant import Contestant, Provider, UploadedClip
from evaluation.models.item_statistic import ItemStatistic, LookAgainRule, StatisticsReport
from evaluation.models.leaderboard import LeaderboardEntry
from evaluation.models.prediction import Judgement, Prediction
from evaluation.models.run import Call, PumpLease, Run, WorkItem
from evaluation.models.spending import MonthSpend
from evaluation.models.submission import Submission
from evaluation.models.worker import WorkerBeat

__all__ = [
    "Call",
    "Contestant",
    "ItemStatistic",
    "Judgement",
    "LeaderboardEntry",
    "LookAgainRule",
    "MonthSpend",
    "Prediction",
    "Provider",
    "PumpLease",
    "Run",
    "StatisticsReport",
    "Submission",
    "UploadedClip",
    "WorkItem",
    "WorkerBeat",
]
