"""The benchmark of copies fills its page."""

from benchmarks import near_copies


def test_the_page_is_filled(tmp_path, monkeypatch, capsys):
    """With one kind of each."""
    page = tmp_path / "page.md"
    page.write_text("\n".join(["before", *near_copies.MARKS, ""]))
    monkeypatch.setattr(near_copies, "APART", {"apart": near_copies.Kind(n=200, labels=150)})
    monkeypatch.setattr(near_copies, "COPIED", {"copied": near_copies.Kind(n=500, copied=0.9)})
    near_copies.main(["--quick", "--page", str(page)])
    assert "copied | 100% | 0%" in capsys.readouterr().out
    assert "| apart |" in page.read_text()
