"""DuckDB: CSV, Parquet, JSON lines, databases and object stores, on one machine, out of core.

DuckDB reads, filters and writes, on all cores. Counting is done here, on the batches that it hands
over in Arrow's memory: that is quicker than its GROUP BY, and the same for every source.
"""

from lwcal.engines.duckdb.applying import Applied, apply
from lwcal.engines.duckdb.reducing import reduce, reduce_groups

__all__ = ["Applied", "apply", "reduce", "reduce_groups"]
