"""Reports about what a video shows. A person's identifier puts it in quarantine at once."""

from django.db import transaction
from django.utils import timezone

from annotation import media_store
from annotation.actions.trail import record
from annotation.domain.edits import BadEdit, is_clean
from annotation.models import User, Video
from annotation.permissions import Verb, require

NOTE_LIMIT = 500


@transaction.atomic
def quarantine_video(*, video_id: int, note: str = "", by: User) -> Video:
    """Withhold the pixels of a video from everybody and every run; return it.

    Cached clips and stills of its source are deleted once this is committed. A video that is
    in quarantine stays there, with one more report on record. Raises PermissionDenied,
    Video.DoesNotExist, BadEdit.
    """
    require(by, Verb.REVIEW)
    check_note(note)
    video = locked(video_id)
    before = stamp(video)
    if video.quarantined_at is None:
        video.quarantined_at = timezone.now()
        video.save(update_fields=["quarantined_at"])
    record(
        by=by,
        verb="quarantine_video",
        target_kind="video",
        target_id=video.pk,
        benchmark_id=video.benchmark_id,
        before=before,
        after=stamp(video),
        reason=note,
    )
    source = (video.source.kind, video.source.key)
    transaction.on_commit(lambda: media_store.remove_all_of(source))
    return video


@transaction.atomic
def clear_quarantine(*, video_id: int, reason: str, by: User) -> Video:
    """Let a video be seen again; a video that may be seen stays so.

    Raises PermissionDenied, Video.DoesNotExist, BadEdit where no reason is given.
    """
    require(by, Verb.ADJUDICATE)
    check_note(reason)
    if not reason.strip():
        raise BadEdit({"reason": "say why nobody can be told from this video"})
    video = locked(video_id)
    if video.quarantined_at is None:
        return video
    before = stamp(video)
    video.quarantined_at = None
    video.save(update_fields=["quarantined_at"])
    record(
        by=by,
        verb="clear_quarantine",
        target_kind="video",
        target_id=video.pk,
        benchmark_id=video.benchmark_id,
        before=before,
        after=stamp(video),
        reason=reason,
    )
    return video


@transaction.atomic
def report_video(*, video_id: int, note: str, by: User) -> None:
    """Put on record what a reader says about a video. It changes nothing else.

    Raises PermissionDenied, Video.DoesNotExist, BadEdit where nothing is said.
    """
    require(by, Verb.REVIEW)
    check_note(note)
    if not note.strip():
        raise BadEdit({"note": "say what is wrong with the video"})
    video = locked(video_id)
    record(
        by=by,
        verb="report_video",
        target_kind="video",
        target_id=video.pk,
        benchmark_id=video.benchmark_id,
        reason=note,
    )


def check_note(note: str) -> None:
    if not is_clean(note, NOTE_LIMIT):
        raise BadEdit({"note": f"must be text of at most {NOTE_LIMIT} characters"})


def locked(video_id: int) -> Video:
    videos = Video.objects.select_related("source").select_for_update(of=("self",))
    return videos.get(pk=video_id)


def stamp(video: Video) -> dict[str, str | None]:
    at = video.quarantined_at
    return {"quarantined_at": at.isoformat() if at else None}
