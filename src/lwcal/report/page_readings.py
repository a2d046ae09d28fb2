"""Read the labels both ways for the calibrator on the page."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone

from lwcal.calibrators import Audited, Calibrator
from lwcal.calibrators.crossfit import CrossFitted, cross_predict
from lwcal.diagnosis import Diagnosis, Readings
from lwcal.diagnosis.judgement import second_reading
from lwcal.diagnosis.readings import read_both
from lwcal.noise.logit_counts import pool_by_logit
from lwcal.reference import FIELDS, Reference, condensed
from lwcal.report.reviewer_section import reviews_of
from lwcal.table import ScoreTable


def was_fitted_to(calibrator: Calibrator, table: ScoreTable) -> bool:
    """Whether a calibrator was fitted to these rows, as far as its histogram of them tells.

    Examples
    --------
    >>> from lwcal.calibrators import Platt
    >>> table = ScoreTable.from_counts([0.2, 0.8], negatives=[8, 2], positives=[2, 8])
    >>> other = ScoreTable.from_counts([0.2, 0.8], negatives=[7, 2], positives=[3, 8])
    >>> fitted = Platt().fit_table(table)
    >>> was_fitted_to(fitted, table), was_fitted_to(fitted, other)
    (True, False)
    """
    kept = calibrator.reference_
    if kept is None:
        return False
    found = Reference.of(condensed(table))
    pairs = [(getattr(kept, name), getattr(found, name)) for name in FIELDS]
    return all(len(one) == len(other) and np.allclose(one, other) for one, other in pairs)


def read_page(
    calibrator: Calibrator, table: ScoreTable, diagnosis: Diagnosis, *, fitted_here: bool
) -> Readings:
    """Read the labels both ways, with the evidence of the diagnosis.

    A calibrator that was fitted to these rows would look better than it is. So the labels judge
    fits that did not see them.
    """
    pooled = pool_by_logit(table)
    return read_both(
        pooled,
        calibrator.map_,
        second_reading(diagnosis.posterior, pooled.scores),
        left_out=_left_out(calibrator, pooled) if fitted_here else None,
        unpooled=table,
        threshold=diagnosis.readings.threshold,
        confidence=diagnosis.noise.confidence,
    )


def _left_out(calibrator: Calibrator, pooled: ScoreTable) -> CrossFitted | None:
    # needs the checked rows or the opinions, which counts do not hold
    if isinstance(calibrator, Audited) or reviews_of(calibrator) is not None:
        return None
    return cross_predict(lambda: clone(calibrator), pooled)
