"""Functions that run on Spark's workers, which have numpy and pyarrow, but not this package.

Spark sends these functions by value. They may use each other, numpy, pyarrow, Python's standard
library, and functions of this package that use nothing else and are sent in the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from lwcal.class_maps import scale_rows
from lwcal.numerics.row_keys import pattern_keys, sample_keys
from lwcal.numerics.sigmoid import expit_of_few as expit

LOG_CLIP = 2.0**-40


def mapper(portable: dict[str, Any], scale: str = "probability") -> Callable[[pa.Array], pa.Array]:
    """Make a function of Arrow arrays from a map that :func:`lwcal.engines.spark.applying` packed.

    >>> mapper({"kind": "sigmoid", "slope": 0.0, "intercept": 0.0})(pa.array([0.25])).to_pylist()
    [0.5]
    """

    def calibrate(scores: pa.Array) -> pa.Array:
        given = scores.to_numpy(zero_copy_only=False)
        return pa.array(evaluate(portable, to_probabilities(given, scale)))

    return calibrate


def class_mapper(portable: dict[str, Any], n_classes: int) -> Callable[[pa.Array], pa.Array]:
    """Make a function of lists of class probabilities from a packed map; see :func:`mapper`.

    >>> flat = {"kind": "class_identity"}
    >>> class_mapper(flat, 2)(pa.array([[0.25, 0.25]])).to_pylist()
    [[0.5, 0.5]]
    """

    def calibrate(rows: pa.Array) -> pa.Array:
        scores = as_matrix(rows, n_classes)
        scores = scores / scores.sum(axis=1)[:, None]
        found = evaluate_classes(portable, scores)
        starts = pa.array(np.arange(0, found.size + 1, n_classes, dtype=np.int32))
        return pa.ListArray.from_arrays(starts, pa.array(found.ravel()))

    return calibrate


def row_summer(n_classes: int) -> Callable[[pa.Array], pa.Array]:
    """Make a function that adds up lists of numbers, in the order in which numpy adds them.

    >>> row_summer(2)(pa.array([[0.25, 0.5]])).to_pylist()
    [0.75]
    """

    def add_up(rows: pa.Array) -> pa.Array:
        return pa.array(as_matrix(rows, n_classes).sum(axis=1))

    return add_up


def row_sampler(n_classes: int) -> Callable[[pa.Array, pa.Array], pa.Array]:
    """Make a function of lists of probabilities and of labels: keys that draw a uniform sample.

    The keys are those of :func:`lwcal.numerics.row_keys.sample_keys`, less 2^63: Spark has no
    integers without a sign.
    """

    def keys(rows: pa.Array, labels: pa.Array) -> pa.Array:
        codes = labels.to_numpy(zero_copy_only=False)
        found = sample_keys(as_matrix(rows, n_classes), codes)
        return pa.array((found ^ np.uint64(1 << 63)).view(np.int64))

    return keys


def opinion_sampler(
    n_classes: int, reviewer_keys: Any
) -> Callable[[pa.Array, pa.Array, pa.Array, pa.Array], pa.Array]:
    """Make a function of probabilities, reviewers, labels and truths: keys that draw a sample.

    Reviewers and labels are lists of numbers. The keys are those of
    :class:`lwcal.reviews.opinion_counts.OpinionCounter`, less 2^63.
    """

    def keys(rows: pa.Array, reviewers: pa.Array, labels: pa.Array, truths: pa.Array) -> pa.Array:
        sizes = reviewers.value_lengths().to_numpy(zero_copy_only=False)
        places = np.repeat(np.arange(len(sizes)), sizes)
        who, said = (
            column.flatten().to_numpy(zero_copy_only=False).astype(np.intp)
            for column in (reviewers, labels)
        )
        true = truths.to_numpy(zero_copy_only=False).astype(np.intp)
        patterns = pattern_keys(places, reviewer_keys[who], said, true)
        found = sample_keys(as_matrix(rows, n_classes), patterns)
        return pa.array((found ^ np.uint64(1 << 63)).view(np.int64))

    return keys


def coder(codes: dict[str, int]) -> Callable[[pa.Array], pa.Array]:
    """Make a function that turns texts into numbers; others become null.

    >>> coder({"ann": 0, "bob": 1})(pa.array(["bob", None, "cem"])).to_pylist()
    [1, None, None]
    """

    def numbers(texts: pa.Array) -> pa.Array:
        coded = texts.cast(pa.string()).dictionary_encode()
        of_text = pa.array([codes.get(text) for text in coded.dictionary.to_pylist()], pa.int32())
        return of_text.take(coded.indices)

    return numbers


def as_matrix(rows: pa.Array, n_classes: int) -> Any:
    """Lists of the same length as an array of two dimensions."""
    return rows.flatten().to_numpy(zero_copy_only=False).reshape(-1, n_classes)


def evaluate_classes(portable: dict[str, Any], scores: Any) -> Any:
    """Map rows that sum to 1 to exactly the bits that the fitted map gives."""
    kind = portable["kind"]
    if kind == "class_identity":
        return scores
    if kind == "class_scaling":
        out = np.empty_like(scores)
        matrix, intercepts = portable["matrix"], portable["intercepts"]
        scale_rows(scores, matrix, intercepts, portable["softness"], out)
        return out
    positive = evaluate(portable, np.ascontiguousarray(scores[:, 1]))
    return np.column_stack([1.0 - positive, positive])


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
    if kind == "odds":
        with np.errstate(divide="ignore", over="ignore"):
            odds_against = 1.0 / evaluate(portable["inner"], scores) - 1.0
            return 1.0 / (1.0 + odds_against * portable["against"])
    return scores  # the identity map


def interpolate(scores: Any, portable: dict[str, Any]) -> Any:
    """``y + (p - x) * slope`` between knots, constant beyond the ends."""
    segment = np.searchsorted(portable["x"], scores, side="right")
    starts, bases, slopes, tops = (portable[n] for n in ("starts", "bases", "slopes", "tops"))
    values = bases[segment] + (scores - starts[segment]) * slopes[segment]
    return np.minimum(values, tops[segment])
