"""What the evaluation room adds to the data that an account may take away."""

from annotation.queries.own_data import add
from evaluation.models import Grade, Membership, Run, Submission

SUBMISSION = (
    *("id", "benchmark__slug", "release__tag", "model_name", "organisation", "open_weights"),
    *(
        "endpoint",
        "sent_for__name",
        "condition",
        "state",
        "reason",
        "files",
        "report",
        "created_at",
        "decided_at",
    ),
)
RUN = ("id", "benchmark__slug", "release__tag", "contestant__name", "condition", "state")

# What was given, and not to whose answer: a sample may still be open.
GRADE = (
    *("id", "answer_id", "answer__sample__name", "score", "error_type", "skipped"),
    *("active_seconds", "created_at", "replaced_at", "undone_at"),
)


def add_parts() -> None:
    add(
        "submissions",
        lambda user: Submission.objects.filter(sender=user).order_by("pk").values(*SUBMISSION),
    )
    add("grades", lambda user: Grade.objects.filter(grader=user).order_by("pk").values(*GRADE))
    add(
        "organisation",
        lambda user: Membership.objects.filter(account=user).values("organisation__name"),
    )
    add("runs", lambda user: Run.objects.filter(started_by=user).order_by("pk").values(*RUN))
