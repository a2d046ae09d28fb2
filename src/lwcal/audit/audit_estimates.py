"""Estimate from the checked rows how many labels are wrong, and whether to check more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from lwcal.audit.class_estimates import (
    NO_CHECKS,
    ClassAuditEstimates,
    estimate_from_checked_classes,
)
from lwcal.audit.reliability import Curve, calibration_error, to_json_types, with_intervals
from lwcal.calibrators.posterior_map import posterior_map
from lwcal.errors import InputError
from lwcal.estimates import Estimate, whole_percent
from lwcal.multiclass.class_rows import refuse_classes, refuse_pos_label
from lwcal.noise.checked.checked_rows import split_checked
from lwcal.noise.checked.posterior import AuditedPosterior, infer_audited
from lwcal.noise.checked.summary import gain_of_more, summarise
from lwcal.noise.hypotheses import hypotheses
from lwcal.noise.logit_counts import pool_by_logit
from lwcal.parameters import CONFIDENCE, check_parameter
from lwcal.rows import ArrayLike, as_checked_labels, as_scores
from lwcal.rows.probabilities import is_matrix
from lwcal.table import ScoreTable

CURVE_POINTS = 51
FEWEST = 25
"""Fewer checked rows are never enough: rare errors would be missed."""
ENOUGH_GAIN = 0.01
"""Checks are enough if 50 more are expected to lower log loss by at most this share."""


@dataclass(frozen=True, eq=False)
class AuditEstimates:
    """Estimates for all rows, from the checked rows.

    Attributes
    ----------
    checked, wrong : int
        Number of checked rows, and of wrong labels among them.
    wrong_share : Estimate
        Share of wrong labels among all rows.
    negative, positive : Estimate
        Flip rates: the share of true negatives labelled positive (r0), and the share of true
        positives labelled negative (r1).
    ece_raw, ece_calibrated : Estimate
        Calibration error of the raw score, and of :class:`lwcal.Audited` fitted to these rows.
    curve : Curve
        Probability of a true positive at each score.
    gain_of_more : float
        Share by which 50 more checks are expected to lower log loss.
    confidence : float
        Level of all intervals.
    """

    checked: int
    wrong: int
    wrong_share: Estimate
    negative: Estimate
    positive: Estimate
    ece_raw: Estimate
    ece_calibrated: Estimate
    curve: Curve
    gain_of_more: float
    confidence: float

    @property
    def enough(self) -> bool:
        """Whether more checks would change little."""
        return self.checked >= FEWEST and self.gain_of_more <= ENOUGH_GAIN

    @property
    def advice(self) -> str:
        """Whether to check more rows, in a few words."""
        return "You can stop now." if self.enough else "More checks would still pay."

    @property
    def reason(self) -> str:
        """The reason for the advice."""
        if self.checked < FEWEST:
            return f"Check at least {FEWEST} rows; {self.checked} are checked so far."
        low, high = map(whole_percent, self.wrong_share[1:])
        return (
            f"Between {low} and {high} of all labels are wrong. "
            f"50 more checks would lower log loss by about {self.gain_of_more:.1%}."
        )

    @property
    def sentence(self) -> str:
        """Advice and reason."""
        return f"{self.advice} {self.reason}"

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """Return everything as types that JSON can represent."""
        return {**to_json_types(asdict(self)), "enough": self.enough, "sentence": self.sentence}


def estimate_from_audit(
    scores: ArrayLike,
    y: ArrayLike,
    y_audited: ArrayLike,
    audit_probability: ArrayLike | None = None,
    *,
    confidence: float = 0.9,
    pos_label: Any = None,
    classes: Sequence[Any] | None = None,
) -> AuditEstimates | ClassAuditEstimates:
    """Estimate from the checked rows how many labels are wrong among all rows.

    Parameters
    ----------
    scores, y, y_audited, audit_probability
        All rows, as in :meth:`lwcal.Audited.fit`.
    confidence : float, default 0.9
        Level of the intervals.
    pos_label : optional
        The positive class of scores of shape (n,), if it is not obvious from the labels.
    classes : sequence, optional
        Class of each column of scores of shape (n, K), if the labels do not tell.

    Returns
    -------
    AuditEstimates or ClassAuditEstimates
        The latter for several columns of scores. It rests on the checked rows alone, and on no
        model.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.beta(0.5, 0.5, 2000)
    >>> truth = rng.random(2000) < scores
    >>> labels = truth ^ (rng.random(2000) < 0.1)
    >>> found = estimate_from_audit(scores, labels, np.where(np.arange(2000) < 80, truth, np.nan))
    >>> found.checked, found.wrong, found.wrong_share.low < 0.1 < found.wrong_share.high
    (80, 6, True)
    """
    check_parameter("confidence", confidence, CONFIDENCE)
    if is_matrix(scores):
        refuse_pos_label(pos_label)
        return estimate_from_checked_classes(
            scores, y, y_audited, audit_probability, confidence=confidence, classes=classes
        )
    refuse_classes(classes)
    return estimate_from_checked_column(
        scores, y, y_audited, audit_probability, confidence=confidence, pos_label=pos_label
    )


def estimate_from_checked_column(
    scores: ArrayLike,
    y: ArrayLike,
    y_audited: ArrayLike,
    audit_probability: ArrayLike | None = None,
    *,
    confidence: float = 0.9,
    pos_label: Any = None,
) -> AuditEstimates:
    """Estimate from rows of two classes; see :func:`estimate_from_audit`."""
    checked_scores = as_scores(scores)
    labels = as_checked_labels(y, y_audited, pos_label=pos_label)
    if not labels.checked.any():
        raise InputError(NO_CHECKS)
    table, checked = split_checked(checked_scores, labels, audit_probability=audit_probability)
    all_rows = pool_by_logit(ScoreTable.merge([table, checked.labels]))
    all_rows.require_both_classes()
    posterior = infer_audited(pool_by_logit(table), checked, hypotheses())
    draws = posterior.clean_draws(all_rows.scores)
    noise = summarise(posterior, all_rows, confidence=confidence)
    calibrated = posterior_map(posterior)(all_rows.scores)
    return AuditEstimates(
        checked=int(labels.checked.sum()),
        wrong=int((labels.noisy[labels.checked] != labels.true).sum()),
        wrong_share=noise.wrong,
        negative=noise.r0,
        positive=noise.r1,
        ece_raw=calibration_error(draws, all_rows, all_rows.scores, confidence),
        ece_calibrated=calibration_error(draws, all_rows, calibrated, confidence),
        curve=_curve(posterior, confidence),
        gain_of_more=gain_of_more(posterior, all_rows, checked.n),
        confidence=confidence,
    )


def _curve(posterior: AuditedPosterior, confidence: float) -> Curve:
    score = np.linspace(0.0, 1.0, CURVE_POINTS)
    draws = posterior.clean_draws(score)
    return with_intervals(score, draws.clean, draws, confidence)
