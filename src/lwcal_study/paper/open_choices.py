"""What the paper leaves open about data, noise and models, and what this study chose."""

from __future__ import annotations

from dataclasses import dataclass

from lwcal_study.scored_rows import TRAIN_SHARE


@dataclass(frozen=True)
class FitChoices:
    """Choices that change the scores of a cell. The defaults are those of the study.

    Attributes
    ----------
    positive_factor, negative_factor : float
        Asymmetric noise flips positives and negatives at these multiples of the stated rate.
    train_share : float
        Share of the rows for training. Half of the rest is for calibration, half for testing.
    generator_seed : int
        Added to the seeds of the synthetic generators: another draw of the same tasks.
    extra_trees_leaf : int
        Smallest leaf of extra trees. The paper states that of random forests only.
    boosting_rounds : int
        Rounds of gradient boosting in a full run.
    """

    positive_factor: float = 1.25
    negative_factor: float = 0.35
    train_share: float = TRAIN_SHARE
    generator_seed: int = 0
    extra_trees_leaf: int = 2
    boosting_rounds: int = 100


REFERENCE = FitChoices()
"""The choices of the study."""
