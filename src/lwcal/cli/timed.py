"""Rows with times that a command works on: by spans of time, and with labels that are final."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lwcal.cli.columns import check_column, class_name
from lwcal.cli.console import note
from lwcal.cli.request import ReducedRows, RowsRequest
from lwcal.engines import UNLABELLED
from lwcal.errors import InputError, ParameterError
from lwcal.rows.counts import LIMIT, Counts
from lwcal.rows.spans import Spans, SpansReduction
from lwcal.rows.time_counts import Counted, Maturity, TimeCounts
from lwcal.rows.timed_arrays import BEFORE_ALL
from lwcal.rows.times import FIRST, shown_time
from lwcal.table import ScoreTable

if TYPE_CHECKING:
    from lwcal.calibrators import Calibrator

Plan = Callable[[TimeCounts, Callable[[int], Counted], int | None], Spans]
"""Chooses spans from the days of the rows, the seconds of a day, and when labels are final."""


class TimedRows(NamedTuple):
    """Counts of the rows by spans of time, and how they were read.

    Attributes
    ----------
    found : SpansReduction
    spans : Spans
    positive : str or None
        The positive class as people read it.
    named : object
        The positive class if it was named, in the type of the labels.
    labelled : bool
        Whether the source has labels.
    score : str
        Name of the column of scores.
    """

    found: SpansReduction
    spans: Spans
    positive: str | None
    named: Any
    labelled: bool
    score: str

    def facts(self) -> dict[str, Any]:
        """How scores and labels were read, for programs."""
        return {"positive_class": self.positive, "score_scale": self.found.scale}

    def table(self, place: int) -> ScoreTable | None:
        """Rows of a span that have a label; None if there are none."""
        return self._table(self.found.spans[place].labelled)

    def _table(self, counts: Counts) -> ScoreTable | None:
        if not len(counts.low):
            return None
        return ScoreTable.of_counts(counts, LIMIT, self.found.scale)


def maturity_of(request: RowsRequest) -> Maturity:
    """When labels are final; refuse options that do not fit together before any row is read."""
    maturity = Maturity(request.label_matures, request.as_of, ("--label-matures", "--as-of"))
    maturity.check()
    if request.label_matures is not None and request.time is None:
        raise ParameterError(
            "--label-matures needs the time of each row. Name the column of times with --time."
        )
    return maturity


def check_final_labels(request: RowsRequest, **others: Any) -> None:
    """Check the options of a command that uses times for the age of labels alone.

    Parameters
    ----------
    request : RowsRequest
    **others
        Values of options that do not work together with it.
    """
    maturity_of(request)
    if request.time is None:
        return
    if request.label_matures is None:
        raise ParameterError(
            "--time is used here only for the age of labels. Add --label-matures, or omit --time."
        )
    for name, value in others.items():
        if value:
            option = f"--{name.replace('_', '-')}"
            raise ParameterError(f"--label-matures does not work with {option}. Omit one of them.")
    refuse_several_columns(request)


def refuse_several_columns(request: RowsRequest) -> None:
    """Refuse times of rows that have several scores or several labels."""
    for option, several in (
        ("--score", request.names_classes()),
        ("--label", request.names_opinions()),
    ):
        if several:
            raise ParameterError(
                f"{option} names several columns, and times work with one column of scores and one "
                "of labels. Name one, or omit the times."
            )


def read_final(request: RowsRequest) -> ReducedRows:
    """Count the rows whose labels are final, and say how many are left out."""

    def plan(counts: TimeCounts, seconds_of: Any, until: int | None) -> Spans:
        return Spans(np.array([FIRST]), until)

    rows = read_timed(request, plan)
    table = rows.table(0)
    if table is None:
        raise no_final_label(request)
    return ReducedRows(table, rows.positive, rows.named, rows.labelled, rows.score)


def no_final_label(request: RowsRequest) -> InputError:
    """Word the error about rows that are all too young."""
    return InputError(
        f"No label is older than {request.label_matures:g} days, so none counts. Wait, or give "
        "--as-of if the labels were read later than the newest row was made."
    )


def read_timed(
    request: RowsRequest,
    plan: Plan,
    *,
    fitted: Calibrator | None = None,
    needs_labels: bool = True,
) -> TimedRows:
    """Count the rows by spans of time, in two passes: the times first.

    Parameters
    ----------
    request : RowsRequest
        It names the column of times.
    plan : function
    fitted : Calibrator, optional
        The calibrator at hand, whose positive class and scale need not be named again.
    needs_labels : bool
        Whether labels are required.
    """
    maturity, time = maturity_of(request), str(request.time)
    if request.saved_tables():
        raise ParameterError("--time does not work with a saved table, which has no times.")
    with request.reading(fitted, needs_labels=needs_labels) as read:
        if time in read.names.used:
            raise ParameterError(f"Column {time!r} cannot hold times and scores or labels too.")
        check_column(time, read.source.columns, read.source.name)
        counts = read.source.count_times(time, drop_invalid=request.drop_invalid)
        until = maturity.until(counts)
        spans = plan(counts, lambda day: read.source.seconds_of(time, day), until)
        labelled = read.names.label != UNLABELLED
        if not labelled:
            spans = spans._replace(mature_until=BEFORE_ALL)
        found = read.source.reduce_spans(
            read.names,
            time,
            spans,
            pos_label=read.named,
            scale=read.scale,
            drop_invalid=request.drop_invalid,
            allow_drop_share=request.drop_share,
        )
    request.announce(read.names.score, read.names.label)
    if found.dropped.faults:
        note(str(found.dropped))
    if labelled and until is not None and found.young:
        note(
            f"labels of {found.young:,} rows count as missing: they are from after "
            f"{shown_time(until)}, less than {request.label_matures:g} days old"
        )
    name = class_name(found.positive, read.sample, read.names.label) if labelled else None
    if not labelled:
        found = found._replace(young=0)
    return TimedRows(found, spans, name, read.named, labelled, read.names.score)
