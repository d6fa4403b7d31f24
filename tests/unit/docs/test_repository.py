"""Habits of the whole tree that no linter checks."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
TEXT = {".py", ".md", ".toml", ".txt", ".html", ".css", ".js", ".sh", ".yml", ".svg", ""}


def tracked() -> list[Path]:
    out = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if out.returncode:
        pytest.skip("not a git clone")
    return [ROOT / name for name in out.stdout.split("\0") if name and (ROOT / name).is_file()]


def texts() -> list[tuple[Path, str]]:
    here = Path(__file__).resolve()
    return [
        (path.relative_to(ROOT), path.read_text(encoding="utf-8"))
        for path in tracked()
        if path.suffix in TEXT and path != here
    ]


def test_the_top_level_is_what_the_design_says():
    allowed = {
        *(".ci", ".gitignore", "annotation", "benchmarks", "deploy", "docs", "evaluation"),
        *("manage.py", "pyproject.toml", "requirements.txt", "sonovqa", "static", "templates"),
        *("tests", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md"),
    }
    assert {path.relative_to(ROOT).parts[0] for path in tracked()} <= allowed


def test_no_file_is_named_after_nothing():
    vague = {"utils.py", "helpers.py", "common.py", "services.py", "misc.py"}
    assert [path for path in tracked() if path.name in vague] == []


def test_nothing_is_left_for_later():
    pattern = re.compile(r"(#|//|/\*|<!--)\s*(TODO|FIXME|XXX|HACK)\b|raise NotImpl")
    assert [str(path) for path, text in texts() if pattern.search(text)] == []


def test_yt_dlp_takes_no_code_from_elsewhere():
    pattern = re.compile(r"ejs:(github|npm)")
    assert [str(p) for p, text in texts() if p.suffix == ".py" and pattern.search(text)] == []


def test_templates_need_no_unsafe_policy():
    pattern = re.compile(
        r"\sstyle=|\son[a-z]+=\"|<style\b|<script(?![^>]*(nonce=|src=|type=\"appl))"
    )
    pages = [(path, text) for path, text in texts() if path.parts[0] == "templates"]

    assert pages
    assert [str(path) for path, text in pages if pattern.search(text)] == []


def test_pages_fetch_nothing_from_other_hosts():
    pattern = re.compile(r"(src|href)=\"https?://[^\"]+\.(js|css|woff2?)\"|@import|url\(https?:")
    assert [str(p) for p, text in texts() if pattern.search(text) and p.suffix != ".py"] == []


def test_requirements_are_pinned_and_name_no_host():
    for name in ("requirements.txt", "tests/requirements.txt"):
        for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
            bare = line.split("#")[0].strip()
            if bare and bare != "-r ../requirements.txt":
                assert re.fullmatch(r"[A-Za-z0-9_.-]+(\[[a-z,]+\])?==[A-Za-z0-9_.]+", bare), line


def test_every_direct_requirement_says_why():
    for name in ("requirements.txt", "tests/requirements.txt"):
        direct = (ROOT / name).read_text(encoding="utf-8").split("# What they bring")[0]
        for line in direct.splitlines():
            assert "==" not in line or "  # " in line, line
