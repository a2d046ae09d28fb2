"""``lwcal monitor --time``: compare the rows of every period with the rows of the fit."""

from collections.abc import Callable

from rich.table import Table

from lwcal.calibrators import Calibrator
from lwcal.cli import NEGATIVE
from lwcal.cli.console import numbers_table, print_json, stdout
from lwcal.cli.monitoring_tables import print_monitoring
from lwcal.cli.options import PERIODS
from lwcal.cli.progress import late_progress
from lwcal.cli.request import RowsRequest
from lwcal.cli.timed import maturity_of, read_timed, refuse_several_columns
from lwcal.errors import ParameterError
from lwcal.monitoring import PeriodMonitoring
from lwcal.monitoring.periods import compare_periods
from lwcal.monitoring.timed_rows import period_rows
from lwcal.parameters import OneOf, check_parameter
from lwcal.rows.counts import LIMIT
from lwcal.rows.periods import choose_period, period_starts
from lwcal.rows.spans import Spans
from lwcal.rows.time_counts import Counted, TimeCounts


def check_period(rows: RowsRequest, period: str | None) -> None:
    """Refuse options about times that do not fit together, before any row is read."""
    maturity_of(rows)
    if period is not None:
        check_parameter("--period", period, OneOf(PERIODS))
        if rows.time is None:
            raise ParameterError(
                "--period needs the time of each row. Name its column with --time."
            )


def run(fitted: Calibrator, rows: RowsRequest, *, period: str | None, as_json: bool) -> int:
    """Compare the rows of every period, print the result, and return the exit code."""
    refuse_several_columns(rows)
    chosen = period or ""

    def plan(counts: TimeCounts, seconds_of: Callable[[int], Counted], until: int | None) -> Spans:
        nonlocal chosen
        chosen = period or choose_period(counts.days, counts.rows)
        return Spans(period_starts(counts.days, chosen), until, needs_labels=False)

    read = read_timed(rows, plan, fitted=fitted, needs_labels=False)
    with late_progress("comparing"):
        periods = period_rows(read.found, read.spans, LIMIT)
        monitoring = compare_periods(fitted, periods, chosen, young=read.found.young)
    if as_json:
        print_json({**monitoring.to_dict(), **read.facts()})
    else:
        _print(monitoring, read.positive if read.labelled else None)
        stdout().print(f"score scale: {read.found.scale}")
    return NEGATIVE if monitoring.is_alarm else 0


def _print(monitoring: PeriodMonitoring, positive_class: str | None) -> None:
    console = stdout()
    console.print(f"[bold]{monitoring.sentence}[/bold]\n")
    console.print(_periods(monitoring))
    console.print("\nAll rows together:")
    print_monitoring(monitoring.overall, positive_class)


def _periods(monitoring: PeriodMonitoring) -> Table:
    tests = sum(len(one.tests) for one in monitoring.periods)
    caption = (
        f"p-values are corrected for all {tests:,} tests (Holm); change: of the share of positive "
        "labels at equal scores"
    )
    table = numbers_table(
        f"\n{monitoring.period}",
        "\nrows",
        "with\nlabel",
        "mean\nscore",
        "mean\ncalibrated",
        "positive\nlabels",
        "\nPSI",
        "\nchange",
        "\nverdict",
        caption=caption,
    )
    for one in monitoring.periods:
        change = one.effect("labels")
        table.add_row(
            one.name,
            f"{one.n:,}",
            f"{one.n_labelled:,}",
            f"{one.mean_score:.3f}",
            f"{one.mean_probability:.3f}",
            "" if one.base_rate is None else f"{one.base_rate:.3f}",
            f"{one.effect('scores') or 0.0:.3f}",
            "" if change is None else f"{change:.3f}",
            one.level,
        )
    return table
