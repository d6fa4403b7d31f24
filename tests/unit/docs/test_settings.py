"""docs/settings.md and the code name the same variables of the environment."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
READERS = {
    "text",
    "flag",
    "whole",
    "number",
    "words",
    "folder",
    "place",
    "choice",
    "pairs",
    "redis",
    "secret",
}


def documented() -> set[str]:
    text = (ROOT / "docs/settings.md").read_text(encoding="utf-8")
    return set(re.findall(r"^\| `([A-Z0-9_]+)` \|", text, re.MULTILINE))


def read_in(path: Path) -> set[str]:
    """The names that a file reads through `env.<reader>("NAME")`."""
    return {
        name.value
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "env"
        and node.func.attr in READERS
        for name in node.args[: 2 if node.func.attr == "secret" else 1]
        if isinstance(name, ast.Constant)
    }


def sources() -> list[Path]:
    return [
        path
        for room in ("sonovqa", "annotation", "evaluation")
        for path in sorted((ROOT / room).rglob("*.py"))
    ]


def test_every_variable_that_is_read_is_documented_and_the_other_way_round():
    read = set().union(*map(read_in, sources()))

    assert read == documented()


def test_the_environment_is_read_in_one_place():
    """Elsewhere it is handed on to children, asked for proxies or for a key by its name."""
    pattern = re.compile(r"os\.environ\.get\(\"|os\.environ\[\"|os\.getenv\(\"")
    strays = [
        str(path.relative_to(ROOT))
        for path in sources()
        if path.name != "env.py" and pattern.search(path.read_text(encoding="utf-8"))
    ]

    assert strays == []
