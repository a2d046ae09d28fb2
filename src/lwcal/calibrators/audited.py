"""Audited: a few checked labels, many unchecked ones, and the score, in one map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

from lwcal.calibrators.base import ONE_CLASS, Fitted
from lwcal.calibrators.class_base import ClassCalibrator, FittedClasses
from lwcal.calibrators.noise_aware import NoiseAware
from lwcal.calibrators.posterior_map import posterior_map
from lwcal.errors import InputError, message
from lwcal.estimates import Estimate
from lwcal.multiclass.checked_classes import (
    AuditedClasses,
    CheckedClasses,
    read_checked_columns,
)
from lwcal.multiclass.class_noise import class_noise_from
from lwcal.multiclass.class_posterior import infer_classes
from lwcal.multiclass.class_rows import ClassRows, refuse_classes, refuse_scale
from lwcal.multiclass.knowledge import NoiseKnowledge
from lwcal.noise.checked.checked_rows import read_checked
from lwcal.noise.checked.posterior import AuditedPosterior, infer_audited
from lwcal.noise.checked.summary import AuditSummary, gain_of_more, summarise
from lwcal.noise.checked.table import CheckedTable
from lwcal.noise.clear_cases import clear_cases
from lwcal.noise.estimate import NoiseEstimate, RateEstimate, rate_estimate
from lwcal.noise.logit_counts import pool_by_logit
from lwcal.rows import ArrayLike
from lwcal.rows.class_labels import class_array
from lwcal.rows.probabilities import is_matrix
from lwcal.table import ScoreTable

NOTHING = CheckedTable.nothing()
CONFIDENCE_LEVEL = 0.9
IDENTIFYING_CHECKS = 10
"""Checked rows from which on the flip rates count as identified."""
SHARES = {
    "wrong": "expected share of wrong labels",
    "r0": NoiseAware.diagnostic_meanings["r0"],
    "r1": NoiseAware.diagnostic_meanings["r1"],
}


class Audited(ClassCalibrator):
    """Learn from checked labels how far to trust the unchecked ones.

    Two explanations of the wrong labels are weighted by the checked rows, and averaged. Either
    flips depend on the true class only, as in :class:`NoiseAware`; then that model is fitted to
    labels and truths together. Or flips depend on the score as well; then a regression of the
    truth on score and label is learnt from the checked rows, and averaged over the labels of all
    rows. The regression knows the label of each checked row. So it only has to learn when labels
    are wrong, not what the score means, which takes far fewer rows than a fit to the truths
    alone. Without checked rows the map is that of :class:`NoiseAware`. It strictly increases.

    Scores have the shape (n,), those of the positive class, or (n, K), those of all classes. With
    more than two classes, the joint model of :class:`NoiseAware` is fitted to the labels of all
    rows and to the true classes of the checked rows together. Checked rows count in full.

    Parameters
    ----------
    pos_label : optional
        The positive class of scores of shape (n,), when it is not obvious from the labels.

    Attributes
    ----------
    noise_ : NoiseEstimate or ClassNoiseEstimate
        Flip rates, or the noise matrix, with credible intervals, and the probability that every
        label is right.
    diagnostics_ : dict
        With more than two classes: ``audited``, ``wrong``, ``wrong_low`` and ``wrong_high``. With
        two, also the others:
        ``audited``, the number of checked rows, or their effective number if they were chosen
        with unequal probabilities; ``wrong``, the expected share of wrong labels among all rows;
        ``r0`` and ``r1``, the expected flip rates; the ends of the 90% intervals of these three
        (``r0_low``, ``r0_high``, ...); ``p_dependent``, the probability that flip rates depend on
        the score; ``gain_of_50_more``, the expected relative decrease of the log loss from 50
        further checks.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.beta(0.5, 0.5, 2000)
    >>> truth = rng.random(2000) < scores
    >>> labels = truth & (rng.random(2000) < 0.6)  # 40% of the positives are missed
    >>> checked = np.where(np.arange(2000) < 60, truth, np.nan)  # 60 rows are checked
    >>> fitted = Audited().fit(scores, labels, y_audited=checked)
    >>> fitted.predict([0.1, 0.5, 0.9]).round(1)
    array([0.1, 0.5, 0.9])
    >>> fitted.diagnostics_["r1_low"] < 0.4 < fitted.diagnostics_["r1_high"]
    True
    """

    diagnostic_meanings: ClassVar[Mapping[str, str]] = {
        "audited": "number of checked rows, or their effective number",
        **{
            name + end: f"{meaning}{where}"
            for name, meaning in SHARES.items()
            for end, where in (("", ""), ("_low", ", low end"), ("_high", ", high end"))
        },
        "p_dependent": "probability that flip rates depend on the score",
        "gain_of_50_more": "expected relative decrease of log loss from 50 further checks",
    }
    optional_diagnostics: ClassVar[frozenset[str]] = frozenset(
        name for name in diagnostic_meanings if not name.startswith(("audited", "wrong"))
    ) | {"wrong"}

    def __init__(self, *, pos_label: Any = None) -> None:
        self.pos_label = pos_label

    def fit(
        self,
        scores: ArrayLike | ScoreTable,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        scale: str | None = None,
        classes: Sequence[Any] | None = None,
        y_audited: ArrayLike | None = None,
        audit_probability: ArrayLike | None = None,
    ) -> Self:
        """Fit to rows, some of them checked.

        Parameters
        ----------
        scores : of shape (n,) or (n, K), or ScoreTable
            Scores of a model on rows it was not trained on: of the positive class, or of all
            classes; or rows of two classes without checked labels, pooled.
        y : one-dimensional
            Labels of the same rows, possibly wrong; omitted with a ScoreTable.
        sample_weight : one-dimensional, optional
            Frequencies: a row of weight 2 equals that row twice.
        scale : {"probability", "percent", "logit", "auto"}, optional
            Scale of the scores; default: probability. ``predict`` reads new scores on the same
            scale. Omitted with a ScoreTable, which knows its scale.
        classes : sequence, optional
            Class of each column of the scores, if the labels do not tell.
        y_audited : one-dimensional, optional
            True labels of the checked rows; NaN, None or null in the others.
        audit_probability : one-dimensional, optional
            Probability with which each checked row was chosen, such as that of
            :func:`lwcal.plan_audit`. It is needed if the choice depended on more than score and
            label. Values in unchecked rows are ignored.
        """
        if isinstance(scores, ScoreTable):
            refuse_audit(y_audited=y_audited, audit_probability=audit_probability)
            return super().fit(scores, y, sample_weight, scale=scale, classes=classes)
        self._check_rows(scores, y)
        if is_matrix(scores):
            refuse_scale(scale)
            return self.fit_checked_rows(
                read_checked_columns(
                    scores,
                    y,
                    sample_weight,
                    y_audited=y_audited,
                    audit_probability=audit_probability,
                    classes=classes,
                ).divided()
            )
        refuse_classes(classes)
        table, checked, known = read_checked(
            scores,
            y,
            sample_weight,
            y_audited=y_audited,
            audit_probability=audit_probability,
            pos_label=self.pos_label,
            scale=scale,
        )
        self.fit_table(table, checked)
        self.scale_ = known
        return self

    def fit_checked_rows(self, rows: AuditedClasses) -> Self:
        """Fit to rows of any number of classes, some of them checked."""
        self.check_parameters()
        if rows.everything.n_classes == 2:
            self.fit_table(rows.unchecked.two_class_table(), rows.checked.two_class_table())
        else:
            fitted = self._fit_classes(rows.unchecked, rows.checked)
            self._keep_classes(fitted, rows.everything)
        self.classes_ = class_array(rows.everything.classes)
        self.sampled_from_ = None
        return self

    def _fit_classes(self, rows: ClassRows, checked: CheckedClasses | None = None) -> FittedClasses:
        posterior = infer_classes(rows, NoiseKnowledge().of_classes(rows.n_classes), checked)
        noise = class_noise_from(posterior, confidence=CONFIDENCE_LEVEL)
        wrong = noise.wrong
        described = {"audited": posterior.checked.n}
        if wrong.value is not None:
            described["wrong"] = wrong.value
        described |= {"wrong_low": wrong.low, "wrong_high": wrong.high}
        return FittedClasses(posterior.scaling, described, noise)

    def fit_table(self, table: ScoreTable, checked: CheckedTable = NOTHING) -> Self:
        """Fit to pooled counts of the unchecked and of the checked rows."""
        self.check_parameters()
        everything = ScoreTable.merge([table, checked.labels])
        everything.require_both_classes(ONE_CLASS)
        return self._keep(self._fit(table, checked), everything)

    def _fit(self, table: ScoreTable, checked: CheckedTable = NOTHING) -> Fitted:
        pooled = pool_by_logit(table)
        posterior = infer_audited(pooled, checked, self.hypotheses())
        labels = ScoreTable.merge([pooled, checked.labels])
        summary = summarise(posterior, labels, confidence=CONFIDENCE_LEVEL)
        doubts = {
            "p_dependent": posterior.probability_dependent,
            "gain_of_50_more": gain_of_more(posterior, labels, checked.n),
        }
        return Fitted(
            posterior_map(posterior),
            _describe(summary, checked.n) | doubts,
            _estimate(posterior, labels, summary, checked.n).thinned(),
        )


def refuse_audit(**given: ArrayLike | None) -> None:
    """Refuse columns of checked rows where there are no rows for them."""
    refuse_beside_table("pass the rows themselves, or call fit_table with a CheckedTable", **given)


def refuse_beside_table(hint: str, **given: Any) -> None:
    """Refuse columns about single rows where there are no rows for them."""
    for name, column in given.items():
        if column is not None:
            raise InputError(message(f"{name} beside scores and y", f"{name} without y", hint))


def _describe(summary: AuditSummary, checked: float) -> dict[str, float]:
    described = {"audited": float(checked)}
    shares = {"wrong": summary.wrong, "r0": summary.r0, "r1": summary.r1}
    for name, (value, low, high) in shares.items():
        described |= {name: value, f"{name}_low": low, f"{name}_high": high}
    return described


def estimate_audited(
    posterior: AuditedPosterior, table: ScoreTable, checked: float, *, confidence: float
) -> NoiseEstimate:
    """Summarise the posterior of labels and checked rows as flip rates with intervals.

    Parameters
    ----------
    posterior : AuditedPosterior
    table : ScoreTable
        The labels of all rows, pooled.
    checked : float
        Number of checked rows.
    confidence : float
        Level of the intervals.
    """
    summary = summarise(posterior, table, confidence=confidence)
    return _estimate(posterior, table, summary, checked, confidence)


def _estimate(
    posterior: AuditedPosterior,
    table: ScoreTable,
    summary: AuditSummary,
    checked: float,
    confidence: float = CONFIDENCE_LEVEL,
) -> NoiseEstimate:
    """Summarise the noise; enough checked rows identify the rates without clear cases."""

    def rate(found: Estimate, share: float) -> RateEstimate:
        value, low, high = (min(part, 1.0) for part in found)  # a sum can round above 1
        if checked >= IDENTIFYING_CHECKS:
            return RateEstimate(value, low, high, share)
        return rate_estimate(value, low, high, share)

    negative, positive = clear_cases(table, posterior.clean_probability)
    return NoiseEstimate(
        rate(summary.r0, negative),
        rate(summary.r1, positive),
        posterior.probability_clean,
        confidence,
        summary.posterior,
    )
