"""The rows that every study hands to its calibrators, and how the data are split."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

TRAIN_SHARE = 0.5
TEST_SHARE_OF_REST = 0.5


@dataclass(frozen=True)
class ScoredRows:
    """Calibration and test rows of a cell, with the scores of its model.

    Attributes
    ----------
    calibration, test : array
        Scores of the calibration rows and of the test rows.
    y_clean, y_noisy : array
        True and noisy labels of the calibration rows.
    y_test : array
        True labels of the test rows.
    """

    calibration: Any
    y_clean: Any
    y_noisy: Any
    test: Any
    y_test: Any
