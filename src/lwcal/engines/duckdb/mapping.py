"""A fitted map as a function of DuckDB, evaluated by our kernels.

Measured against the exported SQL expression, a tree of CASE: a function in Arrow's memory is
quicker beyond a few knots and gives the same bits as ``predict`` for every map.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from lwcal.calibrators import Calibrator
from lwcal.engines.duckdb.session import quoted
from lwcal.engines.duckdb.source import Source
from lwcal.maps import Map

FUNCTION = "lwcal_calibrated"


class Mapped(NamedTuple):
    """A query that adds the column, which rows have a valid score, and how many had none."""

    sql: str
    valid: str
    invalid: Callable[[], int]


@contextmanager
def calibrated(
    source: Source, calibrator: Calibrator | Map, score: str, replaced: str | None, column: str
) -> Iterator[Mapped]:
    """Offer the map to DuckDB for as long as the block lasts."""
    if isinstance(calibrator, Calibrator):
        calibrator.check_is_fitted()
        calibrator = calibrator.map_
    function, invalid = _function(calibrator)
    value = f"TRY_CAST({quoted(score)} AS DOUBLE)"
    if source.columns[score] == "JSON":
        value = f"TRY_CAST({quoted(score)} ->> '$' AS DOUBLE)"
    made = f"{FUNCTION}({value})"
    if replaced is None:
        chosen = f"*, {made} AS {quoted(column)}"
    else:  # in its place
        chosen = f"* REPLACE ({made} AS {quoted(replaced)})"
    source.cursor.create_function(
        FUNCTION, function, ["DOUBLE"], "DOUBLE", type="arrow", null_handling="special"
    )
    try:
        yield Mapped(
            f"SELECT {chosen} FROM ({source.sql})", f"{value} >= 0 AND {value} <= 1", invalid
        )
    finally:
        source.cursor.remove_function(FUNCTION)


def _function(fitted: Map) -> tuple[Callable[[Any], Any], Callable[[], int]]:
    """The map of Arrow arrays; it counts what is no score, and gives NaN for it."""
    counted = [0]

    def evaluate(column: Any) -> Any:
        values = column.to_numpy(zero_copy_only=False)
        if len(values) == 0 or (values.min() >= 0.0 and values.max() <= 1.0):
            return pa.array(fitted(values))
        valid = (values >= 0.0) & (values <= 1.0)  # false for NaN
        counted[0] += len(values) - int(np.count_nonzero(valid))
        mapped = np.full(len(values), np.nan)
        mapped[valid] = fitted(values[valid])
        return pa.array(mapped)

    return evaluate, lambda: counted[0]
