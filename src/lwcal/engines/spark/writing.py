"""Write a DataFrame to a folder of files, atomically."""

from __future__ import annotations

import re
import stat
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from uuid import uuid4

from pyspark.sql import DataFrame, SparkSession

from lwcal.engines.spark.source import CSV
from lwcal.errors import EngineError, OutputError, ParameterError
from lwcal.files import Format
from lwcal.temporary_folders import temporary_folder

FORMER = ".former"
"""End of the name of a folder that is being replaced."""


class OutputFolder:
    """A folder of files that Spark writes under a temporary name and renames when complete.

    It is a context manager, which removes what has not got its final name. On the file system of
    this machine, it also removes what killed runs have left. Elsewhere nobody can tell whether
    they still run, and their folders ``.NAME-...`` stay.

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
        self._java_path = java.org.apache.hadoop.fs.Path
        self._name = str(self._path.getName())
        # Spark does not read names that begin with a dot
        self._temporary = self._beside(f".{self._name}-{uuid4().hex}")
        self._former = self._beside(f".{self._name}-{uuid4().hex}{FORMER}")
        self._stack = ExitStack()
        self._put_back()
        self._refuse_existing()

    def __enter__(self) -> OutputFolder:
        if self._path.toUri().getScheme() == "file":
            parent = Path(self._path.getParent().toUri().getPath())
            private = self._stack.enter_context(temporary_folder(parent, self._name))
            private.chmod(stat.S_IMODE(parent.stat().st_mode))  # workers may be another user's
            self._temporary = self._java_path(str(private), self._name)
        else:
            self._stack.callback(self._files.delete, self._temporary, True)
        return self

    def __exit__(self, *problem: object) -> None:
        self._stack.close()

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
        """Rename the folder to its final name; a folder that has it makes room first."""
        self._refuse_existing()  # another process may have written it in the meantime
        replaced = self._files.exists(self._path)
        if replaced and not self._rename(self._path, self._former):
            raise self._not_renamed()
        if not self._rename(self._temporary, self._path):
            if replaced:
                self._rename(self._former, self._path)
            raise self._not_renamed()
        self._files.delete(self._former, True)

    def _put_back(self) -> None:
        """Undo the first of the two renames of a run that was killed between them."""
        found = self._files.globStatus(self._beside(f".{_plain(self._name)}-*{FORMER}")) or []
        for status in found:
            if self._files.exists(self._path):
                self._files.delete(status.getPath(), True)
            else:
                self._rename(status.getPath(), self._path)

    def _rename(self, old: Any, new: Any) -> bool:
        return bool(self._files.rename(old, new))

    def _beside(self, name: str) -> Any:
        return self._java_path(self._path.getParent(), name)

    def _refuse_existing(self) -> None:
        if self._files.exists(self._path) and not self._overwrite:
            raise OutputError(f"{self._out} exists; pass --force to replace it.")

    def _not_renamed(self) -> EngineError:
        return EngineError(f"Spark failed: {self._out} could not be renamed; run it again.")


def _plain(name: str) -> str:
    r"""Escape the characters that a pattern of Hadoop gives a meaning to.

    >>> print(_plain("out[1].csv"))
    out\[1\].csv
    """
    return re.sub(r"([\\*?\[\]{},^])", r"\\\1", name)
