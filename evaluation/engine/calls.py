"""Makes one call, or cuts one clip, and says what became of it. Knows no database row."""

import asyncio
import logging
from concurrent.futures import Executor

from django.db import Error

from annotation.media import ClipUnavailable, StoreFull
from evaluation import baselines
from evaluation.domain.letters import letter
from evaluation.domain.rubric import SCHEMA
from evaluation.engine import stimulus, uploads
from evaluation.engine.plan import Plan, Side
from evaluation.engine.work import CLIP_ERROR, STORE_FULL, Claimed, Failure, Result, storable
from evaluation.models.contestant import NEVER_ASKED, Dialect
from evaluation.models.run import Stage
from sonovqa.adapters.asking import Endpoint, Model, Reply, Request
from sonovqa.adapters.command import CommandModel
from sonovqa.adapters.errors import ErrorClass, FileGone, ModelError
from sonovqa.adapters.gemini import Gemini
from sonovqa.adapters.openai_compatible import OpenAICompatible
from sonovqa.adapters.public_pool import open_public_pool

log = logging.getLogger(__name__)
OURS = ErrorClass.INTERNAL.value


class BaselineModel:
    """A baseline behind the interface of a model: it answers at once, by its rule."""

    async def close(self) -> None:
        """Nothing is open."""

    def answer(self, side: Side, claimed: Claimed) -> Reply:
        version = claimed.version
        chosen = baselines.choose(side.model_id, version)
        text = "" if chosen is None else f"Answer: {letter(version.shown_order.index(chosen))}"
        return Reply(text=text or "No answer.", model_version=side.model_id)


class AskedNobody:
    """The client of those whose answers come from elsewhere: readers, imported predictions.

    A run of theirs has calls to its judge alone.
    """

    async def close(self) -> None:
        """Nothing is open."""


AnyModel = Model | BaselineModel | AskedNobody


def open_model(side: Side, *, connections: int) -> AnyModel:
    """Return the client of a side. Raises ValueError for a dialect that cannot be asked."""
    if side.dialect == Dialect.BASELINE:
        return BaselineModel()
    if side.dialect in NEVER_ASKED:
        return AskedNobody()
    endpoint = Endpoint(side.base_url, side.key, side.timeout, connections)
    if side.public_only:
        return OpenAICompatible(endpoint, poster=open_public_pool(endpoint))
    if side.dialect == Dialect.GEMINI:
        return Gemini(endpoint)
    if side.dialect == Dialect.OPENAI:
        return OpenAICompatible(endpoint)
    if side.dialect == Dialect.COMMAND:
        return CommandModel(side.command, timeout=side.timeout)
    raise ValueError(f"models of the dialect {side.dialect!r} cannot be asked")


async def cut(plan: Plan, claimed: Claimed, threads: Executor) -> Result:
    """Cut the clip of an item."""
    loop = asyncio.get_running_loop()
    try:
        sha256 = await loop.run_in_executor(threads, stimulus.prepare, plan, claimed.version)
    except ClipUnavailable as error:
        return Result(claimed, failure=clip_failure(error))
    except Exception as error:  # noqa: BLE001 (no fault of ours may stop the other items)
        return Result(claimed, failure=_our_failure(error))
    return Result(claimed, clip_sha256=sha256)


async def ask(
    plan: Plan, side: Side, model: AnyModel, claimed: Claimed, threads: Executor
) -> Result:
    """Ask one model once."""
    shown, asked = stimulus.Shown(), False
    try:
        if isinstance(model, BaselineModel):
            return Result(claimed, reply=model.answer(side, claimed))
        if isinstance(model, AskedNobody):
            raise ValueError(f"models of the dialect {side.dialect!r} cannot be asked")
        if claimed.stage == Stage.PREDICT and plan.needs_media:
            loop = asyncio.get_running_loop()
            shown = await loop.run_in_executor(threads, stimulus.load, plan, claimed.version)
            shown = await uploads.uploaded(side, model, shown, threads)
        asked = True
        reply = await model.ask(request_of(side, claimed, shown))
    except FileGone as error:
        await uploads.forget(side, shown, threads)
        return Result(claimed, None, model_failure(error), shown.sha256, shown.facts)
    except ModelError as error:
        return Result(claimed, error.reply, model_failure(error), shown.sha256, shown.facts)
    except ClipUnavailable as error:
        return Result(claimed, failure=clip_failure(error))
    except Exception as error:  # noqa: BLE001 (no fault of ours may stop the other calls)
        failure = _our_failure(error, may_be_billed=asked)
        return Result(claimed, failure=failure, clip_sha256=shown.sha256)
    return Result(claimed, reply, None, shown.sha256, shown.facts)


def request_of(side: Side, claimed: Claimed, shown: stimulus.Shown) -> Request:
    """Return what a claimed item asks of a side."""
    parameters = side.parameters
    wants_schema = claimed.stage == Stage.JUDGE and parameters.json_schema
    return Request(
        model=side.model_id,
        user=claimed.asked.user,
        system=claimed.asked.system,
        media=shown.media,
        max_output_tokens=parameters.max_output_tokens,
        temperature=parameters.temperature,
        thinking_budget=parameters.thinking_budget,
        thinking_level=parameters.thinking_level,
        media_resolution=parameters.media_resolution if shown.media else "",
        seed=parameters.seed,
        schema=SCHEMA if wants_schema else None,
        video_part=parameters.video_part,
        token_parameter=parameters.token_parameter,
        sampled_frames=parameters.sampled_frames,
        extra_body=parameters.extra_body,
    )


def model_failure(error: ModelError) -> Failure:
    """Return what a refusal or a fault of the provider means for the ledger."""
    return Failure(
        error_class=error.error_class,
        message=storable(error.message),
        retryable=error.retryable,
        blameless=error.blameless,
        may_be_billed=error.may_be_billed and error.reply is None,
        retry_after=error.retry_after,
    )


def clip_failure(error: ClipUnavailable) -> Failure:
    """Return what a missing clip means for the ledger."""
    message = f"{error.reason} {error.advice}".strip()
    if isinstance(error, StoreFull):
        return Failure(STORE_FULL, storable(message), retryable=True, blameless=True)
    return Failure(CLIP_ERROR, storable(message), retryable=not error.permanent)


def _our_failure(error: Exception, *, may_be_billed: bool = False) -> Failure:
    """A fault of ours must not stop the other calls: it is logged, counted and shown. A
    database that was away is nobody's fault."""
    log.exception("a call failed in a way that no adapter foresees")
    return Failure(
        OURS,
        storable(f"{type(error).__name__}: {error}"),
        retryable=True,
        blameless=isinstance(error, Error),
        may_be_billed=may_be_billed,
    )
