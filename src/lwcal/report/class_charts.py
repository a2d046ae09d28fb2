"""Pictures of several classes: small reliability diagrams, and a heat map of the noise matrix."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lwcal.multiclass.class_noise import ClassNoiseEstimate
from lwcal.noise.estimate import RateEstimate
from lwcal.report.chart_shapes import Frame, Point, Tick
from lwcal.report.charts import axis_end, band_of, diagonal, points_of
from lwcal.report.class_report_data import ClassPanel, ClassReportData
from lwcal.report.heat_maps import Content, HeatMap, draw_matrix

MOST_OF_MATRIX = 20
"""Classes that the heat map shows."""
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
    confused = {(pair.true, pair.label) for pair in noise.confused}

    def content(row: int, column: int) -> Content:
        true, label = shown[row], shown[column]
        if not _is_known(noise, true):
            return Content(None)
        pair = (noise.classes[true], noise.classes[label])
        share = float(noise.matrix[true, label])
        return Content(share, _interval(noise, true, label), pair in confused)

    return draw_matrix([data.names[k] for k in shown], content, TOO_FEW)


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


def _is_known(noise: ClassNoiseEstimate, k: int) -> bool:
    return noise.rates[k].value is not None


def _interval(noise: ClassNoiseEstimate, true: int, label: int) -> str:
    low, high = (float(part[true, label]) for part in (noise.low, noise.high))
    return RateEstimate(None, low, high, clear_cases=1.0).interval
