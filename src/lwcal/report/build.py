"""Scores, labels and a calibrator to everything that the page shows."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lwcal.arrays import FloatArray, LabelArray
from lwcal.artifact.document import to_document
from lwcal.calibrators import Calibrator
from lwcal.diagnosis import diagnose
from lwcal.errors import InputError, message
from lwcal.inputs import (
    ArrayLike,
    as_labels,
    as_scores,
    as_weights,
    check_same_length,
    is_missing,
)
from lwcal.noise.logit_counts import pool_by_logit
from lwcal.report import bins, provenance, views
from lwcal.report.data import LabelView, Provenance, ReportData
from lwcal.report.suspects import most_suspicious
from lwcal.table import ScoreTable

EXACT = 20_000
"""Tables with more distinct scores are pooled before intervals are drawn from them."""
TITLE = "Calibration report"


class _Rows(NamedTuple):
    """Checked columns, and what they hold in the words of the data."""

    scores: FloatArray
    labels: LabelArray
    named: npt.NDArray[Any]
    weights: FloatArray | None
    identities: npt.NDArray[Any] | None
    trusted: ScoreTable | None


def build(
    calibrator: Calibrator,
    scores: ArrayLike,
    y: ArrayLike,
    *,
    trusted: ArrayLike | None = None,
    identities: ArrayLike | None = None,
    identity_name: str = "row",
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    title: str = TITLE,
    created: datetime | None = None,
    origin: Provenance | None = None,
) -> ReportData:
    """Compute everything that the report shows.

    Parameters
    ----------
    calibrator : Calibrator
        Fitted; to these rows or to others.
    scores : one-dimensional, in [0, 1]
        Scores of a model on rows it was not trained on.
    y : one-dimensional, two classes
        Labels of the same rows, possibly wrong.
    trusted : one-dimensional, optional
        Checked labels of the same two classes; missing where no label was checked.
    identities : one-dimensional, optional
        What to call the rows; by default their numbers, counted from 0.
    identity_name : str, default "row"
        Name of that column.
    sample_weight : one-dimensional, optional
        Frequencies: a row of weight 2 equals that row twice.
    pos_label : optional
        The positive class, when it is not obvious from the labels.
    title : str, default "Calibration report"
    created : datetime, optional
        Date of the report; by default now. All else depends on the input alone.
    origin : Provenance, optional
        Where the rows came from; by default fingerprints of the columns.

    Examples
    --------
    >>> import lwcal
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.beta(0.5, 0.5, 2000)
    >>> labels = rng.random(2000) < scores
    >>> data = build(lwcal.Auto().fit(scores, labels), scores, labels)
    >>> data.method, data.diagnosis.recommendation.action, len(data.suspects)
    ('auto', 'keep raw', 200)
    """
    method = to_document(calibrator)["method"]
    positive = calibrator.pos_label if pos_label is None else pos_label
    rows = _check(scores, y, trusted, identities, sample_weight, positive)
    table = ScoreTable.from_arrays(rows.scores, rows.labels, rows.weights)
    diagnosis = diagnose(table, calibrator=calibrator, confidence=views.CONFIDENCE)
    return ReportData(
        title=title,
        method=method,
        fitted_rows=calibrator.n_,
        identity_name=identity_name,
        diagnosis=diagnosis,
        views=_views(rows, table, calibrator, diagnosis.noise.rates_posterior),
        map_curve=bins.map_curve(calibrator),
        histograms=bins.histograms(table, calibrator),
        thresholds=bins.thresholds(table, calibrator),
        weights=bins.weight_histogram(rows.scores, rows.labels, rows.weights),
        suspects=most_suspicious(
            diagnosis.posterior, calibrator, rows.scores, rows.labels, rows.named, rows.identities
        ),
        provenance=origin or provenance.of_columns(calibrator, rows.scores, rows.labels, created),
    )


def _views(
    rows: _Rows, table: ScoreTable, calibrator: Calibrator, rates: Any
) -> tuple[LabelView, ...]:
    small = table if len(table) <= EXACT else pool_by_logit(table)
    found = [
        views.labelled_view(table, calibrator),
        views.corrected_view(small, calibrator, rates),
    ]
    if rows.trusted is not None:
        found.append(views.trusted_view(rows.trusted, calibrator))
    return tuple(found)


def _check(
    scores: ArrayLike,
    y: ArrayLike,
    trusted: ArrayLike | None,
    identities: ArrayLike | None,
    sample_weight: ArrayLike | None,
    pos_label: Any,
) -> _Rows:
    checked = as_scores(scores)
    labels = as_labels(y, pos_label=pos_label)
    check_same_length(len(checked), len(labels), "y")
    weights = None if sample_weight is None else as_weights(sample_weight, len(checked))
    names = None if identities is None else np.asarray(identities)
    if names is not None:
        check_same_length(len(checked), len(names), "identities")
    found = None if trusted is None else _trusted(checked, trusted, weights, pos_label)
    return _Rows(checked, labels, np.asarray(y).ravel(), weights, names, found)


def _trusted(
    scores: FloatArray, trusted: ArrayLike, weights: FloatArray | None, pos_label: Any
) -> ScoreTable:
    """Pool the rows that have a trusted label."""
    values = np.asarray(trusted)
    check_same_length(len(scores), len(values), "trusted")
    # a CSV file has no other word than the empty string for a label that is not there
    empty = values == "" if values.dtype.kind in "OU" else np.zeros(len(values), dtype=np.bool_)
    there = ~(is_missing(values) | empty)
    if not there.any():
        raise InputError(message("a trusted label in some row", "none", "leave trusted out"))
    labels = as_labels(values[there], pos_label=pos_label, name="trusted")
    counted = None if weights is None else weights[there]
    return ScoreTable.from_arrays(scores[there], labels, counted)
