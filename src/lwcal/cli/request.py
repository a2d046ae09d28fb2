"""The rows that a command works on: one request, made from the options and handed down."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from lwcal.atomic_files import refuse_inputs
from lwcal.cli.columns import (
    arrow_column,
    check_column,
    class_name,
    named_class,
    refuse_other_class,
    tell_of_opinions,
)
from lwcal.cli.console import note
from lwcal.cli.options import ENGINES, SPARK, STANDARD, RowOptions
from lwcal.cli.progress import late_progress
from lwcal.cli.usual_columns import find_label, find_score, has_label, is_usual
from lwcal.engines import UNLABELLED
from lwcal.engines.class_columns import is_one_column, names_several
from lwcal.engines.duckdb.files import is_address, is_database, paths_of
from lwcal.engines.duckdb.source import Source, opened
from lwcal.engines.duckdb.streams import opened_stream
from lwcal.errors import InputError, ParameterError, message
from lwcal.files import NAMES, format_of
from lwcal.parameters import OneOf, check_parameter
from lwcal.rows.faults import DROP_SHARE, check_drop_share
from lwcal.rows.scales import AUTO, PROBABILITY, check_scale

if TYPE_CHECKING:
    # the functions that count rows import these: applying needs none of them
    from lwcal.calibrators import Calibrator
    from lwcal.engines.spark.source import Source as SparkSource
    from lwcal.rows.reducer import Names
    from lwcal.score_map import ScoreMap
    from lwcal.segments import Segments
    from lwcal.table import ScoreTable

SAMPLE = 20_000
"""First rows by which columns are found; all rows are checked when they are used."""


class ReducedRows(NamedTuple):
    """Counts of the rows, and which class they count as positive.

    Attributes
    ----------
    table : ScoreTable
    positive : str or None
        The positive class as people read it; None for a saved table, which does not record it.
    named : object
        The positive class if it was named, in the type of the labels; a calibrator keeps it.
    labelled : bool
        Whether the rows have labels; otherwise all count as negative.
    score : str or None
        Name of the column of scores; None for a saved table.
    """

    table: ScoreTable
    positive: str | None
    named: Any = None
    labelled: bool = True
    score: str | None = None

    @property
    def positive_class(self) -> str:
        """The positive class, for people."""
        return self.positive or "not recorded in a saved table"

    def facts(self) -> dict[str, Any]:
        """How scores and labels were read, for programs."""
        return {"positive_class": self.positive, "score_scale": self.table.scale}


class Reading(NamedTuple):
    """An open source: its columns, the positive class if it was named, the scale, first rows."""

    source: Source | SparkSource
    names: Names
    named: Any
    scale: str
    sample: Any


@dataclass(frozen=True)
class RowsRequest(RowOptions):
    """Which rows to read, from where, and how: the options of a call, checked."""

    def again(self, *, single_rows: bool = True) -> list[str]:
        """Arguments of another command on the same rows; FILE where it could not read them.

        Some commands need single rows, which saved tables do not have.
        """
        if self.source == STANDARD or (single_rows and self.saved_tables()):
            return ["FILE"]
        return [self.source, *as_arguments(self.given())]

    def to_fit(self) -> list[str]:
        """Arguments of ``lwcal fit`` on the same rows, with the weights that they have here."""
        share = None if self.allow_drop_share is None else f"{self.allow_drop_share:g}"
        options = as_arguments({"--weight": self.weight, "--allow-drop-share": share})
        dropped = ["--drop-invalid"] if self.drop_invalid else []
        return [*self.again(single_rows=False), *options, *dropped, *self.given_times()]

    def has_single_rows(self) -> bool:
        """Whether each row can be read, and all of them."""
        return not (self.on_spark or self.drop_invalid or self.saved_tables())

    def keep_from(self, *targets: Path | None) -> None:
        """Refuse to write over a file of the rows."""
        try:
            files = paths_of(self.source)
        except InputError:  # no file, such as standard input; what is missing is told when read
            return
        for target in targets:
            refuse_inputs(target, *files)

    def require_single_rows(self, option: str) -> None:
        """Refuse an option that needs them."""
        if not self.has_single_rows():
            hint = "they are not available from saved tables, Spark or with --drop-invalid"
            raise ParameterError(f"{option} needs single rows; {hint}.")

    def __post_init__(self) -> None:
        """Refuse options that do not fit together before any row is read."""
        check_parameter("--engine", self.engine, OneOf(ENGINES))
        if self.form is not None:
            check_parameter("--format", self.form, OneOf(NAMES))
        if self.score_scale is not None:
            check_scale(self.score_scale, "--score-scale")
        if self.allow_drop_share is not None:
            check_drop_share(self.allow_drop_share, "--allow-drop-share")
            if not self.drop_invalid:
                raise ParameterError("--allow-drop-share works only with --drop-invalid; add it.")
        if self.master is not None and not self.on_spark:
            raise ParameterError(message("--engine spark with --master", f"--engine {self.engine}"))
        if self.on_spark and self.table is not None:
            hint = "give the name of the table as SCORES"
            raise ParameterError(f"--table does not work with --engine spark; {hint}.")
        if self.on_spark and self.source == STANDARD:
            hint = "give files or a table that its workers can read"
            raise ParameterError(f"Spark cannot read standard input; {hint}.")

    @property
    def on_spark(self) -> bool:
        """Whether Spark reads the rows."""
        return self.engine == SPARK

    def names_classes(self) -> bool:
        """Whether --score names several columns, one for each class."""
        return self._names_several(self.score)

    def names_opinions(self) -> bool:
        """Whether --label names several columns, one for each opinion."""
        return self._names_several(self.label)

    def _names_several(self, option: str | None) -> bool:
        if option is None or not names_several(option):
            return False
        if self.on_spark or self.is_stream():
            return True
        with self._opened() as source:  # the name of a single column may look like a pattern
            return not is_one_column(option, source.columns)

    @property
    def drop_share(self) -> float:
        """Share of the rows that may be dropped."""
        return DROP_SHARE if self.allow_drop_share is None else self.allow_drop_share

    def scale(self, fitted: Calibrator | ScoreMap | Segments | None = None) -> str:
        """Scale of the scores: the named one, or else that of the calibrator at hand."""
        if fitted is None:
            return PROBABILITY if self.score_scale is None else self.score_scale
        if self.score_scale == AUTO:
            raise ParameterError(
                "--score-scale auto does not work with a calibrator: a few new scores may hide "
                f"their scale. This one was fitted to the scale {fitted.scale_of()}, which is the "
                "default. Omit the option, or name a scale."
            )
        return fitted.scale_of(self.score_scale, "--score-scale")

    @property
    def name(self) -> str:
        """Name of the source in messages."""
        return "standard input" if self.source == STANDARD else self.source

    def given(self) -> dict[str, str | None]:
        """Options that another command needs to read the same rows, also those without a value."""
        return {
            "--score": self.score,
            "--score-scale": self.score_scale,
            "--label": self.label,
            "--pos-label": self.pos_label,
            "--id": self.id,
            "--format": self.form,
            "--table": self.table,
        }

    def given_times(self) -> list[str]:
        """Arguments about times, for a command that takes them too."""
        days = None if self.label_matures is None else f"{self.label_matures:g}"
        return as_arguments({"--time": self.time, "--label-matures": days, "--as-of": self.as_of})

    def files(self) -> list[Path]:
        """Files that can be read again; none for streams, object stores and Spark."""
        if self.on_spark or self.is_stream() or is_address(self.source):
            return []
        return paths_of(self.source)

    def saved_tables(self) -> list[Path]:
        """Files of the source if they are tables that `lwcal table` saved; otherwise none."""
        if self.form is not None or is_database(self.source):
            return []
        paths = self.files()
        # the first decides: whoever reads the others refuses a mixture of tables and rows
        if not paths or paths[0].suffix.lower() != ".parquet":
            return []
        from lwcal.rows.storage import is_table_file

        return paths if is_table_file(paths[0]) else []

    def reduce(self, *, fitted: Calibrator | None = None, needs_labels: bool = True) -> ReducedRows:
        """Load saved tables, or count the rows of the source.

        Parameters
        ----------
        fitted : Calibrator, optional
            The calibrator at hand, whose positive class and scale need not be named again.
        needs_labels : bool
            Whether labels are required; without them the scores alone are counted.
        """
        saved = self.saved_tables()
        if saved:
            return self._load(saved)
        with self.reading(fitted, needs_labels=needs_labels) as (
            source,
            names,
            named,
            scale,
            sample,
        ):
            found = source.reduce(
                names,
                pos_label=named,
                scale=scale,
                drop_invalid=self.drop_invalid,
                allow_drop_share=self.drop_share,
            )
        from lwcal.rows.counts import LIMIT
        from lwcal.table import ScoreTable

        labelled = names.label != UNLABELLED
        self.announce(names.score, names.label)
        if found.dropped.faults:
            note(str(found.dropped))
        positive = class_name(found.positive, sample, names.label) if labelled else None
        table = ScoreTable.of_counts(found.counts, LIMIT, found.scale)
        return ReducedRows(table, positive, named, labelled, names.score)

    @contextmanager
    def reading(self, fitted: Calibrator | None, *, needs_labels: bool) -> Iterator[Reading]:
        """Open the source, and find its columns; the parameters are those of :meth:`reduce`."""
        scale = self.scale(fitted)
        with self.opened() as source:
            sample = source.sample(SAMPLE, self.may_compute_with)
            names, named = self.find_columns(
                sample, source.name, fitted, needs_labels=needs_labels, columns=source.columns
            )
            used = source.unlabelled() if names.label == UNLABELLED else source
            yield Reading(used, names, named, scale, sample)

    def may_compute_with(self, name: str) -> bool:
        """Whether a column is named, or may be guessed; all others are never interpreted."""
        return name in (self.score, self.label, self.weight) or is_usual(name)

    @contextmanager
    def opened(self) -> Iterator[Source | SparkSource]:
        """Open the source with its engine; a progress bar shows while it is open."""
        with late_progress(f"reading {self.name}"), self._opened() as source:
            if self.id is not None:
                source.check_ids(self.id)
            yield source

    def find_score(self, source: Source | SparkSource, scale: str) -> str:
        """Name the column of scores of an open source."""
        if self.score is not None:
            return self.score
        sample = source.sample(SAMPLE, is_usual)
        return find_score(sample, source.name, scale, columns=source.columns)

    def announce(self, score: str, label: str | None = None) -> None:
        """Note which columns were found, once nothing can be wrong with them."""
        if self.score is None:
            note(f"score column: {score}")
        if label == UNLABELLED:
            note("no column with labels: only the scores are compared")
        elif label is not None and self.label is None:
            note(f"label column: {label}")

    def _opened(self) -> AbstractContextManager[Source | SparkSource]:
        if self.on_spark:
            from lwcal.engines.spark.source import opened as opened_on_spark

            return opened_on_spark(self.source, form=self.form, master=self.master)
        if self.is_stream():
            return self._opened_stream()
        return opened(self.source, form=self.form, table=self.table)

    @contextmanager
    def _opened_stream(self) -> Iterator[Source]:
        if self.source == STANDARD:
            with opened_stream(sys.stdin.buffer, self.form or "csv", self.name) as rows:
                yield rows
            return
        form = self.form or format_of(self.source).name
        with Path(self.source).open("rb") as pipe, opened_stream(pipe, form, self.name) as rows:
            yield rows

    def is_stream(self) -> bool:
        """Whether rows arrive once and in order: from standard input or a named pipe."""
        path = Path(self.source)
        return self.source == STANDARD or (
            path.exists() and not path.is_file() and not path.is_dir()
        )

    def _load(self, saved: list[Path]) -> ReducedRows:
        columns = ("score", "score_scale", "label", "weight", "pos_label", "id", "table", "time")
        given = next((name for name in columns if getattr(self, name) is not None), None)
        if given is not None:
            option = f"--{given.replace('_', '-')}"
            raise ParameterError(
                f"{option} does not work with a saved table, which has no columns."
            )
        from lwcal.table import ScoreTable

        return ReducedRows(ScoreTable.merge(ScoreTable.load(path) for path in saved), None)

    def find_columns(
        self,
        sample: Any,
        source: str,
        fitted: Calibrator | None,
        *,
        needs_labels: bool = True,
        complete: bool = False,
        columns: Mapping[str, str],
    ) -> tuple[Names, Any]:
        """Find the columns in the first rows or in all, and the positive class if it is named."""
        from lwcal.rows.reducer import Names

        if self.score is not None and not is_one_column(self.score, columns):
            raise ParameterError(
                f"--score {self.score} names several columns, and this command takes one column of "
                "scores. Several classes work with lwcal fit, apply, diagnose, evaluate, compare, "
                "monitor, report and audit."
            )
        if self.label is not None and not is_one_column(self.label, columns):
            raise ParameterError(
                f"--label {self.label} names several columns, and this command takes one label a "
                "row. Several opinions work with lwcal fit, diagnose and opinions."
            )
        # new rows may all have one label, and that is what monitoring must not miss
        complete = needs_labels and (complete or sample.num_rows < SAMPLE)
        score = self.score or find_score(sample, source, self.scale(fitted), columns=columns)
        is_absent = self.label is None and not has_label(sample, complete=complete)
        if is_absent and not needs_labels:
            return Names.checked(score, UNLABELLED, self.weight), None
        label = self.label or find_label(sample, source, complete=complete, columns=columns)
        tell_of_opinions(columns)
        names = Names.checked(score, label, self.weight)
        for name in names.used:
            check_column(name, columns, source)
        labels = arrow_column(sample, label, source).to_numpy()
        if fitted is None:
            return names, named_class(self.pos_label, None, labels)
        refuse_other_class(self.pos_label, fitted.pos_label, labels)
        return names, named_class(self.pos_label, fitted.pos_label, labels)


def as_arguments(options: Mapping[str, str | list[str] | None]) -> list[str]:
    """Write the options that have a value, and one with several values as often.

    >>> as_arguments({"--score": "p", "--table": None, "--segment": ["land", "shop"]})
    ['--score', 'p', '--segment', 'land', '--segment', 'shop']
    """
    found = []
    for name, value in options.items():
        values = value if isinstance(value, list) else [value]
        found += [part for one in values if one is not None for part in (name, one)]
    return found
