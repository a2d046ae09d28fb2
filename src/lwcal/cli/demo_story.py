"""The story of ``lwcal demo``: the verdict by labels alone, by checked labels, and the truth."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from lwcal import metrics
from lwcal.arrays import FloatArray, LabelArray
from lwcal.audit import AuditPlan, plan_audit
from lwcal.calibrators import Audited, Auto, Calibrator, GatedLWCal, Identity, LWCal, Platt
from lwcal.calibrators.decision import LEAST_GAIN
from lwcal.cli.demo_data import CALIBRATION, TEST, ScoredDisputes
from lwcal.diagnosis.findings import FEWEST_CHECKS
from lwcal.diagnosis.judgement import Judgement, judge
from lwcal.diagnosis.readings import Readings
from lwcal.diagnosis.recommendation import Recommendation
from lwcal.diagnosis.wording import SAME
from lwcal.estimates import Estimate
from lwcal.noise.checked.checked_rows import split_checked
from lwcal.rows import as_checked_labels
from lwcal.table import ScoreTable

CHECKS = FEWEST_CHECKS
"""Number of labels that the demo checks."""


class Checks(NamedTuple):
    """Labels that were checked against the truth.

    Attributes
    ----------
    plan : AuditPlan
        The checked rows, as ``lwcal audit serve`` picks them.
    y_audited : float64 array of shape (rows,)
        The true label of a checked row; NaN in the others.
    probability : float64 array of shape (rows,)
        Probability with which a checked row was picked; NaN in the others.
    wrong : int
        Number of wrong labels among the checked ones.
    """

    plan: AuditPlan
    y_audited: FloatArray
    probability: FloatArray
    wrong: int


class Quality(NamedTuple):
    """What true labels say about a calibrator.

    Attributes
    ----------
    log_loss, ece : float
    gain : float
        Relative decrease of the log loss against the raw score.
    """

    log_loss: float
    ece: float
    gain: float


class Story(NamedTuple):
    """Everything that the demo shows.

    Attributes
    ----------
    by_labels : Judgement
        From the labels alone.
    checks : Checks
    by_checks : Judgement
        From the labels and the checked ones.
    calibrators : dict
        The fitted calibrators, by name.
    calibrated : dict
        Their probabilities for the test rows.
    qualities : dict
        Their quality there, by true labels.
    """

    by_labels: Judgement
    checks: Checks
    by_checks: Judgement
    calibrators: dict[str, Calibrator]
    calibrated: dict[str, FloatArray]
    qualities: dict[str, Quality]


def tell(scored: ScoredDisputes) -> Story:
    """Judge the calibration rows before and after some are checked, and compare with the truth."""
    scores, y = scored.scores[CALIBRATION], scored.data.y_noisy[CALIBRATION]
    checks = check_labels(scores, y, scored.data.y_true[CALIBRATION])
    unchecked, checked = split_checked(
        scores, as_checked_labels(y, checks.y_audited), audit_probability=checks.probability
    )
    plain: dict[str, Calibrator] = {
        "raw score": Identity(),
        "Platt": Platt(),
        "LWCal": LWCal(),
        "Gated-LWCal": GatedLWCal(),
        "Auto": Auto(),
    }
    calibrators = {
        **{name: calibrator.fit(scores, y) for name, calibrator in plain.items()},
        "Audited": Audited().fit_table(unchecked, checked),
    }
    calibrated = {name: one.predict(scored.scores[TEST]) for name, one in calibrators.items()}
    return Story(
        judge(ScoreTable.from_arrays(scores, y), Auto()),
        checks,
        judge(unchecked, Auto(), checked),
        calibrators,
        calibrated,
        qualities(scored.data.y_true[TEST], calibrated),
    )


def check_labels(
    scores: FloatArray, y: LabelArray, y_true: LabelArray, budget: int = CHECKS
) -> Checks:
    """Check some labels against the truth: those that ``lwcal audit serve`` asks about.

    Examples
    --------
    >>> scores, y = np.linspace(0.0, 1.0, 100), np.repeat([0, 1], 50)
    >>> checks = check_labels(scores, y, y_true=1 - y, budget=10)
    >>> int(np.isfinite(checks.y_audited).sum()), checks.wrong
    (10, 10)
    """
    plan = plan_audit(scores, y, budget)
    y_audited, probability = np.full(len(y), np.nan), np.full(len(y), np.nan)
    y_audited[plan.rows] = y_true[plan.rows]
    probability[plan.rows] = plan.probabilities
    return Checks(plan, y_audited, probability, int((y != y_true)[plan.rows].sum()))


def qualities(y_true: LabelArray, calibrated: Mapping[str, FloatArray]) -> dict[str, Quality]:
    """Judge probabilities by true labels; the first of them are the raw scores."""
    losses = {name: metrics.nll(y_true, p) for name, p in calibrated.items()}
    raw = next(iter(losses.values()))
    return {
        name: Quality(losses[name], metrics.ece(y_true, p), 1.0 - losses[name] / raw)
        for name, p in calibrated.items()
    }


def who_was_right(story: Story) -> str:
    """Compare both verdicts with the truth, in two sentences."""
    by_labels, by_checks = story.by_labels, story.by_checks
    auto, audited = story.qualities["Auto"].gain, story.qualities["Audited"].gain
    closer = closer_reading(auto, by_labels.readings)
    promised = by_checks.readings.noise_holds or by_checks.readings.labels_right
    kept = kept_promise(audited, by_checks.recommendation, promised.gain)
    before = (
        "Auto kept the raw score."  # the readings of step 1 are then about another map
        if by_labels.decision.choice == "raw"
        else f"With Auto, log loss {change(auto)}: {closer}."
    )
    return f"{before} With Audited, log loss {change(audited)}: {kept}."


def change(gain: float) -> str:
    """Say what log loss did.

    Examples
    --------
    >>> change(0.22), change(-0.013), change(0.0001)
    ('fell by 22.0%', 'rose by 1.3%', 'stayed the same')
    """
    if abs(gain) < SAME:
        return "stayed the same"
    return f"{'fell' if gain > 0 else 'rose'} by {abs(gain):.1%}"


def closer_reading(gain: float, readings: Readings) -> str:
    """Say which reading of the labels came closer to the true gain."""
    right, noisy = readings.labels_right.gain, readings.noise_holds
    if noisy is None:
        return f"{_side(gain, right)} the interval of step 1"
    to_right, to_noisy = abs(gain - right.value), abs(gain - noisy.gain.value)
    if to_right == to_noisy:
        return "both readings of step 1 came equally close"
    closer = "the noise estimate" if to_noisy < to_right else "the labels as they are"
    return f"of the two readings of step 1, {closer} came closer"


def kept_promise(gain: float, recommendation: Recommendation, promised: Estimate) -> str:
    """Say whether a verdict was right about the true gain."""
    if recommendation.refuses_rows or recommendation.action not in ("deploy", "keep raw"):
        return "step 2 promised nothing"
    deploys = recommendation.action == "deploy"
    right = gain >= SAME if deploys else gain < LEAST_GAIN
    found = "right" if right else "wrong"
    return f"{_side(gain, promised)} the interval of step 2, whose verdict was {found}"


def _side(gain: float, interval: Estimate) -> str:
    return "inside" if interval.low <= gain <= interval.high else "outside"
