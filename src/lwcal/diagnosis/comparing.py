"""Compare calibrators on rows of any kind: with one column of scores or several, and by time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from lwcal.diagnosis.class_comparison import DEFAULT_CLASS_METHODS, ClassComparison, compare_classes
from lwcal.diagnosis.comparison import DEFAULT_METHODS, N_RESAMPLES, Comparison, compare_column
from lwcal.diagnosis.later_rows import compare_timed
from lwcal.errors import ParameterError, message
from lwcal.multiclass.class_rows import ClassRows, refuse_classes, refuse_scale, required
from lwcal.noise.rates import Noise
from lwcal.parameters import CONFIDENCE, check_parameter
from lwcal.rows import ArrayLike
from lwcal.rows.probabilities import is_matrix
from lwcal.rows.time_counts import Maturity
from lwcal.table import ScoreTable


def compare(
    scores: ArrayLike | ScoreTable,
    y: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    methods: Iterable[str] | None = None,
    noise_rates: Noise | None = None,
    noise_matrix: ArrayLike | None = None,
    confidence: float = 0.9,
    n_resamples: int = N_RESAMPLES,
    pos_label: Any = None,
    scale: str | None = None,
    classes: Sequence[Any] | None = None,
    times: ArrayLike | None = None,
    split_at: Any = None,
    label_matures: float | None = None,
    as_of: Any = None,
    on_progress: Callable[[], None] = lambda: None,
) -> Comparison | ClassComparison:
    """Cross-fit calibrators, and judge them by labels as they are and corrected for noise.

    With ``times`` they are not cross-fitted: they are fitted to earlier rows, and judged on later
    ones, as in use.

    Parameters
    ----------
    scores : of shape (n,) or (n, K), or ScoreTable
        Scores of a model on rows it was not trained on: of the positive class, or of all
        classes; or rows of two classes, pooled.
    y : one-dimensional
        Labels of the same rows, possibly wrong; omitted with a ScoreTable.
    sample_weight : one-dimensional, optional
        Frequencies: a row of weight 2 equals that row twice.
    methods : iterable of str, optional
        Names of calibrators, as in :data:`lwcal.calibrators.CALIBRATORS`.
    noise_rates : pair of float, RatePosterior or fitted calibrator, optional
        Flip rates (r0, r1) of one column of scores; by default estimated from these rows, or with
        ``times`` from the earlier ones: in the later rows, drift could pass for wrong labels.
    noise_matrix : (K, K), optional
        Noise matrix of several columns; by default estimated from these rows.
    confidence : float, default 0.9
        Level of all intervals.
    n_resamples : int, default 200
        Number of bootstrap resamples behind each interval.
    pos_label : optional
        The positive class, when it is not obvious from the labels.
    scale : {"probability", "percent", "logit", "auto"}, optional
        Scale of the scores of one class; default: probability. Omitted with a ScoreTable.
    classes : sequence, optional
        Class of each column of the scores, if the labels do not tell.
    times : one-dimensional, optional
        Dates, timestamps or their text in ISO format, by which rows of one column of scores are
        split. Times with a zone are counted in UTC.
    split_at : date, timestamp or text, optional
        The first time of the later rows; by default they are about the latest 30%. Rows of the
        same second stay together.
    label_matures : float, optional
        Days until a label is final, with ``times``. Rows whose labels are younger are left out.
    as_of : date, timestamp or text, optional
        When the labels were read; by default the newest time of the rows.
    on_progress : callable, optional
        Called without arguments after each calibrator.

    Returns
    -------
    Comparison or ClassComparison
        The latter for several columns of scores.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.beta(2, 2, 800)
    >>> labels = rng.random(800) < scores**2
    >>> found = compare(scores, labels, methods=["identity", "platt"], noise_rates=(0, 0))
    >>> [candidate.method for candidate in found.candidates]
    ['platt', 'identity']
    >>> found.candidates[0].corrected_change.high < 0
    True
    """
    one_column = isinstance(scores, ScoreTable) or not is_matrix(scores)
    about_times = {"split_at": split_at, "label_matures": label_matures, "as_of": as_of}
    _check_times(scores, times, about_times, one_column=one_column)
    if one_column:
        refuse_classes(classes)
        if noise_matrix is not None:
            raise ParameterError(message("noise_rates with one column of scores", "noise_matrix"))
        options: dict[str, Any] = {
            "methods": DEFAULT_METHODS if methods is None else methods,
            "noise_rates": noise_rates,
            "confidence": confidence,
            "n_resamples": n_resamples,
            "pos_label": pos_label,
            "scale": scale,
            "on_progress": on_progress,
        }
        if times is None:
            return compare_column(scores, y, sample_weight, **options)
        return compare_timed(
            scores,
            required(y),
            sample_weight,
            times=times,
            split_at=split_at,
            maturity=Maturity(label_matures, as_of),
            **options,
        )
    refuse_scale(scale)
    if noise_rates is not None:
        raise ParameterError(message("noise_matrix with several columns", "noise_rates"))
    check_parameter("confidence", confidence, CONFIDENCE)
    return compare_classes(
        ClassRows.from_arrays(scores, required(y), sample_weight, classes=classes),
        DEFAULT_CLASS_METHODS if methods is None else methods,
        noise_matrix=noise_matrix,
        confidence=confidence,
        n_resamples=n_resamples,
        on_progress=on_progress,
    )


def _check_times(scores: Any, times: Any, about_times: dict[str, Any], *, one_column: bool) -> None:
    """Refuse times that cannot be used, and what needs them if there are none."""
    given = next((name for name, value in about_times.items() if value is not None), None)
    if times is None:
        if given is not None:
            raise ParameterError(f"{given} needs the time of each row. Pass times.")
        return
    if isinstance(scores, ScoreTable) or not one_column:
        got = "a ScoreTable" if isinstance(scores, ScoreTable) else "several"
        raise ParameterError(message("times with one column of scores", got))
