"""The columns asked for: named, or found when they are obvious; and checked."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lwcal.arrays import FloatArray, LabelArray
from lwcal.cli.console import note
from lwcal.cli.finding import available, find_label, find_score
from lwcal.cli.sources import read_sample, read_table, shown
from lwcal.engines.duckdb.source import Source
from lwcal.errors import InputError, message
from lwcal.rows import as_labels, as_scores, as_weights
from lwcal.rows.faults import InvalidRows
from lwcal.rows.reducer import Names
from lwcal.table import ScoreTable

SAMPLE = 20_000
"""First rows by which columns are found; all rows are checked when they are used."""


class Asked(NamedTuple):
    """Columns as they were named on the command line, or not; and the format of the rows."""

    score: str | None = None
    label: str | None = None
    weight: str | None = None
    pos_label: str | None = None
    id: str | None = None
    form: str | None = None
    table: str | None = None
    fitted: Any = None
    """Positive class of the calibrator at hand, which need not be named again."""


class Rows(NamedTuple):
    """The columns a fit needs, checked; and which class the labels count."""

    scores: FloatArray
    labels: LabelArray
    weights: FloatArray | None
    positive: Any

    def table(self) -> ScoreTable:
        """Pool them."""
        return ScoreTable.from_arrays(self.scores, self.labels, self.weights)


def read_rows(source: str, asked: Asked) -> Rows:
    """Read scores, labels and, when named, weights; errors speak of the columns by name."""
    table = read_table(source, asked.form, id_column=asked.id)
    score = asked.score or find_score(table, source)
    label = asked.label or find_label(table, source)
    rows = Rows(
        checked_scores(table, score, source),
        checked_labels(table, label, asked, source),
        read_weights(table, asked.weight, source),
        positive_class(asked, column(table, label, source)),
    )
    say_found("score", asked.score, score)
    say_found("label", asked.label, label)
    return rows


class Chosen(NamedTuple):
    """Columns to reduce, and the positive class in the labels' own type."""

    names: Names
    pos_label: Any


def choose(rows: Source, asked: Asked) -> Chosen:
    """Find the columns by the first rows of an open source."""
    return chosen_from(read_sample(rows, SAMPLE), rows.name, asked)


def chosen_from(sample: Any, source: str, asked: Asked) -> Chosen:
    """Find the columns in a sample of the first rows of a source."""
    complete = sample.num_rows < SAMPLE
    score = asked.score or find_score(sample, source)
    label = asked.label or find_label(sample, source, complete=complete)
    names = Names(score, label, asked.weight)
    for name in names.used:
        _arrow_column(sample, name, source)
    return Chosen(names, positive_class(asked, column(sample, label, source)))


def column(table: Any, name: str, source: str) -> npt.NDArray[Any]:
    """One column as a numpy array; nulls become NaN or None."""
    values: npt.NDArray[Any] = _arrow_column(table, name, source).to_numpy()
    return values


def checked_scores(table: Any, name: str, source: str) -> FloatArray:
    """One column as scores, also when it was read as text."""
    found = _arrow_column(table, name, source)
    if pa.types.is_string(found.type):
        with suppress(pa.ArrowInvalid):  # the rows that are not numbers are named below
            found = pc.cast(found, pa.float64())
    return as_scores(found.to_numpy(), name=f"column {name!r}")


def checked_labels(table: Any, name: str, asked: Asked, source: str) -> LabelArray:
    """One column as labels."""
    labels = column(table, name, source)
    return as_labels(labels, pos_label=positive_class(asked, labels), name=f"column {name!r}")


def read_weights(table: Any, name: str | None, source: str) -> FloatArray | None:
    """One column as frequencies, when it was named."""
    if name is None:
        return None
    return as_weights(column(table, name, source), table.num_rows, name=f"column {name!r}")


def say_found(what: str, asked: str | None, found: str) -> None:
    """Tell which column was taken when none was named."""
    if asked is None:
        note(f"using column {found!r} as the {what}")


def say_dropped(dropped: InvalidRows) -> None:
    """Tell what was left out, if anything was."""
    if dropped.faults:
        note(str(dropped))


def positive_class(asked: Asked, labels: npt.NDArray[Any]) -> Any:
    """The class that was named, or that of the calibrator where these labels know it."""
    if asked.pos_label is not None:
        return _parse_label(asked.pos_label, labels)
    return asked.fitted if asked.fitted in set(labels.tolist()) else None


def _parse_label(text: str, labels: npt.NDArray[Any]) -> Any:
    """Read --pos-label in the type of the label column."""
    if labels.dtype.kind in "OUS":
        return text
    try:
        if labels.dtype.kind == "b":
            return {"true": True, "false": False}[text.lower()]
        return float(text)
    except (KeyError, ValueError):
        raise InputError(
            message(f"--pos-label to be one of the labels ({labels.dtype})", repr(text))
        ) from None


def _arrow_column(table: Any, name: str, source: str) -> Any:
    if name not in table.column_names:
        raise InputError(message(f"a column {name!r} in {shown(source)}", available(table)))
    return table.column(name)
