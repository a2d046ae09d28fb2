"""The picture of the speed benchmark."""

import pytest
from benchmarks.methods import LWCAL
from benchmarks.picture import _in_words, draw, write_picture

from benchmarks import grid
from tests.benchmarks.made_up import grid_results


def test_the_same_numbers_give_the_same_bytes(tmp_path):
    """Without a date, and with the text as text."""
    paths = [tmp_path / name for name in ("one.svg", "two.svg", "other.svg")]
    for path, slow in zip(paths, ({}, {}, {(100, LWCAL): 2.0}), strict=True):
        write_picture(grid_results(slow=slow), path)
    one, two, other = (path.read_text(encoding="utf-8") for path in paths)
    assert one == two != other
    assert "dc:date" not in one
    for name in (*grid.METHODS, "rows"):
        assert f">{name}</text>" in one


def test_each_line_is_the_time_per_row():
    """As many points as sizes were measured."""
    made = grid_results(sizes=grid.within(0, 700), faster=4.0)
    (axes,) = draw(made).axes
    lines = {line.get_label(): line for line in axes.lines}
    assert list(lines) == list(grid.METHODS)
    assert list(lines[LWCAL].get_xdata()) == [100, 200, 300, 500, 700]
    assert lines[LWCAL].get_ydata() == pytest.approx([0.25e-7] * 5)


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(5e-10, "0.5 ns"), (2e-8, "20 ns"), (1e-6, "1 µs"), (2e-3, "2 ms"), (5.0, "5000 ms")],
)
def test_times_have_units(seconds, shown):
    """So that ticks have few digits."""
    assert _in_words(seconds) == shown
