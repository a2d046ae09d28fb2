"""NoiseAware: the clean posterior behind noisy labels, averaged over the uncertainty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from lwcal.calibrators.base import Fitted
from lwcal.calibrators.class_base import FittedClasses
from lwcal.calibrators.from_posterior import FromPosterior
from lwcal.calibrators.posterior_map import posterior_map
from lwcal.multiclass.class_rows import ClassRows
from lwcal.noise.estimate import NoiseEstimate, estimate_from
from lwcal.noise.forward import Hypothesis
from lwcal.noise.hypotheses import KNOWLEDGE_RULES, PRIOR_CLEAN, PRIOR_STRENGTH
from lwcal.noise.posterior import Posterior
from lwcal.parameters import Rule
from lwcal.rows import ArrayLike
from lwcal.table import ScoreTable

if TYPE_CHECKING:
    from lwcal.multiclass.class_noise import ClassNoiseEstimate
    from lwcal.multiclass.class_posterior import ClassPosterior
    from lwcal.multiclass.knowledge import NoiseKnowledge


class NoiseAware(FromPosterior):
    """Fit the clean posterior through the noise, averaged over the uncertainty about it.

    The model says how noise distorts a clean posterior:
    ``P(label = 1 | z) = r0 + (1 - r0 - r1) * sigmoid(a * z + b)`` with z the log-odds of the
    score. Six hypotheses compete. Four say that every label is right: the score is calibrated; it
    needs a line in log-odds; the model is overconfident; or the curve has any smooth shape. Two
    say that some are wrong: one flip rate for both classes, or one for each. The calibrated
    probability is the average of ``sigmoid(a * z + b)`` over slopes, intercepts, rates and
    hypotheses, weighted by how well they explain the labels. No hypothesis is exactly true, so
    the evidence is tempered: it counts as much as that of 1,000 rows at most. Where a smooth
    curve explains the labels far better than noise does, the labels are taken as right. No clean
    label is needed. The map strictly increases, so ranking and AUC do not change (except for
    scores that differ in their last bits), and it never reaches 0 or 1.

    Scores have the shape (n,), those of the positive class, or (n, K), those of all classes. With
    more than two classes, the truth is a matrix scaling of the log-probabilities, as in
    :class:`MatrixScaling`, and a label has the probabilities of a row of a K x K matrix. Ten
    hypotheses compete. Three say that every label is right: the scores need a scaling; they are
    calibrated; or the model is overconfident, and excludes what happens. Five say that some are
    wrong: at one rate; at a rate for each class; toward classes between which the model itself
    hesitates; toward a default class, whatever the true one is; or toward any class. Two say
    the same of scores that are calibrated: at one rate, or toward any class. The map has the
    expected numbers of the scaling. At most 20,000 rows are used, chosen by their values.

    Parameters
    ----------
    noise_rates : pair of float, optional
        Known flip rates (r0, r1) of two classes: r0 of true negatives, r1 of true positives.
    noise_matrix : (K, K), optional
        Known probability of each label (column) for each true class (row).
    prior_rates : sequence of float, optional
        Expected share of wrong labels of each class, for example from an earlier audit.
    prior_strength : float, default 10
        How many checked labels the expected rates are worth; with more than two classes, for each
        class.
    prior_clean : float, default 0.5
        Prior probability that every label is right.
    pos_label : optional
        The positive class of scores of shape (n,), when it is not obvious from the labels.

    Attributes
    ----------
    noise_ : NoiseEstimate or ClassNoiseEstimate
        Flip rates, or the noise matrix, with credible intervals, and the probability that every
        label is right.
    diagnostics_ : dict
        ``p_clean``, the probability that every label is right; ``slope`` of the clean posterior,
        expected; ``p_clean_used``, the probability of no noise behind the map: ``p_clean``, or 1
        where noise does not fit the labels. For two classes, also ``r0`` and ``r1``, the expected
        flip rates, unless noise does not fit the labels, and ``intercept``. For more,
        ``wrong``, the expected share of wrong labels.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.beta(0.5, 0.5, 5000)
    >>> labels = (rng.random(5000) < scores) ^ (rng.random(5000) < 0.2)  # every fifth is wrong
    >>> labels[scores > 0.9].mean().round(1)
    np.float64(0.8)
    >>> NoiseAware().fit(scores, labels).predict([0.9, 0.99]).round(1)
    array([0.9, 1. ])
    """

    parameter_rules: ClassVar[Mapping[str, Rule]] = KNOWLEDGE_RULES
    diagnostic_meanings: ClassVar[Mapping[str, str]] = {
        "p_clean": "probability that every label is right",
        "r0": "expected share of true negatives labelled positive",
        "r1": "expected share of true positives labelled negative",
        "slope": "of the line through the log-odds",
        "intercept": "of that line",
        "wrong": "expected share of wrong labels, for more than two classes",
        "p_clean_used": "p_clean behind the map: 1 where noise does not fit the labels",
    }
    optional_diagnostics: ClassVar[frozenset[str]] = frozenset(
        {"p_clean_used", "r0", "r1", "intercept", "wrong"}
    )

    def __init__(
        self,
        *,
        noise_rates: tuple[float, float] | None = None,
        noise_matrix: ArrayLike | None = None,
        prior_rates: Sequence[float] | None = None,
        prior_strength: float = PRIOR_STRENGTH,
        prior_clean: float = PRIOR_CLEAN,
        pos_label: Any = None,
    ) -> None:
        self.noise_rates = noise_rates
        self.noise_matrix = noise_matrix
        self.prior_rates = prior_rates
        self.prior_strength = prior_strength
        self.prior_clean = prior_clean
        self.pos_label = pos_label

    def check_parameters(self) -> None:
        """Refuse parameters outside their documented range."""
        self.knowledge().check()

    def hypotheses(self) -> list[Hypothesis]:
        """Prior of the label noise of two classes, as the parameters say."""
        return self.knowledge().of_two_classes()

    def knowledge(self) -> NoiseKnowledge:
        """What the parameters say of the noise."""
        from lwcal.multiclass.knowledge import NoiseKnowledge

        return NoiseKnowledge(
            noise_rates=self.noise_rates,
            noise_matrix=self.noise_matrix,
            prior_rates=self.prior_rates,
            prior_strength=self.prior_strength,
            prior_clean=self.prior_clean,
        )

    def fitted_to(self, posterior: Posterior, pooled: ScoreTable) -> Fitted:
        """Correct for noise in full."""
        believed = posterior.believed
        noise = estimate_from(posterior, pooled)
        described = describe(posterior, noise) | {"p_clean_used": believed.probability_clean}
        return Fitted(posterior_map(believed), described, noise.thinned(), posterior=posterior)

    def _fit_classes(self, rows: ClassRows) -> FittedClasses:
        # so that two classes need not wait for the model of several
        from lwcal.multiclass.class_noise import class_noise_from
        from lwcal.multiclass.class_posterior import infer_classes

        posterior = infer_classes(rows, self.knowledge().of_classes(rows.n_classes))
        noise = class_noise_from(posterior)
        described = describe_classes(posterior, noise)
        used = {"p_clean_used": posterior.probability_clean}
        return FittedClasses(posterior.scaling, described | used, noise, posterior=posterior)


def describe(posterior: Posterior, noise: NoiseEstimate) -> dict[str, float]:
    """Diagnostics that NoiseAware and Auto share; without rates where noise does not fit."""
    r0, r1 = noise.rates_posterior.mean()
    slope, intercept = posterior.believed.mean_line()
    return {
        "p_clean": posterior.probability_clean,
        **({"r0": r0, "r1": r1} if noise.fits else {}),
        "slope": slope,
        "intercept": intercept,
    }


def describe_classes(posterior: ClassPosterior, noise: ClassNoiseEstimate) -> dict[str, float]:
    """Diagnostics for more than two classes that NoiseAware and Auto share."""
    given_noise = noise.wrong.value
    wrong = {} if given_noise is None else {"wrong": (1.0 - noise.probability_clean) * given_noise}
    slope = float(np.diagonal(posterior.scaling.matrix).mean())
    return {"p_clean": posterior.probability_clean, **wrong, "slope": slope}
