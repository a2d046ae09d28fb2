"""Everything that competes on the leaderboard: our calibrators, other libraries', oracles.

Needs the extra: ``pip install "lwcal[contenders]"``.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from sklearn.exceptions import ConvergenceWarning

import lwcal
from lwcal.study import adapters
from lwcal.study.cells import Scored

Make: TypeAlias = Callable[[], Any]
RAW = "Raw"


class Contender(NamedTuple):
    """One line of the leaderboard.

    Attributes
    ----------
    name : str
    make : callable
        Returns an object with ``fit(scores, labels)`` and ``predict(scores)``.
    source : str
        The package that has it.
    note : str
        What a reader should know.
    oracle : bool
        Fitted to clean calibration labels: what better labels would give, not a method.
    """

    name: str
    make: Make
    source: str
    note: str = ""
    oracle: bool = False


class Attempt(NamedTuple):
    """Test probabilities, and why they are the raw scores if the contender failed."""

    probability: Any
    failure: str


def own_calibrators() -> dict[str, Make]:
    """Find the calibrators among the public names of lwcal, so that new ones join by themselves.

    >>> own_calibrators()["Raw"].__name__, "LWCal" in own_calibrators()
    ('Identity', True)
    """
    public = (getattr(lwcal, name) for name in lwcal.__all__)
    found = [item for item in public if isinstance(item, type) and hasattr(item, "fit_table")]
    return {RAW if cls is lwcal.Identity else cls.__name__: cls for cls in found}


def all_contenders() -> dict[str, Contender]:
    """Every contender by name; says which package is missing, if one is."""
    adapters.require_libraries()
    ours = [Contender(name, make, "lwcal") for name, make in own_calibrators().items()]
    return {contender.name: contender for contender in [*ours, *OTHERS, *ORACLES]}


OTHERS = (
    Contender("Venn-Abers", adapters.VennAbers, "venn-abers"),
    Contender("Beta (betacal)", adapters.Beta, "betacal"),
    Contender("Temperature", adapters.Temperature, "scikit-learn"),
    Contender(
        "Quadratic",
        adapters.Quadratic,
        "scikit-learn",
        "logistic regression on the logit and its square, in place of a spline",
    ),
)
ORACLES = (
    Contender("Isotonic on clean labels", lwcal.Isotonic, "lwcal", oracle=True),
    Contender("Platt on clean labels", lwcal.Platt, "lwcal", oracle=True),
)


def attempt(contender: Contender, rows: Scored) -> Attempt:
    """Fit and predict; a contender that cannot leaves the raw scores, and a reason."""
    labels = rows.y_clean if contender.oracle else rows.y_noisy
    try:
        # some libraries change numpy's and Python's warnings for everybody: contain that
        with warnings.catch_warnings(), np.errstate():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", ConvergenceWarning)
            fitted = contender.make().fit(rows.calibration, labels)
            return Attempt(_checked(fitted.predict(rows.test), len(rows.test)), "")
    except Exception as error:  # whatever another library raises is a failure of that contender
        return Attempt(rows.test, f"{type(error).__name__}: {error}".partition("\n")[0][:200])


def _checked(probability: Any, n: int) -> Any:
    values = np.asarray(probability, dtype=np.float64)
    if values.shape != (n,) or not ((values >= 0) & (values <= 1)).all():
        raise ArithmeticError("probabilities outside [0, 1], or not one a row")
    return values
