"""The columns asked for: named, or found when they are obvious; and checked."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lwcal.cli.console import note
from lwcal.cli.finding import available, find_label, find_score
from lwcal.cli.sources import read_table, shown
from lwcal.errors import InputError, message
from lwcal.inputs import as_labels, as_scores, as_weights
from lwcal.kernels.arrays import FloatArray, LabelArray
from lwcal.table import ScoreTable


class Asked(NamedTuple):
    """Columns as they were named on the command line, or not; and the format of the rows."""

    score: str | None = None
    label: str | None = None
    weight: str | None = None
    pos_label: str | None = None
    id: str | None = None
    form: str | None = None
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
    table = read_table(source, asked.form, words=id_words(asked.id))
    check_ids(table, asked.id, source)
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


def id_words(name: str | None) -> tuple[str, ...]:
    """Ids are words, whatever they look like: 007 is not 7."""
    return () if name is None else (name,)


def check_ids(table: Any, name: str | None, source: str) -> None:
    """Refuse ids that are missing or occur more than once: such rows would count twice."""
    if name is None:
        return
    ids = _arrow_column(table, name, source)
    words = pa.types.is_string(ids.type)  # of which an empty one is none either
    missing = ids.null_count + (pc.sum(pc.equal(ids, "")).as_py() or 0 if words else 0)
    if missing:
        got = f"{missing:,} row{'s' if missing != 1 else ''} without one"
        raise InputError(message(f"an id in every row of column {name!r}", got))
    counted = pc.value_counts(ids)
    repeated = counted.filter(pc.greater(counted.field("counts"), 1))
    if len(repeated):
        extra = ids.length() - len(counted)
        got = (
            f"{extra:,} repeated row{'s' if extra != 1 else ''}, the first with {_first(repeated)}"
        )
        raise InputError(message(f"every id in column {name!r} once", got, "drop the repeats"))


def say_found(what: str, asked: str | None, found: str) -> None:
    """Tell which column was taken when none was named."""
    if asked is None:
        note(f"using column {found!r} as the {what}")


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


def _first(counted: Any) -> str:
    return repr(counted.field("values")[0].as_py())
