"""The prior for several opinions: how reviewers may err, each alone and all together.

How labels can be wrong is as for one label a row. On top of that, reviewers may differ, and may
share errors on hard rows. Both are tried around the best explanation in which they do not.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from lwcal.multiclass.class_hypotheses import (
    FREE,
    SIMILAR,
    ClassHypothesis,
    class_hypotheses,
)
from lwcal.multiclass.label_noise import UnknownNoise, even_goals
from lwcal.noise.hypotheses import (
    CALIBRATED,
    NO_NOISE,
    OVERCONFIDENT,
    OVERCONFIDENT_SOFTNESS,
)
from lwcal.reviews.reviewer_noise import HardPrior

THEY_DIFFER: Final = "reviewers differ"
HARD_ROWS: Final = "hard rows"
JUDGED: Final = "each judged by their own labels"

PRIOR_DIFFER = 0.5
"""Prior probability that reviewers differ in how often they are wrong."""
PRIOR_HARD = 0.95
"""Prior probability that some rows are hard for everybody. It is the rule rather than the
exception, and two opinions a row hardly show it. So the data have to speak against it."""
ROWS_OF_OPINIONS = 10.0
"""How many rows with several opinions count for one way of being wrong against another. People do
not err as any hypothesis says: on ratings by people, a larger number trusts the best of them too
much. Chosen on development tasks."""
PRIOR_OPPOSED, ROWS_OPPOSED = 0.01, 100.0
"""Prior probability that reviewers differ so much, as those do who mean the opposite, that no way
of being wrong in common is left beside the best one; and how many rows count for it. Matrices of
their own follow chance more closely, where few rows are positive. Chosen on development tasks."""
LABELS_OF_COMMON = 20.0
"""What the common matrix is worth for each true class of a reviewer, in labels. Rates that vary
from reviewer to reviewer by about a third of their size have such a prior."""
LABELS_OF_OTHERS = 2.0
"""The same where an interval of the reviewer is reported. It is little, because nobody should be
judged by the labels of others: with 20, most intervals of good reviewers among worse ones lie above
their true rates."""
HARD, NOT_HARD = 1.0, 4.0
"""What the prior of the share of hard rows is worth, in rows."""
WRONG_IF_HARD, RIGHT_IF_HARD = 4.0, 4.0
"""What the prior of wrong labels on hard rows is worth, in labels."""


def review_hypotheses(n_classes: int) -> list[ClassHypothesis]:
    """Build the hypotheses. Two classes have fewer, and overconfident models among them.

    >>> for hypothesis in review_hypotheses(2):
    ...     print(f"{hypothesis.weight:.3f} {hypothesis.name}")
    0.150 none
    0.200 calibrated
    0.100 one rate
    0.100 a rate for each class
    0.050 calibrated, one rate
    0.050 calibrated, free matrix
    0.150 overconfident
    0.100 one rate, overconfident
    0.100 a rate for each class, overconfident
    """
    found = class_hypotheses(n_classes, one_label=False)
    if n_classes > 2:
        return found
    # a matrix of two classes has two rates, and one class that is similar
    found = [
        one._replace(prior=one.prior._replace(diagonal=0.0, off_diagonal=0.0))
        for one in found
        if one.name not in (SIMILAR, FREE)
    ]
    twins = [
        one._replace(name=_softer(one.name), softness=OVERCONFIDENT_SOFTNESS)
        for one in found
        if not one.name.startswith(CALIBRATED)
    ]
    # the twins of noisy hypotheses have the weight of those that were left out
    return [
        one._replace(weight=one.weight / 2.0) if one.name in (NO_NOISE, OVERCONFIDENT) else one
        for one in found + twins
    ]


def _softer(name: str) -> str:
    return OVERCONFIDENT if name == NO_NOISE else f"{name}, {OVERCONFIDENT}"


def hard_rows(n_classes: int) -> HardPrior:
    """Prior of rows that are hard for everybody.

    >>> hard_rows(2).noise.matrix(hard_rows(2).noise.start()).round(2)
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    noise = UnknownNoise(
        even_goals(n_classes), np.array([WRONG_IF_HARD]), np.array([RIGHT_IF_HARD])
    )
    return HardPrior(noise, HARD, NOT_HARD)
