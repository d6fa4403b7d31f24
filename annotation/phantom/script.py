"""What a teaching video is made of: controls that change at known times, told as steps.

The steps drive the drawing (through `controls_at`) and are the event log at once.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

# Where the controls stand unless a scene says otherwise. Lengths in cm, angles in degrees,
# gain and haze in dB, scale in cm/s; press, roll, inspire, jet, freeze and doppler from 0 to 1.
RESTING: dict[str, float] = {
    "slide": 0.0,  # along the body
    "shift": 0.0,  # across the body
    "rotate": 0.0,  # 0 transverse, 90 long axis
    "tilt": 0.0,
    "press": 0.0,
    "depth": 13.0,
    "gain": 0.0,
    "haze": -90.0,  # level of near-field reverberation
    "roll": 0.0,  # the patient turns to the side
    "inspire": 0.0,  # the patient breathes in deeply
    "jet": 0.0,  # urine enters the bladder: 1 from the left, 0 from the right of the picture
    "doppler": 0.0,
    "scale": 50.0,
    "freeze": 0.0,
    "calipers": 0.0,  # how many pairs are set
}


@dataclass(frozen=True)
class Change:
    """`control` goes to `value`, from `after` seconds into the step, within `over` seconds
    (0: at once)."""

    control: str
    value: float
    after: float = 0.0
    over: float = 0.0


@dataclass(frozen=True)
class Step:
    """One thing that happens: seconds from the start of the video."""

    start: float
    end: float
    action: str
    interpretation: str
    caption: str
    changes: tuple[Change, ...] = ()


@dataclass(frozen=True)
class Mcq:
    """A multiple-choice item on the steps `first` to `last`; `options[key]` is right."""

    kind: int
    first: int
    last: int
    stem: str
    options: tuple[str, str, str, str]
    key: int
    truth: str


@dataclass(frozen=True)
class Free:
    """A free-response item on the steps `first` to `last`."""

    kind: int
    first: int
    last: int
    stem: str
    answer: str
    truth: str


TYPES = {
    1: "Type1_ActionGoalReasoning",
    2: "Type2_ArtifactResolutionOptimization",
    3: "Type3_ProcedureContextPlanning",
}


@dataclass(frozen=True)
class Script:
    """A video: its steps, where the controls stand at first, and its items."""

    name: str
    title: str
    subtitle: str
    duration: float
    steps: tuple[Step, ...]
    mcq: tuple[Mcq, ...]
    free: tuple[Free, ...]
    at_first: Mapping[str, float] = field(default_factory=dict)


def controls_at(script: Script, seconds: float) -> dict[str, float]:
    """Return where every control stands at `seconds` from the start of the video."""
    now = RESTING | dict(script.at_first)
    for step in script.steps:
        for change in step.changes:
            share = _share(seconds - step.start - change.after, change.over)
            before = now[change.control]
            now[change.control] = before + (change.value - before) * share
    return now


def frozen_since(script: Script, seconds: float) -> float | None:
    """Return when the picture that stands at `seconds` was frozen, None while it is live."""
    since = None
    for step in script.steps:
        for change in step.changes:
            at = step.start + change.after
            if change.control == "freeze" and at <= seconds:
                since = at if change.value else None
    return since


def _share(passed: float, over: float) -> float:
    """Return how much of a change is done: slow, fast, slow."""
    if passed < 0:
        return 0.0
    if passed >= over:
        return 1.0
    part = passed / over
    return part * part * (3 - 2 * part)
