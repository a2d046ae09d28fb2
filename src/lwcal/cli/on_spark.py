"""The commands that Spark can run: rows to counts, and calibrated rows to files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lwcal.calibrators import Calibrator
from lwcal.cli.columns import SAMPLE, Asked, chosen_from, say_found
from lwcal.cli.console import note
from lwcal.cli.finding import find_score
from lwcal.cli.spark_rows import SparkRows, Target, opened_on_spark
from lwcal.errors import InputError, ParameterError, message
from lwcal.formats import Format
from lwcal.rows.counts import LIMIT
from lwcal.rows.faults import InvalidRows
from lwcal.table import ScoreTable

if TYPE_CHECKING:
    from lwcal.cli.where import Where


class Counted(NamedTuple):
    """A table, the positive class where it was named, and the rows that were left out."""

    table: ScoreTable
    positive: Any
    dropped: InvalidRows


def reduce_on_spark(source: str, asked: Asked, where: Where, *, drop_invalid: bool) -> Counted:
    """Count rows on the cluster."""
    _check(asked)
    with opened_on_spark(source, asked.form, where.master) as rows:
        from lwcal.engines.spark.reducing import reduce_frame
        from lwcal.engines.spark.session import explained

        with explained(source):
            sample = _sample(rows)
        chosen = chosen_from(sample, source, asked)
        _check_ids(rows, asked.id)
        found = reduce_frame(
            rows.frame,
            chosen.names,
            pos_label=chosen.pos_label,
            drop_invalid=drop_invalid,
            name=source,
        )
    say_found("score", asked.score, chosen.names.score)
    say_found("label", asked.label, chosen.names.label)
    table = ScoreTable.of_counts(found.counts[()], LIMIT)
    return Counted(table, chosen.pos_label, found.dropped)


class Written(NamedTuple):
    """How many rows were written, and how many were left out."""

    rows: int
    dropped: int


def apply_on_spark(
    calibrator: Calibrator,
    source: str,
    out: str,
    form: Format,
    asked: Asked,
    where: Where,
    *,
    column: str,
    replace_column: bool,
    drop_invalid: bool,
    overwrite: bool,
) -> Written:
    """Write rows with their probabilities, from the workers, to a folder of files."""
    _check(asked)
    if form.name == "arrow":
        raise ParameterError(message("--out in csv, parquet or jsonl for Spark", out))
    typed = form.name != "csv"  # from CSV to CSV nothing but the score is interpreted
    with opened_on_spark(source, asked.form, where.master, typed=typed) as rows:
        from pyspark.sql import Observation
        from pyspark.sql import functions as F  # noqa: N812

        from lwcal.engines.spark.applying import apply
        from lwcal.engines.spark.columns import is_probability, numbers, require
        from lwcal.engines.spark.looking import refuse_bad_scores
        from lwcal.engines.spark.session import explained

        target = Target(rows.frame.sparkSession, out, form, overwrite=overwrite)
        with explained(source):
            score = asked.score or find_score(_sample(rows), source)
            require(rows.frame, [score])
            _check_ids(rows, asked.id)
            counted = Observation()
            is_valid = F.coalesce(is_probability(numbers(rows.frame, score).value), F.lit(False))
            seen = rows.frame.observe(
                counted, F.count(F.lit(1)).alias("rows"), F.count_if(is_valid).alias("valid")
            )
            done = apply(
                seen, calibrator, score, column=column, replace_column=replace_column,
                drop_invalid=drop_invalid,
            )  # fmt: skip
            try:
                try:
                    with explained(source):
                        target.write(done)
                except InputError:
                    if not drop_invalid:  # the workers stopped at the first that they met
                        refuse_bad_scores(rows.frame, score)
                    raise
                found = counted.get
                if not found["valid"]:
                    raise InputError(message(f"at least one row in {source}", "none"))
                target.keep()
            finally:
                target.discard()
    say_found("score", asked.score, score)
    written = Written(found["valid"], found["rows"] - found["valid"])
    if written.dropped:
        note(
            f"dropped {written.dropped:,} of {found['rows']:,} rows: "
            f"column {score!r} is no probability in [0, 1] there"
        )
    return written


def _check(asked: Asked) -> None:
    if asked.table is not None:
        hint = "name the table in the place of SCORES"
        raise ParameterError(message("no --table with --engine spark", asked.table, hint))


def _sample(rows: SparkRows) -> Any:
    """The first rows, of the columns that could be scores or labels."""
    from pyspark.sql.types import AtomicType, BinaryType

    from lwcal.engines.spark.columns import column, numbers

    shown = []
    for field in rows.frame.schema.fields:
        if type(field.dataType).__name__ == "VectorUDT":
            shown.append(numbers(rows.frame, field.name).value.alias(field.name))
        elif isinstance(field.dataType, AtomicType) and not isinstance(field.dataType, BinaryType):
            shown.append(column(field.name))
    sample = rows.frame.select(*shown).limit(SAMPLE).toArrow()
    if not len(sample):
        raise InputError(message(f"at least one row in {rows.name}", "none"))
    return sample


def _check_ids(rows: SparkRows, name: str | None) -> None:
    """Refuse ids that are missing or occur more than once: such rows would count twice."""
    if name is None:
        return
    from pyspark.sql import functions as F  # noqa: N812

    from lwcal.engines.spark.columns import column, require
    from lwcal.engines.spark.session import explained

    require(rows.frame, [name])
    ids = column(name)
    with explained(rows.name):
        counts = rows.frame.agg(
            F.count(F.lit(1)).alias("rows"),
            F.count(ids).alias("present"),
            F.count_distinct(ids).alias("distinct"),
        ).toArrow()
    every, present, distinct = (counts[n][0].as_py() for n in ("rows", "present", "distinct"))
    if present < every:
        got = f"{every - present:,} rows without one"
        raise InputError(message(f"an id in every row of column {name!r}", got))
    if distinct < present:
        got = f"{present - distinct:,} repeated rows"
        raise InputError(message(f"every id in column {name!r} once", got, "drop the repeats"))
