"""What a user knows of the label noise, for two classes and for more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.errors import ParameterError, message
from lwcal.multiclass.class_hypotheses import ClassHypothesis, class_hypotheses
from lwcal.multiclass.given_noise import as_noise_matrix, as_prior_rates
from lwcal.noise.forward import Hypothesis
from lwcal.noise.hypotheses import PRIOR_CLEAN, PRIOR_STRENGTH, check_knowledge, hypotheses
from lwcal.noise.rates import Pair
from lwcal.rows import ArrayLike


class NoiseKnowledge(NamedTuple):
    """Known or expected label noise; see :class:`lwcal.NoiseAware`.

    Examples
    --------
    >>> known = NoiseKnowledge(noise_matrix=[[0.9, 0.1], [0.2, 0.8]])
    >>> [hypothesis.name for hypothesis in known.of_two_classes()]
    ['known']
    """

    noise_rates: Pair | None = None
    noise_matrix: ArrayLike | None = None
    prior_rates: Sequence[float] | None = None
    prior_strength: float = PRIOR_STRENGTH
    prior_clean: float = PRIOR_CLEAN

    def check(self) -> None:
        """Refuse what fits no number of classes."""
        if self.noise_matrix is not None:
            if self.noise_rates is not None or self.prior_rates is not None:
                hint = "the matrix says everything that rates say"
                raise ParameterError(message("noise_matrix alone", "rates as well", hint))
            shape = np.shape(np.asarray(self.noise_matrix, dtype=object))
            as_noise_matrix(self.noise_matrix, shape[0] if shape else 0)
        expected = self.prior_rates
        if isinstance(expected, Sequence | np.ndarray) and len(expected) > 2:
            as_prior_rates(expected, len(expected))
            expected = None
        check_knowledge(
            noise_rates=self.noise_rates,
            prior_rates=expected,
            prior_strength=self.prior_strength,
            prior_clean=self.prior_clean,
        )

    def of_two_classes(self) -> list[Hypothesis]:
        """Hypotheses about two classes."""
        rates = self.noise_rates
        if self.noise_matrix is not None:
            matrix: FloatArray = as_noise_matrix(self.noise_matrix, 2)
            rates = (float(matrix[0, 1]), float(matrix[1, 0]))
        return hypotheses(
            noise_rates=rates,
            prior_rates=self.prior_rates,
            prior_strength=self.prior_strength,
            prior_clean=self.prior_clean,
        )

    def of_classes(self, n_classes: int) -> list[ClassHypothesis]:
        """Hypotheses about more than two classes."""
        if self.noise_rates is not None:
            hint = "with more than two classes, give a noise_matrix"
            raise ParameterError(message("noise_rates with two classes", f"{n_classes}", hint))
        return class_hypotheses(
            n_classes,
            noise_matrix=self.noise_matrix,
            prior_rates=self.prior_rates,
            prior_strength=self.prior_strength,
            prior_clean=self.prior_clean,
        )
