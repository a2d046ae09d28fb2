"""What to do with a calibrator that was just fitted, in a sentence."""

from lwcal.calibrators import Auto, Calibrator, ClassCalibrator, LWCal, NoiseAware, Reviewed
from lwcal.diagnosis import deployment_protocol
from lwcal.diagnosis.class_diagnosis import judge_class_rows
from lwcal.diagnosis.judgement import judge
from lwcal.multiclass.class_rows import ClassRows
from lwcal.table import ScoreTable

ASK = "lwcal diagnose says whether it is safe to calibrate on these labels."
MOST_CLASSES = 50
"""More take minutes to judge."""


def advice(table: ScoreTable, calibrator: Calibrator) -> str:
    """The verdict for calibrators that it is about; the paper's rule for the paper's own."""
    if isinstance(calibrator, Auto | NoiseAware | Reviewed):
        model = NoiseAware() if isinstance(calibrator, Reviewed) else calibrator
        return judge(table, model).recommendation.sentence
    if isinstance(calibrator, LWCal):
        lower, upper = calibrator.gate_range
        d = table.disagreement(calibrator.threshold)
        return f"The paper's rule: {deployment_protocol(d, lower=lower, upper=upper).sentence}"
    return ASK


def class_advice(rows: ClassRows, calibrator: ClassCalibrator) -> str:
    """The same for more than two classes."""
    if not isinstance(calibrator, Auto | NoiseAware) or rows.n_classes > MOST_CLASSES:
        return ASK
    return judge_class_rows(rows, calibrator).recommendation.sentence
