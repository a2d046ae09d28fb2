"""Columns of scores."""

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.errors import InputError, message, offending_rows
from lwcal.inputs.columns import ArrayLike, as_column, as_floats


def as_scores(scores: ArrayLike, *, name: str = "scores") -> FloatArray:
    """Probabilities in [0, 1] as a contiguous float64 array."""
    hint = "pass one column; of the output of predict_proba that is [:, 1]"
    values = as_floats(as_column(scores, name, hint), name)
    # min and max carry NaN along, so one comparison refuses everything that is not in range
    if not (values.min() >= 0.0 and values.max() <= 1.0):
        raise InputError(_explain_bad_scores(values, name))
    return values


def _explain_bad_scores(values: FloatArray, name: str) -> str:
    expected = f"{name} to be probabilities in [0, 1]"
    finite = np.isfinite(values)
    if not finite.all():
        what = "that are missing (NaN)" if np.isnan(values).any() else "that are infinite"
        bad = np.isnan(values) if np.isnan(values).any() else ~finite
        return message(
            expected, offending_rows(bad, values, what), "drop or repair those rows first"
        )
    bad = (values < 0) | (values > 1)
    return message(expected, offending_rows(bad, values, "outside"), range_hint(values))


def range_hint(values: FloatArray) -> str:
    """Guess what numbers that are no probabilities could be."""
    low, high = float(values.min()), float(values.max())
    if low < 0 and np.mean(values < 0) > 0.01 and high <= 50 and low >= -50:
        return "these look like logits: scipy.special.expit turns them into probabilities"
    if low >= 0 and 1.5 < high <= 100:
        return "these look like percentages: divide them by 100"
    return "clip rounding errors with numpy.clip, or check that this is the score column"
