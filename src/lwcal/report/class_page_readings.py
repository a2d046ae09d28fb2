"""Read the labels of several classes both ways for the calibrator on the page."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from sklearn.base import clone

from lwcal.calibrators import Audited, Auto, ClassCalibrator, NoiseAware
from lwcal.calibrators.class_crossfit import ClassCrossFitted, cross_predict_classes
from lwcal.diagnosis.class_checks import reading_of_checks
from lwcal.diagnosis.class_diagnosis import ClassDiagnosis
from lwcal.diagnosis.class_judgement import second_reading
from lwcal.diagnosis.class_readings import ClassReadings, read_both_classes
from lwcal.multiclass.class_posterior import MOST_ROWS
from lwcal.multiclass.class_reference import ClassReference
from lwcal.multiclass.class_rows import ClassRows
from lwcal.reference import FIELDS, Reference
from lwcal.report.reviewer_section import reviews_of


def was_fitted_to_rows(calibrator: ClassCalibrator, rows: ClassRows) -> bool:
    """Whether a calibrator was fitted to these rows, as far as its histograms of them tell.

    Examples
    --------
    >>> from lwcal.calibrators import Temperature
    >>> scores = [[0.6, 0.2, 0.2], [0.2, 0.2, 0.6], [0.1, 0.8, 0.1]]
    >>> rows, other = (ClassRows.from_arrays(scores, y) for y in ([0, 2, 1], [0, 1, 2]))
    >>> fitted = Temperature().fit_rows(rows)
    >>> was_fitted_to_rows(fitted, rows), was_fitted_to_rows(fitted, other)
    (True, False)
    """
    kept = calibrator.reference_
    if kept is None or not np.isclose(calibrator.n_, rows.n):
        return False
    found = ClassReference.of(rows)
    pairs = zip((kept.top, *kept.classes), (found.top, *found.classes), strict=True)
    return all(_are_same(one, other) for one, other in pairs)


def _are_same(one: Reference, other: Reference) -> bool:
    columns = [(getattr(one, name), getattr(other, name)) for name in FIELDS]
    return all(len(kept) == len(found) and np.allclose(kept, found) for kept, found in columns)


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
    readings = read_both_classes(
        used,
        calibrator.map_,
        left_out,
        second_reading(diagnosis.posterior),
        confidence=diagnosis.noise.confidence,
    )
    checked = diagnosis.posterior.checked
    if not checked.n:
        return readings
    mapped = calibrator.class_score_map().apply_unchecked(checked.scores)
    truths = ClassCrossFitted(checked.scores, mapped, checked.truths, checked.weights)
    return replace(
        readings, noise_holds=reading_of_checks(left_out, truths, diagnosis.noise.confidence)
    )


def can_refit(calibrator: ClassCalibrator, diagnosis: ClassDiagnosis) -> bool:
    """Whether fits to other rows can judge it: not without its checked labels or opinions."""
    if reviews_of(calibrator) is not None:
        return False
    return not isinstance(calibrator, Audited) or diagnosis.evidence == "checked labels"


def _is_judged(calibrator: ClassCalibrator, diagnosis: ClassDiagnosis) -> bool:
    """Whether the diagnosis has already judged the calibrator, which takes most of its time."""
    if diagnosis.evidence == "checked labels":
        return isinstance(calibrator, Audited)
    if isinstance(calibrator, Auto):
        return diagnosis.decision.choice != "raw"
    return isinstance(calibrator, NoiseAware)
