"""Engines for data that does not fit into memory: DuckDB on one machine, Spark on a cluster.

Each engine has the same functions. ``reduce(source, score=, label=)`` returns a
:class:`~lwcal.ScoreTable`, which every calibrator can fit.
``apply(source, calibrator, score=, out=)`` adds the calibrated probabilities to the rows. On Spark
both take a DataFrame, and ``apply`` returns one instead of writing a file.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lwcal.engines import duckdb, spark

__all__ = ["duckdb", "spark"]

UNLABELLED = "lwcal_label"
"""Column of zeros that stands in for the labels of rows that have none."""

SHOWN_COLUMNS = 50
"""Columns that a message names."""
TEXTS = ("VARCHAR", "string")


def listed_columns(columns: Mapping[str, str]) -> str:
    """List the columns of a source for a message, with their types unless all are text.

    >>> listed_columns({"id": "BIGINT", " name": "VARCHAR"})
    "the columns id (BIGINT), ' name' (VARCHAR)"
    >>> listed_columns({f"c{k}": "VARCHAR" for k in range(10_000)})[-20:]
    'c49 and 9,950 others'
    """
    typed = any(kind not in TEXTS for kind in columns.values())
    names = [
        f"{name if name == name.strip() else repr(name)}{f' ({kind})' if typed else ''}"
        for name, kind in list(columns.items())[:SHOWN_COLUMNS]
    ]
    others = len(columns) - len(names)
    return f"the columns {', '.join(names)}{f' and {others:,} others' if others else ''}"


def __getattr__(name: str) -> Any:
    if name in __all__:  # imported on first use, because each engine is an optional extra
        return import_module(f"lwcal.engines.{name}")
    raise AttributeError(f"module 'lwcal.engines' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
