"""Cross-fitted calibrators as a table."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from lwcal.cli.console import numbers_table, with_interval
from lwcal.diagnosis import Candidate, ClassDiagnosis, Diagnosis
from lwcal.diagnosis.corrected_losses import about_corrected
from lwcal.diagnosis.findings import Evidence


def print_candidates(
    console: Console, diagnosis: Diagnosis | ClassDiagnosis, ece_of: str = ""
) -> None:
    """Print the metrics of the calibrators, and how they differ from the readings above them."""
    console.print(_candidates_table(diagnosis.candidates, diagnosis.evidence, ece_of))
    note = about_corrected(diagnosis)
    if note:
        console.print(note, markup=False)


def _candidates_table(candidates: Sequence[Candidate], evidence: Evidence, ece_of: str) -> Table:
    """Metrics of the calibrators, against the labels and against the truth.

    Parameters
    ----------
    candidates : sequence of Candidate
    evidence : {"labels", "known rates", "checked labels"}
        What the truth is known by.
    ece_of : str
        Of what the calibration error is; empty for the positive class.
    """
    is_audited = evidence == "checked labels"
    by = "by checks" if is_audited else "corrected"
    basis = "by the checked labels" if is_audited else "corrected for label noise"
    of = f"; ECE of the {ece_of}" if ece_of else ""
    table = numbers_table(
        "\ncalibrator",
        "NLL as\nlabelled",
        f"NLL\n{by}",
        "ECE as\nlabelled",
        f"ECE\n{by}",
        caption=f"cross-fitted; NLL: log loss{of}; {basis} \\[90% interval]",
    )
    for candidate in candidates:
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


def corrected_for(*, estimated: bool) -> str:
    """What losses are corrected for.

    >>> corrected_for(estimated=False)
    'corrected for the given noise'
    """
    if estimated:
        return "corrected for label noise, of which there may be none"
    return "corrected for the given noise"
