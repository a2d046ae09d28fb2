"""The benchmark of intervals of reviewers fills its page."""

from benchmarks import reviewer_intervals


def test_the_page_is_filled(tmp_path, monkeypatch, capsys):
    """With one kind: intervals hold where no error is shared."""
    page = tmp_path / "page.md"
    page.write_text("\n".join(["before", *reviewer_intervals.MARKS, ""]))
    kinds = {"five labels": reviewer_intervals.Kind(n=300, reviewers=5)}
    monkeypatch.setattr(reviewer_intervals, "KINDS", kinds)
    reviewer_intervals.main(["--quick", "--page", str(page)])
    _, reported, alone = capsys.readouterr().out.strip().split(" | ")
    assert int(reported.rstrip("%")) >= 75
    assert int(alone.rstrip("%")) >= 75
    assert "| five labels |" in page.read_text()
