"""The benchmarks of segments run, and fill their page."""

import joblib

from benchmarks import many_segments, pooling


def page_with(folder, marks):
    """A page with something old between its marks."""
    page = folder / "page.md"
    page.write_text("\n".join(["before", marks[0], "old", marks[1], "after", ""]))
    return page


def test_pooling_fills_its_page(tmp_path, monkeypatch, capsys):
    """A line for each kind of difference, for judged and development tasks."""
    kinds = {name: pooling.KINDS[name] for name in ("nothing", "base rates")}
    monkeypatch.setattr(pooling, "KINDS", kinds)
    monkeypatch.setattr(pooling, "CALIBRATORS", {"Isotonic": pooling.lwcal.Isotonic})
    monkeypatch.setattr(pooling, "BEST_ROWS", 1000)
    monkeypatch.setattr(pooling, "SEGMENTS", 12)
    page = page_with(tmp_path, pooling.MARKS)
    with joblib.parallel_config(backend="sequential"):
        pooling.main(["--quick", "--page", str(page)])
    text = page.read_text()
    assert "old" not in text
    for kind in kinds:
        assert text.count(f"| {kind} |") == 2
    assert "Judged tasks" in capsys.readouterr().out


def test_one_part_writes_nothing(tmp_path, monkeypatch):
    """So that a method can be chosen without seeing the judged tasks."""
    monkeypatch.setattr(pooling, "KINDS", {"nothing": pooling.Kind()})
    monkeypatch.setattr(pooling, "CALIBRATORS", {"Isotonic": pooling.lwcal.Isotonic})
    monkeypatch.setattr(pooling, "SEGMENTS", 12)
    page = page_with(tmp_path, pooling.MARKS)
    with joblib.parallel_config(backend="sequential"):
        pooling.main(["--quick", "--part", "development", "--page", str(page)])
    assert "old" in page.read_text()


def test_many_segments_fills_its_page(tmp_path):
    """With ratios to one GROUP BY."""
    page = page_with(tmp_path, many_segments.MARKS)
    many_segments.main(["--quick", "--page", str(page)])
    assert "| 20,000 | 100 |" in page.read_text()
