"""Runs and the ledger of their work: every item of work and every paid call is a row."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Benchmark, ItemVersion, Release
from evaluation.domain.rubric import is_swapped
from evaluation.models.contestant import Contestant


class Condition(models.TextChoices):
    VIDEO = "video", "Video"
    FRAMES = "frames", "Frames"
    BLIND = "blind", "Text-only"
    SHUFFLED = "shuffled", "Another item's clip"
    STILL = "still", "Middle frame"
    FULL_FRAME = "full-frame", "Full frame"


CIRCULAR = "-circular"  # after a condition: of runs that asked every rotation of the options
ON_BOARD = (*Condition.values, *(f"{name}{CIRCULAR}" for name in Condition.values))


def condition_label(name: str) -> str:
    """Return the label of one of ON_BOARD."""
    label = str(Condition(name.removesuffix(CIRCULAR)).label)
    return f"{label}, every rotation" if name.endswith(CIRCULAR) else label


class RunState(models.TextChoices):
    DRAFT = "draft", "Draft"
    QUEUED = "queued", "Queued"
    RUNNING = "running", "Running"
    PAUSED = "paused", "Paused"
    CANCELLING = "cancelling", "Cancelling"
    CANCELLED = "cancelled", "Cancelled"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"


ENDED = (RunState.DONE, RunState.FAILED, RunState.CANCELLED)


class Origin(models.TextChoices):
    ENGINE = "engine", "Run here"
    IMPORT = "import", "Imported"
    SUBMISSION = "submission", "Submitted"
    READERS = "readers", "Answered by readers"
    REJUDGE = "rejudge", "Judged again"
    ATTACK = "attack", "Attack on the judge"


class Run(models.Model):
    """One model × condition × release × parameters, with all that repeats its numbers.

    A run that `rejudges` another has no predictions: its judge marks those of the other run
    once more, as its `judge_repeat`-th time. It has no entry and stands on no leaderboard.
    A run that `extends` another has taken over its answers to items that did not change.
    """

    benchmark = models.ForeignKey(Benchmark, models.CASCADE, related_name="runs")
    release = models.ForeignKey(Release, models.PROTECT, related_name="runs")
    contestant = models.ForeignKey(Contestant, models.PROTECT, related_name="runs")
    condition = models.CharField(max_length=12, choices=Condition.choices)
    origin = models.CharField(max_length=12, choices=Origin.choices, default=Origin.ENGINE)
    state = models.CharField(max_length=12, choices=RunState.choices, default=RunState.DRAFT)
    state_reason = models.CharField(max_length=300, blank=True)
    repeats = models.PositiveSmallIntegerField(default=1)
    circular = models.BooleanField(
        default=False, help_text="An MCQ is asked in every rotation of its options."
    )
    strict = models.BooleanField(default=False, help_text="Never ask again after a lost call.")
    publish_when_done = models.BooleanField(default=False)
    judge = models.ForeignKey(
        Contestant, models.PROTECT, related_name="judged_runs", null=True, blank=True
    )
    judge_label = models.CharField(max_length=120, blank=True)
    judge_repeat = models.PositiveSmallIntegerField(default=0)
    rejudges = models.ForeignKey(
        "self", models.CASCADE, related_name="rejudgings", null=True, blank=True
    )
    extends = models.ForeignKey(
        "self", models.SET_NULL, related_name="extensions", null=True, blank=True
    )
    prompt_version = models.CharField(max_length=32, blank=True)
    prompt_text = models.TextField(blank=True)
    rubric_version = models.CharField(max_length=32, blank=True)
    order_seed = models.PositiveIntegerField(default=0)
    model_id_asked = models.CharField(max_length=200, blank=True)
    parameters = models.JSONField(default=dict, blank=True)
    clip_settings = models.JSONField(default=dict, blank=True)
    code_version = models.CharField(max_length=64, blank=True)
    budget = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    spent = models.DecimalField(max_digits=12, decimal_places=6, default=0)
    reserved = models.DecimalField(max_digits=12, decimal_places=6, default=0)
    started_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    extra = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(spent__gte=0) & Q(reserved__gte=0), name="run_money_not_negative"
            ),
        ]

    def __str__(self) -> str:
        return f"run {self.pk}: {self.contestant_id} {self.condition}"

    @property
    def board_condition(self) -> str:
        """Return under which heading of the leaderboard the run stands, one of ON_BOARD."""
        return f"{self.condition}{CIRCULAR}" if self.circular else self.condition

    @property
    def answered_by(self) -> int:
        """Return the id of the run whose predictions this run's judge marks."""
        return self.rejudges_id or self.pk

    @property
    def is_swapped(self) -> bool:
        """Say whether the run's judge reads the answer before the reference."""
        return is_swapped(self.rubric_version)


