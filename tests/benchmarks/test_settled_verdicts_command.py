"""The benchmark of what settles a verdict runs, and fills its page."""

import joblib

from benchmarks import settled_verdicts


def test_the_page_is_filled(tmp_path, capsys):
    """With one line for each kind of evidence."""
    page = tmp_path / "page.md"
    page.write_text("\n".join(["before", *settled_verdicts.MARKS, ""]))
    with joblib.parallel_config(backend="sequential"):
        settled_verdicts.main(["--quick", "--page", str(page)])
    assert "tables, given" in capsys.readouterr().out
    for name in settled_verdicts.WAYS:
        assert page.read_text().count(f"| {name} |") == 1
