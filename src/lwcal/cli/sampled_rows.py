"""``lwcal fit`` with ``--sampling-rate-negatives``: rows that were sampled by their labels."""

from typing import TypeVar

from lwcal.calibrators import Calibrator
from lwcal.cli.console import note
from lwcal.errors import InputError, ParameterError
from lwcal.shift import undo_sampling
from lwcal.shift.known import rates_off_its_rows

Fitted = TypeVar("Fitted", bound=Calibrator)


def undone(fitted: Fitted, kept_negatives: float, *, has_verdict: bool) -> Fitted:
    """Correct a calibrator for the share of negatives that was kept.

    Parameters
    ----------
    fitted : Calibrator
        Of the sampled rows.
    kept_negatives : float
    has_verdict : bool
        Whether a verdict is printed, which is that of the sampled rows.
    """
    off = rates_off_its_rows(fitted)
    if off is not None:
        raise InputError(f"{off.sampling_doubt('Platt')} Nothing was written.")
    corrected = undo_sampling(fitted, kept_negatives)
    if has_verdict:
        note(
            "the verdict is that of the sampled rows. There the raw scores may have another "
            "base rate than in all rows, and most of the gain may be that"
        )
    return corrected


def refuse_classes(kept_negatives: float | None) -> None:
    """Refuse one share where there are several classes."""
    if kept_negatives is not None:
        hint = "with several classes use lwcal.shift.undo_sampling in Python"
        raise ParameterError(f"--sampling-rate-negatives needs one column of scores; {hint}.")


def refuse_opinions(kept_negatives: float | None) -> None:
    """Refuse rows of several labels, which do not say by which of them they were sampled."""
    if kept_negatives is not None:
        raise ParameterError(
            "--sampling-rate-negatives needs one label a row, by which the rows were sampled; "
            "checked labels (--trusted) may be beside it. With several opinions, it is unknown "
            "which true positives were left out."
        )