class Stage(models.TextChoices):
    CLIP = "clip", "Clip"
    PREDICT = "predict", "Predict"
    JUDGE = "judge", "Judge"


class WorkState(models.TextChoices):
    WAITING = "waiting", "Waiting"
    CLAIMED = "claimed", "In flight"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"
    UNKNOWN = "unknown", "Reply lost"


class WorkItem(models.Model):
    """One step for one item of a run, claimed by a conditional update with a lease.

    `token` fences late writers: only the holder of the present token may finish it. Leases
    and `not_before` are in the database's clock.
    """

    run = models.ForeignKey(Run, models.CASCADE, related_name="work_items")
    item_version = models.ForeignKey(ItemVersion, models.PROTECT, related_name="+")
    repeat = models.PositiveSmallIntegerField(default=0)
    stage = models.CharField(max_length=8, choices=Stage.choices)
    state = models.CharField(max_length=8, choices=WorkState.choices, default=WorkState.WAITING)
    attempt = models.PositiveSmallIntegerField(default=0)
    faults = models.PositiveSmallIntegerField(
        default=0, help_text="Attempts that count against the cap; a 429 does not."
    )
    token = models.CharField(max_length=32, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    not_before = models.DateTimeField(null=True, blank=True)
    error_class = models.CharField(max_length=24, blank=True)
    error_message = models.CharField(max_length=500, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "item_version", "repeat", "stage"], name="work_item_unique"
            ),
        ]
        indexes = [
            models.Index(fields=["run", "state", "stage", "not_before"], name="work_item_claim"),
            models.Index(fields=["state", "lease_until"], name="work_item_lease"),
            models.Index(fields=["run", "finished_at", "id"], name="work_item_finished"),
        ]


class PumpLease(models.Model):
    """One place to work on a run, held by one pump at a time.

    A run has as many places as its calls in flight need processes. A place whose lease has
    run out, by the database's clock, is free: its holder is dead, or stuck.
    """

    run = models.ForeignKey(Run, models.CASCADE, related_name="pumps")
    place = models.PositiveSmallIntegerField()
    token = models.CharField(max_length=32, blank=True)
    worker = models.CharField(max_length=120, blank=True)
    lease_until = models.DateTimeField()
    in_flight = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "place"], name="pump_unique_place"),
        ]


class CallState(models.TextChoices):
    INTENT = "intent", "Under way"
    SETTLED = "settled", "Settled"
    LOST = "lost", "Reply lost"


class Call(models.Model):
    """One paid call. The row and its reserved money are committed before the call is made.

    Money is in US dollars, latency in seconds.
    """

    work_item = models.ForeignKey(WorkItem, models.CASCADE, related_name="calls")
    attempt = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=8, choices=CallState.choices, default=CallState.INTENT)
    reserved = models.DecimalField(max_digits=12, decimal_places=6, default=0)
    cost = models.DecimalField(max_digits=12, decimal_places=6, default=0)
    tokens_in = models.PositiveIntegerField(default=0)
    tokens_out = models.PositiveIntegerField(default=0)
    latency = models.FloatField(null=True, blank=True)
    error_class = models.CharField(max_length=24, blank=True)
    model_version = models.CharField(max_length=200, blank=True)
    started_at = models.DateTimeField(auto_now_add=True)
    settled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["work_item", "attempt"], name="call_unique_attempt"),
        ]
