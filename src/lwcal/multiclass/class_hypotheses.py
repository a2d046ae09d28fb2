"""The prior for several classes: which hypotheses about label noise compete.

They go from simple to rich. A richer one is centred on what the simplest found: how many labels
are wrong. The numbers were chosen on development tasks only, those of ``lwcal_study.classes``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.multiclass.default_class import ReplacedLabels
from lwcal.multiclass.given_noise import as_noise_matrix, as_prior_rates
from lwcal.multiclass.label_noise import (
    KnownNoise,
    NoiseModel,
    UnknownNoise,
    even_goals,
    similar_goals,
)
from lwcal.multiclass.scaling_numbers import (
    DIAGONAL_SD,
    INTERCEPT_SD,
    LOG_SLOPE_SD,
    OFF_DIAGONAL_SD,
    ScalingPrior,
)
from lwcal.noise.hypotheses import (
    CALIBRATED,
    CALIBRATED_SD,
    KNOWN,
    NO_NOISE,
    OVERCONFIDENT,
    PRIOR_CLEAN,
    PRIOR_STRENGTH,
)

ONE_RATE: Final = "one rate"
RATE_PER_CLASS: Final = "a rate for each class"
SIMILAR: Final = "similar classes"
FREE: Final = "free matrix"
DEFAULT: Final = "default class"
NOISELESS: Final = (NO_NOISE, CALIBRATED, OVERCONFIDENT)
"""Hypotheses under which every label is right."""
BESIDE_CALIBRATED: Final = (ONE_RATE, FREE)
"""Noise beside scores that are calibrated as they are: those of a model trained on better labels
than it is calibrated on. Without these, its labels would pass for right ones of a bad model."""
CLEAN_SHARES: Final = {NO_NOISE: 0.5, CALIBRATED: 0.3, OVERCONFIDENT: 0.2}
"""Prior of each way in which every label can be right. Many scores are calibrated already."""
CLEAN_SHARES_OF_OPINIONS: Final = {NO_NOISE: 0.6, CALIBRATED: 0.4}
"""The same with several opinions a row, which tell an overconfident model from wrong labels."""
OVERCONFIDENT_RIGHT = 12.0
"""What the prior is worth for the share of truths that an overconfident model excludes, in rows
that it gets right, beside one that it gets wrong: 8% are expected, as for two classes. Any noise
matrix can be the mistakes of such a model, and only this prior tells them apart."""
CALIBRATED_NOISY_SHARE = 0.2
"""Of the prior of wrong labels."""

LOG_SLOPE_SD_UNDER_NOISE = 0.7
"""Steep slopes and many wrong labels explain each other. This keeps both within reason."""
LOOSER = 1.4
"""Factor of the other standard deviations under noise: a model trained on wrong labels is wrong in
more ways."""

AS_IT_IS: Final = ScalingPrior(CALIBRATED_SD, CALIBRATED_SD)
"""Prior of the scaling of scores that are calibrated."""

WRONG, RIGHT = 1.0, 4.0
"""What the prior of the share of wrong labels is worth, in labels."""
LABELS_PER_CLASS = 40.0
"""What the common rate is worth for the rate of one class, in labels."""
LABELS_PER_CLASS_IF_FREE = 100.0
LABELS_PER_GOAL = 0.1
"""What the expected goals are worth, for each other class: wrong labels of a class often go to a
few others."""
LABELS_OF_DEFAULT = 1.0
"""What even shares of the classes among labels that replace others are worth, in labels: little,
since there is often one default class."""
EVENLY = 0.2
"""Share of wrong labels that go to any class, where the others go to similar ones."""
MOST_CLASSES_IF_FREE = 50
"""With more classes, a free matrix has more numbers than most tables have rows."""
MOST_CLASSES_OF_MATRIX = 50
"""With more classes, the scaling has numbers on its diagonal only."""
LEAST_RATE, LARGEST_RATE = 0.01, 0.9
"""Limits of the rate around which richer hypotheses are centred."""


class Knowledge(NamedTuple):
    """What richer hypotheses are built from.

    Attributes
    ----------
    scores, weights : float64 arrays
        Of the rows.
    rate : float
        Share of wrong labels, by the hypothesis with one rate that was fitted last.
    """

    scores: FloatArray
    weights: FloatArray
    rate: float

    def around_rate(self, labels: float) -> tuple[FloatArray, FloatArray]:
        """Wrong and right labels of a prior for each class, worth this many labels."""
        rate = min(max(self.rate, LEAST_RATE), LARGEST_RATE)
        k = self.scores.shape[1]
        return np.full(k, labels * rate), np.full(k, labels * (1.0 - rate))


class ClassHypothesis(NamedTuple):
    """One explanation of the labels.

    Attributes
    ----------
    name : str
    weight : float
        Prior probability.
    prior : ScalingPrior
        Prior of the scaling from scores to the truth.
    noise : callable
        The noise model, built from what is known by then.
    softness : float
        Least softening of the scores, of an overconfident model; used for two classes only.
    """

    name: str
    weight: float
    prior: ScalingPrior
    noise: Callable[[Knowledge], NoiseModel]
    softness: float = 0.0


def class_hypotheses(
    n_classes: int,
    *,
    noise_matrix: FloatArray | None = None,
    prior_rates: Sequence[float] | None = None,
    prior_strength: float = PRIOR_STRENGTH,
    prior_clean: float = PRIOR_CLEAN,
    one_label: bool = True,
) -> list[ClassHypothesis]:
    """Build the hypotheses that a user's knowledge leaves.

    Parameters
    ----------
    n_classes : int
    noise_matrix : (K, K), optional
        Known probability of each label (column) for each true class (row).
    prior_rates : K numbers, optional
        Expected share of wrong labels of each true class, for example from an earlier audit.
    prior_strength : float
        How many checked labels of a class its expected rate is worth.
    prior_clean : float
        Prior probability that every label is right.
    one_label : bool, default True
        Whether each row has one label. Then a default class and an overconfident model are
        hypotheses as well, with more than two classes.

    Examples
    --------
    >>> for hypothesis in class_hypotheses(3):
    ...     print(f"{hypothesis.weight:.3f} {hypothesis.name}")
    0.250 none
    0.150 calibrated
    0.080 one rate
    0.080 a rate for each class
    0.080 similar classes
    0.080 default class
    0.080 free matrix
    0.050 calibrated, one rate
    0.050 calibrated, free matrix
    0.100 overconfident
    >>> [hypothesis.name for hypothesis in class_hypotheses(3, noise_matrix=np.eye(3))]
    ['known']
    """
    right = _scaling_prior(n_classes, LOG_SLOPE_SD, 1.0)
    noisy = _scaling_prior(n_classes, LOG_SLOPE_SD_UNDER_NOISE, LOOSER)
    if noise_matrix is not None:
        known = as_noise_matrix(noise_matrix, n_classes)
        # the slope is not needed to identify the rates, so the labels alone decide it
        return [ClassHypothesis(KNOWN, 1.0, right, lambda _: KnownNoise(known))]
    families = _families(n_classes, prior_rates, prior_strength)
    of_opinions = n_classes == 2 or not one_label
    if of_opinions:
        families.pop(DEFAULT, None)
    shares = CLEAN_SHARES_OF_OPINIONS if of_opinions or prior_clean == 1.0 else CLEAN_SHARES
    calibrated = {name: build for name, build in families.items() if name in BESIDE_CALIBRATED}
    noisy_share = (1.0 - prior_clean) * (1.0 - CALIBRATED_NOISY_SHARE) / len(families)
    calibrated_share = (1.0 - prior_clean) * CALIBRATED_NOISY_SHARE / len(calibrated)
    every_label_right = KnownNoise(np.eye(n_classes))
    candidates = [
        ClassHypothesis(
            NO_NOISE, prior_clean * shares[NO_NOISE], right, lambda _: every_label_right
        ),
        ClassHypothesis(
            CALIBRATED, prior_clean * shares[CALIBRATED], AS_IT_IS, lambda _: every_label_right
        ),
        *(ClassHypothesis(name, noisy_share, noisy, build) for name, build in families.items()),
        *(
            ClassHypothesis(f"{CALIBRATED}, {name}", calibrated_share, AS_IT_IS, build)
            for name, build in calibrated.items()
        ),
        *(
            ClassHypothesis(name, prior_clean * share, right, lambda _: every_label_right)
            for name, share in shares.items()
            if name == OVERCONFIDENT
        ),
    ]
    return [candidate for candidate in candidates if candidate.weight > 0.0]


def _scaling_prior(n_classes: int, log_slope: float, looser: float) -> ScalingPrior:
    off_diagonal = OFF_DIAGONAL_SD if n_classes <= MOST_CLASSES_OF_MATRIX else 0.0
    return ScalingPrior(
        log_slope, looser * INTERCEPT_SD, looser * DIAGONAL_SD, looser * off_diagonal
    )


def _families(
    n_classes: int, prior_rates: Sequence[float] | None, prior_strength: float
) -> dict[str, Callable[[Knowledge], NoiseModel]]:
    """How labels can be wrong; the first is fitted before the others are built."""
    even = even_goals(n_classes)
    if prior_rates is not None:
        rates = as_prior_rates(prior_rates, n_classes)
        # a beta distribution needs positive parameters; half a label is the least we assume
        wrong, right = (np.maximum(prior_strength * part, 0.5) for part in (rates, 1.0 - rates))
        return {
            ONE_RATE: lambda _: UnknownNoise(even, wrong, right),
            SIMILAR: lambda known: UnknownNoise(_similar(known), wrong, right),
            FREE: lambda known: _free(known, even, wrong, right),
        }
    one = np.array([WRONG]), np.array([RIGHT])
    default = ReplacedLabels(np.full(n_classes, 1.0 / n_classes), WRONG, RIGHT, LABELS_OF_DEFAULT)
    families: dict[str, Callable[[Knowledge], NoiseModel]] = {
        ONE_RATE: lambda _: UnknownNoise(even, *one),
        RATE_PER_CLASS: lambda known: UnknownNoise(even, *known.around_rate(LABELS_PER_CLASS)),
        SIMILAR: lambda known: UnknownNoise(_similar(known), *one),
        DEFAULT: lambda _: default,
    }
    if n_classes <= MOST_CLASSES_IF_FREE:
        families[FREE] = lambda known: _free(
            known, even, *known.around_rate(LABELS_PER_CLASS_IF_FREE)
        )
    return families


def _similar(known: Knowledge) -> FloatArray:
    return similar_goals(known.scores, known.weights, EVENLY)


def _free(known: Knowledge, even: FloatArray, wrong: FloatArray, right: FloatArray) -> UnknownNoise:
    goals = 0.5 * (even + _similar(known))
    return UnknownNoise(goals, wrong, right, certainty=LABELS_PER_GOAL * (len(goals) - 1))
