"""Cross-fitted calibrators as a table."""

from collections.abc import Sequence

from rich.table import Table

from lwcal.cli.console import numbers_table, with_interval
from lwcal.diagnosis import Candidate
from lwcal.diagnosis.findings import Evidence


def candidates_table(
    candidates: Sequence[Candidate], evidence: Evidence, ece_of: str = ""
) -> Table:
    """Metrics of the calibrators, against the labels and against the truth.

    Parameters
    ----------
    candidates : sequence of Candidate
    evidence : {"labels", "known rates", "checked labels"}
        What the truth is known by.
    ece_of : str, optional
        Of what the calibration error is, if not of the positive class.
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
