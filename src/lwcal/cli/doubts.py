"""Say where new rows do not suit a calibrator, before it is judged by them."""

from lwcal.adjustments import other_base_rate
from lwcal.calibrators import Audited, Calibrator, Reviewed
from lwcal.cli.console import note
from lwcal.cli.request import ReducedRows
from lwcal.diagnosis.judgement import judge
from lwcal.errors import InputError
from lwcal.shift.verdicts import noise_is_sure
from lwcal.table import ScoreTable


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


def doubt_of_labels(fitted: Calibrator, table: ScoreTable) -> str:
    """Say that labels do not confirm thresholds and costs; empty if the verdict is settled.

    It is not asked where the calibrator learnt more than such labels tell, from checks or opinions.
    Known flip rates are those of the fit, and others after a change of the base rate.
    """
    has_opinions = isinstance(fitted, Reviewed) and fitted.reviews_ is not None
    has_other_rates = bool(fitted.adjustments_) and noise_is_sure(fitted)
    if isinstance(fitted, Audited) or has_opinions or has_other_rates:
        return ""
    if not (table.n_negative and table.n_positive):
        return ""
    try:
        advised = judge(table, fitted).recommendation
    except InputError as error:  # flip rates that are impossible for these rows
        return f"The labels do not suit the calibrator: {error}"
    if advised.is_settled:
        return ""
    return (
        f"{advised.headline}. Until then, nothing confirms the probabilities behind these costs, "
        "which may be too low. Do not set a threshold by them."
    )
