"""Celery tasks of the evaluation room: each takes a primary key and calls one function."""

from typing import Any

from celery import Task, shared_task
from celery.signals import worker_ready, worker_shutdown, worker_shutting_down

from annotation.models import Release
from evaluation.engine import workers
from evaluation.engine.pump import pump, stopping
from evaluation.engine.sweep import sweep
from evaluation.item_statistics import measure, measure_waiting
from evaluation.rescoring import score_release
from evaluation.submissions import check_submission, check_waiting

RUN_LIMIT = 7 * 24 * 3600  # seconds; a pump holds no message and ends with its run


@worker_shutting_down.connect
def stop_pumps(**_: Any) -> None:
    """Let the pumps of this process claim nothing more."""
    stopping.set()


@worker_ready.connect
def begin_beating(sender: Any, **_: Any) -> None:
    """Let the worker give signs of life, under its name and its first queue."""
    queues = list(sender.app.amqp.queues.consume_from)
    workers.begin_beating(sender.hostname, queues[0] if queues else "")


@worker_shutdown.connect
def stop_beating(sender: Any, **_: Any) -> None:
    """A worker that ends by itself is not missed."""
    workers.stop_beating(sender.hostname)


@shared_task(name="evaluation.canary", bind=True)
def canary_task(self: Task) -> None:
    """Show that the worker which runs this takes up work."""
    workers.note_canary(self.request.hostname)


@shared_task(name="evaluation.look_at_workers")
def look_at_workers_task() -> None:
    """Send the canaries and log what stands still; idempotent."""
    workers.send_canaries()
    workers.sound_alarms()


@shared_task(name="evaluation.score_release")
def score_release_task(release_id: int) -> None:
    """Score a new release; idempotent, so a second message does no harm."""
    score_release(Release.objects.get(pk=release_id))


@shared_task(name="evaluation.pump", time_limit=RUN_LIMIT, soft_time_limit=RUN_LIMIT)
def pump_task(run_id: int) -> None:
    """Work on a run until nothing of it is left; a second message finds no place and ends."""
    pump(run_id)


@shared_task(name="evaluation.batches")
def batches_task(run_id: int) -> None:
    """Look after the batch jobs of a run; a second message finds them held and ends."""
    from evaluation.engine.batches import look_after  # with Google's SDK: see gemini.py

    look_after(run_id)


@shared_task(name="evaluation.sweep")
def sweep_task() -> None:
    """Take back the work of dead workers, wake pumps, settle runs; idempotent."""
    sweep()


@shared_task(name="evaluation.check_submission")
def check_submission_task(pk: int) -> None:
    """Read a received submission; a second message finds it claimed and ends."""
    check_submission(pk)


@shared_task(name="evaluation.check_submissions")
def check_submissions_task() -> None:
    """Read submissions whose message was lost; idempotent."""
    check_waiting()


@shared_task(name="evaluation.measure_items")
def measure_items_task(release_id: int) -> None:
    """Measure the items of a release over its models; a second message finds nothing to do."""
    measure(release_id)


@shared_task(name="evaluation.measure_waiting_items")
def measure_waiting_items_task() -> None:
    """Measure releases whose message was lost; idempotent."""
    measure_waiting()
