"""An open source of rows on Spark: files that its workers can read, or a table of its catalog."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import AtomicType, BinaryType

from lwcal.engines import UNLABELLED
from lwcal.engines.spark import session, timed
from lwcal.engines.spark.class_reducing import label_counts, reduce_class_frame
from lwcal.engines.spark.columns import column, numbers, require
from lwcal.engines.spark.opinion_reducing import reduce_opinion_frame
from lwcal.engines.spark.reducing import reduce_frame
from lwcal.engines.spark.session import explained
from lwcal.errors import InputError, message
from lwcal.files import known_format, split_header
from lwcal.reviews.opinion_columns import OpinionColumns
from lwcal.reviews.opinion_reduction import OpinionReduction
from lwcal.rows.class_reducer import ClassNames, ClassReduction
from lwcal.rows.reducer import Names, Reduction
from lwcal.rows.spans import Spans, SpansReduction
from lwcal.rows.time_counts import Counted, TimeCounts

CSV: dict[str, Any] = {
    "header": True,
    "quote": '"',
    "escape": '"',
    # Spark would strip blanks when it writes
    "ignoreLeadingWhiteSpace": False,
    "ignoreTrailingWhiteSpace": False,
}
"""How CSV is read and written."""
READABLE = "csv, parquet or jsonl"
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Source:
    """An open source; the DuckDB engine has a class with the same methods.

    Attributes
    ----------
    frame : Spark DataFrame
    name : str
        Name of the source in messages.
    """

    frame: DataFrame
    name: str

    @property
    def columns(self) -> dict[str, str]:
        """Column names, with Spark's types."""
        return dict(self.frame.dtypes)

    def sample(self, rows: int, chosen: Callable[[str], bool]) -> Any:
        """Read the first rows of the chosen columns, without those that hold no plain values."""
        columns = self._plain_columns(chosen) or [column(self.frame.columns[0])]
        with explained(self.name):
            sample = self.frame.select(*columns).limit(rows).toArrow()
        if not len(sample):
            raise InputError(f"{self.name} has no rows.")
        return sample

    def _plain_columns(self, chosen: Callable[[str], bool]) -> list[Any]:
        found = []
        for field in filter(lambda known: chosen(known.name), self.frame.schema.fields):
            kind = field.dataType
            if type(kind).__name__ == "VectorUDT":  # as classifiers of Spark write probabilities
                found.append(numbers(self.frame, field.name).value.alias(field.name))
            elif isinstance(kind, AtomicType) and not isinstance(kind, BinaryType):
                found.append(column(field.name))
        return found

    def check_ids(self, name: str) -> None:
        """Refuse ids that are missing or repeated: repeated rows would count twice."""
        require(self.frame, [name])
        ids = column(name)
        with explained(self.name):
            counts = self.frame.agg(
                F.count(F.lit(1)).alias("rows"),
                F.count(ids).alias("present"),
                F.count_distinct(ids).alias("distinct"),
            ).toArrow()
        rows, present, distinct = (counts[n][0].as_py() for n in ("rows", "present", "distinct"))
        if present < rows:
            raise InputError(
                f"An id is missing in {rows - present:,} of {rows:,} rows of column {name!r}; "
                "add the ids."
            )
        if distinct < present:
            raise InputError(
                f"An id is repeated in {present - distinct:,} of {rows:,} rows of column "
                f"{name!r}; drop the repeated rows."
            )

    def unlabelled(self) -> Source:
        """The same rows with a column of zeros in place of labels, to count scores alone."""
        return replace(self, frame=self.frame.withColumn(UNLABELLED, F.lit(0)))

    def reduce(self, names: Names, **options: Any) -> Reduction:
        """Count the rows on the cluster; the caller reports what was dropped."""
        found = reduce_frame(self.frame, names, name=self.name, **options)
        return Reduction(found.counts[()], found.dropped, found.positive, found.scale)

    def count_times(self, time: str, *, drop_invalid: bool = False) -> TimeCounts:
        """Count the rows of each day on the cluster."""
        with explained(self.name):
            return timed.count_times(self.frame, time, drop_invalid=drop_invalid)

    def seconds_of(self, time: str, day: int) -> Counted:
        """Distinct seconds of one day, and their numbers of rows."""
        with explained(self.name):
            return timed.count_seconds(self.frame, time, day)

    def reduce_spans(self, names: Names, time: str, spans: Spans, **options: Any) -> SpansReduction:
        """Count the rows by spans of time on the cluster."""
        return timed.reduce_spans(self.frame, names, time, spans, name=self.name, **options)

    def reduce_classes(self, names: ClassNames, **options: Any) -> ClassReduction:
        """Count equal rows of several classes on the cluster."""
        with explained(self.name):
            return reduce_class_frame(self.frame, names, **options)

    def reduce_opinions(self, names: OpinionColumns, **options: Any) -> OpinionReduction:
        """Count equal rows of scores and opinions on the cluster."""
        with explained(self.name):
            return reduce_opinion_frame(self.frame, names, **options)

    def label_counts(self, name: str) -> list[tuple[Any, int]]:
        """Distinct labels with their numbers of rows."""
        with explained(self.name):
            return label_counts(self.frame, name)


@contextmanager
def opened(source: str, *, form: str | None = None, master: str | None = None) -> Iterator[Source]:
    """Open files or a table in the active session, or in one that ends with the block.

    Parameters
    ----------
    source : str
        A file, folder, pattern or address that Spark can read, or a table of its catalog.
    form : {"csv", "parquet", "jsonl"}, optional
        Format of the files; by default their name decides, and a folder holds Parquet.
    master : str, optional
        Master of a new session.
    """
    with session.started(master) as spark:
        logger.info("reading %s with Spark", source)
        with explained(source):
            rows = _read(spark, source, form)
        yield rows


def _read(spark: SparkSession, source: str, form: str | None) -> Source:
    known = known_format(source.rstrip("/"))
    if form is None and known is None and _is_table(spark, source):
        return Source(spark.table(source), source)
    name = form or (known.name if known else "parquet")
    if name == "csv":
        return _read_csv(spark, source)
    if name == "jsonl":
        return Source(spark.read.json(source), source)
    if name == "parquet":
        return Source(spark.read.parquet(source), source)
    raise InputError(message(f"{READABLE} for Spark", name, "convert it, or use --engine duckdb"))


def _read_csv(spark: SparkSession, source: str) -> Source:
    """Read CSV as text: what is a number is decided where a number is needed."""
    line = spark.read.text(source).first()
    if line is None:
        raise InputError(f"{source} cannot be read: Empty CSV file.")
    _, separator = split_header(io.StringIO(line[0]))
    # fail on rows that have more or fewer columns than the header
    options = {**CSV, "sep": separator, "mode": "FAILFAST"}
    return Source(spark.read.options(**options).csv(source), source)


def _is_table(spark: SparkSession, source: str) -> bool:
    """Whether a name is that of an existing table; it might also be a path."""
    return bool(re.fullmatch(r"\w+(\.\w+){0,2}", source)) and spark.catalog.tableExists(source)
