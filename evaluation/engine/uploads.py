"""Puts each clip into a provider's file store once, whichever worker comes first, and again
when it has expired there."""

import asyncio
import secrets
from concurrent.futures import Executor
from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.db.models.functions import Now

from evaluation.engine.clock import from_now
from evaluation.engine.plan import Side
from evaluation.engine.stimulus import Shown
from evaluation.models import UploadedClip
from sonovqa.adapters.asking import FileStore, Media, Upload

LIFE_WANTED = timedelta(minutes=20)  # what a file must still live to be shown in a call
LEASE = 300.0  # seconds that one upload may take
LOOK_AGAIN = 0.5  # seconds between two looks at another worker's upload
PATIENCE = 600  # looks


async def uploaded(
    side: Side,
    model: Any,
    shown: Shown,
    threads: Executor,
    *,
    life: timedelta = LIFE_WANTED,
) -> Shown:
    """Return what is shown with the provider's own copy of its clip, where the side's
    parameters ask for one; it will live for at least `life`. Raises a ModelError."""
    is_clip = bool(shown.media) and shown.media[0].mime.startswith("video/")
    if side.parameters.clip_as != "file" or not is_clip or not isinstance(model, FileStore):
        return shown
    uri = await _uri(side, model, shown, threads, life)
    clip: Media = replace(shown.media[0], data=b"", uri=uri)
    return replace(shown, media=(clip,), facts=shown.facts | {"sent_as": "file"})


async def _uri(
    side: Side, model: FileStore, shown: Shown, threads: Executor, life: timedelta
) -> str:
    loop, token = asyncio.get_running_loop(), secrets.token_hex(16)
    place = (side.provider_id, shown.sha256)
    for _ in range(PATIENCE):
        uri, is_ours = await loop.run_in_executor(threads, claim, *place, token, life)
        if uri:
            return uri
        if is_ours:
            try:
                clip = shown.media[0]
                made = await model.upload(clip.data, clip.mime, shown.sha256)
            except BaseException:
                await loop.run_in_executor(threads, give_up, *place, token)
                raise
            await loop.run_in_executor(threads, keep, *place, token, made)
            return made.uri
        await asyncio.sleep(LOOK_AGAIN)
    raise TimeoutError("another worker's upload does not end")


def claim(provider_id: int, sha256: str, token: str, life: timedelta) -> tuple[str, bool]:
    """Return the address of a clip that lives long enough, or "" and whether it is for the
    holder of `token` to upload it."""
    rows = UploadedClip.objects.filter(provider=provider_id, sha256=sha256)
    alive = rows.exclude(uri="").filter(expires_at__gt=from_now(life.total_seconds()))
    if uri := alive.values_list("uri", flat=True).first():
        return uri, False
    if not rows.exists():
        try:
            with transaction.atomic():
                UploadedClip.objects.create(
                    provider_id=provider_id, sha256=sha256, lease_until=Now()
                )
        except IntegrityError:
            pass  # another worker was quicker
    gone = Q(uri="") | Q(expires_at__lte=from_now(life.total_seconds()))
    free = Q(token="") | Q(lease_until__lt=Now())
    taken = rows.filter(gone, free).update(token=token, uri="", lease_until=from_now(LEASE))
    return "", bool(taken)


def keep(provider_id: int, sha256: str, token: str, made: Upload) -> None:
    """Write down where the clip lies now."""
    UploadedClip.objects.filter(provider=provider_id, sha256=sha256, token=token).update(
        uri=made.uri[:500], expires_at=made.expires_at, token=""
    )


def give_up(provider_id: int, sha256: str, token: str) -> None:
    """Leave the upload to another."""
    UploadedClip.objects.filter(provider=provider_id, sha256=sha256, token=token).update(token="")


async def forget(side: Side, shown: Shown, threads: Executor) -> None:
    """Note that the provider has lost the clip: the next call uploads it anew."""
    uris = [media.uri for media in shown.media if media.uri]
    await asyncio.get_running_loop().run_in_executor(threads, _forget, side.provider_id, uris)


def _forget(provider_id: int, uris: list[str]) -> None:
    UploadedClip.objects.filter(provider=provider_id, uri__in=uris).update(uri="")
