"""Tables of ``lwcal monitor``: the tests, and the rows of the fit beside the new ones."""

from rich.table import Table

from lwcal.cli.console import numbers_table, stdout, with_interval
from lwcal.monitoring import Monitoring
from lwcal.monitoring.grading import LABEL_ODDS, THRESHOLDS
from lwcal.monitoring.verdict import Snapshot

EFFECTS = {
    "scores": "PSI",
    "disagreement": "change of d",
    "groups": "change in a group of scores",
    "labels": "change at equal scores",
}
SNAPSHOT = ("rows", "positive labels", "disagreement d", "gate rho", "ECE against these labels")


def print_monitoring(monitoring: Monitoring, positive_class: str | None) -> None:
    """Print the verdict, its tests, and a summary of the rows; None: there are no labels."""
    console = stdout()
    console.print(f"[bold]{monitoring.sentence}[/bold]\n")
    console.print(_tests(monitoring))
    console.print()
    console.print(_snapshots(monitoring))
    console.print()
    if positive_class is not None:
        console.print(f"positive class: {positive_class}", markup=False)


def _tests(monitoring: Monitoring) -> Table:
    table = numbers_table("compared", "effect", "size", "watch", "alarm", "p (Holm)", "verdict")
    table.columns[1].justify = "left"
    for test in monitoring.tests:
        watch, refit = THRESHOLDS[test.name]
        cells = (f"{test.effect:.3f}", f"{watch:g}", f"{refit:g}", f"{test.p_adjusted:.2g}")
        table.add_row(test.name, EFFECTS[test.name], *cells, test.level)
        if test.odds_ratio is not None:
            limits = (f"{limit:g}" for limit in LABEL_ODDS)
            table.add_row("", "odds ratio", f"{test.odds_ratio:.3f}", *limits, "", "")
    return table


def _snapshots(monitoring: Monitoring) -> Table:
    table = numbers_table("", "at the fit", "now")
    columns = [_cells(snapshot) for snapshot in (monitoring.fitted, monitoring.new)]
    for name, before, after in zip(SNAPSHOT, *columns, strict=True):
        table.add_row(name, before, after)
    return table


def _cells(snapshot: Snapshot) -> list[str]:
    numbers = (snapshot.base_rate, snapshot.d, snapshot.rho)
    ece = snapshot.ece
    return [
        f"{snapshot.n:,.12g}",  # weights of an adapted calibrator do not add up exactly
        *("" if number is None else f"{number:.3f}" for number in numbers),
        "" if ece is None else with_interval(ece),
    ]
