"""DuckDB: CSV, Parquet, JSON lines, databases and object stores, on one machine, out of core.

DuckDB reads, filters and writes on all cores. The counting happens here, on the Arrow batches that
DuckDB hands over. That is faster than its GROUP BY, and the same for every source.
"""

from typing import TYPE_CHECKING

from lwcal.engines.duckdb import session as session  # without DuckDB, this says what to install
from lwcal.lazy_names import lazy_names

if TYPE_CHECKING:
    from lwcal.engines.duckdb.applying import Applied, apply
    from lwcal.engines.duckdb.class_reducing import reduce_classes
    from lwcal.engines.duckdb.opinion_reducing import reduce_opinions
    from lwcal.engines.duckdb.reducing import reduce, reduce_groups
    from lwcal.engines.duckdb.segment_fitting import fit_segments

__all__ = [
    "Applied",
    "apply",
    "fit_segments",
    "reduce",
    "reduce_classes",
    "reduce_groups",
    "reduce_opinions",
]

# imported on first use: a command needs one or two of them, and applying needs no calibrator
__getattr__, __dir__ = lazy_names(
    __name__,
    __all__,
    {
        "Applied": ".applying",
        "apply": ".applying",
        "fit_segments": ".segment_fitting",
        "reduce": ".reducing",
        "reduce_classes": ".class_reducing",
        "reduce_groups": ".reducing",
        "reduce_opinions": ".opinion_reducing",
    },
)
