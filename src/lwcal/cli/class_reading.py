"""All rows of several classes in memory, for commands that need each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lwcal.arrays import FloatArray, IndexArray
from lwcal.audit.sheet import PROBABILITY as AUDIT_PROBABILITY
from lwcal.cli.class_request import ReadClasses, check_class_options, find_class_names
from lwcal.cli.reading import chances_of, values_of
from lwcal.cli.request import RowsRequest
from lwcal.engines.duckdb.source import Source
from lwcal.errors import ParameterError
from lwcal.rows.class_labels import class_array
from lwcal.rows.class_reducer import ClassChecks, ClassNames
from lwcal.rows.frames import columns_of

if TYPE_CHECKING:
    from lwcal.calibrators import Calibrator  # its import is slow, and reading rows needs none


class CheckedClassRows(NamedTuple):
    """All rows of several classes in memory, with scores, labels and weights checked.

    Attributes
    ----------
    source : str
        Name of the source in messages.
    table : pyarrow.Table
        The columns that are computed with.
    text : pyarrow.Table
        All columns as written if they were asked for; otherwise the same as ``table``.
    names : ClassNames
        The columns of scores, label and weight, and the classes.
    scores : float64 array of shape (n, K)
        As they were read: rows may miss a sum of 1 by a little.
    labels : integer array
        Column of each label.
    weights : float64 array or None
    """

    source: str
    table: Any
    text: Any
    names: ClassNames
    scores: FloatArray
    labels: IndexArray
    weights: FloatArray | None

    def facts(self) -> dict[str, Any]:
        """How scores and labels were read, for programs."""
        return {"classes": list(self.names.classes), "score_columns": list(self.names.scores)}

    def classes_of(self, codes: IndexArray) -> npt.NDArray[Any]:
        """Classes by the numbers of their columns."""
        return np.asarray(class_array(self.names.classes)[codes])

    def column(self, name: str) -> npt.NDArray[Any]:
        """One column as it was read; missing values are NaN or None."""
        return values_of(self.table, name, self.source)

    def audit_probability(self) -> npt.NDArray[Any] | None:
        """Probabilities with which rows were chosen for an audit, if the file records them."""
        return chances_of(self.table, self.source)

    def counted(self, trusted: str) -> ReadClasses:
        """Count the rows, and those that have a checked label in a column."""
        from lwcal.multiclass.checked_classes import read_checked_columns  # slow to import

        audited = read_checked_columns(
            self.scores,
            self.classes_of(self.labels),
            self.weights,
            y_audited=self.column(trusted),
            audit_probability=self.audit_probability(),
            classes=self.names.classes,
            audited_name=f"column {trusted!r}",
        ).divided()
        return ReadClasses(audited.everything, self.names, audited)


def read_class_rows(
    request: RowsRequest,
    *,
    fitted: Calibrator | None = None,
    trusted: str | None = None,
    whole: bool = False,
) -> CheckedClassRows:
    """Read and check all rows; the parameters are those of :func:`~lwcal.cli.reading.read_rows`.

    The caller announces the columns once nothing else can fail.
    """
    check_class_options(request)
    with request.opened() as source:
        if not isinstance(source, Source):
            raise ParameterError("Single rows are read only with --engine duckdb.")
        names = find_class_names(request, source, fitted, needs_labels=True)
        source.require([*names.used, *([] if trusted is None else [trusted])])
        of_checks = () if trusted is None else (trusted, AUDIT_PROBABILITY)
        table = source.select([*names.used, *of_checks]).read()
        text = source.read() if whole else table
    checks = ClassChecks(names)
    batches = [checks.check(columns) for columns in columns_of(table, names.used)]
    checks.invalid.refuse(drop_hint=None, scalable=False)
    scores, labels, weights, _ = zip(*batches, strict=True)
    return CheckedClassRows(
        source.name,
        table,
        text,
        names,
        np.concatenate(scores),
        np.concatenate(labels),
        None if names.weight is None else np.concatenate(weights),
    )
