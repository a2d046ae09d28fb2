"""What a diagnosis says about losses that are corrected for noise."""

from lwcal.diagnosis.class_diagnosis import ClassDiagnosis
from lwcal.diagnosis.column_diagnosis import Diagnosis
from lwcal.noise.estimate import percent


def about_corrected(diagnosis: Diagnosis | ClassDiagnosis) -> str:
    """Say why corrected losses are not those of the second reading; empty if they are.

    Only labels alone are read in two ways. The second reading takes some labels as wrong, because
    the first one takes all as right. Corrected losses average over both.
    """
    if diagnosis.evidence != "labels" or diagnosis.readings.noise_holds is None:
        return ""
    if diagnosis.recommendation.refuses_rows:
        return ""
    return (
        "Losses corrected for noise are averages, because perhaps no label is wrong (probability: "
        f'{percent(diagnosis.noise.probability_clean)}). The reading "if the noise estimate holds" '
        "leaves that case out, so its losses are others."
    )
