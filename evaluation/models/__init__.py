"""Models answering the benchmark, one concept a file."""

from evaluation.models.batch import BatchJob
from evaluation.models.contestant import Contestant, Provider, UploadedClip
from evaluation.models.grading import (
    Grade,
    GradingSample,
    GradingSeat,
    JudgeRule,
    JudgeStanding,
    SampledAnswer,
)
from evaluation.models.item_statistic import ItemStatistic, LookAgainRule, StatisticsReport
from evaluation.models.leaderboard import LeaderboardEntry
from evaluation.models.organisation import Membership, Organisation
from evaluation.models.panel import PanelReport
from evaluation.models.prediction import Judgement, Prediction
from evaluation.models.run import Call, PumpLease, Run, WorkItem
from evaluation.models.spending import MonthSpend
from evaluation.models.submission import Submission
from evaluation.models.worker import WorkerBeat

__all__ = [
    "BatchJob",
    "Call",
    "Contestant",
    "Grade",
    "GradingSample",
    "GradingSeat",
    "ItemStatistic",
    "JudgeRule",
    "JudgeStanding",
    "Judgement",
    "LeaderboardEntry",
    "LookAgainRule",
    "Membership",
    "MonthSpend",
    "Organisation",
    "PanelReport",
    "Prediction",
    "Provider",
    "PumpLease",
    "Run",
    "SampledAnswer",
    "StatisticsReport",
    "Submission",
    "UploadedClip",
    "WorkItem",
    "WorkerBeat",
]
