"""Pictures of several classes: small reliability diagrams, and a heat map of the noise matrix."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lwcal.multiclass.class_noise import ClassNoiseEstimate
from lwcal.noise.estimate import RateEstimate
from lwcal.report.chart_shapes import Frame, Point, Tick
from lwcal.report.charts import axis_end, band_of, diagonal, points_of
from lwcal.report.class_report_data import ClassPanel, ClassReportData

MOST_OF_MATRIX = 20
"""Classes that the heat map shows."""
LEVELS = (0.005, 0.02, 0.05, 0.1, 0.2, 0.4)
"""Shares from which on a cell is darker."""
MOST_LETTERS = 12
"""Of a name beside the heat map; the table has the whole name."""
NAMES_WIDTH, LETTER_HEIGHT, LEAST_HEIGHT = 118.0, 5.2, 24.0
"""Room for the names of rows; and for those of columns, which are turned."""
LARGE_CELL, SMALL_CELL = 46.0, 30.0
MOST_LARGE_CELLS = 12
OTHERS = "other classes"
TOO_FEW = "not known, because there are too few clear cases"


class PanelSide(NamedTuple):
    """One curve of a small diagram."""

    kind: str
    band: str
    line: str
    points: list[Point]


class PanelChart(NamedTuple):
    """A small reliability diagram with both curves."""

    name: str
    frame: Frame
    diagonal: str
    ticks: list[Tick]
    y_ticks: list[Tick]
    sides: list[PanelSide]


class HeatCell(NamedTuple):
    """A cell of the heat map, and what is said about it."""

    x: float
    y: float
    level: int
    text: str
    tip: str
    is_right: bool = False
    is_confused: bool = False


class HeatName(NamedTuple):
    """The name of a row or column, cut and whole."""

    text: str
    whole: str
    at: float = 0.0


class HeatMap(NamedTuple):
    """The noise matrix as coloured cells, with a true class in each row."""

    width: float
    height: float
    left: float
    top: float
    size: float
    cells: list[HeatCell]
    true: list[HeatName]
    labels: list[HeatName]


class MatrixRow(NamedTuple):
    """One true class in the table of the noise matrix."""

    name: str
    cells: list[tuple[str, str]]
    """Share and interval of each label; none if they are not known."""


class ShownMatrix(NamedTuple):
    """The part of a noise matrix that the page shows.

    Attributes
    ----------
    names : list of str
        Names of the labels; the last are all others, if some are left out.
    rows : list of MatrixRow
    left_out : int
        Number of classes without a row and column of their own.
    """

    names: list[str]
    rows: list[MatrixRow]
    left_out: int


def panel_chart(panel: ClassPanel) -> PanelChart:
    """Draw both curves of one class."""
    limit = axis_end(*panel.curves)
    frame = Frame(220.0, 196.0, 40.0, 212.0, 8.0, 166.0, limit)
    ends = (0.0, limit / 2, limit)
    return PanelChart(
        panel.name,
        frame,
        diagonal(frame),
        [Tick(frame.x(end), f"{end:g}") for end in ends],
        [Tick(frame.y(end), f"{end:g}") for end in ends],
        [
            PanelSide(
                kind,
                band_of(frame, curve),
                frame.path(curve.predicted, curve.observed),
                points_of(frame, curve),
            )
            for kind, curve in zip(("before", "after"), panel.curves, strict=True)
        ],
    )


def shown_classes(data: ClassReportData) -> list[int]:
    """Classes of the heat map, in the order of the columns.

    If there are too many, those of confused pairs come first, then the most frequent ones.
    """
    noise, shares = data.diagnosis.noise, data.diagnosis.label_shares
    places = {label: k for k, label in enumerate(noise.classes)}
    confused = [places[label] for pair in noise.confused for label in (pair.true, pair.label)]
    frequent = np.argsort(-np.array(shares), kind="stable").tolist()
    return sorted(list(dict.fromkeys([*confused, *frequent]))[:MOST_OF_MATRIX])


def heat_map(data: ClassReportData) -> HeatMap:
    """Draw the expected noise matrix, given that some labels are wrong."""
    noise, shown = data.diagnosis.noise, shown_classes(data)
    size = LARGE_CELL if len(shown) <= MOST_LARGE_CELLS else SMALL_CELL
    names = [_name(data, k) for k in shown]
    top = LEAST_HEIGHT + LETTER_HEIGHT * max(len(name.text) for name in names)
    confused = {(pair.true, pair.label) for pair in noise.confused}

    def cell(row: int, column: int) -> HeatCell:
        true, label = shown[row], shown[column]
        share, x, y = (
            float(noise.matrix[true, label]),
            NAMES_WIDTH + column * size,
            top + row * size,
        )
        about = f"true {data.names[true]}, labelled {data.names[label]}"
        if not _is_known(noise, true):
            return HeatCell(x, y, 0, "?", f"{about}: {TOO_FEW}")
        return HeatCell(
            x,
            y,
            _level(share),
            "" if share < LEVELS[0] else f"{100 * share:.0f}",
            f"{about}: {share:.1%} ({_interval(noise, true, label)})",
            true == label,
            (noise.classes[true], noise.classes[label]) in confused,
        )

    places = range(len(shown))
    return HeatMap(
        NAMES_WIDTH + len(shown) * size + 4.0,
        top + len(shown) * size + 4.0,
        NAMES_WIDTH,
        top,
        size,
        [cell(row, column) for row in places for column in places],
        [name._replace(at=top + (place + 0.5) * size) for place, name in enumerate(names)],
        [name._replace(at=NAMES_WIDTH + (place + 0.5) * size) for place, name in enumerate(names)],
    )


def shown_matrix(data: ClassReportData) -> ShownMatrix:
    """Write the same matrix as a table, with intervals."""
    noise, shown = data.diagnosis.noise, shown_classes(data)
    left_out = len(data.names) - len(shown)
    rows = []
    for true in shown:
        if not _is_known(noise, true):
            rows.append(MatrixRow(data.names[true], []))
            continue
        cells = [(f"{noise.matrix[true, k]:.1%}", _interval(noise, true, k)) for k in shown]
        if left_out:
            rest = 1.0 - float(noise.matrix[true, shown].sum())
            cells.append((f"{max(rest, 0.0):.1%}", ""))
        rows.append(MatrixRow(data.names[true], cells))
    names = [data.names[k] for k in shown]
    return ShownMatrix([*names, OTHERS] if left_out else names, rows, left_out)


def _name(data: ClassReportData, k: int) -> HeatName:
    whole = data.names[k]
    text = whole if len(whole) <= MOST_LETTERS else f"{whole[: MOST_LETTERS - 1]}…"
    return HeatName(text, whole)


def _is_known(noise: ClassNoiseEstimate, k: int) -> bool:
    return noise.rates[k].value is not None


def _interval(noise: ClassNoiseEstimate, true: int, label: int) -> str:
    low, high = (float(part[true, label]) for part in (noise.low, noise.high))
    return RateEstimate(None, low, high, clear_cases=1.0).interval


def _level(share: float) -> int:
    return int(np.searchsorted(np.array(LEVELS), share, side="right"))
