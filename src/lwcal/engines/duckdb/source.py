"""An open source of rows: a file, folder, database, address or frame as one DuckDB query."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lwcal.engines import UNLABELLED, listed_columns
from lwcal.engines.duckdb import arrow, database
from lwcal.engines.duckdb.files import (
    address_query,
    common_format,
    files_query,
    is_address,
    is_database,
    paths_of,
)
from lwcal.engines.duckdb.session import BATCH_ROWS, explained, literal, only_row, quoted, session
from lwcal.errors import InputError, ParameterError, message
from lwcal.files import NAMES, Format, format_of
from lwcal.parameters import OneOf, check_parameter
from lwcal.rows.classes import MOST_CLASSES
from lwcal.rows.values import MISSING_WORDS

if TYPE_CHECKING:
    from lwcal.reviews.opinion_columns import OpinionColumns
    from lwcal.reviews.opinion_reduction import OpinionReduction
    from lwcal.rows.class_reducer import ClassNames, ClassReduction
    from lwcal.rows.reducer import Names, Reduction
    from lwcal.rows.spans import Spans, SpansReduction
    from lwcal.rows.time_counts import Counted, TimeCounts

logger = logging.getLogger(__name__)
MISSING = literal("|".join(map(re.escape, sorted(MISSING_WORDS))))
DAY = r"\d{4}-\d{2}-\d{2}"
TYPES = {
    # a cast alone would round 1.5 to 2
    "BIGINT": "regexp_full_match(VALUE, '[+-]?[0-9]{1,18}')",
    "DOUBLE": "TRY_CAST(VALUE AS DOUBLE) IS NOT NULL",
    "BOOLEAN": "lower(VALUE) IN ('true', 'false')",
    "DATE": f"regexp_full_match(VALUE, '{DAY}') AND TRY_CAST(VALUE AS DATE) IS NOT NULL",
    # without a time zone, which would change how the value is written
    "TIMESTAMP": rf"regexp_full_match(VALUE, '{DAY}[ T]\d{{2}}:\d{{2}}(:\d{{2}}(\.\d+)?)?') "
    "AND TRY_CAST(VALUE AS TIMESTAMP) IS NOT NULL",
}
"""Types that a column of text can have, the preferred first, each with the test of a value."""


@dataclass(frozen=True)
class Source:
    """An open source.

    Attributes
    ----------
    cursor : DuckDB connection
    sql : str
        Query that returns all rows.
    name : str
        Name of the source in messages.
    columns : dict of str to str
        Column names, with DuckDB's types.
    text : bool
        Whether every column was read as text, so that numbers are still words.
    """

    cursor: Any
    sql: str
    name: str
    columns: dict[str, str]
    text: bool = False

    def batches(self, names: Sequence[str]) -> Iterator[Any]:
        """Yield record batches of some columns, each once, in the order of the rows."""
        chosen = ", ".join(map(quoted, dict.fromkeys(self.require(names))))
        with explained(self.name):
            query = self.cursor.sql(f"SELECT {chosen} FROM ({self.sql})")
            # closed even if the caller stops early: an open result blocks the connection
            with query.to_arrow_reader(BATCH_ROWS) as reader:
                yield from reader

    def read(self) -> Any:
        """Read all rows into an Arrow table; refuse a source without rows."""
        with explained(self.name):
            table = self.cursor.sql(self.sql).to_arrow_table()
        if table.num_rows == 0:
            raise InputError(f"{self.name} has no rows.")
        return table

    def require(self, names: Sequence[str]) -> Sequence[str]:
        """Refuse column names that do not exist."""
        for name in names:
            if name not in self.columns:
                expected = f"a column {name!r} in {self.name}"
                raise InputError(message(expected, listed_columns(self.columns)))
        return names

    def sample(self, rows: int, chosen: Callable[[str], bool]) -> Any:
        """Read the first rows of the chosen columns, with types, into an Arrow table."""
        few = self.select(list(filter(chosen, self.columns)))
        return replace(few, sql=f"{few.sql} LIMIT {rows}").typed(list(few.columns)).read()

    def select(self, names: Collection[str]) -> Source:
        """The same rows with some of the columns; if there are none, with the first."""
        kept = names or list(self.columns)[:1]
        kinds = {name: kind for name, kind in self.columns.items() if name in kept}
        sql = f"SELECT {', '.join(map(quoted, kinds))} FROM ({self.sql})"
        return replace(self, sql=sql, columns=kinds)

    def typed(self, names: Collection[str]) -> Source:
        """Give some columns of text the type that all their values share.

        This costs a pass over the rows. It is for columns that are computed with. All others stay
        text: 007 is not 7.
        """
        if not self.text:
            return self
        kinds = self._types([n for n in names if self.columns.get(n) == "VARCHAR"])
        casts = [
            f"CAST({_present(name)} AS {kind}) AS {quoted(name)}"
            for name, kind in kinds.items()
            if kind != "VARCHAR"
        ]
        if not casts:
            return self
        sql = f"SELECT * REPLACE ({', '.join(casts)}) FROM ({self.sql})"
        return replace(self, sql=sql, columns={**self.columns, **kinds})

    def _types(self, names: list[str]) -> dict[str, str]:
        if not names:
            return {}
        tests = [
            f"bool_and({test.replace('VALUE', _present(name))}) "
            f"FILTER ({_present(name)} IS NOT NULL)"
            for name in names
            for test in TYPES.values()
        ]
        with explained(self.name):
            passed = iter(only_row(self.cursor, f"SELECT {', '.join(tests)} FROM ({self.sql})"))
        found = {}
        for name in names:
            # a test is None, and so not passed, where the column has no values at all
            fits = [kind for kind in TYPES if next(passed)]
            found[name] = fits[0] if fits else "VARCHAR"
        return found

    def check_ids(self, name: str) -> None:
        """Refuse ids that are missing or repeated: repeated rows would count twice."""
        self.require([name])
        column = quoted(name)
        # an empty word is a missing id
        present = f"nullif({column}, '')" if self.columns[name] == "VARCHAR" else column
        with explained(self.name):
            missing, extra = only_row(
                self.cursor,
                f"SELECT count(*) - count({present}), "
                f"count({present}) - count(DISTINCT {present}) FROM ({self.sql})",
            )
        if missing:
            raise InputError(
                f"An id is missing in {_rows(missing)} of column {name!r}; add the ids."
            )
        if extra:
            first = self._first_repeated(column)
            raise InputError(
                f"An id is repeated in {_rows(extra)} of column {name!r}, first {first!r}; drop "
                "the repeated rows."
            )

    def _first_repeated(self, column: str) -> Any:
        sql = f"SELECT {column} FROM ({self.sql}) GROUP BY 1 HAVING count(*) > 1 ORDER BY 1 LIMIT 1"
        with explained(self.name):
            return only_row(self.cursor, sql)[0]

    def unlabelled(self) -> Source:
        """The same rows with a column of zeros in place of labels, to count scores alone."""
        sql = f"SELECT *, 0 AS {UNLABELLED} FROM ({self.sql})"
        return replace(self, sql=sql, columns={**self.columns, UNLABELLED: "INTEGER"})

    def grouped(self, name: str, group: str, row: str) -> Source:
        """The same rows, those of a group together, with the numbers of its first row and of each.

        A window and a sort can use the disk, where lists of all rows would have to fit into memory.

        Parameters
        ----------
        name : str
            Column whose equal values make a group.
        group, row : str
            Names of the two new columns.
        """
        numbered = f"SELECT *, row_number() OVER () - 1 AS {row} FROM ({self.sql})"
        first = f"min({row}) OVER (PARTITION BY {quoted(name)}) AS {group}"
        sql = f"SELECT *, {first} FROM ({numbered}) ORDER BY {group}, {row}"
        return replace(self, sql=sql, columns={**self.columns, group: "BIGINT", row: "BIGINT"})

    def reduce(self, names: Names, **options: Any) -> Reduction:
        """Count the rows; the caller reports what was dropped."""
        from lwcal.rows.reducer import reduce_batches

        return reduce_batches(self.batches(names.used), names, **options)

    def count_times(self, time: str, *, drop_invalid: bool = False) -> TimeCounts:
        """Count the rows of each day."""
        from lwcal.rows.time_counts import count_times

        return count_times(self.batches([time]), time, drop_invalid=drop_invalid)

    def seconds_of(self, time: str, day: int) -> Counted:
        """Distinct seconds of one day, and their numbers of rows."""
        from lwcal.rows.time_counts import count_seconds

        return count_seconds((batch.column(time) for batch in self.batches([time])), day)

    def reduce_spans(self, names: Names, time: str, spans: Spans, **options: Any) -> SpansReduction:
        """Count the rows by spans of time; the caller reports what was dropped."""
        from lwcal.rows.spans import reduce_spans

        return reduce_spans(self.batches([*names.used, time]), names, time, spans, **options)

    def reduce_classes(self, names: ClassNames, **options: Any) -> ClassReduction:
        """Count equal rows of several classes; the caller reports what was dropped."""
        from lwcal.rows.class_reducer import reduce_class_batches

        return reduce_class_batches(self.batches(names.used), names, **options)

    def reduce_opinions(self, names: OpinionColumns, **options: Any) -> OpinionReduction:
        """Count equal rows of scores and opinions; the caller reports what was dropped."""
        from lwcal.engines.duckdb.opinion_batches import ITEM, ROW, reduce_opinion_batches

        ordered = self if names.item is None else self.grouped(names.item, ITEM, ROW)
        return reduce_opinion_batches(self.batches, ordered.batches, names, **options)

    def label_counts(self, name: str) -> list[tuple[Any, int]]:
        """Distinct labels with their numbers of rows; of very many, only some."""
        self.require([name])
        sql = f"SELECT {quoted(name)}, count(*) FROM ({self.sql}) GROUP BY 1 LIMIT {MOST_CLASSES}"
        with explained(self.name):
            return list(self.cursor.execute(sql).fetchall())


@contextmanager
def opened(
    source: Any,
    *,
    form: str | None = None,
    table: str | None = None,
    connection: Any = None,
    threads: int | None = None,
    name: str | None = None,
) -> Iterator[Source]:
    """Open a source until the block ends.

    Parameters
    ----------
    source : path, pattern, folder, address or frame
    form : {"csv", "parquet", "jsonl", "arrow"}, optional
        Format of the files; by default their names decide.
    table : str, optional
        Table or view of a database; by default its only one.
    connection : DuckDB connection, optional
        A connection on which object stores, extensions or limits are set up.
    threads : int, optional
        Number of threads; by default all cores.
    name : str, optional
        Name of the source in messages.
    """
    if form is not None:
        check_parameter("format", form, OneOf(NAMES))
    is_named = isinstance(source, (str, os.PathLike))
    shown = name or (os.fspath(source) if is_named else "the frame")
    logger.info("reading %s with DuckDB", shown)
    if not is_named:
        refuse_for_frames(form=form, table=table)
    if connection is not None and threads is not None:
        hint = "set the threads of a connection with SET threads = ..."
        raise ParameterError(message("connection= or threads=", "both", hint))
    with session(connection, threads) as cursor, ExitStack() as stack:
        if is_named:
            sql, is_text = _query(cursor, stack, os.fspath(source), shown, form, table)
        else:
            sql, is_text = arrow.frame_query(cursor, source), False
        with explained(shown):
            described = cursor.execute(f"DESCRIBE {sql}").fetchall()
        yield Source(cursor, sql, shown, {row[0]: row[1] for row in described}, is_text)


def refuse_for_frames(**options: Any) -> None:
    """Refuse options that would be ignored, because the source is a frame."""
    for name, value in options.items():
        if value is not None:
            raise ParameterError(message(f"files or a database with {name}=", "a frame"))


def _query(
    cursor: Any, stack: ExitStack, source: str, shown: str, form: str | None, table: str | None
) -> tuple[str, bool]:
    """SQL that reads a source, and whether all its columns are text."""
    if form is None and is_database(source):
        name = stack.enter_context(database.attached(cursor, source, shown))
        return database.table_query(cursor, name, shown, table), False
    if table is not None:
        raise ParameterError(message("a database with --table (table=)", shown))
    if is_address(source):
        known = Format(form) if form else format_of(source)
        return address_query(cursor, source, known.name), known.name == "csv"
    paths = paths_of(source)
    known = common_format(paths, form, shown)
    if known.name == "arrow":
        return arrow.arrow_query(cursor, paths), False
    for path in paths:
        with path.open("rb"):  # the system reports files that cannot be opened
            pass
    return files_query(cursor, source, paths, known.name), known.name == "csv"


def present(name: str, source: Source) -> str:
    """SQL of a value of a column that is null if the value is missing, also as a word."""
    return _present(name) if source.columns[name] == "VARCHAR" else quoted(name)


def _present(name: str) -> str:
    # DuckDB turns a long list of values into a join, and a join returns rows in any order
    return f"CASE WHEN NOT regexp_full_match({quoted(name)}, {MISSING}) THEN {quoted(name)} END"


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count:,} rows"
