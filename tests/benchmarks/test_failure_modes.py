"""The page on the noise-aware model shows the numbers of its benchmark."""

from benchmarks import failure_modes


def test_the_page_holds_what_is_measured():
    """Measure the fastest row of the table again."""
    (sixty,) = [s for s in failure_modes.SITUATIONS if s.title == "sixty rows"]
    measured = failure_modes.measure(sixty)
    names = [*failure_modes.SHOWN, "clean posterior"]
    row = "| sixty rows | " + " | ".join(f"{measured[name]:.3f}" for name in names) + " |"
    assert row in failure_modes.PAGE.read_text(encoding="utf-8")


def test_the_picture_shows_every_situation():
    """Four panels, each with the clean posterior and both calibrators."""
    figure = failure_modes.picture()
    assert [axes.get_title() for axes in figure.axes] == [
        situation.title for situation in failure_modes.SITUATIONS
    ]
    for axes in figure.axes:
        assert {"clean posterior", "NoiseAware", "Auto"} <= {
            line.get_label() for line in axes.get_lines()
        }


def test_the_command_rewrites_picture_and_table(tmp_path, monkeypatch):
    """It replaces only the text between the marks."""
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- failure modes -->\nold\n<!-- end -->\nafter\n")
    monkeypatch.setattr(failure_modes, "PAGE", page)
    monkeypatch.setattr(failure_modes, "PICTURE", tmp_path / "images" / "p.svg")
    monkeypatch.setattr(failure_modes, "SEEDS", 1)
    monkeypatch.setattr(failure_modes, "SITUATIONS", failure_modes.SITUATIONS[-1:] * 4)
    failure_modes.main()
    text = page.read_text()
    assert text.startswith("before\n<!-- failure modes -->\n| situation |")
    assert text.endswith("<!-- end -->\nafter\n")
    assert "old" not in text
    assert (tmp_path / "images" / "p.svg").stat().st_size > 1000
