"""What to do with a calibrator that was just fitted, in a sentence."""

from lwcal.calibrators import Auto, Calibrator, LWCal, NoiseAware, Reviewed
from lwcal.diagnosis import deployment_protocol
from lwcal.diagnosis.judgement import judge
from lwcal.table import ScoreTable


def advice(table: ScoreTable, calibrator: Calibrator) -> str:
    """The verdict for calibrators that it is about; the paper's rule for the paper's own."""
    if isinstance(calibrator, Auto | NoiseAware | Reviewed):
        model = NoiseAware() if isinstance(calibrator, Reviewed) else calibrator
        return judge(table, model).recommendation.sentence
    if isinstance(calibrator, LWCal):
        lower, upper = calibrator.gate_range
        d = table.disagreement(calibrator.threshold)
        return f"The paper's rule: {deployment_protocol(d, lower=lower, upper=upper).sentence}"
    return "lwcal diagnose says whether it is safe to calibrate on these labels."
