"""The best blend of two scores, chosen with the true labels of the test rows.

Nobody has these labels. The blend shows what a perfect rule for its weight would give.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from lwcal_study.evaluation import PAPER_CLIP

STEPS = 100
"""The weight is a multiple of one hundredth, so both scores alone are among the blends."""


def best_blend(first: Any, second: Any, y_true: Any) -> npt.NDArray[np.float64]:
    """Blend of two scores with the lowest log loss on these labels.

    >>> best_blend(np.array([0.2, 0.9]), np.array([0.6, 0.6]), np.array([0, 1])).tolist()
    [0.2, 0.9]
    """
    weight = np.arange(STEPS + 1)[:, None] / STEPS
    blends = weight * first + (1 - weight) * second
    of_truth = np.clip(np.where(y_true == 1, blends, 1 - blends), PAPER_CLIP, 1 - PAPER_CLIP)
    best: npt.NDArray[np.float64] = blends[np.log(of_truth).mean(axis=1).argmax()]
    return best
