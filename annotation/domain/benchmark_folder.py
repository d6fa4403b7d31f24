"""Reads a folder in the published layout, one video at a time."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotation.domain.benchmark_files import (
    METADATA,
    EventRow,
    ItemRow,
    VideoRow,
    item_doubts,
    read_event,
    read_item,
    read_video,
    video_doubts,
)
from annotation.domain.folders import NotAFolder, check_folder, json_files
from annotation.domain.import_report import ImportReport
from annotation.domain.rows import Finding
from annotation.domain.strict_json import BadJson, read_json
from annotation.domain.video_names import closest, match_names

# What a video's files hold: (folder, what stands before the video's name in a file name).
FOLDERS = {
    "mcq": ("benchmark_questions/mcq", ""),
    "free": ("benchmark_questions/free", ""),
    "events": ("gt_all", "gt_"),
}
KINDS = ("mcq", "free")


@dataclass
class VideoFiles:
    """A video's metadata and its files by what they hold ("mcq", "free", "events")."""

    row: VideoRow
    raw: dict[str, Any]
    paths: dict[str, Path] = field(default_factory=dict)

    @property
    def spellings(self) -> dict[str, str]:
        """Return how the layout names this video, by what the file holds."""
        names = {
            what: path.stem.removeprefix(FOLDERS[what][1]) for what, path in self.paths.items()
        }
        return {"metadata": self.row.name, **names}


@dataclass
class VideoContent:
    """The good rows of a video's files. `lengths` counts all rows of each file that could be
    read; `unread` names those that are there but could not."""

    items: list[ItemRow] = field(default_factory=list)
    events: list[EventRow] = field(default_factory=list)
    lengths: dict[str, int] = field(default_factory=dict)
    unread: set[str] = field(default_factory=set)


def file_name(what: str, spelling: str) -> str:
    """Return the path, below the benchmark's folder, of the file that holds `what`."""
    folder, prefix = FOLDERS[what]
    return f"{folder}/{prefix}{spelling}.json"


def read_videos(path: Path, report: ImportReport) -> list[VideoFiles]:
    """Return the videos of the benchmark at `path`, in the order of the metadata.

    What is refused or mapped goes into `report`. Raises NotAFolder where this is no
    benchmark, and BadJson where its metadata cannot be read.
    """
    folder = check_folder(path, "a benchmark")
    if not (folder / METADATA).exists():
        raise NotAFolder(f"{folder} holds no {METADATA}, so it is no benchmark.")
    metadata = read_json(folder / METADATA)
    if not isinstance(metadata, dict):
        raise BadJson(METADATA, "", "is not an object of videos by name")
    videos: dict[str, VideoFiles] = {}
    for name, value in metadata.items():
        report.tally("videos").read += 1
        row = read_video(name, value)
        if isinstance(row, list):
            report.refuse("videos", row)
        else:
            videos[name] = VideoFiles(row, value)
            report.doubts.add(*video_doubts(row))
    for what in FOLDERS:
        _assign_files(folder, what, videos, list(metadata), report)
    return list(videos.values())


def _assign_files(
    folder: Path,
    what: str,
    videos: dict[str, VideoFiles],
    names: list[str],
    report: ImportReport,
) -> None:
    label, prefix = FOLDERS[what]
    files, refused = json_files(folder / label, label=label)
    if not (folder / label).exists():
        report.doubts.add(Finding(label, "", "", "is not in the benchmark's folder"))
    for finding in refused:
        report.refuse("files", [finding])
    stems = {path.stem.removeprefix(prefix): path for path in files if path.stem.startswith(prefix)}
    for path in files:
        if not path.stem.startswith(prefix):
            reason = f"does not start with {prefix}"
            report.refuse("files", [Finding(f"{label}/{path.name}", "", "", reason)])
    for stem, match in match_names(stems, names).items():
        path = stems[stem]
        shown = f"{label}/{path.name}"
        if match is None or match.video not in videos:
            report.refuse("files", [Finding(shown, "", "", _no_video(stem, match, names))])
            continue
        report.tally("files").read += 1
        videos[match.video].paths[what] = path
        if match.how:
            report.mapped.add(Finding(shown, "", "", f"{match.how}: {match.video}"))


def _no_video(stem: str, match: object, names: list[str]) -> str:
    if match is not None:
        return f"its video in {METADATA} was refused"
    near = closest(stem, names)
    return f"no video in {METADATA} has this name" + (f"; the closest is {near}" if near else "")


def read_content(files: VideoFiles, report: ImportReport) -> VideoContent:
    """Read the files of one video; what is refused or doubted goes into `report`."""
    content = VideoContent()
    for what, path in files.paths.items():
        shown = f"{FOLDERS[what][0]}/{path.name}"
        rows = read_rows(path, shown, report)
        if rows is None:
            content.unread.add(what)
            continue
        content.lengths[what] = len(rows)
        for place, value in enumerate(rows):
            report.tally(what).read += 1
            _read_row(content, files.row, what, place, value, shown, report)
    return content


def read_rows(path: Path, shown: str, report: ImportReport) -> list[Any] | None:
    """Return the rows of a file that holds a list, or None where the file is refused."""
    try:
        rows = read_json(path, name=shown)
    except BadJson as error:
        report.refuse("files", [Finding(error.name, error.position, "", error.reason)])
        return None
    if not isinstance(rows, list):
        report.refuse("files", [Finding(shown, "", "", "is not a list of rows")])
        return None
    return rows


def _read_row(
    content: VideoContent,
    video: VideoRow,
    what: str,
    place: int,
    value: Any,
    shown: str,
    report: ImportReport,
) -> None:
    if what == "events":
        event = read_event(place, value, file=shown)
        if isinstance(event, list):
            report.refuse(what, event)
        else:
            content.events.append(event)
        return
    item = read_item(what, place, value, file=shown)
    if isinstance(item, list):
        report.refuse(what, item)
    else:
        content.items.append(item)
        report.doubts.add(*item_doubts(item, video, file=shown))
