"""Write a DataFrame to a folder of files, atomically."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from pyspark.sql import DataFrame, SparkSession

from lwcal.engines.spark.source import CSV
from lwcal.errors import EngineError, OutputError, ParameterError
from lwcal.files import Format


class OutputFolder:
    """A folder of files that Spark writes under a temporary name and renames when complete.

    Parameters
    ----------
    spark : session of Spark, not of Spark Connect
        Only such a session can rename files on every file system.
    out : str
        Path or address; the ending decides the format.
    form : Format
    overwrite : bool
        Whether to replace an existing folder.
    """

    def __init__(self, spark: SparkSession, out: str, form: Format, *, overwrite: bool) -> None:
        java: Any = getattr(spark, "_jvm", None)
        if java is None or not hasattr(spark, "_jsc"):
            raise ParameterError(
                "A session of Spark Connect cannot rename files; name another --master, or use "
                "lwcal.engines.spark.apply in Python."
            )
        self._form = form
        self._out = out
        self._overwrite = overwrite
        given = java.org.apache.hadoop.fs.Path(out)
        self._files = given.getFileSystem(spark._jsc.hadoopConfiguration())
        self._path = self._files.makeQualified(given)
        # Spark does not read names that begin with a dot
        name = f".{self._path.getName()}-{uuid4().hex}"
        self._temporary = java.org.apache.hadoop.fs.Path(self._path.getParent(), name)
        if self._files.exists(self._path) and not overwrite:
            raise OutputError(f"{out} exists; pass --force to replace it.")

    def write(self, frame: DataFrame) -> None:
        """Write all rows under the temporary name."""
        # a column of nulls only would vanish from JSON
        options: dict[str, Any] = (
            dict(CSV) if self._form.name == "csv" else {"ignoreNullFields": False}
        )
        if self._form.compressed:
            options["compression"] = "gzip"
        kind = "json" if self._form.name == "jsonl" else self._form.name
        frame.write.format(kind).options(**options).save(self._temporary.toString())

    def keep(self) -> None:
        """Rename the folder to its final name."""
        if self._overwrite:
            self._files.delete(self._path, True)
        if not self._files.rename(self._temporary, self._path):
            raise EngineError(f"Spark failed: {self._out} could not be renamed; run it again.")

    def discard(self) -> None:
        """Remove the folder if it still has its temporary name."""
        self._files.delete(self._temporary, True)
