"""Read the labels of several classes both ways for the calibrator on the page."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone

from lwcal.calibrators import Audited, Auto, ClassCalibrator, NoiseAware
from lwcal.calibrators.class_crossfit import ClassCrossFitted, cross_predict_classes
from lwcal.diagnosis.class_diagnosis import ClassDiagnosis, second_reading
from lwcal.diagnosis.class_readings import ClassReadings, read_both_classes
from lwcal.multiclass.checked_classes import AuditedClasses
from lwcal.multiclass.class_posterior import MOST_ROWS
from lwcal.multiclass.class_rows import ClassRows

SAME_FIT = {"rtol": 1e-3, "atol": 1e-6}
"""How near two fits to the same rows are: scores that differ in their last bits move a search."""


def was_fitted_to_rows(calibrator: ClassCalibrator, rows: AuditedClasses) -> bool:
    """Whether a calibrator was fitted to these rows, as far as another fit to them tells.

    One that learnt from checked labels cannot be fitted again without them. Then the number of
    rows tells.

    Examples
    --------
    >>> from lwcal.calibrators import Temperature
    >>> from lwcal.multiclass.checked_classes import read_checked_classes
    >>> scores = [[0.6, 0.2, 0.2], [0.2, 0.2, 0.6], [0.1, 0.8, 0.1]]
    >>> rows, other = (read_checked_classes(scores, y) for y in ([0, 2, 1], [0, 1, 2]))
    >>> fitted = Temperature().fit_rows(rows.everything)
    >>> was_fitted_to_rows(fitted, rows), was_fitted_to_rows(fitted, other)
    (True, False)
    """
    every = rows.everything
    if not np.isclose(calibrator.n_, every.n) or calibrator.sampled_from_ != every.sampled_from:
        return False
    if isinstance(calibrator, Audited) and not rows.checked.n:
        return True
    again = clone(calibrator)
    if isinstance(again, Audited):
        again.fit_checked_rows(rows)
    else:
        again.fit_rows(every)
    kept, found = (list(one.diagnostics_.values()) for one in (calibrator, again))
    if len(kept) != len(found) or not np.allclose(kept, found, **SAME_FIT):
        return False
    was, now = (one.class_score_map().apply_unchecked(every.scores) for one in (calibrator, again))
    return bool(np.allclose(was, now, **SAME_FIT))


def read_class_page(
    calibrator: ClassCalibrator, rows: ClassRows, diagnosis: ClassDiagnosis, *, refits: bool
) -> ClassReadings:
    """Read the labels both ways, with the evidence of the diagnosis.

    Parameters
    ----------
    calibrator : ClassCalibrator
    rows : ClassRows
    diagnosis : ClassDiagnosis
        Of the same rows.
    refits : bool
        Whether the labels judge fits that did not see them. A calibrator that was fitted to these
        rows would look better than it is.
    """
    if refits and _is_judged(calibrator, diagnosis):
        return diagnosis.readings
    used = rows.sample(MOST_ROWS)
    if refits:
        left_out = cross_predict_classes(lambda: clone(calibrator), used)
    else:
        mapped = calibrator.class_score_map().apply_unchecked(used.scores)
        left_out = ClassCrossFitted(used.scores, mapped, used.labels, used.weights)
    return read_both_classes(
        used,
        calibrator.map_,
        left_out,
        second_reading(diagnosis.posterior),
        confidence=diagnosis.noise.confidence,
    )


def can_refit(calibrator: ClassCalibrator, diagnosis: ClassDiagnosis) -> bool:
    """Whether fits to other rows can judge it: not without the labels that it was checked on."""
    return not isinstance(calibrator, Audited) or diagnosis.evidence == "checked labels"


def _is_judged(calibrator: ClassCalibrator, diagnosis: ClassDiagnosis) -> bool:
    """Whether the diagnosis has already judged the calibrator, which takes most of its time."""
    if diagnosis.evidence == "checked labels":
        return isinstance(calibrator, Audited)
    if isinstance(calibrator, Auto):
        return diagnosis.decision.choice != "raw"
    return isinstance(calibrator, NoiseAware)
