"""Audited: a few checked labels, the many others, and the score, in one map."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from lwcal.arrays import FloatArray
from lwcal.calibrators.base import ONE_CLASS, Calibrator, Fitted
from lwcal.calibrators.noise_aware import NoiseAware, tabulated
from lwcal.noise.checked.posterior import AuditedPosterior, infer_audited
from lwcal.noise.checked.selection import unexplained_weights
from lwcal.noise.checked.summary import summarise
from lwcal.noise.checked.table import EMPTY, CheckedTable
from lwcal.noise.hypotheses import hypotheses
from lwcal.noise.logit_counts import pooled
from lwcal.numerics.tabulate import tabulate
from lwcal.rows import (
    ArrayLike,
    Checked,
    as_chances,
    as_checked_labels,
    as_scores,
    as_weights,
    check_same_length,
)
from lwcal.table import ScoreTable

NOTHING = CheckedTable.nothing()
SHARES = {
    "wrong": "expected share of wrong labels",
    "r0": NoiseAware.diagnostic_meanings["r0"],
    "r1": NoiseAware.diagnostic_meanings["r1"],
}


class Audited(Calibrator):
    """Learn from the labels that somebody checked what the others are worth.

    Two explanations of the wrong labels are weighed by the checked rows, and averaged. Either
    flips depend on the true class only, as in :class:`NoiseAware`, whose model is then fitted to
    labels and truths together. Or they depend on the score as well: then a regression of the
    truth on score and label, learnt from the checked rows, is averaged over the labels of all
    rows. Because it is told the label of a checked row, it has to learn only when labels are
    wrong, not what the score is worth, which takes far fewer rows than a fit to the truths
    alone. Without checked rows the map is that of :class:`NoiseAware`. It strictly increases.

    Parameters
    ----------
    pos_label : optional
        The positive class, when it is not obvious from the labels.

    Attributes
    ----------
    diagnostics_ : dict
        ``audited``, the number of checked rows, or what they are worth where they were chosen
        with unequal chances; ``wrong``, the expected share of wrong labels
        among all rows; ``r0`` and ``r1``, the expected flip rates; each of these three with the
        ends of its 90% interval (``r0_low``, ``r0_high``, ...); ``p_dependent``, the
        probability that flip rates depend on the score; ``gain_of_50_more``, the relative
        decrease of the NLL to expect from checking 50 more.
    posterior_ : AuditedPosterior
        All that is believed; only after ``fit``, not after loading.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.beta(0.5, 0.5, 2000)
    >>> truth = rng.random(2000) < scores
    >>> labels = truth & (rng.random(2000) < 0.6)  # 40% of the positives are missed
    >>> checked = np.where(np.arange(2000) < 60, truth, np.nan)  # somebody looked at 60 rows
    >>> fitted = Audited().fit(scores, labels, y_audited=checked)
    >>> fitted.predict([0.1, 0.5, 0.9]).round(1)
    array([0.1, 0.5, 0.9])
    >>> fitted.diagnostics_["r1_low"] < 0.4 < fitted.diagnostics_["r1_high"]
    True
    """

    diagnostic_meanings: ClassVar[Mapping[str, str]] = {
        "audited": "number of checked rows, or what they are worth",
        **{
            name + end: f"{meaning}{where}"
            for name, meaning in SHARES.items()
            for end, where in (("", ""), ("_low", ", low end"), ("_high", ", high end"))
        },
        "p_dependent": "probability that flip rates depend on the score",
        "gain_of_50_more": "relative decrease of the NLL to expect from checking 50 more",
    }

    def __init__(self, *, pos_label: Any = None) -> None:
        self.pos_label = pos_label

    def fit(
        self,
        scores: ArrayLike,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        y_audited: ArrayLike | None = None,
        audit_probability: ArrayLike | None = None,
    ) -> Self:
        """Fit to rows, some of them checked.

        Parameters
        ----------
        scores : one-dimensional, in [0, 1]
            Scores of a model on rows it was not trained on.
        y : one-dimensional, two classes
            Labels of the same rows, possibly wrong.
        sample_weight : one-dimensional, optional
            Frequencies: a row of weight 2 equals that row twice.
        y_audited : one-dimensional, optional
            True labels of the rows that were checked; NaN, None or null in the others.
        audit_probability : one-dimensional, optional
            Probability with which each checked row was chosen for it, such as that of
            :func:`lwcal.plan_audit`; needed when the choice was made by more than score and
            label. What it holds in the other rows does not matter.
        """
        self._check_rows(scores, y)
        table, checked = split_checked(
            as_scores(scores),
            as_checked_labels(y, y_audited, pos_label=self.pos_label),
            sample_weight,
            audit_probability,
        )
        return self.fit_table(table, checked)

    def fit_table(self, table: ScoreTable, checked: CheckedTable = NOTHING) -> Self:
        """Fit to pooled counts: of the rows that nobody checked, and of those somebody did."""
        self.check_parameters()
        everything = ScoreTable.merge([table, checked.labels])
        everything.require_both_classes(ONE_CLASS)
        return self._keep(self._fit(table, checked), everything)

    def _fit(self, table: ScoreTable, checked: CheckedTable = NOTHING) -> Fitted:
        small = pooled(table)
        self.posterior_ = infer_audited(small, checked, hypotheses())
        labels = ScoreTable.merge([small, checked.labels])
        return Fitted(tabulated(self.posterior_), _describe(self.posterior_, labels, checked))


def split_checked(
    scores: FloatArray,
    labels: Checked,
    sample_weight: ArrayLike | None = None,
    audit_probability: ArrayLike | None = None,
) -> tuple[ScoreTable, CheckedTable]:
    """Pool rows that nobody checked, and rows that somebody did, each for itself."""
    check_same_length(len(scores), len(labels.noisy), "y")
    weights = None if sample_weight is None else as_weights(sample_weight, len(scores))
    rows = labels.checked
    of_checked = None if weights is None else weights[rows]
    if audit_probability is not None and rows.any():
        chosen = as_chances(audit_probability, rows)
        unexplained = unexplained_weights(scores[rows], labels.noisy[rows], chosen)
        of_checked = unexplained if of_checked is None else of_checked * unexplained
    checked = CheckedTable.from_codes(scores[rows], labels.noisy[rows], labels.true, of_checked)
    if rows.all():
        return EMPTY, checked
    others = None if weights is None else weights[~rows]
    return ScoreTable.unchecked(*tabulate(scores[~rows], labels.noisy[~rows], others)), checked


def _describe(
    posterior: AuditedPosterior, table: ScoreTable, checked: CheckedTable
) -> dict[str, float]:
    found = summarise(posterior, table, checked.n)
    described = {"audited": float(checked.n)}
    for name in ("wrong", "r0", "r1"):
        interval = getattr(found, name)
        described |= {
            name: interval.value,
            f"{name}_low": interval.low,
            f"{name}_high": interval.high,
        }
    return described | {
        "p_dependent": posterior.probability_dependent,
        "gain_of_50_more": found.gain_of_more,
    }
