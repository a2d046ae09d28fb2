"""The benchmark of verdicts by checked labels runs, resumes, and fills its page."""

import joblib

from benchmarks import class_checks


def test_the_page_is_filled_and_a_second_run_fits_nothing(tmp_path, monkeypatch, capsys):
    """With two cells; development tasks leave the page as it is."""
    page = tmp_path / "page.md"
    page.write_text("\n".join(["before", *class_checks.MARKS, ""]))
    monkeypatch.setattr(class_checks, "ROWS", 400)
    monkeypatch.setattr(class_checks, "CHECKED", (25,))
    options = ["--quick", "--page", str(page), "--results", str(tmp_path)]
    with joblib.parallel_config(backend="sequential"):
        class_checks.main([*options, "--development"])
        assert "| situation |" not in page.read_text()
        class_checks.main(options)
        monkeypatch.setattr(class_checks, "judge", None)  # everything is known
        class_checks.main(options)
    assert capsys.readouterr().out.count("| situation |") == 3
    for situation in class_checks.SITUATIONS.values():
        assert page.read_text().count(f"| {situation} | 25 |") == 1


def test_a_sure_change_in_the_wrong_direction_misleads():
    """Small changes, and intervals that leave it open, do not."""
    one = {"by_row": True, "checked": 25, "action": "keep raw"}
    cases = [(0.7, [-0.4, -0.1]), (0.99, [-0.4, -0.1]), (1.1, [0.1, 0.2]), (0.7, [-0.4, 0.4])]
    verdicts = [{**one, "ratio": ratio, "interval": ends} for ratio, ends in cases]
    line = next(iter(class_checks.lines(verdicts)))
    assert line[:3] == ["wrong labels depend on the row", "25", "0 of 4"]
    assert line[-2:] == ["25%", "2"]
