"""The item versions of a run, read in batches. They never change, so they may be kept."""

from annotation.models import ItemVersion
from evaluation.engine.plan import Plan
from evaluation.models import WorkItem
from evaluation.models.run import Stage, WorkState

AHEAD = 200
MOST = 1_000


class Versions:
    """A pump's item versions: those asked for, and the next ones that wait."""

    def __init__(self, plan: Plan) -> None:
        self._run_id = plan.run_id
        self._path = "item__video__source" if plan.needs_media else "item"
        self._stage = Stage.CLIP if plan.needs_media else Stage.PREDICT
        self._kept: dict[int, ItemVersion] = {}

    def get(self, ids: set[int]) -> dict[int, ItemVersion]:
        """Return the versions by id."""
        missing = ids - self._kept.keys()
        if missing:
            if len(self._kept) > MOST:
                self._kept.clear()
                missing = ids
            wanted = [*missing, *self._next()]
            rows = ItemVersion.objects.select_related(self._path).filter(pk__in=wanted)
            self._kept |= {row.pk: row for row in rows}
        return self._kept

    def _next(self) -> list[int]:
        waiting = WorkItem.objects.filter(
            run=self._run_id, state=WorkState.WAITING, stage=self._stage
        )
        return list(waiting.values_list("item_version_id", flat=True)[:AHEAD])
