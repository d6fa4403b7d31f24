"""Lists the files of a folder that somebody gave us, and nothing that only looks like one."""

from pathlib import Path

from annotation.domain.rows import Finding

MOST_FILES = 20_000


class NotAFolder(ValueError):
    """A path that cannot be read as what it should be; the message is one sentence."""


def check_folder(path: Path, what: str) -> Path:
    """Return `path`, or raise NotAFolder where it is missing or not a folder."""
    try:
        if path.is_dir():
            return path
        problem = "is a file, not a folder" if path.exists() else "does not exist"
    except (OSError, ValueError) as error:
        problem = f"cannot be read ({error})"
    raise NotAFolder(f"{path} {problem}; give the folder of {what}.")


def json_files(folder: Path, *, label: str) -> tuple[list[Path], list[Finding]]:
    """Return the JSON files of `folder` in order of name, and what is refused.

    A folder or a symbolic link named like a file is refused; names without .json are passed
    over. `label` names the folder in findings. A missing folder has no files.
    """
    if folder.is_symlink():
        return [], [Finding(label, "", "", "is a symbolic link; copy the folder itself")]
    if not folder.is_dir():
        return [], []
    files: list[Path] = []
    refused: list[Finding] = []
    for path in sorted(folder.iterdir()):
        if path.suffix != ".json":
            continue
        if path.is_symlink():
            refused.append(Finding(f"{label}/{path.name}", "", "", "is a symbolic link"))
        elif not path.is_file():
            refused.append(Finding(f"{label}/{path.name}", "", "", "is not a regular file"))
        else:
            files.append(path)
    if len(files) > MOST_FILES:
        reason = f"holds {len(files)} files; the first {MOST_FILES} are read"
        refused.append(Finding(label, "", "", reason))
    return files[:MOST_FILES], refused
