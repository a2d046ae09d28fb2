"""Compare calibrators on rows they did not see, by labels as they are and corrected for noise."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from lwcal.calibrators import CALIBRATORS, Calibrator
from lwcal.calibrators.crossfit import CrossFitted, cross_predict, cross_predict_together
from lwcal.calibrators.from_posterior import FromPosterior
from lwcal.diagnosis.checked_metrics import by_checked_labels
from lwcal.diagnosis.shared_resamples import judge_resampled
from lwcal.errors import ParameterError, message
from lwcal.estimates import Estimate
from lwcal.metrics.calibration import ece
from lwcal.metrics.proper import brier, nll
from lwcal.metrics.resampling import Resampling
from lwcal.noise.checked.posterior import AuditedPosterior
from lwcal.noise.estimate import estimate_table
from lwcal.noise.forward import Hypothesis
from lwcal.noise.logit_counts import pool_by_logit
from lwcal.noise.rates import FlipRates, Noise, RatePosterior, as_rate_posterior
from lwcal.parameters import CONFIDENCE, check_parameter
from lwcal.rows import ArrayLike
from lwcal.table import ScoreTable, as_table

DEFAULT_METHODS = ("identity", "platt", "isotonic", "lwcal", "gated", "noise-aware", "auto")
"""Calibrators that :func:`lwcal.compare` and :func:`lwcal.diagnose` compare by default."""
EXACT_SCORES = 20_000
"""Tables with more distinct scores are pooled before they are fitted and resampled many times."""
N_RESAMPLES = 200
ENOUGH_ROWS = 100
"""Rows from which flip rates can be estimated. Corrected losses that rest on 14 or 30 rows lay
below the best possible ones more often than not."""

Factories: TypeAlias = Mapping[str, Callable[[], Calibrator]]


@dataclass(frozen=True)
class Candidate:
    """One calibrator, judged on rows that it was not fitted to.

    It is cross-fitted: fitted five times, and judged each time on the rows left out. If the rows
    were split by time, it is fitted once to the earlier rows, and judged on the later ones.

    Attributes
    ----------
    method : str
        Its name on the command line.
    labelled : dict of str to float
        Brier score, log loss (``nll``) and ECE, with every label taken as right.
    corrected : dict of str to Estimate
        The same metrics against the true labels: by the checked labels, or else corrected for
        noise. The intervals include what is not known of the truth, or of the flip rates.
    labelled_change, corrected_change : Estimate
        Log loss less that of the raw score on the same rows, by labels as they are and
        corrected for noise; below 0, the calibrator improves on the raw score.
    """

    method: str
    labelled: dict[str, float]
    corrected: dict[str, Estimate]
    labelled_change: Estimate
    corrected_change: Estimate

    def to_dict(self) -> dict[str, Any]:
        """Everything in types that JSON knows."""
        return {
            "method": self.method,
            "labelled": self.labelled,
            "corrected": {name: value.to_dict() for name, value in self.corrected.items()},
            "nll_less_raw": {
                "labelled": self.labelled_change.to_dict(),
                "corrected": self.corrected_change.to_dict(),
            },
        }


@dataclass(frozen=True)
class TimeSplit:
    """How rows were split by time.

    Attributes
    ----------
    at : str
        The first time of the later rows. Rows of the same second are on the same side.
    n_fitted : int or float
        Number of earlier rows, to which the calibrators were fitted, or their total weight.
    young : int
        Rows that were left out, because their labels were too young.
    """

    at: str
    n_fitted: float
    young: int = 0

    @property
    def sentence(self) -> str:
        """What the calibrators were fitted to, and judged on."""
        return f"fitted to {self.n_fitted:,} rows before {self.at}, judged on those since then"


@dataclass(frozen=True)
class Comparison:
    """Several calibrators on the same rows.

    Attributes
    ----------
    n : int or float
        Number of rows that they are judged on, or their total weight.
    noise_rates : FlipRates
        Expected flip rates behind the corrected metrics.
    confidence : float
        Level of all intervals.
    candidates : tuple of Candidate
        The calibrators, the lowest corrected log loss first.
    split : TimeSplit or None
        If the rows were split by time; None if the calibrators were cross-fitted.
    warning : str
        Says that the flip rates rest on too few rows; empty if they do not.
    """

    n: float
    noise_rates: FlipRates
    confidence: float
    candidates: tuple[Candidate, ...]
    split: TimeSplit | None = None
    warning: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Everything in types that JSON knows."""
        return {
            "n": self.n,
            "noise_rates": list(self.noise_rates),
            "confidence": self.confidence,
            "candidates": [candidate.to_dict() for candidate in self.candidates],
            "split": None if self.split is None else vars(self.split).copy(),
            "warning": self.warning or None,
        }


