"""Settings that make no sense are refused by name."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from sonovqa import env


@pytest.mark.parametrize(
    ("raw", "value"), [("1", True), ("yes", True), ("On", True), ("0", False), ("", False)]
)
def test_flag(monkeypatch, raw, value):
    monkeypatch.setenv("SONOVQA_X", raw)
    assert env.flag("SONOVQA_X") is value


def test_flag_refuses_what_is_neither_yes_nor_no(monkeypatch):
    monkeypatch.setenv("SONOVQA_X", "perhaps")
    with pytest.raises(ImproperlyConfigured, match="SONOVQA_X"):
        env.flag("SONOVQA_X")


@pytest.mark.parametrize("raw", ["many", "1.5", "-1", "99999", "1e3"])
def test_whole_refuses(monkeypatch, raw):
    monkeypatch.setenv("SONOVQA_X", raw)
    with pytest.raises(ImproperlyConfigured, match="SONOVQA_X"):
        env.whole("SONOVQA_X", 1, high=1000)


def test_whole_takes_its_default_where_nothing_is_set(monkeypatch):
    monkeypatch.delenv("SONOVQA_X", raising=False)
    assert env.whole("SONOVQA_X", 7) == 7


def test_choice(monkeypatch):
    monkeypatch.setenv("SONOVQA_X", "debug")
    assert env.choice("SONOVQA_X", "INFO", ("DEBUG", "INFO")) == "DEBUG"
    monkeypatch.setenv("SONOVQA_X", "loud")
    with pytest.raises(ImproperlyConfigured, match="SONOVQA_X"):
        env.choice("SONOVQA_X", "INFO", ("DEBUG", "INFO"))


def test_words(monkeypatch):
    monkeypatch.setenv("SONOVQA_X", " a, b ,,c")
    assert env.words("SONOVQA_X") == ["a", "b", "c"]


def test_pairs(monkeypatch):
    monkeypatch.setenv("SONOVQA_X", "a=reviewer, CN=heads =adjudicator,")
    assert env.pairs("SONOVQA_X") == {"a": "reviewer", "CN=heads": "adjudicator"}


@pytest.mark.parametrize("raw", ["reviewer", "=reviewer", "a=", "a=b,c"])
def test_pairs_refuses(monkeypatch, raw):
    monkeypatch.setenv("SONOVQA_X", raw)
    with pytest.raises(ImproperlyConfigured, match="SONOVQA_X"):
        env.pairs("SONOVQA_X")


def test_a_secret_comes_from_its_file_and_is_told_in_no_fault(monkeypatch, tmp_path):
    file = tmp_path / "secret"
    file.write_text("from the file\n")
    monkeypatch.setenv("SONOVQA_X", "from the variable")
    assert env.secret("SONOVQA_X", "SONOVQA_X_FILE") == "from the variable"
    monkeypatch.setenv("SONOVQA_X_FILE", str(file))
    assert env.secret("SONOVQA_X", "SONOVQA_X_FILE") == "from the file"
    file.write_bytes(b"\xff")
    with pytest.raises(ImproperlyConfigured, match="SONOVQA_X_FILE") as fault:
        env.secret("SONOVQA_X", "SONOVQA_X_FILE")
    assert "variable" not in str(fault.value)
