"""Pictures of reviewers: the interval of each, and the matrix of each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lwcal.estimates import whole_percent
from lwcal.noise.estimate import RateEstimate
from lwcal.report.chart_shapes import Frame, RateRange, RatesChart
from lwcal.report.heat_maps import Content, HeatMap, cut, draw_matrix
from lwcal.report.rows import class_text
from lwcal.reviews.summary import ReviewerEstimate, ReviewSummary

MOST_CLASSES = 6
"""Classes that the matrix of a reviewer shows."""
MOST_LETTERS = 20
"""Of a name beside its interval; the table has the whole name."""
WIDTH, NAMES_WIDTH, LINE_HEIGHT, ABOVE, BELOW = 440.0, 126.0, 24.0, 8.0, 40.0
LIMITS = (0.04, 0.08, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Possible ends of the axis. Each has four parts with round ends."""


class ReviewerMatrix(NamedTuple):
    """The matrix of one reviewer, and the number of labels it rests on."""

    name: str
    labels: float
    heat: HeatMap


def intervals_chart(summary: ReviewSummary) -> RatesChart:
    """Draw the share of wrong labels of every reviewer, in the order of the table."""
    most = max(one.wrong.high for one in summary.reviewers)
    bottom = ABOVE + LINE_HEIGHT * len(summary.reviewers)
    frame = Frame(
        width=WIDTH,
        height=bottom + BELOW,
        left=NAMES_WIDTH,
        right=WIDTH - 14.0,
        top=ABOVE,
        bottom=bottom,
        limit=next(limit for limit in LIMITS if most <= limit),
    )
    return RatesChart(
        frame,
        [
            RateRange(
                cut(str(one.name), MOST_LETTERS),
                f"{one.name}: {whole_percent(one.wrong.value)} wrong, "
                f"{interval_text(*one.wrong[1:])}",
                frame.x(one.wrong.low),
                frame.x(one.wrong.high),
                frame.x(one.wrong.value),
                ABOVE + LINE_HEIGHT * (place + 0.5),
            )
            for place, one in enumerate(summary.reviewers)
        ],
    )


def matrix_of(summary: ReviewSummary, one: ReviewerEstimate) -> ReviewerMatrix:
    """Draw the matrix of one reviewer."""
    shown = shown_classes(summary)

    def content(row: int, column: int) -> Content:
        place = shown[row], shown[column]
        ends = (float(part[place]) for part in (one.low, one.high))
        return Content(float(one.matrix[place]), interval_text(*ends))

    names = [class_text(summary.classes[k]) for k in shown]
    return ReviewerMatrix(said_name(one), one.labels, draw_matrix(names, content))


def said_name(one: ReviewerEstimate) -> str:
    """The name of a reviewer in a sentence, where a number alone would mislead."""
    return one.name if isinstance(one.name, str) else f"Reviewer {one.name}"


def shown_classes(summary: ReviewSummary) -> list[int]:
    """Classes of the matrices: those with the most wrong labels, in the order of the columns."""
    matrices = np.array([one.matrix for one in summary.reviewers])
    labels = np.array([one.labels for one in summary.reviewers])
    wrong = np.einsum("r,rij->ij", labels, matrices) * ~np.eye(len(summary.classes), dtype=bool)
    involved = wrong.sum(axis=0) + wrong.sum(axis=1)
    return sorted(np.argsort(-involved, kind="stable")[:MOST_CLASSES].tolist())


def interval_text(low: float, high: float) -> str:
    """Both ends in percent.

    >>> interval_text(0.04, 0.23)
    '4% to 23%'
    """
    return RateEstimate(None, low, high, clear_cases=1.0).interval
