"""The benchmark of what settles a verdict runs, and fills its page."""

import joblib

from benchmarks import settled_verdicts


def test_the_page_is_filled(tmp_path, monkeypatch, capsys):
    """With one line for each kind of evidence, of one table whose verdict was open."""
    monkeypatch.setattr(settled_verdicts, "ROWS", (300,))
    monkeypatch.setattr(settled_verdicts, "QUICK_TABLES", 1)
    page = tmp_path / "page.md"
    page.write_text("\n".join(["before", *settled_verdicts.MARKS, ""]))
    with joblib.parallel_config(backend="sequential"):
        settled_verdicts.main(["--quick", "--page", str(page)])
    assert "| 1 tables, given |" in capsys.readouterr().out
    for name in settled_verdicts.WAYS:
        (line,) = [line for line in page.read_text().splitlines() if line.startswith(f"| {name} |")]
        assert sum(map(int, line.split(" | ")[1:4])) == 1  # one of three verdicts
