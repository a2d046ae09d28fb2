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
from lwcal_study import adapters
from lwcal_study.cells import Scored

Make: TypeAlias = Callable[[], Any]
RAW = "Raw"
BUDGETS = (25, 50, 100, 200)
"""Labels that somebody may check."""


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
    checked : int
        Number of calibration labels that were checked: it is told these clean labels, and the
        others as they are.
    """

    name: str
    make: Make
    source: str
    note: str = ""
    oracle: bool = False
    checked: int = 0

    @property
    def trusted(self) -> bool:
        """Whether it is given clean labels, all or some."""
        return self.oracle or self.checked > 0


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
    found = [
        item
        for item in public
        if isinstance(item, type) and hasattr(item, "fit_table") and item is not lwcal.Audited
    ]
    return {RAW if cls is lwcal.Identity else cls.__name__: cls for cls in found}


def all_contenders() -> dict[str, Contender]:
    """Every contender by name; says which package is missing, if one is."""
    adapters.require_libraries()
    ours = [Contender(name, make, "lwcal") for name, make in own_calibrators().items()]
    return {contender.name: contender for contender in [*ours, *OTHERS, *AUDITED, *ORACLES]}


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
AUDITED = tuple(
    Contender(
        f"Audited, {budget} checked",
        lwcal.Audited,
        "lwcal",
        f"{budget} labels checked, or all where there are fewer",
        checked=budget,
    )
    for budget in BUDGETS
)
ORACLES = (
    Contender("Isotonic on clean labels", lwcal.Isotonic, "lwcal", oracle=True),
    Contender("Platt on clean labels", lwcal.Platt, "lwcal", oracle=True),
)


def attempts(contender: Contender, rows: Scored, plans: int = 1) -> list[Attempt]:
    """Fit and predict, once for every plan of an audit; without an audit, once."""
    return [_attempt(contender, rows, plan) for plan in range(plans if contender.checked else 1)]


def _attempt(contender: Contender, rows: Scored, plan: int) -> Attempt:
    """Fit and predict; a contender that cannot leaves the raw scores, and a reason."""
    try:
        # some libraries change numpy's and Python's warnings for everybody: contain that
        with warnings.catch_warnings(), np.errstate():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", ConvergenceWarning)
            fitted = _fitted(contender, rows, plan)
            return Attempt(_checked(fitted.predict(rows.test), len(rows.test)), "")
    except Exception as error:  # whatever another library raises is a failure of that contender
        return Attempt(rows.test, f"{type(error).__name__}: {error}".partition("\n")[0][:200])


def _fitted(contender: Contender, rows: Scored, plan: int) -> Any:
    if not contender.checked:
        labels = rows.y_clean if contender.oracle else rows.y_noisy
        return contender.make().fit(rows.calibration, labels)
    budget = min(contender.checked, len(rows.calibration))
    picked = lwcal.plan_audit(rows.calibration, rows.y_noisy, budget, random_state=plan).rows
    truths = np.full(len(rows.calibration), np.nan)
    truths[picked] = rows.y_clean[picked]
    return contender.make().fit(rows.calibration, rows.y_noisy, y_audited=truths)


def _checked(probability: Any, n: int) -> Any:
    values = np.asarray(probability, dtype=np.float64)
    if values.shape != (n,) or not ((values >= 0) & (values <= 1)).all():
        raise ArithmeticError("probabilities outside [0, 1], or not one a row")
    return values
