"""All rows of a request in memory, for commands that need each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy.typing as npt

from lwcal.arrays import FloatArray, LabelArray
from lwcal.audit.sheet import PROBABILITY as AUDIT_PROBABILITY
from lwcal.cli.columns import arrow_column, class_name, read_scores
from lwcal.cli.request import RowsRequest
from lwcal.engines.duckdb.source import Source
from lwcal.errors import ParameterError
from lwcal.rows import as_labels, as_weights
from lwcal.rows.reducer import Names
from lwcal.segments.naming import names_of_rows
from lwcal.table import ScoreTable

if TYPE_CHECKING:
    from lwcal.calibrators import Calibrator  # its import is slow, and reading rows needs none


class CheckedRows(NamedTuple):
    """All rows in memory, with their scores, labels and weights checked.

    Attributes
    ----------
    source : str
        Name of the source in messages.
    table : pyarrow.Table
        The columns that may be computed with, with types; and the ids, as written.
    text : pyarrow.Table
        All columns as written if they were asked for; otherwise the same as ``table``.
    names : Names
        The columns of score, label and weight.
    scores, labels, weights : arrays
        The scores are probabilities, whatever scale they were on.
    positive : str or None
        The positive class as people read it.
    named : object
        The positive class if it was named, in the type of the labels; a calibrator keeps it.
    scale : str
        Scale on which the scores arrived.
    """

    source: str
    table: Any
    text: Any
    names: Names
    scores: FloatArray
    labels: LabelArray
    weights: FloatArray | None
    positive: str | None
    named: Any
    scale: str

    def facts(self) -> dict[str, Any]:
        """How scores and labels were read, for programs."""
        return {"positive_class": self.positive, "score_scale": self.scale}

    def pooled(self) -> ScoreTable:
        """Count the labels at every score."""
        pooled = ScoreTable.from_arrays(self.scores, self.labels, self.weights)
        return replace(pooled, scale=self.scale)

    def audit_probability(self) -> npt.NDArray[Any] | None:
        """Probabilities with which rows were chosen for an audit, if the file records them."""
        return chances_of(self.table, self.source)

    def column(self, name: str) -> npt.NDArray[Any]:
        """One column as it was read; missing values are NaN or None."""
        return values_of(self.table, name, self.source)

    def segments(self, names: Sequence[str]) -> list[Any]:
        """The segment of each row, in the types of ``lwcal fit --segment``."""
        return names_of_rows(self.table.select(list(names)))


def read_rows(
    request: RowsRequest,
    *,
    fitted: Calibrator | None = None,
    trusted: str | None = None,
    segment: Sequence[str] = (),
    whole: bool = False,
) -> CheckedRows:
    """Read and check all rows; ids in a text file stay as written.

    The caller announces the columns once nothing else can fail.

    Parameters
    ----------
    request : RowsRequest
    fitted : Calibrator, optional
        The calibrator at hand, whose positive class and scale need not be named again.
    trusted : str, optional
        Column of checked labels; with it are read the probabilities of the audit, if any.
    segment : sequence of str
        Columns of segments, which stay as written.
    whole : bool
        Whether to read all other columns too, as written.
    """
    if request.saved_tables():
        raise ParameterError(f"{request.name} is a saved table, which has no single rows.")
    checks = () if trusted is None else (trusted, AUDIT_PROBABILITY)
    with request.opened() as source:
        if not isinstance(source, Source):
            raise ParameterError("Single rows are read only with --engine duckdb.")
        as_written = [*([] if request.id is None else [request.id]), *segment]
        as_written = list(dict.fromkeys(as_written))
        source.require([*([] if trusted is None else [trusted]), *as_written])
        computed = [
            name
            for name in source.columns
            if (name in checks or request.may_compute_with(name)) and name not in as_written
        ]
        kept = [*computed, *as_written]
        table = source.select(kept).typed(computed).read()
        text = source.read() if whole else table
    names, named = request.find_columns(
        table, source.name, fitted, complete=True, columns=source.columns
    )
    scores, scale = read_scores(table, names.score, source.name, request.scale(fitted))
    raw = values_of(table, names.label, source.name)
    labels = as_labels(raw, pos_label=named, name=f"column {names.label!r}")
    weights = _weights(table, names.weight, source.name)
    positive = raw[labels == 1]
    found = class_name(positive[0] if len(positive) else None, table, names.label)
    columns = (scores, labels, weights)
    return CheckedRows(source.name, table, text, names, *columns, found, named, scale)


def chances_of(table: Any, source: str) -> npt.NDArray[Any] | None:
    """Probabilities with which rows were chosen for an audit, if the table records them."""
    known = AUDIT_PROBABILITY in table.column_names
    return values_of(table, AUDIT_PROBABILITY, source) if known else None


def values_of(table: Any, name: str, source: str) -> npt.NDArray[Any]:
    """One column of an Arrow table; missing values are NaN or None."""
    values: npt.NDArray[Any] = arrow_column(table, name, source).to_numpy()
    return values


def _weights(table: Any, name: str | None, source: str) -> FloatArray | None:
    if name is None:
        return None
    return as_weights(values_of(table, name, source), table.num_rows, name=f"column {name!r}")
