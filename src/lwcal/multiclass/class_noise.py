"""Estimate which labels of several classes are wrong, and what of it is identified."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.estimates import whole_percent
from lwcal.multiclass.class_posterior import ClassPosterior
from lwcal.multiclass.matrix_draws import rows_of_matrix
from lwcal.noise.clear_cases import CLEAR_CASE
from lwcal.noise.estimate import RateEstimate, percent
from lwcal.numerics.shares import jeffreys_interval
from lwcal.parameters import CONFIDENCE, check_parameter

LEAST_CLEAR_SHARE = 0.1
"""Share of the rows of a class that have to be clear cases for its rate to be identified."""
LEAST_CLEAR_ROWS = 10.0
IDENTIFYING_CHECKS = 10.0
"""Checked rows, of a class or of all, from which on a rate counts as identified."""
LEAST_IDENTIFIED = 0.5
"""Share of the rows whose classes have to be identified for the share of all wrong labels."""
CONFUSED = 1.5
"""A pair of classes is confused if, at the low end of its interval, wrong labels of the one go to
the other this many times as often as they would go to any class alike."""
MOST_PAIRS = 5
"""Pairs that the sentence names."""


class ConfusedPair(NamedTuple):
    """A true class whose labels are often another class.

    Attributes
    ----------
    true, label : any
        The classes.
    share : float
        Expected share of rows of the true class that have this label.
    low, high : float
        Credible interval of the share.
    """

    true: Any
    label: Any
    share: float
    low: float
    high: float

    def __str__(self) -> str:
        interval = RateEstimate(self.share, self.low, self.high, 1.0).interval
        share = whole_percent(self.share)
        return f"{share} of true {self.true!r} are labelled {self.label!r} ({interval})"


@dataclass(frozen=True, eq=False)
class ClassNoiseEstimate:
    """An estimate of the label noise of several classes, given that some labels are wrong.

    Attributes
    ----------
    classes : tuple
        The class of each row and column.
    matrix : float64 array of shape (K, K)
        Expected probability of each label (column) for rows of each true class (row).
    low, high : float64 arrays of shape (K, K)
        Credible intervals of these probabilities.
    rates : tuple of RateEstimate
        Share of wrong labels of each true class. The value is None, and the interval is from 0 to
        1, if the class has too few clear cases to estimate it.
    wrong : RateEstimate
        Share of wrong labels among all rows; without a value if the classes of most rows are not
        identified. Of a class that is not identified, the interval allows any share, as far as
        checked labels do.
    probability_clean : float
        Probability that every label is right; tempered, as it is in the map.
    hypotheses : dict of str to float
        Probability of each explanation of the labels.
    confidence : float
        Level of the intervals.
    """

    classes: tuple[Any, ...]
    matrix: FloatArray
    low: FloatArray
    high: FloatArray
    rates: tuple[RateEstimate, ...]
    wrong: RateEstimate
    probability_clean: float
    hypotheses: dict[str, float]
    confidence: float

    @property
    def identified(self) -> bool:
        """Whether the rows identify the rate of every class."""
        return not self.unidentified

    @property
    def unidentified(self) -> tuple[Any, ...]:
        """Classes with too few clear cases to estimate their rate."""
        pairs = zip(self.classes, self.rates, strict=True)
        return tuple(name for name, rate in pairs if rate.value is None)

    @property
    def expected_matrix(self) -> FloatArray:
        """The matrix, averaged with "every label is right": what corrected metrics use."""
        clean = self.probability_clean
        return np.asarray(clean * np.eye(len(self.matrix)) + (1.0 - clean) * self.matrix)

    @property
    def confused(self) -> tuple[ConfusedPair, ...]:
        """Pairs of classes where wrong labels pile up, the most frequent first."""
        k = len(self.classes)
        alike = (1.0 - np.diagonal(self.matrix)) / (k - 1)
        known = np.array([rate.value is not None for rate in self.rates])
        piled = (self.low > CONFUSED * alike[:, None]) & known[:, None]
        np.fill_diagonal(piled, val=False)
        pairs = [
            ConfusedPair(
                self.classes[true],
                self.classes[label],
                *(float(part[true, label]) for part in (self.matrix, self.low, self.high)),
            )
            for true, label in zip(*np.nonzero(piled), strict=True)
        ]
        return tuple(sorted(pairs, key=lambda pair: -pair.share))

    @property
    def sentence(self) -> str:
        """The estimate in plain words."""
        if self.wrong.value is None:
            shares = "there are too few clear cases to estimate how many"
        elif self.unidentified:
            shares = f"{self.wrong.interval} of all labels are"
        else:
            shares = f"{whole_percent(self.wrong.value)} of all labels are ({self.wrong.interval})"
        chance = percent(self.probability_clean)
        parts = [
            f"The probability that no label is wrong is {chance}.",
            f"If some are wrong, {shares}.",
        ]
        if self.confused:
            named = "; ".join(str(pair) for pair in self.confused[:MOST_PAIRS])
            parts.append(f"Wrong labels pile up: {named}.")
        if self.unidentified and self.wrong.value is not None:
            named = ", ".join(repr(name) for name in self.unidentified[:MOST_PAIRS])
            more = len(self.unidentified) - MOST_PAIRS
            named += f" and {more} more" if more > 0 else ""
            parts.append(f"Too few clear cases to estimate the rate of {named}.")
        return " ".join(parts)

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """The estimate in types that JSON knows."""
        return {
            "classes": list(self.classes),
            "matrix": self.matrix.tolist(),
            "low": self.low.tolist(),
            "high": self.high.tolist(),
            "rates": [asdict(rate) for rate in self.rates],
            "wrong": asdict(self.wrong),
            "confused": [pair._asdict() for pair in self.confused],
            "unidentified": list(self.unidentified),
            "probability_clean": self.probability_clean,
            "hypotheses": self.hypotheses,
            "identified": self.identified,
            "confidence": self.confidence,
            "sentence": self.sentence,
        }


def _rate(value: float, ends: FloatArray, clear: float, *, is_identified: bool) -> RateEstimate:
    """A rate. Of one that is not identified nothing is said, however narrow the interval."""
    share = min(float(clear), 1.0)
    if not is_identified:
        return RateEstimate(None, 0.0, 1.0, share)
    low, high = np.clip(ends, 0.0, 1.0).tolist()
    return RateEstimate(min(max(float(value), 0.0), 1.0), low, high, share)


def _unless_contradicted(
    rate: RateEstimate, wrong: float, n: float, confidence: float
) -> RateEstimate:
    """The estimate of the model, or that of the checked rows alone if it contradicts them.

    Wrong labels that the scores allow look like right ones of a bad model. Checked rows show them.

    >>> _unless_contradicted(RateEstimate(0.08, 0.06, 0.1, 0.5), 19.0, 100.0, 0.9).interval
    '13% to 26%'
    """
    if n < IDENTIFYING_CHECKS or rate.value is None:
        return rate
    low, high = jeffreys_interval(wrong, n, confidence)
    if low <= rate.value <= high:
        return rate
    return RateEstimate(float(wrong / n), float(low), float(high), rate.clear_cases)


def _as_wide_as_checks(
    matrix: FloatArray, low: FloatArray, high: FloatArray, counts: FloatArray, confidence: float
) -> tuple[FloatArray, FloatArray]:
    """Intervals of shares, which hold what checked rows say where they contradict the model."""
    of_class = np.broadcast_to(counts.sum(axis=1, keepdims=True), counts.shape)
    least, most = jeffreys_interval(counts, of_class, confidence)
    against = (of_class > 0.0) & ((matrix < least) | (matrix > most))
    wider = np.where(against, np.minimum(low, least), low)
    return wider, np.where(against, np.maximum(high, most), high)


def class_noise_from(posterior: ClassPosterior, *, confidence: float = 0.9) -> ClassNoiseEstimate:
    """Summarise a posterior as a noise matrix with intervals.

    Examples
    --------
    >>> from lwcal.multiclass.class_hypotheses import class_hypotheses
    >>> from lwcal.multiclass.class_posterior import infer_classes
    >>> from lwcal.multiclass.class_rows import ClassRows
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.dirichlet([0.1] * 4, 4000)
    >>> labels = (rng.random((4000, 1)) > truth.cumsum(axis=1)).sum(axis=1)
    >>> labels = np.where((labels == 2) & (rng.random(4000) < 0.3), 0, labels)
    >>> rows = ClassRows.from_arrays(truth, np.array(list("abcd"))[labels])
    >>> estimate = class_noise_from(infer_classes(rows, class_hypotheses(4)))
    >>> print(estimate)  # doctest: +NORMALIZE_WHITESPACE
    The probability ... If some are wrong, 6% of all labels are (6% to 7%). Wrong labels pile up:
    26% of true 'c' are labelled 'a' (24% to 29%).
    """
    check_parameter("confidence", confidence, CONFIDENCE)
    given_noise = posterior.with_probability_clean(0.0)
    tail = (1.0 - confidence) / 2.0
    rows, checked = posterior.rows, posterior.checked
    n = rows.n + checked.n
    scores = np.concatenate([rows.scores, checked.scores])
    clean = posterior.scaling.apply_unchecked(scores)
    weights = np.concatenate([rows.weights, checked.weights]) / n
    by_scores, shares = (np.einsum("n,nk->k", weights, part) for part in (scores, clean))
    clear = np.einsum("n,nk->k", weights, clean > 1.0 - CLEAR_CASE)
    is_clear = (clear >= LEAST_CLEAR_SHARE * shares) & (clear * n >= LEAST_CLEAR_ROWS)
    is_clear |= posterior.matrix_is_known | (checked.counts.sum(axis=1) >= IDENTIFYING_CHECKS)
    low, high, overall, of_clear = [], [], 0.0, 0.0
    for true, draws in enumerate(rows_of_matrix(given_noise)):
        ends = np.quantile(draws, [tail, 1.0 - tail], axis=0)
        low.append(ends[0])
        high.append(ends[1])
        overall = overall + shares[true] * (1.0 - draws[:, true])
        of_clear = of_clear + is_clear[true] * shares[true] * (1.0 - draws[:, true])
    matrix, lows, highs = given_noise.noise_matrix, np.array(low), np.array(high)
    lows, highs = _as_wide_as_checks(matrix, lows, highs, checked.counts, confidence)
    rates = tuple(
        _rate(
            1.0 - matrix[k, k],
            np.array([1.0 - highs[k, k], 1.0 - lows[k, k]]),
            clear[k],
            is_identified=bool(is_clear[k]),
        )
        for k in range(rows.n_classes)
    )
    by_class = zip(rates, checked.counts, range(rows.n_classes), strict=True)
    rates = tuple(
        _unless_contradicted(rate, counts.sum() - counts[k], counts.sum(), confidence)
        for rate, counts, k in by_class
    )
    # of a class that is not identified, no label may be wrong, or all of them; and where its labels
    # are missing, so is a part of its share
    least, most = np.quantile(of_clear, [tail, 1.0 - tail])
    most += np.maximum(shares, by_scores)[~is_clear].sum()
    if checked.n >= IDENTIFYING_CHECKS:
        by_model = np.quantile(overall, [tail, 1.0 - tail])
        by_checks = jeffreys_interval(checked.wrong, checked.n, confidence)
        least = max(least, min(by_model[0], by_checks[0]))
        most = min(most, max(by_model[1], by_checks[1]))
    wrong = _rate(
        shares @ (1.0 - np.diagonal(matrix)),
        np.array([least, most]),
        clear.sum(),
        is_identified=bool(shares[is_clear].sum() > LEAST_IDENTIFIED)
        or checked.n >= IDENTIFYING_CHECKS,
    )
    wrong = _unless_contradicted(wrong, checked.wrong, checked.n, confidence)
    return ClassNoiseEstimate(
        rows.classes,
        matrix,
        lows,
        highs,
        rates,
        wrong,
        posterior.probability_clean,
        posterior.hypotheses,
        confidence,
    )
