"""Calibrators of several classes: which methods there are, and new rows for a fitted one."""

from __future__ import annotations

from typing import Any, NamedTuple

from lwcal.calibrators import CALIBRATORS, Calibrator, ClassCalibrator
from lwcal.cli.class_request import count_classes
from lwcal.cli.request import RowsRequest
from lwcal.engines import UNLABELLED
from lwcal.errors import ParameterError, message
from lwcal.monitoring.class_comparison import NewRows
from lwcal.rows.probabilities import summing_to_one
from lwcal.score_map import ONE_COLUMN

CLASS_METHODS = tuple(
    name for name, made in CALIBRATORS.items() if issubclass(made, ClassCalibrator)
)
"""Calibrators that take several classes."""


def check_class_method(method: str) -> None:
    """Refuse a calibrator that takes one column of scores."""
    if method not in CLASS_METHODS:
        raise ParameterError(
            f"--method {method} takes one column of scores. For several classes use "
            f"{', '.join(CLASS_METHODS)}."
        )


def require_one_column(fitted: Calibrator) -> None:
    """Refuse one column of scores for a calibrator of more than two classes."""
    if isinstance(fitted, ClassCalibrator) and fitted.n_classes_ > 2:
        raise ParameterError(
            f"The calibrator has {fitted.n_classes_:,} classes; name a column of scores for each, "
            'such as --score "p_*".'
        )


def require_two_classes(fitted: Calibrator, command: str, instead: str) -> None:
    """Refuse a calibrator of more than two classes where no columns of scores could help."""
    if isinstance(fitted, ClassCalibrator) and fitted.n_classes_ > 2:
        expected = f"{command} to get a calibrator of two classes"
        raise ParameterError(message(expected, f"{fitted.n_classes_}", instead))


def as_class_calibrator(fitted: Calibrator) -> ClassCalibrator:
    """Refuse several columns of scores for a calibrator of one column."""
    if not isinstance(fitted, ClassCalibrator) or not hasattr(fitted, "classes_"):
        raise ParameterError(ONE_COLUMN)
    return fitted


class ReadNew(NamedTuple):
    """New rows for a calibrator, counted; and how they were read."""

    rows: NewRows
    labelled: bool
    facts: dict[str, Any]


def read_new(request: RowsRequest, fitted: ClassCalibrator) -> ReadNew:
    """Count new rows of the classes of a calibrator, with labels or without."""
    counts, names = count_classes(request, fitted, needs_labels=False)
    labelled = names.label != UNLABELLED
    scores = summing_to_one(counts.scores.copy())
    facts = {
        "score_columns": list(names.scores),
        "sampled_from": counts.total if counts.is_sample else None,
    }
    rows = NewRows(scores, counts.weights, counts.labels if labelled else None)
    return ReadNew(rows, labelled, facts)
