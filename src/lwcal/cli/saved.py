"""Pooled counts for a command: read from saved tables, or reduced from rows."""

from __future__ import annotations

from typing import Any, NamedTuple

from lwcal.cli.columns import Asked, choose, say_dropped, say_found
from lwcal.cli.on_spark import reduce_on_spark
from lwcal.cli.sources import open_source, source_files
from lwcal.cli.where import Where
from lwcal.engines.duckdb.files import is_database
from lwcal.engines.duckdb.reducing import reduce_source
from lwcal.errors import ParameterError, message
from lwcal.rows.counts import LIMIT
from lwcal.rows.storage import is_table_file
from lwcal.table import ScoreTable


class Pooled(NamedTuple):
    """Counts, and the positive class where it was named."""

    table: ScoreTable
    positive: Any = None


def load_or_reduce(
    source: str, asked: Asked, where: Where, *, drop_invalid: bool = False
) -> Pooled:
    """Merge saved tables where the source names some, and reduce rows otherwise."""
    saved = [] if where.is_spark else _saved_tables(source, asked)
    if saved:
        named = [name for name, given in asked._asdict().items() if given is not None]
        if named:
            hint = "a saved table has no columns to choose from"
            option = f"--{named[0].replace('_', '-')}"
            raise ParameterError(message("no names of columns with a saved table", option, hint))
        return Pooled(ScoreTable.merge(ScoreTable.load(path) for path in saved))
    return reduce_rows(source, asked, where, drop_invalid=drop_invalid)


def reduce_rows(source: str, asked: Asked, where: Where, *, drop_invalid: bool = False) -> Pooled:
    """Reduce rows by the engine, and tell which columns were taken and what was dropped."""
    if where.is_spark:
        counted = reduce_on_spark(source, asked, where, drop_invalid=drop_invalid)
        say_dropped(counted.dropped)
        return Pooled(counted.table, counted.positive)
    with open_source(source, asked.form, table=asked.table, id_column=asked.id) as rows:
        chosen = choose(rows, asked)
        found = reduce_source(
            rows, chosen.names, pos_label=chosen.pos_label, drop_invalid=drop_invalid
        )
    say_found("score", asked.score, chosen.names.score)
    say_found("label", asked.label, chosen.names.label)
    say_dropped(found.dropped)
    return Pooled(ScoreTable.of_counts(found.counts, LIMIT), chosen.pos_label)


def _saved_tables(source: str, asked: Asked) -> list[str]:
    """Files of a source, if they are saved tables."""
    if asked.form is not None or is_database(source):
        return []
    paths = source_files(source)
    # the first tells: tables and rows do not add up, and whoever reads the others says so
    if not paths or paths[0].suffix.lower() != ".parquet" or not is_table_file(paths[0]):
        return []
    return [str(path) for path in paths]
