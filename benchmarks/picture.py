"""Draw the time of a fit per row against the number of rows."""

from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from benchmarks.grid import METHODS, seconds
from benchmarks.methods import GATED, ISOTONIC, LWCAL, SKLEARN, SORT
from benchmarks.results import GRID, Results
from lwcal_study.files import replacing

STYLES = {
    LWCAL: ("#0072b2", "o", "-"),
    GATED: ("#cc79a7", "D", "-"),
    ISOTONIC: ("#009e73", "^", "-"),
    SKLEARN: ("#d55e00", "s", "-"),
    SORT: ("0.45", None, "--"),
}
"""Colours of Okabe and Ito, which colour-blind readers can tell apart, with markers and lines."""
UNITS = ((1e9, "ns"), (1e6, "µs"), (1e3, "ms"))


def write_picture(results: Results, target: Path) -> None:
    """Write an SVG with its text as text. The same numbers give the same bytes."""
    reproducible = {"svg.hashsalt": "lwcal", "svg.fonttype": "none"}
    with mpl.rc_context(reproducible), replacing(target) as temporary:
        draw(results).savefig(temporary, format="svg", metadata={"Date": None})


def draw(results: Results) -> Figure:
    """One line per method, with both axes logarithmic."""
    figure = Figure(figsize=(8, 4.8), layout="constrained")
    axes = figure.subplots()
    for name in METHODS:
        colour, marker, line = STYLES[name]
        timed = [(n, seconds(results, n, name)) for n in results.sizes(GRID)]
        points = [(n, value / n) for n, value in timed if value is not None]
        axes.plot(
            *zip(*points, strict=True), color=colour, marker=marker, ls=line, ms=4, label=name
        )
    axes.set(xscale="log", yscale="log", xlabel="rows", ylabel="time of a fit per row")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda rows, _: f"{rows:,.0f}"))
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: _in_words(value)))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_formatter(NullFormatter())
    axes.grid(color="0.92")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    return figure


def _in_words(value: float) -> str:
    """A time with the unit that makes it at least 1 and less than 1,000, as far as there is one."""
    factor, unit = next((pair for pair in UNITS if value * pair[0] < 999.5), UNITS[-1])
    return f"{value * factor:g} {unit}"
