"""Columns in the names of folders, as in ``country=NL/part.parquet``.

Only folders inside the one that was named count. Where that folder itself lies says nothing about
its rows: ``runs/lr=0.1/x.csv`` is a plain file. DuckDB would read the whole path, and would turn
``zip=01234`` into a number. So the values are read here, and stay text.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from lwcal.engines.duckdb.session import literal, quoted
from lwcal.errors import InputError, message

FILE = "lwcal_file"
"""Column of the file that a row comes from; it is dropped once the folders are read."""
MISSING = "__HIVE_DEFAULT_PARTITION__"
SLASH = r"[/\\]"


class Partitions(NamedTuple):
    """Columns in the names of the folders inside the one that was named.

    Attributes
    ----------
    folder : str
        The folder that was named.
    names : tuple of str
        The columns; often none.
    """

    folder: str
    names: tuple[str, ...] = ()

    @property
    def option(self) -> str:
        """The option with which DuckDB reads the files."""
        return f"hive_partitioning = false{f', filename = {literal(FILE)}' if self.names else ''}"

    def added(self, sql: str, own: Collection[str]) -> str:
        """Add the columns to a query; a column that the files have themselves stays as it is."""
        if not self.names:
            return sql
        known = {name.lower() for name in own}
        values = [
            f"{self._value(name)} AS {quoted(name)}"
            for name in self.names
            if name.lower() not in known
        ]
        return f"SELECT {', '.join([f'* EXCLUDE ({FILE})', *values])} FROM ({sql})"

    def _value(self, name: str) -> str:
        inside = f"substr({FILE}, {len(self.folder) + 1})"
        pattern = literal(f"(?:^|{SLASH}){re.escape(name)}=([^/\\\\]*){SLASH}")
        value = f"url_decode(regexp_extract({inside}, {pattern}, 1))"
        return f"nullif({value}, {literal(MISSING)})"


def find_partitions(source: str, files: Sequence[str]) -> Partitions:
    """Find the columns in the names of folders; refuse files that do not share them.

    >>> find_partitions("runs", [])
    Partitions(folder='', names=())
    >>> find_partitions("a=1/*/*.csv", ["a=1/b=2/x.csv", "a=1/b=3/x.csv"])
    Partitions(folder='a=1/', names=('b',))
    """
    folder = _named_folder(source)
    if not files or folder is None:
        return Partitions("")
    if not files[0].startswith(folder):  # DuckDB lists file:///a/b as /a/b
        folder = folder.partition("://")[2]
    first, *others = (_names(file[len(folder) :]) for file in files)
    for file, names in zip(files[1:], others, strict=True):
        if names != first:
            got = ", ".join(f"{name}=" for name in names) or "none"
            expected = f"{file} to lie in folders named {', '.join(f'{name}=' for name in first)}"
            if not first:
                expected = f"{file} to lie in no folder named like {got}"
            hint = "Name one of the folders, or select files with a pattern"
            raise InputError(message(f"{expected}, as {files[0]} does", got, hint))
    return Partitions(folder, first)


def _named_folder(source: str) -> str | None:
    """The folder of a name or pattern, as the names of its files begin; None for one file."""
    if os.path.isdir(source):  # noqa: PTH112  # an address is no path
        return str(Path(source))
    magic = re.search(r"[*?[]", source)
    if magic is None or Path(source).exists():
        return None
    begin = source[: magic.start()]
    return begin[: len(begin) - len(re.split(SLASH, begin)[-1])]


def _names(path: str) -> tuple[str, ...]:
    folders = re.split(SLASH, path)[:-1]
    return tuple(part.partition("=")[0] for part in folders if part.find("=") > 0)
