"""Rows of several classes that a command works on."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, NamedTuple

from lwcal.audit.sheet import OWN
from lwcal.cli.columns import tell_of_opinions
from lwcal.cli.console import note
from lwcal.cli.request import SAMPLE, RowsRequest, as_arguments
from lwcal.cli.usual_columns import find_class_label, has_class_label
from lwcal.engines import UNLABELLED
from lwcal.engines.class_columns import class_columns, refuse_scale
from lwcal.errors import ParameterError
from lwcal.multiclass.class_rows import ClassRows
from lwcal.rows.class_counts import ClassCounts
from lwcal.rows.class_reducer import ClassNames
from lwcal.score_map import as_class_score_map

if TYPE_CHECKING:  # slow to import, and reading rows needs neither
    from lwcal.calibrators import Calibrator
    from lwcal.multiclass.checked_classes import AuditedClasses


class ReadClasses(NamedTuple):
    """Rows of several classes, counted; the names of their columns; and the checked labels."""

    rows: ClassRows
    names: ClassNames
    audited: AuditedClasses | None = None

    def facts(self) -> dict[str, Any]:
        """How scores and labels were read, for programs."""
        return {
            "classes": list(self.rows.classes),
            "score_columns": list(self.names.scores),
            "sampled_from": self.rows.sampled_from,
        }

    @property
    def shares(self) -> dict[Any, float]:
        """Share of the rows that has each label."""
        weights = [
            self.rows.weights[self.rows.labels == k].sum() for k in range(len(self.names.classes))
        ]
        return {
            label: float(weight) / self.rows.n
            for label, weight in zip(self.rows.classes, weights, strict=True)
        }


def refuse_noise_rates(text: str | None) -> None:
    """Refuse flip rates, which are those of two classes."""
    if text is not None:
        raise ParameterError(
            "--noise-rates are those of two classes; with several, give --noise-matrix FILE."
        )


def refuse_two_columns(names: ClassNames, what: str) -> None:
    """Refuse two classes in two columns where one column of scores does the same."""
    if len(names.classes) == 2:
        one = as_arguments({"--score": names.scores[1], "--pos-label": str(names.classes[1])})
        raise ParameterError(
            f"With two classes, {what} takes one column of scores: {shlex.join(one)}."
        )


def read_classes(request: RowsRequest, *, fitted: Calibrator | None = None) -> ReadClasses:
    """Count the rows of a source; say which columns were found, and which rows were left out.

    Parameters
    ----------
    request : RowsRequest
        Its --score names several columns.
    fitted : Calibrator, optional
        The calibrator at hand, to whose classes the columns are matched.
    """
    counts, names = count_classes(request, fitted, needs_labels=True)
    return ReadClasses(ClassRows.of_counts(counts, names.classes), names)


def count_classes(
    request: RowsRequest, fitted: Calibrator | None, *, needs_labels: bool
) -> tuple[ClassCounts, ClassNames]:
    """Count the rows of a source, and name their columns, with labels or without."""
    check_class_options(request)
    with request.opened() as source:
        names = find_class_names(request, source, fitted, needs_labels=needs_labels)
        if names.label == UNLABELLED:
            source = source.unlabelled()
        found = source.reduce_classes(
            names, drop_invalid=request.drop_invalid, allow_drop_share=request.drop_share
        )
    request.announce(str(request.score), names.label)
    if found.dropped.faults:
        note(str(found.dropped))
    counts = found.counts
    if counts.is_sample:
        note(
            f"sample: {len(counts.labels):,} distinct rows, which stand for "
            f"{counts.weights.sum():,.0f} of {counts.total:,.0f} rows"
        )
    return counts, names


def check_class_options(request: RowsRequest) -> None:
    """Refuse options that only scores of one class have."""
    if request.saved_tables():
        raise ParameterError("--score does not work with a saved table, which has no columns.")
    if request.pos_label is not None:
        raise ParameterError("--pos-label needs one column of scores; several have all classes.")
    refuse_scale(request.score_scale)


def find_class_names(
    request: RowsRequest, source: Any, fitted: Calibrator | None, *, needs_labels: bool
) -> ClassNames:
    """Name the columns of scores, label and weight of an open source, and find the classes."""
    label = request.label or _find_label(request, source, needs_labels=needs_labels)
    if label != UNLABELLED:
        tell_of_opinions(source.columns)
    # what an audit has added is no class: audit_probability looks like one of "*_probability"
    others = [*OWN, *(name for name in (label, request.weight, request.id) if name is not None)]
    found = class_columns(str(request.score), source.columns, others=others)
    if fitted is not None:
        classes = as_class_score_map(fitted).classes
        columns = found.in_order(classes)
        if label == UNLABELLED:  # a column of zeros, so that the first class is 0
            return ClassNames.checked(columns, range(len(columns)), label, request.weight)
        return ClassNames.checked(columns, classes, label, request.weight)
    labels = source.label_counts(label) if len(found.readings) > 1 else []
    return ClassNames.checked(found.names, found.classes(labels), label, request.weight)


def _find_label(request: RowsRequest, source: Any, *, needs_labels: bool) -> str:
    sample = source.sample(SAMPLE, request.may_compute_with)
    if not needs_labels and not has_class_label(sample):
        return UNLABELLED
    return find_class_label(sample, source.name, columns=source.columns)
