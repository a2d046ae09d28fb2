"""Calibrators whose map follows from the posterior of the label noise."""

from __future__ import annotations

from abc import abstractmethod

from lwcal.calibrators.base import Fitted
from lwcal.calibrators.class_base import ClassCalibrator
from lwcal.noise.inference import infer
from lwcal.noise.logit_counts import pool_by_logit
from lwcal.noise.posterior import Posterior
from lwcal.table import ScoreTable


class FromPosterior(ClassCalibrator):
    """Base of calibrators that differ in what they make of the same posterior.

    It takes most of the time of a fit, so several of them should be given one.
    """

    @abstractmethod
    def fitted_to(self, posterior: Posterior, pooled: ScoreTable) -> Fitted:
        """What follows from a posterior.

        Parameters
        ----------
        posterior : Posterior
            Inferred by :meth:`hypotheses`.
        pooled : ScoreTable
            The rows that it was inferred from.
        """

    def _fit(self, table: ScoreTable) -> Fitted:
        pooled = pool_by_logit(table)
        return self.fitted_to(infer(pooled, self.hypotheses()), pooled)
