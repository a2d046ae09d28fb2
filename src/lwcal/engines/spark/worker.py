"""Functions that run on Spark's workers, which have numpy and pyarrow, but not this package.

Spark sends these functions by value. They may use each other, numpy, pyarrow and Python's standard
library, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp
from typing import Any

import numpy as np
import pyarrow as pa

LOG_CLIP = 2.0**-40
OVERFLOW = 709.782712893384
"""Above this, Python's ``exp`` raises, while C's returns infinity."""


def mapper(portable: dict[str, Any], scale: str = "probability") -> Callable[[pa.Array], pa.Array]:
    """Make a function of Arrow arrays from a map that :func:`lwcal.engines.spark.applying` packed.

    >>> mapper({"kind": "sigmoid", "slope": 0.0, "intercept": 0.0})(pa.array([0.25])).to_pylist()
    [0.5]
    """

    def calibrate(scores: pa.Array) -> pa.Array:
        given = scores.to_numpy(zero_copy_only=False)
        return pa.array(evaluate(portable, to_probabilities(given, scale)))

    return calibrate


def logistic(logits: pa.Array) -> pa.Array:
    """Turn logits into probabilities; what is missing stays missing.

    >>> logistic(pa.array([0.0, 1000.0])).to_pylist()
    [0.5, 1.0]
    """
    return pa.array(expit(logits.to_numpy(zero_copy_only=False)))


def to_probabilities(scores: Any, scale: str) -> Any:
    """Turn valid scores into probabilities, to the same bits as :mod:`lwcal.rows.scales`."""
    if scale == "percent":
        return scores / 100.0
    return expit(scores) if scale == "logit" else scores


def evaluate(portable: dict[str, Any], scores: Any) -> Any:
    """Map scores in [0, 1] to exactly the bits that the fitted map gives."""
    kind = portable["kind"]
    if kind == "piecewise_linear":
        return interpolate(scores, portable)
    if kind == "beta":
        clipped = np.clip(scores, LOG_CLIP, 1.0 - LOG_CLIP)
        log_p, log_q = np.log(clipped), -np.log1p(-clipped)
        return expit(portable["a"] * log_p + portable["b"] * log_q + portable["c"])
    if kind == "sigmoid":
        return expit(portable["slope"] * scores + portable["intercept"])
    if kind == "blend":
        rho = portable["rho"]
        return (1.0 - rho) * evaluate(portable["inner"], scores) + rho * scores
    return scores  # the identity map


def interpolate(scores: Any, portable: dict[str, Any]) -> Any:
    """``y + (p - x) * slope`` between knots, constant beyond the ends."""
    segment = np.searchsorted(portable["x"], scores, side="right")
    starts, bases, slopes, tops = (portable[n] for n in ("starts", "bases", "slopes", "tops"))
    values = bases[segment] + (scores - starts[segment]) * slopes[segment]
    return np.minimum(values, tops[segment])


def expit(values: Any) -> Any:
    """``1 / (1 + exp(-z))`` like scipy, with the exponential of C, which numpy does not use."""
    powers = [exp(-z) if -z <= OVERFLOW else np.inf for z in values.tolist()]
    return 1.0 / (1.0 + np.array(powers, dtype=np.float64))
