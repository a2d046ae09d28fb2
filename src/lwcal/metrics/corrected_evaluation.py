"""Estimate several metrics against the true labels at once."""

from collections.abc import Sequence
from typing import Any

from lwcal.estimates import Estimate
from lwcal.inputs import ArrayLike
from lwcal.metrics.corrected import ESTIMATORS, N_RESAMPLES
from lwcal.metrics.inputs import as_metric_table
from lwcal.metrics.noise_correction import estimates
from lwcal.metrics.resampling import Resampling, Seed
from lwcal.noise.rates import Noise, as_rate_posterior
from lwcal.parameters import OneOf, check_parameter
from lwcal.table import ScoreTable


def corrected_evaluate(
    y: ArrayLike | ScoreTable,
    y_prob: ArrayLike | None = None,
    *,
    noise_rates: Noise,
    which: Sequence[str] | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    confidence: float = 0.9,
    n_resamples: int = N_RESAMPLES,
    random_state: Seed = 0,
) -> dict[str, Estimate]:
    """Estimate several metrics against the true labels, with their default options.

    Parameters
    ----------
    which : sequence of {"brier", "nll", "auc", "ece"}, optional
        Names of the metrics; all of them by default.
    confidence : float, default 0.9
        Level of all intervals, for each metric separately.
    y, y_prob, noise_rates, sample_weight, pos_label, n_resamples, random_state
        As in :func:`corrected_brier`.

    Returns
    -------
    dict of str to Estimate
        Each entry equals the result of the function of this name after ``corrected_``.

    Examples
    --------
    >>> y, p = [0, 0, 0, 1, 0, 1, 1, 1] * 25, [0.1] * 4 + [0.9] * 4
    >>> found = corrected_evaluate(y, p * 25, noise_rates=(0.2, 0.2), which=["brier", "auc"])
    >>> {name: round(estimate.value, 3) for name, estimate in found.items()}
    {'brier': 0.077, 'auc': 0.917}
    """
    wanted = tuple(ESTIMATORS) if which is None else tuple(which)
    for name in wanted:
        check_parameter("which", name, OneOf(tuple(ESTIMATORS)))
    table = as_metric_table(y, y_prob, sample_weight, pos_label, label_name="y")
    resampling = Resampling(confidence, n_resamples, random_state)
    estimators = {name: ESTIMATORS[name](table) for name in wanted}
    return estimates(table, as_rate_posterior(noise_rates), estimators, resampling)
