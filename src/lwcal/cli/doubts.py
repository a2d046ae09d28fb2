"""Say where new rows do not suit a calibrator, before it is judged by them."""

from lwcal.adjustments import other_base_rate
from lwcal.calibrators import Calibrator
from lwcal.cli.console import note
from lwcal.cli.request import ReducedRows
from lwcal.errors import InputError


def check_rows(fitted: Calibrator, found: ReducedRows, *, named: str | None) -> None:
    """Refuse rows of a wrong scale, and note that their base rate is not the corrected one.

    Parameters
    ----------
    fitted : Calibrator
    found : ReducedRows
    named : str or None
        The scale of the scores, if the caller named it; then there is no doubt about it.
    """
    name = "scores" if found.score is None else f"scores in column {found.score!r}"
    doubt = fitted.score_map().doubtful_percents(float(found.table.scores.max()), name)
    if doubt and named is None:
        raise InputError(doubt)
    if not found.labelled:
        return
    doubt = other_base_rate(fitted.adjustments_, found.table.base_rate, found.table.n)
    if doubt:
        note(doubt)
