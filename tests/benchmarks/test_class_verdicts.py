"""The benchmark of verdicts on several classes runs, resumes, and fills its page."""

import joblib

from benchmarks import class_verdicts


def test_the_page_is_filled_and_a_second_run_fits_nothing(tmp_path, monkeypatch, capsys):
    """With two cells; development tasks leave the page as it is."""
    page = tmp_path / "page.md"
    page.write_text("\n".join(["before", class_verdicts.MARKS[0], class_verdicts.MARKS[1], ""]))
    monkeypatch.setattr(class_verdicts, "ROWS", 400)
    options = ["--quick", "--page", str(page), "--results", str(tmp_path)]
    with joblib.parallel_config(backend="sequential"):
        class_verdicts.main([*options, "--development"])
        assert "| situation |" not in page.read_text()
        class_verdicts.main(options)
        monkeypatch.setattr(class_verdicts, "judge", None)  # everything is known
        class_verdicts.main(options)
    assert capsys.readouterr().out.count("| situation |") == 3
    for situation in class_verdicts.SITUATIONS:
        assert page.read_text().count(f"| {situation.name} |") == 1
