"""Asks a text model to rewrite wrong options to the key's length, and keeps what it says as
proposals. Calls go one after another, within a budget and the caps of the month."""

import asyncio
import secrets
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from annotation.actions.length_repairs import propose_length
from annotation.models import Benchmark, ItemVersion, Repair, User
from annotation.models.item import Kind
from annotation.permissions import Verb, require
from annotation.queries.repairs import LENGTH
from evaluation.actions.run_checks import RunRefused, check_text_model
from evaluation.domain import costs
from evaluation.domain.option_rewriting import (
    SCHEMA,
    SYSTEM,
    BadRewriting,
    ask_rewriting,
    is_uneven,
    read_rewriting,
)
from evaluation.engine import calls, months
from evaluation.engine.plan import Side, pin_price, side_of
from evaluation.models import Contestant
from sonovqa.adapters.asking import Reply, Request
from sonovqa.adapters.errors import ModelError

MOST = 1_000
IN_A_ROW = 3  # failed calls after which the rest is left


@dataclass
class Rewritten:
    """What came of it; money in US dollars. `refused` counts replies by why they were no
    rewriting, `stopped` says why not all were asked."""

    uneven: int = 0
    asked: int = 0
    proposed: int = 0
    failed: int = 0
    spent: Decimal = Decimal(0)
    refused: Counter[str] = field(default_factory=Counter)
    stopped: str = ""


def rewrite_options(
    *, benchmark: Benchmark, model: Contestant, budget: Decimal, most: int, by: User
) -> Rewritten:
    """Propose options of even length for kept MCQs whose key stands out by its length.

    Raises RunRefused where the model or the budget does not fit, PermissionDenied unless `by`
    may spend money and adjudicate.
    """
    require(by, Verb.RUN)
    require(by, Verb.ADJUDICATE)
    check_text_model(model, budget)
    if not 1 <= most <= MOST:
        raise RunRefused(f"From 1 to {MOST} items at once.")
    side = side_of(model, model.parameters, pin_price(model))
    found, in_a_row = Rewritten(), 0
    for version in uneven_versions(benchmark):
        found.uneven += 1
        if found.stopped or found.asked >= most:
            continue
        before = found.failed
        _rewrite(side, version, budget, found, by)
        in_a_row = in_a_row + 1 if found.failed > before else 0
        if in_a_row >= IN_A_ROW:
            found.stopped = "the model keeps failing"
    return found


def uneven_versions(benchmark: Benchmark) -> Iterator[ItemVersion]:
    """Yield the current versions of kept MCQs whose key stands out, without a proposal yet."""
    rows = (
        ItemVersion.objects.filter(
            item__benchmark=benchmark,
            item__kind=Kind.MCQ,
            item__keep=True,
            item__current=F("pk"),
        )
        .exclude(pk__in=Repair.objects.filter(kind=LENGTH).values("item_version"))
        .select_related("item")
        .order_by("item__position")
    )
    for version in rows.iterator(chunk_size=500):
        if version.key_index is not None and is_uneven(version.options, version.key_index):
            yield version


def _rewrite(side: Side, version: ItemVersion, budget: Decimal, found: Rewritten, by: User) -> None:
    user = ask_rewriting(
        stem=version.stem,
        options=version.options,
        key_index=version.key_index or 0,
        fence=secrets.token_hex(12),
    )
    size: costs.Size = {"characters": len(SYSTEM) + len(user), "frames": 0, "seconds": 0.0}
    most = costs.most(**size, max_output_tokens=side.parameters.max_output_tokens)
    reserved = side.price.of(most.tokens_in, most.tokens_out)
    if found.spent + reserved > budget:
        found.stopped = "the budget does not cover the next call"
        return
    month = months.month_of(timezone.now())
    with transaction.atomic():
        if not months.left({side.provider_id}, month).covers(side.provider_id, reserved):
            found.stopped = "the month's cap does not cover the next call"
            return
        months.move([months.Move(side.provider_id, month, reserved=reserved)])
    found.asked += 1
    reply, cost = None, reserved  # what nobody can tell the cost of counts in full
    try:
        reply = asyncio.run(_ask(side, user))
        cost = side.price.of(reply.tokens_in, reply.tokens_out)
    except ModelError as error:
        found.failed += 1
        found.refused[str(error.error_class)] += 1
        if not error.may_be_billed:
            cost = Decimal(0)
    found.spent += cost
    with transaction.atomic():
        months.move([months.Move(side.provider_id, month, spent=cost, reserved=-reserved)])
    if reply is not None:
        _propose(version, reply, side, found, by)


def _propose(version: ItemVersion, reply: Reply, side: Side, found: Rewritten, by: User) -> None:
    try:
        options = read_rewriting(reply.text, version.options, version.key_index or 0)
    except BadRewriting as error:
        found.refused[str(error).split(":", 1)[0]] += 1
        return
    name = reply.model_version or side.model_id
    words = f"Wrong options rewritten to the key's length by {name}"
    if propose_length(version=version, options=options, words=words, by=by):
        found.proposed += 1


async def _ask(side: Side, user: str) -> Reply:
    model = calls.open_model(side, connections=1)
    try:
        if not hasattr(model, "ask"):
            raise ValueError(f"models of the dialect {side.dialect!r} cannot be asked")
        parameters = side.parameters
        return await model.ask(
            Request(
                model=side.model_id,
                user=user,
                system=SYSTEM,
                max_output_tokens=parameters.max_output_tokens,
                temperature=parameters.temperature,
                thinking_budget=parameters.thinking_budget,
                thinking_level=parameters.thinking_level,
                seed=parameters.seed,
                schema=SCHEMA if parameters.json_schema else None,
                token_parameter=parameters.token_parameter,
                extra_body=parameters.extra_body,
            )
        )
    finally:
        await model.close()
