"""Rows that Spark reads and writes: files where its workers find them, or tables of its catalog."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from lwcal.cli.sources import STANDARD
from lwcal.engines.duckdb.text import split_header
from lwcal.errors import EngineError, InputError, OutputError, ParameterError, message
from lwcal.formats import NAMES, Format, known_format
from lwcal.parameters import OneOf, check_parameter

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

CSV: dict[str, Any] = {"header": True, "quote": '"', "escape": '"'}
READABLE = "csv, parquet or jsonl"


class SparkRows(NamedTuple):
    """A DataFrame, what to call it in messages, and whether it was read as text."""

    frame: DataFrame
    name: str
    text: bool = False


@contextmanager
def opened_on_spark(
    source: str, form: str | None, master: str | None, *, typed: bool = False
) -> Iterator[SparkRows]:
    """Open files or a table in a session that is there, or started for as long as the block lasts.

    Parameters
    ----------
    source : str
        A file, folder, pattern or address that Spark can read, or a table of its catalog.
    form : {"csv", "parquet", "jsonl"}, optional
        By default what the name says, and for folders Parquet.
    master : str, optional
    typed : bool
        Whether columns of CSV get the types that their values have; they are text otherwise.
    """
    if source == STANDARD:
        hint = "name files or a table that its workers can read"
        raise ParameterError(message("rows that Spark can read", "standard input", hint))
    if form is not None:
        check_parameter("--format", form, OneOf(NAMES))
    from lwcal.engines.spark.session import explained
    from lwcal.engines.spark.starting import started

    with started(master) as spark:
        with explained(source):
            rows = _read(spark, source, form, typed=typed)
        yield rows


def _read(spark: SparkSession, source: str, form: str | None, *, typed: bool) -> SparkRows:
    known = known_format(source.rstrip("/"))
    if form is None and known is None and _is_table(spark, source):
        return SparkRows(spark.table(source), source)
    name = form or (known.name if known else "parquet")
    if name == "csv":
        line = spark.read.text(source).first()
        if line is None:
            raise InputError(f"{source} cannot be read: Empty CSV file.")
        _, separator = split_header(io.StringIO(line[0]))
        # text needs no guesses; rows that have more or fewer columns than the header are refused
        options = {**CSV, "sep": separator, "mode": "FAILFAST", "inferSchema": typed}
        return SparkRows(spark.read.options(**options).csv(source), source, text=not typed)
    if name == "jsonl":
        return SparkRows(spark.read.json(source), source)
    if name == "parquet":
        return SparkRows(spark.read.parquet(source), source)
    raise InputError(message(f"{READABLE} for Spark", name, "convert it, or use --engine duckdb"))


def _is_table(spark: SparkSession, source: str) -> bool:
    """Whether a name is that of a table; one that could be a path is, only if there is a table."""
    return bool(re.fullmatch(r"\w+(\.\w+){0,2}", source)) and spark.catalog.tableExists(source)


class Target:
    """A folder of files that Spark writes: under another name until it is complete.

    Parameters
    ----------
    spark : session of Spark, not of Spark Connect
        Only these can rename files wherever they lie.
    out : str
        Name or address; the ending tells the format.
    form : Format
    overwrite : bool
    """

    def __init__(self, spark: SparkSession, out: str, form: Format, *, overwrite: bool) -> None:
        java: Any = getattr(spark, "_jvm", None)
        if java is None or not hasattr(spark, "_jsc"):
            hint = "name a master, or use lwcal.engines.spark.apply in Python"
            raise ParameterError(message("a session that can rename files", "Spark Connect", hint))
        self._form = form
        self._out = out
        self._overwrite = overwrite
        given = java.org.apache.hadoop.fs.Path(out)
        self._files = given.getFileSystem(spark._jsc.hadoopConfiguration())
        self._path = self._files.makeQualified(given)
        # Spark does not read what begins with a dot
        name = f".{self._path.getName()}-{uuid4().hex}"
        self._temporary = java.org.apache.hadoop.fs.Path(self._path.getParent(), name)
        if self._files.exists(self._path) and not overwrite:
            raise OutputError(
                message(f"{out} not to exist", "a file", "pass --force to replace it")
            )

    def write(self, frame: DataFrame) -> None:
        """Write all rows, beside the target."""
        options: dict[str, Any] = dict(CSV) if self._form.name == "csv" else {}
        if self._form.compressed:
            options["compression"] = "gzip"
        kind = "json" if self._form.name == "jsonl" else self._form.name
        frame.write.format(kind).options(**options).save(self._temporary.toString())

    def keep(self) -> None:
        """Give what was written its name."""
        if self._overwrite:
            self._files.delete(self._path, True)
        if not self._files.rename(self._temporary, self._path):
            raise EngineError(f"Spark failed: {self._out} could not be renamed; run it again.")

    def discard(self) -> None:
        """Remove what has no name yet, if there is anything."""
        self._files.delete(self._temporary, True)
