"""What is known of a model of another library once somebody has looked at it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, softmax

from lwcal.arrays import FloatArray
from lwcal.errors import ParameterError, message
from lwcal.rows.scales import LOGIT, PROBABILITY

OWN_SCORES = "fit a calibrator to its scores instead: lwcal.Auto().fit(scores, y)"


@dataclass(frozen=True)
class OpenModel:
    """A model of another library, with one way to score rows.

    Attributes
    ----------
    scores : callable
        From features to scores on the given scale: of shape (n,), those of the second of two
        classes, or of shape (n, K).
    n_classes : int
    classes : sequence or None
        The classes, if the model knows them; None if it only numbers them.
    scale : {"probability", "logit"}
    one_vs_rest : bool
        Whether the logits of more than two classes belong to one sigmoid each, not to a softmax.
    """

    scores: Callable[[Any], FloatArray]
    n_classes: int
    classes: Sequence[Any] | None = None
    scale: str = LOGIT
    one_vs_rest: bool = False

    def probabilities(self, X: Any) -> FloatArray:
        """Probability of each class, as the model itself would give it."""
        scores = self.scores(X)
        if self.scale != PROBABILITY:
            several = scores.ndim == 2 and not self.one_vs_rest
            scores = softmax(scores, axis=1) if several else expit(scores)
        return scores if scores.ndim == 2 else np.column_stack([1.0 - scores, scores])


def refuse_objective(library: str, objective: str) -> ParameterError:
    """Say that a model is no classifier: a regressor, a ranker, or trained to a loss of its own.

    >>> str(refuse_objective("LightGBM", "lambdarank"))
    "expected a LightGBM model of classes, got one with the objective 'lambdarank'; fit a ..."
    """
    expected, got = f"a {library} model of classes", f"one with the objective {objective!r}"
    return ParameterError(message(expected, got, OWN_SCORES))


def is_from(model: Any, package: str, name: str = "") -> bool:
    """Tell whether a model's class, or a base of it, comes from a package, without importing it.

    >>> is_from(1.5, "builtins", "float"), is_from(1.5, "xgboost")
    (True, False)
    """
    return any(
        f"{base.__module__}.".startswith(f"{package}.") and name in ("", base.__name__)
        for base in type(model).__mro__
    )
