"""What an audit has shown so far, and whether it may stop."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.calibrators.audited import split_checked
from lwcal.calibrators.posterior_map import posterior_map
from lwcal.errors import InputError, message
from lwcal.estimates import Estimate
from lwcal.inputs import ArrayLike, as_checked_labels, as_scores
from lwcal.metrics.calibration import N_BINS
from lwcal.noise.checked.posterior import AuditedPosterior, CleanDraws, infer_audited
from lwcal.noise.checked.summary import interval_of, summarise
from lwcal.noise.hypotheses import hypotheses
from lwcal.noise.logit_counts import pool_by_logit
from lwcal.parameters import CONFIDENCE, check_parameter
from lwcal.table import ScoreTable

CURVE = 51
FEWEST = 25
"""Checked rows below which nobody is told to stop: rare surprises would be missed."""
ENOUGH_GAIN = 0.01
"""Expected relative gain of 50 more checks below which an hour is better spent elsewhere."""


class Curve(NamedTuple):
    """Probability of a true positive along the scores, with intervals."""

    score: FloatArray
    value: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, eq=False)
class AuditFindings:
    """What checked labels say of all labels and of the scores.

    Attributes
    ----------
    checked, wrong : int
        Rows that were checked, and those of them whose label was wrong.
    wrong_share, negative, positive : Estimate
        Share of wrong labels among all rows, of true negatives labelled positive (r0) and of
        true positives labelled negative (r1).
    ece_raw, ece_calibrated : Estimate
        Calibration error of the raw score, and of :class:`lwcal.Audited` fitted to these rows.
    curve : Curve
        Probability of a true positive at each score.
    gain_of_more : float
        Relative decrease of the NLL to expect from checking 50 more.
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
    def sentence(self) -> str:
        """Say it in plain words."""
        share = _range(self.wrong_share)
        if self.enough:
            return (
                f"You can stop now: {share} of all labels are wrong, and 50 more checks would "
                f"improve the probabilities by about {self.gain_of_more:.1%}."
            )
        if self.checked < FEWEST:
            return f"Check at least {FEWEST} rows: {self.checked} are checked so far."
        return (
            f"Go on: {share} of all labels are wrong, and 50 more checks would improve the "
            f"probabilities by about {self.gain_of_more:.1%}."
        )

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """Everything as types that JSON knows."""
        return {**plain(asdict(self)), "enough": self.enough, "sentence": self.sentence}


def plain(values: dict[str, Any]) -> dict[str, Any]:
    """Named tuples of numbers and arrays in a dict as types that JSON knows, at any depth.

    >>> plain({"share": Estimate(0.2, 0.1, 0.3), "n": 5})
    {'share': {'value': 0.2, 'low': 0.1, 'high': 0.3}, 'n': 5}
    """

    def of(value: Any) -> Any:
        if isinstance(value, dict):
            return plain(value)
        if isinstance(value, (Estimate, Curve)):
            return {name: np.asarray(part).tolist() for name, part in value._asdict().items()}
        return value

    return {name: of(value) for name, value in values.items()}


def _range(interval: Estimate) -> str:
    return f"{interval.low:.0%} to {interval.high:.0%}"


def audit_findings(
    scores: ArrayLike,
    y: ArrayLike,
    y_audited: ArrayLike,
    audit_probability: ArrayLike | None = None,
    *,
    confidence: float = 0.9,
    pos_label: Any = None,
) -> AuditFindings:
    """Say what the rows that were checked so far tell of all rows.

    Parameters
    ----------
    scores, y, y_audited, audit_probability
        All rows, as in :meth:`lwcal.Audited.fit`.
    confidence : float, default 0.9
        Level of the intervals.
    pos_label : optional
        The positive class, when it is not obvious from the labels.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.beta(0.5, 0.5, 2000)
    >>> truth = rng.random(2000) < scores
    >>> labels = truth ^ (rng.random(2000) < 0.1)
    >>> found = audit_findings(scores, labels, np.where(np.arange(2000) < 80, truth, np.nan))
    >>> found.checked, found.wrong, found.wrong_share.low < 0.1 < found.wrong_share.high
    (80, 6, True)
    """
    check_parameter("confidence", confidence, CONFIDENCE)
    checked_scores = as_scores(scores)
    labels = as_checked_labels(y, y_audited, pos_label=pos_label)
    if not labels.checked.any():
        raise InputError(message("at least one checked label in y_audited", "none"))
    table, checked = split_checked(checked_scores, labels, audit_probability=audit_probability)
    everything = pool_by_logit(ScoreTable.merge([table, checked.labels]))
    everything.require_both_classes()
    posterior = infer_audited(pool_by_logit(table), checked, hypotheses())
    worlds = posterior.clean_draws(everything.scores)
    calibrated = posterior_map(posterior)(everything.scores)
    summary = summarise(posterior, everything, checked.n, confidence=confidence)
    wrong = labels.noisy[labels.checked] != labels.true
    return AuditFindings(
        int(labels.checked.sum()),
        int(wrong.sum()),
        summary.wrong,
        summary.r0,
        summary.r1,
        calibration_error(worlds, everything, everything.scores, confidence),
        calibration_error(worlds, everything, calibrated, confidence),
        _curve(posterior, confidence),
        summary.gain_of_more,
        confidence,
    )


def calibration_error(
    worlds: CleanDraws, table: ScoreTable, probabilities: FloatArray, confidence: float
) -> Estimate:
    """ECE in bins of equal width in every world, of the probabilities given to a table's rows."""
    gaps = (worlds.clean - probabilities) @ _members(table, probabilities).T
    return interval_of(np.abs(gaps).sum(axis=1), worlds.weights, confidence)


def reliability(
    worlds: CleanDraws, table: ScoreTable, probabilities: FloatArray, confidence: float
) -> Curve:
    """Mean probability in the bins that hold rows, and the share of true positives there."""
    members = _members(table, probabilities)
    members = members[members.sum(axis=1) > 0]
    members = members / members.sum(axis=1, keepdims=True)
    return _with_intervals(members @ probabilities, worlds.clean @ members.T, worlds, confidence)


def _members(table: ScoreTable, probabilities: FloatArray) -> FloatArray:
    """Share of all rows that each score contributes to each bin, of shape (bins, scores)."""
    share = (table.negatives + table.positives) / table.n
    bins = np.minimum((probabilities * N_BINS).astype(np.int64), N_BINS - 1)
    return np.asarray((bins == np.arange(N_BINS)[:, None]) * share)


def _curve(posterior: AuditedPosterior, confidence: float) -> Curve:
    score = np.linspace(0.0, 1.0, CURVE)
    worlds = posterior.clean_draws(score)
    return _with_intervals(score, worlds.clean, worlds, confidence)


def _with_intervals(
    score: FloatArray, values: FloatArray, worlds: CleanDraws, confidence: float
) -> Curve:
    ends = [interval_of(column, worlds.weights, confidence) for column in values.T]
    return Curve(score, *(np.array(part) for part in zip(*ends, strict=True)))
