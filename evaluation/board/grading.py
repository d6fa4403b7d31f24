"""Puts the page of one answer together, from what a blind grader may see alone."""

from typing import Any

from annotation.domain.question_texts import type_label
from annotation.models import User
from annotation.queries.answering import answering
from annotation.queries.event_log import event_log
from annotation.queries.stage import stage_data
from annotation.queries.withheld import withheld_player
from evaluation.domain.rubric import SYSTEM
from evaluation.queries.grading_room import Desk, Place, Shown, standing_grade

AROUND = 25  # places listed before and after the present one
SCORES = (
    (2, "keep", "Both", "conclusion and evidence agree with the reference"),
    (1, "unsure", "One", "one of the two agrees, the other is wrong or missing"),
    (0, "drop", "Neither", "neither agrees, or it does not answer"),
)
ERRORS = (
    (3, "wrong_conclusion", "Conclusion wrong or missing"),
    (4, "wrong_visual_evidence", "Evidence wrong or missing"),
    (5, "both_fail", "Both wrong or missing"),
)


def answer_context(user: User, desk: Desk, shown: Shown) -> dict[str, Any]:
    """Return the context of `evaluation/grading.html`. A bounded number of queries."""
    version, item = shown.version, shown.version.item
    withheld = withheld_player(item.video)
    log = event_log(user, item, answering(user, item))
    here = next(place for place in desk.places if place.answer_id == shown.answer.pk)
    return {
        "desk": desk,
        "place": here,
        "listed": listed(desk.places, here),
        "answer": shown,
        "version": version,
        "item": item,
        "video": item.video,
        "type": type_label(version.question_type),
        "own": standing_grade(shown.answer.pk, user),
        "previous": desk.beside(here.answer_id, -1),
        "following": desk.beside(here.answer_id, 1),
        "scores": SCORES,
        "errors": ERRORS,
        "rubric": SYSTEM.get(desk.sample.rubric_version, ""),
        "withheld": withheld,
        "stage_data": None if withheld else stage_data(item, version, log),
        "fixed_window": True,
        "nav_active": "grading",
    }


def listed(places: list[Place], here: Place) -> list[Place]:
    """Return the places around the present one."""
    at = here.number - 1
    return places[max(0, at - AROUND) : at + AROUND + 1]
