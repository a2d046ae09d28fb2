"""``lwcal diagnose``: judge whether these labels are good enough to calibrate on."""

from rich.table import Table

from lwcal.cli import NEGATIVE, options
from lwcal.cli.console import (
    facts_table,
    late_progress,
    numbers_table,
    print_json,
    stdout,
    with_interval,
)
from lwcal.cli.request import ReducedRows, RowsRequest, takes_rows
from lwcal.diagnosis import DEFAULT_METHODS, Diagnosis
from lwcal.diagnosis import diagnose as diagnose_table


@takes_rows()
def diagnose(rows: RowsRequest, as_json: options.AsJson = False) -> int:
    """Judge whether it is safe to calibrate on these labels.

    The exit code is 1 when labels need an audit first.

    Example: lwcal diagnose lwcal-demo/calibration.csv --score score --label label
    """
    found = rows.reduce()
    with late_progress("calibrators", len(DEFAULT_METHODS)) as advance:
        diagnosis = diagnose_table(found.table, on_progress=advance)
    if as_json:
        print_json({**diagnosis.to_dict(), **found.facts()})
    else:
        _print(diagnosis, found)
    return NEGATIVE if diagnosis.recommendation.action == "audit" else 0


def _print(diagnosis: Diagnosis, found: ReducedRows) -> None:
    console = stdout()
    console.print(f"[bold]{diagnosis.recommendation.sentence}[/bold]")
    console.print(f"{diagnosis.noise.sentence}\n")
    console.print(_numbers(diagnosis, found))
    console.print()
    console.print(_candidates(diagnosis))
    console.print(f"\nThe paper's protocol: {diagnosis.protocol.sentence}")


def _numbers(diagnosis: Diagnosis, found: ReducedRows) -> Table:
    facts = facts_table()
    facts.add_row("rows", f"{diagnosis.n:,}")
    facts.add_row("positive class", found.positive_class)
    facts.add_row("score scale", found.table.scale)
    facts.add_row("positive labels", f"{diagnosis.base_rate:.1%}")
    facts.add_row("median loss m", f"{diagnosis.m:.4f}", "of the labels under the scores")
    facts.add_row("deviation s", f"{diagnosis.s:.4f}", "median absolute deviation of those losses")
    facts.add_row(
        "disagreement d", f"{diagnosis.d:.4f}", "share of labels that contradict the model"
    )
    facts.add_row(
        "gate rho", f"{diagnosis.rho:.4f}", "share of the raw score that Gated-LWCal keeps"
    )
    return facts


def _candidates(diagnosis: Diagnosis) -> Table:
    """Cross-fitted metrics of the calibrators, against the labels and corrected for noise."""
    table = numbers_table(
        "\ncalibrator",
        "NLL as\nlabelled",
        "NLL\ncorrected",
        "ECE as\nlabelled",
        "ECE\ncorrected",
        caption="cross-fitted; NLL: log loss; corrected for label noise \\[90% interval]",
    )
    for candidate in diagnosis.candidates:
        cells = [
            cell
            for metric in ("nll", "ece")
            for cell in (
                f"{candidate.labelled[metric]:.3f}",
                with_interval(candidate.corrected[metric]),
            )
        ]
        table.add_row(candidate.method, *cells)
    return table
