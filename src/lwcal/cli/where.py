"""Where rows are counted and mapped: on this machine by DuckDB, or on a cluster by Spark."""

from __future__ import annotations

from typing import NamedTuple

from lwcal.errors import ParameterError, message
from lwcal.parameters import OneOf, check_parameter

DUCKDB, SPARK = ENGINES = ("duckdb", "spark")


class Where(NamedTuple):
    """An engine, and for Spark its master."""

    engine: str = DUCKDB
    master: str | None = None

    @property
    def is_spark(self) -> bool:
        """Whether it is Spark."""
        return self.engine == SPARK

    def checked(self) -> Where:
        """Refuse engines that are not there, and a master of DuckDB."""
        check_parameter("--engine", self.engine, OneOf(ENGINES))
        if self.master is not None and not self.is_spark:
            raise ParameterError(message("--engine spark with --master", f"--engine {self.engine}"))
        return self
