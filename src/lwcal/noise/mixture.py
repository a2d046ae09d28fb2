"""What every posterior over hypotheses has in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lwcal.arrays import BoolArray, FloatArray


class Mixture:
    """Named components and their probabilities.

    Attributes
    ----------
    components : sequence
        Each has a name.
    probabilities : float64 array
        Probability of each component; they add up to 1.
    """

    components: Sequence[Any]
    probabilities: FloatArray

    @property
    def noiseless(self) -> BoolArray:
        """Whether every label is right, for each component."""
        raise NotImplementedError

    @property
    def hypotheses(self) -> dict[str, float]:
        """Probability of each hypothesis."""
        names = (component.name for component in self.components)
        return dict(zip(names, self.probabilities.tolist(), strict=True))

    @property
    def probability_clean(self) -> float:
        """Probability that every label is right."""
        # rounding can carry a sum of probabilities above 1
        return min(float(self.probabilities[self.noiseless].sum()), 1.0)
