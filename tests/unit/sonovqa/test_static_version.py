from sonovqa.static_version import static_version


def test_it_changes_with_any_file_and_with_nothing_else(tmp_path):
    (tmp_path / "ui").mkdir()
    (tmp_path / "ui/a.js").write_text("a")
    first = static_version(tmp_path)
    assert first == static_version(tmp_path) and len(first) == 12

    (tmp_path / "ui/a.js").touch()
    assert static_version(tmp_path) == first
    (tmp_path / "ui/a.js").write_text("b")
    second = static_version(tmp_path)
    (tmp_path / "ui/a.js").rename(tmp_path / "ui/b.js")
    assert len({first, second, static_version(tmp_path)}) == 3


def test_a_browser_may_keep_static_files_for_good(client, settings):
    answer = client.get(f"{settings.STATIC_URL}ui/keys.js")
    assert answer.status_code == 200
    assert "immutable" in answer["Cache-Control"]
