"""``lwcal fit --trusted`` with one label a row: the fit of :class:`lwcal.Audited`."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from lwcal.audit.sheet import AUDIT
from lwcal.calibrators import Audited
from lwcal.cli.class_reading import read_class_rows
from lwcal.cli.console import note
from lwcal.cli.opinions.counts import CountedOpinions
from lwcal.cli.progress import late_progress
from lwcal.cli.reading import read_rows
from lwcal.cli.request import RowsRequest
from lwcal.diagnosis.any_classes import diagnose_any_classes
from lwcal.diagnosis.column_diagnosis import diagnose_counts
from lwcal.multiclass.checked_classes import AuditedClasses
from lwcal.noise.checked.checked_rows import split_checked
from lwcal.noise.checked.table import CheckedTable
from lwcal.reviews.checked_labels import checked_classes, checked_tables
from lwcal.reviews.reading import informative
from lwcal.rows import as_checked_labels
from lwcal.table import ScoreTable

DividedRows: TypeAlias = tuple[ScoreTable, CheckedTable] | AuditedClasses
"""Unchecked and checked rows: of one column of scores, or of one for each class."""


class Divided(NamedTuple):
    """Rows to fit to, and the weight of all rows if these are a sample of them."""

    rows: DividedRows
    sampled_from: float | None = None


def divide(request: RowsRequest, trusted: str, found: CountedOpinions) -> Divided:
    """Divide counted rows into those that are checked and the others.

    If the file says with which probability each row was chosen to be checked, the rows are read
    once more: weights follow from that, and counts do not keep it.
    """
    if found.has_chances:
        if request.has_single_rows() and not request.is_stream():
            return Divided(_weighted(request, trusted, has_classes=found.counts.has_classes))
        note(
            f"{AUDIT.probability} is not used, because single rows are not available with "
            "--drop-invalid, on Spark or from a stream. The checked rows are taken as chosen by "
            "score and label alone"
        )
    read = found.counts.reviewable()
    rows = informative(read.rows).distinct()
    divided = checked_classes(rows) if read.has_classes else checked_tables(rows)
    return Divided(divided, read.sampled_from)


def _weighted(request: RowsRequest, trusted: str, *, has_classes: bool) -> DividedRows:
    if has_classes:
        audited = read_class_rows(request, trusted=trusted).counted(trusted).audited
        assert audited is not None  # as the column was named
        return audited
    rows = read_rows(request, trusted=trusted)
    given = rows.column(rows.names.label), rows.column(trusted)
    labels = as_checked_labels(*given, pos_label=rows.named)
    return split_checked(rows.scores, labels, rows.weights, rows.audit_probability())


def fit_checked(divided: Divided, found: CountedOpinions) -> Audited:
    """Fit the calibrator."""
    fitted = Audited(pos_label=found.named)
    with late_progress("fitting audited"):
        if isinstance(divided.rows, AuditedClasses):
            fitted.fit_checked_rows(divided.rows)
        else:
            fitted.fit_table(*divided.rows)
            fitted.scale_ = found.counts.scale
    fitted.sampled_from_ = divided.sampled_from
    return fitted


def judge_checked(rows: DividedRows) -> str:
    """The verdict by the checked labels."""
    with late_progress("judging the labels"):
        if isinstance(rows, AuditedClasses):
            found = diagnose_any_classes(rows, methods=())
        else:
            found = diagnose_counts(*rows, methods=())
        return found.recommendation.sentence
