"""``lwcal diagnose``: whether these labels can be calibrated on."""

from rich.table import Table

from lwcal.cli import options
from lwcal.cli.columns import Asked, read_rows
from lwcal.cli.console import print_json, stdout
from lwcal.cli.progress import late_progress
from lwcal.cli.tables import facts_table, numbers_table, with_interval
from lwcal.diagnosis import DEFAULT_METHODS, Diagnosis
from lwcal.diagnosis import diagnose as diagnose_rows

NEGATIVE = 1
"""Exit code of a verdict that says: not yet."""


def diagnose(
    scores: options.ScoresFile,
    score: options.Score = None,
    label: options.Label = None,
    weight: options.Weight = None,
    pos_label: options.PosLabel = None,
    id_column: options.Id = None,
    form: options.InputFormat = None,
    as_json: options.AsJson = False,
) -> int:
    """Say whether calibrating on these labels is safe; exits with 1 when labels need an audit.

    Example: lwcal diagnose lwcal-demo/calibration.csv --score score --label label
    """
    rows = read_rows(scores, Asked(score, label, weight, pos_label, id_column, form))
    with late_progress("calibrators", len(DEFAULT_METHODS)) as advance:
        diagnosis = diagnose_rows(rows.table(), on_progress=advance)
    if as_json:
        print_json(diagnosis.to_dict())
    else:
        _print(diagnosis)
    return NEGATIVE if diagnosis.recommendation.action == "audit" else 0


def _print(diagnosis: Diagnosis) -> None:
    console = stdout()
    console.print(f"[bold]{diagnosis.recommendation.sentence}[/bold]")
    console.print(f"{diagnosis.noise.sentence}\n")
    console.print(_numbers(diagnosis))
    console.print()
    console.print(_candidates(diagnosis))
    console.print(f"\nThe paper's protocol: {diagnosis.protocol.sentence}")


def _numbers(diagnosis: Diagnosis) -> Table:
    shown = facts_table()
    shown.add_row("rows", f"{diagnosis.n:,}", "")
    shown.add_row("positive labels", f"{diagnosis.base_rate:.1%}", "")
    shown.add_row("median loss m", f"{diagnosis.m:.4f}", "of the labels under the scores")
    shown.add_row("deviation s", f"{diagnosis.s:.4f}", "median absolute, of those losses")
    shown.add_row("disagreement d", f"{diagnosis.d:.4f}", "labels that contradict the model")
    shown.add_row("gate rho", f"{diagnosis.rho:.4f}", "share of the raw score Gated-LWCal keeps")
    return shown


def _candidates(diagnosis: Diagnosis) -> Table:
    """Cross-fitted scores: with labels as they are, and corrected for what is known of noise."""
    shown = numbers_table(
        "\ncalibrator",
        "NLL as\nlabelled",
        "NLL\ncorrected",
        "ECE as\nlabelled",
        "ECE\ncorrected",
        caption="cross-fitted; corrected \\[90% interval]",
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
        shown.add_row(candidate.method, *cells)
    return shown