def compare_column(
    scores: ArrayLike | ScoreTable,
    y: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    methods: Iterable[str] = DEFAULT_METHODS,
    noise_rates: Noise | None = None,
    confidence: float = 0.9,
    n_resamples: int = N_RESAMPLES,
    pos_label: Any = None,
    scale: str | None = None,
    on_progress: Callable[[], None] = lambda: None,
) -> Comparison:
    """Compare calibrators of two classes; see :func:`lwcal.compare`."""
    names = checked_methods(methods)
    check_parameter("confidence", confidence, CONFIDENCE)
    table = as_table(scores, y, sample_weight, pos_label=pos_label, scale=scale)
    table.require_both_classes()
    rates = as_rate_posterior(estimate_table(table) if noise_rates is None else noise_rates)
    found = judge_all(
        {name: CALIBRATORS[name] for name in names},
        table,
        rates,
        Resampling(confidence, n_resamples, random_state=0),
        on_progress,
    )
    warning = few_rows_sentence(table.n, known=noise_rates is not None)
    return Comparison(table.n, rates.mean(), confidence, ranked(found), warning=warning)


def ranked(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """The lowest corrected log loss first."""
    return tuple(sorted(candidates, key=_loss))


def _loss(candidate: Candidate) -> tuple[float, float]:
    """Losses that are bounded at 0 can be equal; less the raw score's they are not."""
    return candidate.corrected["nll"].value, candidate.corrected_change.value


def checked_methods(methods: Iterable[str]) -> tuple[str, ...]:
    """Refuse names that no calibrator has."""
    names = tuple(dict.fromkeys(methods))
    for name in names:
        if name not in CALIBRATORS:
            hint = f"known methods are {', '.join(CALIBRATORS)}"
            raise ParameterError(message("names of calibrators", f"{name!r}", hint))
    return names


def judge_all(
    calibrators: Factories,
    table: ScoreTable,
    rates: RatePosterior,
    resampling: Resampling,
    on_progress: Callable[[], None] = lambda: None,
    audit: AuditedPosterior | None = None,
) -> tuple[Candidate, ...]:
    """Cross-fit and judge calibrators, in the order given: by an audit, if there is one."""
    pooled = pool_by_logit(table, exact_up_to=EXACT_SCORES)
    fitted: dict[str, CrossFitted] = {}
    by_prior: dict[tuple[Hypothesis, ...], dict[str, FromPosterior]] = {}
    for method, make in calibrators.items():
        one = make()
        if isinstance(one, FromPosterior):
            one.check_parameters()
            by_prior.setdefault(tuple(one.hypotheses()), {})[method] = one
        else:
            fitted[method] = cross_predict(make, pooled)
            on_progress()
    for together in by_prior.values():
        fitted |= cross_predict_together(together, pooled)
        for _ in together:
            on_progress()
    in_order = {method: fitted[method] for method in calibrators}
    return judge_predictions(in_order, rates, resampling, audit)


def judge_predictions(
    fitted: Mapping[str, CrossFitted],
    rates: RatePosterior,
    resampling: Resampling,
    audit: AuditedPosterior | None = None,
) -> tuple[Candidate, ...]:
    """Judge predictions for the same rows, in the order given: by an audit, if there is one."""
    predictions = list(fitted.values())
    judged = judge_resampled(predictions, rates, resampling)
    if audit is not None:
        judged = by_checked_labels(predictions, judged, audit, resampling.confidence)
    return tuple(
        Candidate(
            method,
            _by_labels(found),
            {name: not_negative(one) for name, one in of_method.corrected.items()},
            of_method.labelled_change,
            of_method.corrected_change,
        )
        for (method, found), of_method in zip(fitted.items(), judged, strict=True)
    )


def not_negative(found: Estimate) -> Estimate:
    """Bound a loss at 0: a correction for noise that is estimated from few rows can go below.

    >>> not_negative(Estimate(0.1, -0.4, 0.3))
    Estimate(value=0.1, low=0.0, high=0.3)
    """
    return Estimate(*(max(value, 0.0) for value in found))


def few_rows_sentence(n: float, *, known: bool) -> str:
    """Say that flip rates rest on too few rows; empty if they do not, or are known.

    >>> few_rows_sentence(14, known=False)
    'Too few rows: how many labels are wrong is estimated from 14, so corrected losses say little. \
Use at least 100, or give the rates (noise_rates, --noise-rates).'
    >>> few_rows_sentence(14, known=True), few_rows_sentence(100, known=False)
    ('', '')
    """
    if known or n >= ENOUGH_ROWS:
        return ""
    return (
        f"Too few rows: how many labels are wrong is estimated from {n:,}, so corrected losses say "
        f"little. Use at least {ENOUGH_ROWS:,}, or give the rates (noise_rates, --noise-rates)."
    )


def _by_labels(found: CrossFitted) -> dict[str, float]:
    predicted = ScoreTable.from_counts(found.predicted, found.negatives, found.positives)
    return {"brier": brier(predicted), "nll": nll(predicted), "ece": ece(predicted)}
