"""Whatever JSON stands in a row, a reader gives a row or says what is wrong; it never fails."""

import json

from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.benchmark_files import (
    EVENT_KEYS,
    ITEM_KEYS,
    VIDEO_KEYS,
    read_event,
    read_item,
    read_video,
)
from annotation.domain.rows import Finding
from evaluation.domain.prediction_files import read_prediction
from evaluation.domain.prediction_matching import NoMatch, claims_doubted, match_row, read_choice
from tests import layout
from tests.unit.evaluation.domain.test_prediction_matching import ITEMS

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)
NUMBERS = st.integers(-(10**18), 10**18) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
REPLY_KEYS = (
    *ITEM_KEYS,
    "original_question",
    "model_prediction",
    "inference_metadata",
    "eval_score",
    "eval_max_score",
    "judge_explanation",
    "judge_error_type",
)
CALL = st.dictionaries(
    st.sampled_from(["raw_response", "latency_ms", "success", "error_message"]) | TEXT,
    VALUES,
    max_size=4,
)


def spoiled(good, keys):
    """A good row in which some fields are noise."""
    noise = st.dictionaries(st.sampled_from(keys) | TEXT, VALUES, max_size=4)
    return noise.map(lambda fields: {**good, **fields})


def sound(found):
    if isinstance(found, list):
        assert found and all(isinstance(finding, Finding) for finding in found)
        assert all(str(finding) for finding in found)
        return False
    return True


@given(VALUES | spoiled(layout.mcq(), ITEM_KEYS) | spoiled(layout.free(), ITEM_KEYS))
def test_items(value):
    for kind in ("mcq", "free"):
        found = read_item(kind, 0, value, file="f")
        if sound(found):
            assert 0 <= found.start < found.end and found.question.stem
            assert (found.key_index is None) == (kind == "free")
            json.dumps(found.extra)


@given(TEXT, VALUES | spoiled(layout.metadata(), VIDEO_KEYS))
def test_videos(name, value):
    found = read_video(name, value)
    if sound(found):
        assert found.end > found.start and "/" not in found.name
        assert len(found.source_key) == 11 or found.source_kind == "file"


@given(VALUES | spoiled(layout.event(), EVENT_KEYS))
def test_events(value):
    found = read_event(0, value, file="f")
    if sound(found):
        assert found.end >= found.start >= 0 and found.action.strip()


@given(
    VALUES
    | spoiled(layout.reply(layout.mcq(1)), REPLY_KEYS)
    | spoiled(layout.judged(layout.free(0)), REPLY_KEYS),
    CALL | st.none(),
)
def test_replies(value, call):
    if isinstance(value, dict) and call is not None:
        value = {**value, "inference_metadata": call}
    found = read_prediction(1, value, file="f")
    if not sound(found):
        return
    assert found.verdict is None or found.verdict.score in (0, 1, 2)
    assert not (found.failure and (found.raw or found.verdict))
    try:
        matched = match_row(found, ITEMS)
    except NoMatch as error:
        assert str(error)
        return
    claims_doubted(found, matched)
    if matched.item.options and not found.failure:
        choice = read_choice(found, matched)
        assert choice.chosen is None or 0 <= choice.chosen < len(matched.item.options)
