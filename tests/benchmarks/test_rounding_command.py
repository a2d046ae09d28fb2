"""The benchmark of rounding runs, and chance changes a map more than rounding."""

from benchmarks import rounding


def test_the_command_fills_its_page(tmp_path, capsys):
    """Between the marks: one line per calibrator, and the command."""
    page = tmp_path / "page.md"
    page.write_text(f"before\n{rounding.BEGIN}\nold\n{rounding.END}\nafter\n", encoding="utf-8")
    rounding.main(["--rows", "20000", "--page", str(page)])
    text = page.read_text(encoding="utf-8")
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "old" not in text
    assert "20,000 rows" in text
    for kind in rounding.CALIBRATORS:
        (line,) = [line for line in text.splitlines() if f"`{kind.__name__}`" in line]
        by_grid, _, by_chance, _ = (float(cell) for cell in line.split("|")[2:6])
        assert by_grid < by_chance
    assert "LWCal" in capsys.readouterr().out
