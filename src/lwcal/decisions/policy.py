"""Choose thresholds by costs, and which rows people should review."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.calibrators import Calibrator
from lwcal.calibrators.passed import require_calibrator
from lwcal.decisions.costs import CONFIDENCE, Costs, RowCosts, if_labels_are_right, if_noise_holds
from lwcal.decisions.score_thresholds import lowest_score
from lwcal.errors import ParameterError, message
from lwcal.estimates import Estimate
from lwcal.noise.estimate import NoiseEstimate
from lwcal.parameters import Between, check_parameter
from lwcal.rows import ArrayLike, as_scores, as_weights
from lwcal.rows.scales import PROBABILITY
from lwcal.rows.values import as_column, as_score_numbers
from lwcal.table import ScoreTable, as_table

NEGATIVE, REVIEW, POSITIVE = DECISIONS = ("negative", "review", "positive")
SMALLEST, LARGEST = 1e-100, 1e100
"""Range of costs, of whatever unit: squares of others are 0 or infinite, and intervals of them."""
COST_OF_ERROR = Between(SMALLEST, LARGEST)
COST_OF_REVIEW = Between(0.0, LARGEST)
WORTH_SAYING = 0.001
"""Share of the rows that could still be reviewed, from which it is said why they are not."""


@dataclass(frozen=True)
class Policy:
    """Thresholds, how many rows they concern, and what they cost.

    Attributes
    ----------
    low, high : float
        A calibrated probability below ``low`` is decided as negative, from ``high`` on as
        positive; rows between are reviewed. Both are equal if nothing is reviewed.
    low_score, high_score : float
        The same for scores, on their scale; infinity if no score is that high.
    negative, review, positive : float
        Share of the rows that is decided in each way.
    cost : float
        Expected cost a row, by the calibrated probabilities.
    cost_without_review : float
        The same with the best single threshold.
    labels_right, noise_holds : Estimate or None
        Cost a row judged by labels: if every label is right, and if the noise estimate of the
        calibrator holds. None without labels; the latter also without a noise estimate.
    costs : Costs
    scale : str
        Scale of the scores.
    capacity : float
        Share of the rows that people can review.
    next_group : float or None
        Share of the rows that would be reviewed next, if it is why capacity stays unused: they have
        equal probabilities, and are reviewed together or not at all.
    confidence : float
        Level of the intervals.
    """

    low: float
    high: float
    low_score: float
    high_score: float
    negative: float
    review: float
    positive: float
    cost: float
    cost_without_review: float
    labels_right: Estimate | None
    noise_holds: Estimate | None
    costs: Costs
    scale: str
    capacity: float = 0.0
    next_group: float | None = None
    confidence: float = CONFIDENCE

    def decide(self, scores: ArrayLike) -> Any:
        """The decision about each score: "negative", "review" or "positive".

        Parameters
        ----------
        scores : one-dimensional
            Scores on the scale of the calibrator.
        """
        values = as_scores(scores, scale=self.scale)  # refuses what is no score
        if self.scale != PROBABILITY:  # the limits are numbers of this scale
            values = as_score_numbers(as_column(scores, "scores")).values
        place = (values >= self.low_score).astype(int) + (values >= self.high_score)
        return np.array(DECISIONS)[place]

    def to_sql(self, column: str = "score", *, dialect: str = "duckdb") -> str:
        """One SQL expression with the decision; what is no score gives NULL.

        Parameters
        ----------
        column : str
            Name of the column of scores.
        dialect : str
            One of those of :func:`lwcal.export`.
        """
        from lwcal.decisions.sql import decisions_in_sql

        return decisions_in_sql(self.low_score, self.high_score, self.scale, column, dialect)

    @property
    def sentence(self) -> str:
        """The policy in plain words."""
        parts = [f"Decide positive from a probability of {self.high:.3g} on"]
        if self.review > 0.0 or self.low < self.high:
            parts.append(f", and review rows from {self.low:.3g} on ({self.review:.1%} of them)")
        text = f"{''.join(parts)}. Expected cost a row: {self.cost:.4g}."
        if self.low < self.high:
            text += f" Without reviews: {self.cost_without_review:.4g}."
        if self.next_group is not None:
            text += (
                f" {self.review:.1%} of the {self.capacity:.1%} that people can review is used: "
                f"the next group of rows, of equal probability, has {self.next_group:.1%}."
            )
        if self.labels_right is not None:
            text += f" If every label is right: {self.labels_right:.4g}."
        if self.noise_holds is not None:
            text += f" If the noise estimate holds: {self.noise_holds:.4g}."
        return text

    def to_dict(self) -> dict[str, Any]:
        """Everything in types that JSON knows; a score that is never reached is null."""
        document = {
            name: getattr(self, name)
            for name in ("low", "high", "negative", "review", "positive", "cost")
        }
        for name in ("low_score", "high_score"):
            score = getattr(self, name)
            document[name] = score if np.isfinite(score) else None
        for name in ("labels_right", "noise_holds"):
            found = getattr(self, name)
            document[name] = None if found is None else found.to_dict()
        document["cost_without_review"] = self.cost_without_review
        document |= {"capacity": self.capacity, "next_group": self.next_group}
        document |= {"costs": self.costs._asdict(), "scale": self.scale}
        return {**document, "confidence": self.confidence, "sentence": self.sentence}


def decide(
    calibrator: Calibrator,
    scores: ArrayLike | ScoreTable,
    y: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    cost_false_positive: float = 1.0,
    cost_false_negative: float = 1.0,
    cost_review: float = 0.0,
    capacity: float = 0.0,
    scale: str | None = None,
) -> Policy:
    """Choose the thresholds with the lowest expected cost.

    A row is decided as positive if that is cheaper than to decide it as negative: from the
    probability ``cost_false_positive / (cost_false_positive + cost_false_negative)`` on. People
    review the rows for which that saves most, as long as it saves anything and there are people:
    those nearest to the threshold. A review is taken to find the truth.

    Parameters
    ----------
    calibrator : Calibrator
        Fitted, of two classes.
    scores : one-dimensional, or ScoreTable
        Rows like those that will be decided.
    y : one-dimensional, optional
        Their labels. Then the cost is also judged by them, as they are and corrected for the noise
        that the calibrator estimated.
    sample_weight : one-dimensional, optional
        Frequencies of the rows.
    cost_false_positive, cost_false_negative : float, default 1
        Costs of the two errors, in any unit; from 1e-100 to 1e100.
    cost_review : float, default 0
        Cost of a review, in the same unit.
    capacity : float, default 0
        Share of the rows that people can review.
    scale : {"probability", "percent", "logit"}, optional
        Scale of the scores; that of the calibrator by default.

    See Also
    --------
    lwcal.diagnose : whether labels confirm the probabilities. Where it asks for checked labels,
        costs may be too low, and ``lwcal decide`` says so.

    Examples
    --------
    >>> import lwcal
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.random(4000)
    >>> labels = rng.random(4000) < scores
    >>> calibrator = lwcal.Platt().fit(scores, labels)
    >>> policy = decide(calibrator, scores, cost_false_negative=4.0, capacity=0.1)
    >>> round(policy.review, 2), policy.cost < policy.cost_without_review
    (0.1, True)
    >>> policy.decide([0.05, 0.2, 0.9])
    array(['negative', 'review', 'positive'], dtype='<U8')
    """
    costs = _checked(cost_false_positive, cost_false_negative, cost_review, capacity)
    require_calibrator(calibrator)
    calibrator.require_two_classes()
    table, labelled = _rows(calibrator, scores, y, sample_weight, scale)
    weights = (table.negatives + table.positives) / table.n
    probability = calibrator.map_.apply_unchecked(table.scores)
    low, high = _band(probability, weights, costs, capacity)
    fitted = calibrator.score_map()
    place = (probability >= low).astype(int) + (probability >= high)
    negative, review, positive = np.bincount(place, weights, minlength=3).tolist()
    row_costs = _costs_of(place, costs)
    expected = (1.0 - probability) * row_costs.if_negative + probability * row_costs.if_positive
    noise = calibrator.noise_
    return Policy(
        low,
        high,
        lowest_score(fitted, low),
        lowest_score(fitted, high),
        negative,
        review,
        positive,
        float(weights @ expected),
        float(weights @ (costs.saved_by_review(probability) + costs.review)),
        if_labels_are_right(table, row_costs) if labelled else None,
        if_noise_holds(table, row_costs, noise)
        if labelled and isinstance(noise, NoiseEstimate)
        else None,
        costs,
        fitted.scale,
        float(capacity),
        _next_group(costs.saved_by_review(probability), weights, place, capacity - review),
    )


def _next_group(saved: FloatArray, weights: FloatArray, place: Any, unused: float) -> float | None:
    """Share of the rows that would be reviewed next, if they are too many for what is unused."""
    left = np.where(place == DECISIONS.index(REVIEW), 0.0, saved)
    if not left.max() > 0.0:
        return None
    # equal probabilities can differ in the last bits
    share = float(weights[left >= left.max() * (1.0 - 1e-9)].sum())
    return share if share > unused >= WORTH_SAYING else None


def _checked(false_positive: float, false_negative: float, review: float, capacity: float) -> Costs:
    check_parameter("cost_false_positive", false_positive, COST_OF_ERROR)
    check_parameter("cost_false_negative", false_negative, COST_OF_ERROR)
    check_parameter("cost_review", review, COST_OF_REVIEW)
    check_parameter("capacity", capacity, Between(0.0, 1.0))
    if review > 0.0 and capacity == 0.0:
        hint = "capacity=1 if every row could be reviewed"
        raise ParameterError(message("a capacity with cost_review", "capacity=0", hint))
    return Costs(float(false_positive), float(false_negative), float(review))


def _rows(
    calibrator: Calibrator,
    scores: ArrayLike | ScoreTable,
    y: ArrayLike | None,
    sample_weight: ArrayLike | None,
    scale: str | None,
) -> tuple[ScoreTable, bool]:
    """The rows, and whether they have labels."""
    if isinstance(scores, ScoreTable):
        return as_table(scores, y, sample_weight, scale=scale), True
    known = calibrator.scale_of(scale)
    if y is not None:
        positive = calibrator.pos_label
        return as_table(scores, y, sample_weight, pos_label=positive, scale=known), True
    values = as_scores(scores, scale=known)
    weights = None if sample_weight is None else as_weights(sample_weight, len(values))
    nothing = np.zeros(len(values))
    return ScoreTable.from_arrays(values, nothing, weights, pos_label=1), False


def _band(
    probability: FloatArray, weights: FloatArray, costs: Costs, capacity: float
) -> tuple[float, float]:
    """Probabilities between which rows are reviewed."""
    saved = costs.saved_by_review(probability)
    order = np.argsort(-saved, kind="stable")
    reviewed = np.cumsum(weights[order]) <= capacity + 1e-12
    worth = saved[order] > 0.0
    # the first row that is not reviewed; rows of one probability are reviewed together
    first = int(np.argmin(np.append(reviewed & worth, False)))
    if first == 0:
        return costs.threshold, costs.threshold
    last_in = float(saved[order[first - 1]])
    first_out = float(saved[order[first]]) if first < len(order) else 0.0
    if first_out >= last_in:  # a tie would exceed the capacity
        inside = saved > first_out
        if not inside.any():
            return costs.threshold, costs.threshold
        last_in = float(saved[inside].min())
    cut = max((last_in + first_out) / 2.0, 0.0) + costs.review
    low, high = cut / costs.false_negative, 1.0 - cut / costs.false_positive
    return min(low, costs.threshold), max(high, costs.threshold)


def _costs_of(place: Any, costs: Costs) -> RowCosts:
    """Cost of each decision, if the row is negative and if it is positive."""
    if_negative = np.array([0.0, costs.review, costs.false_positive])
    if_positive = np.array([costs.false_negative, costs.review, 0.0])
    return RowCosts(if_negative[place], if_positive[place])
