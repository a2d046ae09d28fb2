"""Diagnose rows with opinions, or with one label and checks, that an engine has counted."""

from __future__ import annotations

from collections.abc import Callable

from lwcal.diagnosis.any_classes import diagnose_any_classes
from lwcal.diagnosis.class_diagnosis import ClassDiagnosis
from lwcal.diagnosis.column_diagnosis import Diagnosis, diagnose_counts
from lwcal.diagnosis.opinion_diagnosis import OpinionDiagnosis, diagnose_opinions
from lwcal.errors import InputError, message
from lwcal.reviews.checked_labels import checked_classes, checked_tables
from lwcal.reviews.inferred import InferredReviews
from lwcal.reviews.opinion_counts import OpinionCounts
from lwcal.reviews.reading import informative


def diagnose_counted(
    counts: OpinionCounts,
    inferred: InferredReviews | None = None,
    *,
    confidence: float = 0.9,
    on_progress: Callable[[], None] = lambda: None,
) -> Diagnosis | ClassDiagnosis | OpinionDiagnosis:
    """Diagnose counted rows; see :func:`lwcal.diagnose` and :func:`diagnose_opinions`."""
    read = counts.reviewable()
    if not counts.is_one_label and (read.rows.opinions > 1).any():
        rows = informative(read.rows).distinct()
        return diagnose_opinions(rows, inferred, confidence=confidence, on_progress=on_progress)
    if not counts.is_one_label or not read.rows.is_checked.any():
        expected = "a row with several opinions, or one label a row and checked labels"
        raise InputError(message(expected, "neither"))
    rows = informative(read.rows).distinct()
    if not read.has_classes:
        return diagnose_counts(*checked_tables(rows), methods=(), confidence=confidence)
    return diagnose_any_classes(checked_classes(rows), methods=(), confidence=confidence)
