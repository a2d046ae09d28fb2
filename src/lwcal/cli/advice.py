"""What to do with a calibrator that was just fitted, in a sentence."""

from lwcal.calibrators import Auto, Calibrator, ClassCalibrator, LWCal, NoiseAware, Reviewed
from lwcal.calibrators.base import Fitted
from lwcal.calibrators.class_base import FittedClasses
from lwcal.diagnosis import Recommendation, deployment_protocol
from lwcal.diagnosis.class_judgement import judge_class_rows
from lwcal.diagnosis.judgement import judge
from lwcal.multiclass.class_rows import ClassRows
from lwcal.noise.posterior import Posterior
from lwcal.table import ScoreTable

ASK = "lwcal diagnose says whether it is safe to calibrate on these labels."
MOST_CLASSES = 50
"""More take minutes to judge."""


def advice(table: ScoreTable, calibrator: Calibrator, posterior: Posterior | None = None) -> str:
    """The verdict for calibrators that it is about; the paper's rule for the paper's own.

    Parameters
    ----------
    table : ScoreTable
        The rows of the fit.
    calibrator : Calibrator
    posterior : Posterior, optional
        The one that the fit inferred; without it, it is inferred again.
    """
    if isinstance(calibrator, Auto | NoiseAware | Reviewed):
        model = NoiseAware() if isinstance(calibrator, Reviewed) else calibrator
        return _told(judge(table, model, posterior=posterior).recommendation, calibrator)
    if isinstance(calibrator, LWCal):
        lower, upper = calibrator.gate_range
        d = table.disagreement(calibrator.threshold)
        return f"The paper's rule: {deployment_protocol(d, lower=lower, upper=upper).sentence}"
    return ASK


def class_advice(
    rows: ClassRows, calibrator: ClassCalibrator, learned: Fitted | FittedClasses
) -> str:
    """The same for rows with a column of scores for each class.

    Parameters
    ----------
    rows : ClassRows
        The rows of the fit.
    calibrator : ClassCalibrator
    learned : Fitted or FittedClasses
        What it learned from them; the latter with more than two classes.
    """
    if isinstance(learned, Fitted):
        return advice(rows.two_class_table(), calibrator, learned.posterior)
    if not isinstance(calibrator, Auto | NoiseAware) or rows.n_classes > MOST_CLASSES:
        return ASK
    judged = judge_class_rows(rows, calibrator, posterior=learned.posterior)
    return _told(judged.recommendation, calibrator)


def _told(advised: Recommendation, calibrator: Calibrator | ClassCalibrator) -> str:
    """The verdict, and whether it is about another calibrator than the fitted one."""
    if advised.action != "deploy" or advised.calibrator == "auto":
        return advised.sentence
    if not isinstance(calibrator, Auto):
        return advised.sentence
    return (
        f"{advised.sentence} But this fit is auto, which keeps the raw score. For the other "
        f"calibrator, add --method {advised.calibrator}."
    )
