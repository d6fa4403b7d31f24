"""Names of videos in files: which spellings mean one video; a title and a category from a name."""

import difflib
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

LONGEST_NAME = 200  # with "score_pred_" and ".json" it is still a file name everywhere
UNSAFE = re.compile(r"[/\\\x00-\x1f\x7f]")
# A tag that one spelling has and another lacks, such as "CC"; a number is another video.
TAG = re.compile(r"[a-z]{1,4}")
# The first line with a word of the name wins.
CATEGORIES = {
    "Obstetrics": "trimester pregnancy fetus fetal gestational placenta",
    "Musculoskeletal": "tendon achilles knee hip shoulder femoris ankle elbow muscle",
    "Heart": "cardiac heart parasternal echo echocardiography",
    "Vessels": "carotid vertebral dvt aorta aortic vein veins artery arteries",
    "Lung": "lung lungs pleura pleural",
    "Urinary tract": "kidney kidneys renal bladder urinary prostate",
    "Neck": "thyroid neck parathyroid",
    "Abdomen": "abdomen abdominal liver gallbladder pancreas spleen appendix gi gastrointestinal"
    " bowel biliary",
}


@dataclass(frozen=True)
class Match:
    """The video that a file means. `how` is empty where the name is spelled as the video's."""

    video: str
    how: str = ""


def words(name: str) -> tuple[str, ...]:
    """Return the lower-case words of a name, without its punctuation and spaces."""
    return tuple(re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", name).casefold()))


def problem_with(name: str) -> str:
    """Say why `name` cannot name a video's files; empty where it can."""
    if not words(name) or UNSAFE.search(name) or name.startswith("."):
        return "is no name for a file"
    if len(name.encode()) > LONGEST_NAME:
        return f"is longer than {LONGEST_NAME} bytes"
    return ""


def match_names(names: Iterable[str], videos: Iterable[str]) -> dict[str, Match | None]:
    """Say which video each name of a folder means; None where no single video is meant.

    A name means the video spelled like it; else the only one with the same words; else the
    only one whose words differ by one short tag at the end, if no better name claims it.
    """
    names, videos = list(names), list(videos)
    known = set(videos)
    found: dict[str, Match | None] = {name: Match(name) for name in names if name in known}
    for how, keys in (
        ("spelled otherwise", _whole),
        ("spelled otherwise, without a tag at its end", _with_and_without_a_tag),
    ):
        taken = {match.video for match in found.values() if match}
        alike: dict[tuple[str, ...], set[str]] = {}
        for video in videos:
            for key in keys(video) if video not in taken else ():
                alike.setdefault(key, set()).add(video)
        for name in names:
            if found.get(name) is None:
                close = set().union(*(alike.get(key, ()) for key in keys(name)))
                found[name] = Match(close.pop(), how) if len(close) == 1 else None
        _drop_rivals(found, how)
    return found


def closest(name: str, videos: Iterable[str]) -> str:
    """Return the known video name that is most like `name`, or ""."""
    near = difflib.get_close_matches(name, list(videos)[:2000], n=1)
    return near[0] if near else ""


def _whole(name: str) -> list[tuple[str, ...]]:
    return [words(name)]


def _with_and_without_a_tag(name: str) -> list[tuple[str, ...]]:
    found = words(name)
    return [found, found[:-1]] if found[1:] and TAG.fullmatch(found[-1]) else [found]


def _drop_rivals(found: dict[str, Match | None], how: str) -> None:
    """Two names that mean one video equally well mean none."""
    claims: dict[str, list[str]] = {}
    for name, match in found.items():
        if match and match.how == how:
            claims.setdefault(match.video, []).append(name)
    for rivals in claims.values():
        if len(rivals) > 1:
            found.update(dict.fromkeys(rivals))


def title_from(name: str) -> str:
    """Return a readable title: underscores become spaces, trailing dots go."""
    return " ".join(name.replace("_", " ").split()).rstrip(". ") or name


def category_from(name: str) -> str:
    """Guess the body region from the words of a name; "" where none is known."""
    found = words(name)
    for category, keys in CATEGORIES.items():
        if not set(keys.split()).isdisjoint(found):
            return category
    return ""
