"""Auto: corrects for noise, within a bound on the harm if every label is right."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any, ClassVar, Self

from lwcal.calibrators.base import Fitted
from lwcal.calibrators.class_base import FittedClasses
from lwcal.calibrators.decision import MAX_COST, Decision, decide, decided_map
from lwcal.calibrators.from_posterior import FromPosterior
from lwcal.calibrators.noise_aware import NoiseAware, describe, describe_classes
from lwcal.multiclass.class_rows import ClassRows
from lwcal.noise.estimate import estimate_from
from lwcal.noise.posterior import Posterior
from lwcal.parameters import Between, Rule
from lwcal.table import ScoreTable


class Auto(FromPosterior):
    """Correct for noise as far as the evidence goes, within a bound on the possible harm.

    The map is that of :class:`NoiseAware`, with one difference. The probability that every label
    is right is raised until the map costs at most ``max_cost`` more log loss if every label is
    right than the better of two: the raw score, and a map that trusts the labels. Noise and a
    misshapen model can look alike in any number of rows; the bound limits the cost of mistaking
    one for the other, with one standard error to spare. No evidence inside the table lifts it.
    Checked labels do (:class:`Audited`), and known rates (:class:`NoiseAware`). If the expected
    gain is small, or no map keeps the bound, the raw score is kept.

    Scores have the shape (n,), those of the positive class, or (n, K), those of all classes.

    Parameters
    ----------
    max_cost : float, default 0.1
        Accepted relative increase of the log loss if every label is right, over the better of the
        raw score and a map that trusts the labels.
    pos_label : optional
        The positive class, when it is not obvious from the labels.

    Attributes
    ----------
    decision_ : Decision or None
        The choice and its expected gain and cost; None for files saved before it was stored.
    noise_ : NoiseEstimate or ClassNoiseEstimate
        Flip rates, or the noise matrix, with credible intervals, and the probability that every
        label is right.
    diagnostics_ : dict
        Those of :class:`NoiseAware`, and ``p_clean_used``, ``cost_if_right`` and
        ``expected_gain``.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.beta(0.5, 0.5, 2000)
    >>> labels = rng.random(2000) < scores
    >>> Auto().fit(scores, labels).decision_.choice
    'raw'
    """

    parameter_rules: ClassVar[Mapping[str, Rule]] = {"max_cost": Between(0.0, inf)}
    diagnostic_meanings: ClassVar[Mapping[str, str]] = {
        **NoiseAware.diagnostic_meanings,
        "p_clean_used": "p_clean behind the map, raised where that is safer",
        "cost_if_right": "relative increase of log loss if every label is right",
        "expected_gain": "expected relative decrease of log loss",
    }
    optional_diagnostics: ClassVar[frozenset[str]] = frozenset({"r0", "r1", "intercept", "wrong"})
    decision_: Decision | None

    def __init__(self, *, max_cost: float = MAX_COST, pos_label: Any = None) -> None:
        self.max_cost = max_cost
        self.pos_label = pos_label

    def fitted_to(self, posterior: Posterior, pooled: ScoreTable) -> Fitted:
        """Correct for noise within the bound."""
        noise = estimate_from(posterior, pooled)
        decision = decide(posterior, pooled, max_cost=self.max_cost)
        described = describe(posterior, noise) | _described(decision)
        decided = decided_map(decision, posterior)
        return Fitted(decided, described, noise.thinned(), decision, posterior)

    def _fit_classes(self, rows: ClassRows) -> FittedClasses:
        # so that two classes need not wait for the model of several
        from lwcal.calibrators.class_decision import decide_classes, decided_class_map
        from lwcal.multiclass.class_noise import class_noise_from
        from lwcal.multiclass.class_posterior import infer_classes
        from lwcal.multiclass.knowledge import NoiseKnowledge

        posterior = infer_classes(rows, NoiseKnowledge().of_classes(rows.n_classes))
        noise = class_noise_from(posterior)
        decision = decide_classes(posterior, max_cost=self.max_cost)
        described = describe_classes(posterior, noise) | _described(decision)
        decided = decided_class_map(decision, posterior)
        return FittedClasses(decided, described, noise, decision, posterior)

    def _keep(self, fitted: Fitted, table: ScoreTable) -> Self:
        self.decision_ = fitted.decision
        return super()._keep(fitted, table)

    def _keep_classes(self, fitted: FittedClasses, rows: ClassRows) -> None:
        self.decision_ = fitted.decision
        super()._keep_classes(fitted, rows)


def _described(decision: Decision) -> dict[str, float]:
    names = ("p_clean_used", "cost_if_right", "expected_gain")
    return {name: getattr(decision, name) for name in names}
