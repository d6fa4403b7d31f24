"""A release's datasheet as sections of sentences and tables, for its page and its file.

The questions are those that datasheets for datasets ask (Gebru et al., 2021): why and from what
it was made, how it was labelled, what is known to be wrong with it, how it may be used.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.domain.agreement import Figure
from annotation.domain.audit.flag_titles import title as flag_title
from annotation.domain.audit.summary import percent, verdict
from annotation.domain.counted import counted_text
from evaluation.board.cards import BIN_WORDS
from evaluation.domain.question_types import type_words
from evaluation.queries.datasheet import Counted, Facts
from sonovqa.code_version import code_version

FEW_ITEMS = 30  # below it a slice says little
FEW_SOURCES = 20  # below it an interval by sources is rough
# Signs that mean something in Markdown.
SIGNS = {ord(sign): f"\\{sign}" for sign in "\\`*_{}[]<>#|!"}
CLUSTERED = "A source is one upload; figures are clustered by it."
VIDEOS_STAY = (
    "The videos stay where they are published and keep the licence of their authors; no video "
    "is part of the release."
)
NOT_AUDITED = (
    "This release has not been audited: how much of its key can be found without the video is "
    "not known."
)
MEANT_FOR = (
    "Meant for measuring vision-language models on ultrasound procedures; not for decisions "
    "about patients, and not for training."
)


@dataclass(frozen=True)
class Table:
    """A table: `head` names the columns, the first of which holds the labels of the rows."""

    head: list[str]
    rows: list[list[str]]


@dataclass(frozen=True)
class Section:
    title: str
    sentences: list[str]
    tables: list[Table] = field(default_factory=list)


def sections(facts: Facts) -> list[Section]:
    """Return the datasheet; each sentence states a figure or says that there is none."""
    return [
        _identity(facts),
        _composition(facts),
        _process(facts),
        _agreement(facts),
        _audit(facts),
        _limits(facts),
        _use(facts),
    ]


def markdown(facts: Facts) -> str:
    """Return the datasheet as a Markdown file. Text from outside is escaped."""
    lines = [f"# {_plain(facts.benchmark.name)}, release {facts.release.tag}: datasheet", ""]
    for section in sections(facts):
        lines += [f"## {section.title}", "", *map(_plain, section.sentences), ""]
        for table in section.tables:
            lines += [_cells(table.head), _cells(["---"] * len(table.head))]
            lines += [*map(_cells, table.rows), ""]
    return "\n".join(lines)


def limits(facts: Facts) -> list[str]:
    """Return what is known to be wrong or weak, as sentences."""
    return _limits(facts).sentences


def day(facts: Facts) -> str:
    """Return the day on which the facts were gathered."""
    return f"{facts.at:%d %B %Y}"


def _identity(facts: Facts) -> Section:
    benchmark, release = facts.benchmark, facts.release
    found = [
        benchmark.description or "Questions about muted clips of ultrasound videos.",
        f"Release {release.tag}, frozen {release.created_at:%d %B %Y}, sha256 {release.hash}.",
        f"Licence of the items: {benchmark.licence}."
        if benchmark.licence
        else "No licence of the items has been stated.",
        VIDEOS_STAY,
    ]
    if release.notes:
        found.append(f"Notes of the release: {release.notes}")
    if benchmark.attribution:
        found.append(benchmark.attribution)
    return Section("What it is", found)


def _composition(facts: Facts) -> Section:
    made = facts.composition
    kept = f"{counted_text(made.mcq, 'MCQ')} and {counted_text(made.free, 'free response')} kept"
    where = f"{counted_text(made.videos, 'video')} of {counted_text(made.sources, 'source')}"
    found = [f"{kept}, {made.dropped} dropped, on {where}. {CLUSTERED}"]
    if made.seconds:
        low, middle, high = made.seconds
        found.append(f"Clips last {low:.1f} to {high:.1f} s, half of them up to {middle:.1f} s.")
    if made.options and made.chance is not None:
        counts = ", ".join(f"{number} with {options} options" for options, number in made.options)
        found.append(f"MCQs: {counts}; guessing gets {percent(made.chance)}.")
    tables = [
        _counts("Question type", made.types, lambda name: type_words(name).capitalize()),
        _counts("Category", made.categories, lambda name: name or "Not named"),
        _counts("Clip duration", made.durations, lambda name: BIN_WORDS[name].capitalize()),
    ]
    return Section("What it is made of", found, [table for table in tables if table.rows])


def _process(facts: Facts) -> Section:
    done, kept = facts.process, facts.composition.mcq + facts.composition.free
    if done.votes:
        reviewed = (
            f"{counted_text(done.readers, 'reader')} gave {counted_text(done.votes, 'vote')} on "
            f"{done.voted} of {kept} kept items, {done.twice} of them by two or more; each reader "
            "votes before seeing anybody else’s vote or any model’s answer."
        )
    else:
        reviewed = (
            "No kept item had a vote of a reader here when the release was made: its keep "
            "decisions are those that were imported."
        )
    edits = (
        f"{counted_text(done.edits, 'edit')} of {counted_text(done.edited, 'item')} and "
        f"{counted_text(done.boxes, 'change')} of ROI boxes were saved before it was frozen."
    )
    return Section("How it was reviewed", [reviewed, edits])


def _agreement(facts: Facts) -> Section:
    found = facts.agreement
    if not found.raw.n:
        return Section("Agreement", ["No item has votes of two readers, so none can be measured."])
    rows = [
        ["Raw agreement", *_figure(found.raw)],
        [found.name, *_figure(found.figure)],
        ["Reader against themselves, later", *_figure(found.again)],
        ["Windows, mean IoU", *_figure(found.windows)],
        ["ROI boxes, mean IoU", *_figure(found.boxes)],
    ]
    told = f"Of {counted_text(found.readers, 'reader')}, on the votes that stood at {day(facts)}."
    table = Table(["Measure", "Value", "95 % interval", "n"], [row for row in rows if row[1]])
    return Section("Agreement", [told], [table])


def _audit(facts: Facts) -> Section:
    if facts.audit is None:
        return Section("Shortcuts", [NOT_AUDITED])
    report = facts.audit.report
    found = [verdict(report), *report.get("sentences", [])]
    learned = report.get("learned")
    if learned and learned.get("ci"):
        low, high = learned["ci"]
        found.append(f"95 % interval, clustered by source: {percent(low)} to {percent(high)}.")
    rows = [[flag_title(name), str(count)] for name, count in report.get("flags", {}).items()]
    return Section("Shortcuts", found, [Table(["Flag", "Items"], rows)] if rows else [])


def _limits(facts: Facts) -> Section:
    return Section("Known limits", list(_known(facts)))


def _known(facts: Facts) -> Iterator[str]:
    made, done = facts.composition, facts.process
    kept = made.mcq + made.free
    if made.sources < FEW_SOURCES:
        yield f"Only {counted_text(made.sources, 'source')}: intervals are wide and rough."
    for row in made.types:
        if 0 < row.mcq < FEW_ITEMS or 0 < row.free < FEW_ITEMS:
            yield f"Few items of type {type_words(row.label)}: {row.mcq} MCQ, {row.free} free."
    if made.short:
        yield f"{counted_text(made.short, 'clip')} under 2 s: some models see no or one frame."
    if made.dead_sources:
        yield f"{counted_text(made.dead_sources, 'source')} can no longer be played."
    if done.voted < kept:
        yield f"{kept - done.voted} of {kept} kept items had no vote of a reader here."
    report = facts.audit.report if facts.audit else {}
    learned = report.get("learned")
    if learned and learned["p"] <= 0.05:
        yield (
            f"{percent(learned['accuracy'])} of the MCQ keys can be found without the video; "
            "a score near it does not show that a model saw anything."
        )
    for judge in facts.judges:
        yield f"Free responses were judged by {judge.label}, rubric {judge.rubric}. {judge.words}"
    yield "Answer keys that have been published may stand in the training data of models."


def _use(facts: Facts) -> Section:
    told = (
        f"{counted_text(len(facts.models), 'model')} published on it: {', '.join(facts.models)}."
        if facts.models
        else "No model has been published on it yet."
    )
    return Section(
        "Use and versions",
        [
            MEANT_FOR,
            told,
            f"Made {day(facts)} by sonovqa {code_version()} from the release as stored.",
            *([f"Cite: {facts.benchmark.citation}"] if facts.benchmark.citation else []),
        ],
    )


def _counts(title: str, rows: Sequence[Counted], named: Callable[[str], str]) -> Table:
    return Table(
        [title, "MCQ", "Free response"],
        [[named(row.label), str(row.mcq), str(row.free)] for row in rows],
    )


def _figure(found: Figure) -> list[str]:
    if found.value is None:
        return ["", "", str(found.n)]
    span = "" if found.low is None or found.high is None else f"{found.low:.2f} to {found.high:.2f}"
    return [f"{found.value:.2f}", span or "too few sources", str(found.n)]


def _plain(text: Any) -> str:
    return " ".join(str(text).translate(SIGNS).split())


def _cells(values: Sequence[str]) -> str:
    return "| " + " | ".join(value if value == "---" else _plain(value) for value in values) + " |"
