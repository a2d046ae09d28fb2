"""Read the labels of several classes both ways for the calibrator on the page."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone

from lwcal.calibrators import Auto, ClassCalibrator, NoiseAware
from lwcal.calibrators.class_crossfit import ClassCrossFitted, cross_predict_classes
from lwcal.diagnosis.class_diagnosis import ClassDiagnosis, second_reading
from lwcal.diagnosis.class_readings import ClassReadings, read_both_classes
from lwcal.multiclass.class_rows import ClassRows


def was_fitted_to_rows(calibrator: ClassCalibrator, rows: ClassRows) -> bool:
    """Whether a calibrator was fitted to these rows, as far as another fit to them tells.

    Examples
    --------
    >>> from lwcal.calibrators import Temperature
    >>> scores = [[0.6, 0.2, 0.2], [0.2, 0.2, 0.6], [0.1, 0.8, 0.1]]
    >>> rows, other = (ClassRows.from_arrays(scores, y) for y in ([0, 2, 1], [0, 1, 2]))
    >>> fitted = Temperature().fit_rows(rows)
    >>> was_fitted_to_rows(fitted, rows), was_fitted_to_rows(fitted, other)
    (True, False)
    """
    if not np.isclose(calibrator.n_, rows.n) or calibrator.sampled_from_ != rows.sampled_from:
        return False
    again = clone(calibrator).fit_rows(rows)
    kept, found = (list(one.diagnostics_.values()) for one in (calibrator, again))
    if len(kept) != len(found) or not np.allclose(kept, found):
        return False
    was, now = (one.class_score_map().apply_unchecked(rows.scores) for one in (calibrator, again))
    return bool(np.allclose(was, now))


def read_class_page(
    calibrator: ClassCalibrator, diagnosis: ClassDiagnosis, *, refits: bool
) -> ClassReadings:
    """Read the labels both ways, with the evidence of the diagnosis.

    Parameters
    ----------
    calibrator : ClassCalibrator
    diagnosis : ClassDiagnosis
        Of the same rows.
    refits : bool
        Whether the labels judge fits that did not see them. A calibrator that was fitted to these
        rows would look better than it is.
    """
    if refits and _is_judged(calibrator, diagnosis):
        return diagnosis.readings
    rows = diagnosis.posterior.rows
    if refits:
        left_out = cross_predict_classes(lambda: clone(calibrator), rows)
    else:
        mapped = calibrator.class_score_map().apply_unchecked(rows.scores)
        left_out = ClassCrossFitted(rows.scores, mapped, rows.labels, rows.weights)
    return read_both_classes(
        rows,
        calibrator.map_,
        left_out,
        second_reading(diagnosis.posterior),
        confidence=diagnosis.noise.confidence,
    )


def _is_judged(calibrator: ClassCalibrator, diagnosis: ClassDiagnosis) -> bool:
    """Whether the diagnosis has already judged the calibrator, which takes most of its time."""
    if isinstance(calibrator, Auto):
        return diagnosis.decision.choice != "raw"
    return isinstance(calibrator, NoiseAware)
