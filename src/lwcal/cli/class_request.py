"""Rows of several classes that a command works on."""

from __future__ import annotations

from typing import Any, NamedTuple

from lwcal.calibrators import CALIBRATORS, Calibrator, ClassCalibrator
from lwcal.cli.columns import find_class_label
from lwcal.cli.console import note
from lwcal.cli.request import SAMPLE, RowsRequest
from lwcal.engines.class_columns import class_columns, refuse_scale
from lwcal.errors import ParameterError
from lwcal.multiclass.class_rows import ClassRows
from lwcal.rows.class_reducer import ClassNames
from lwcal.score_map import as_class_score_map

CLASS_METHODS = tuple(
    name for name, made in CALIBRATORS.items() if issubclass(made, ClassCalibrator)
)
"""Calibrators that take several classes."""


class ReadClasses(NamedTuple):
    """Rows of several classes, counted; and the names of their columns."""

    rows: ClassRows
    names: ClassNames

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


def check_class_method(method: str) -> None:
    """Refuse a calibrator that takes one column of scores."""
    if method not in CLASS_METHODS:
        raise ParameterError(
            f"--method {method} takes one column of scores. For several classes use "
            f"{', '.join(CLASS_METHODS)}."
        )


def refuse_noise_rates(text: str | None) -> None:
    """Refuse flip rates, which are those of two classes."""
    if text is not None:
        raise ParameterError("--noise-rates are those of two classes; name one column of scores.")


def require_one_column(fitted: Calibrator) -> None:
    """Refuse one column of scores for a calibrator of more than two classes."""
    if isinstance(fitted, ClassCalibrator) and fitted.n_classes_ > 2:
        raise ParameterError(
            f"The calibrator has {fitted.n_classes_:,} classes; name a column of scores for each, "
            'such as --score "p_*".'
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
    _check_options(request)
    with request.opened() as source:
        names = _find_names(request, source, fitted)
        found = source.reduce_classes(
            names, drop_invalid=request.drop_invalid, allow_drop_share=request.drop_share
        )
    rows = ClassRows.of_counts(found.counts, names.classes)
    if request.label is None:
        note(f"label column: {names.label}")
    if found.dropped.faults:
        note(str(found.dropped))
    if rows.sampled_from is not None:
        note(
            f"sample: {len(rows.labels):,} distinct rows, which stand for {rows.n:,.0f} of "
            f"{rows.sampled_from:,.0f} rows"
        )
    return ReadClasses(rows, names)


def _check_options(request: RowsRequest) -> None:
    """Refuse options that only scores of one class have."""
    if request.saved_tables():
        raise ParameterError("--score does not work with a saved table, which has no columns.")
    if request.pos_label is not None:
        raise ParameterError("--pos-label needs one column of scores; several have all classes.")
    refuse_scale(request.score_scale)


def _find_names(request: RowsRequest, source: Any, fitted: Calibrator | None) -> ClassNames:
    label = request.label
    if label is None:
        sample = source.sample(SAMPLE, request.may_compute_with)
        label = find_class_label(sample, source.name, columns=source.columns)
    others = [name for name in (label, request.weight, request.id) if name is not None]
    found = class_columns(str(request.score), source.columns, others=others)
    if fitted is not None:
        classes = as_class_score_map(fitted).classes
        return ClassNames.checked(found.in_order(classes), classes, label, request.weight)
    labels = source.label_counts(label) if len(found.readings) > 1 else []
    return ClassNames.checked(found.names, found.classes(labels), label, request.weight)
