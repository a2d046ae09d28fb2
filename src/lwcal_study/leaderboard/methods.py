"""Every method of the leaderboard: our calibrators, those of other libraries, and oracles.

Needs the extra ``leaderboard``: ``pip install "lwcal[leaderboard]"``.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning

import lwcal
from lwcal_study.leaderboard import other_libraries
from lwcal_study.scored_rows import ScoredRows

Make: TypeAlias = Callable[[], Any]
RAW = "Raw"
BUDGETS = (25, 50, 100, 200)
"""Numbers of checked labels."""


class Method(NamedTuple):
    """One line of the leaderboard.

    Attributes
    ----------
    name : str
    make : callable
        Returns an object with ``fit(scores, labels)`` and ``predict(scores)``.
    source : str
        The package that contains it.
    note : str
        Explanation for the reader.
    oracle : bool
        True for a fit to clean calibration labels. It shows what better labels would give.
    checked : int
        Number of calibration rows with checked labels. The method gets the clean labels of
        these rows and the noisy labels of all others.
    """

    name: str
    make: Make
    source: str
    note: str = ""
    oracle: bool = False
    checked: int = 0

    @property
    def sees_clean_labels(self) -> bool:
        """Whether it gets clean labels of some or all calibration rows."""
        return self.oracle or self.checked > 0


class Attempt(NamedTuple):
    """Test probabilities. If the method failed: the raw scores, and the reason."""

    probability: Any
    failure: str


APART = (
    lwcal.Audited,
    lwcal.Reviewed,
    lwcal.Temperature,
    lwcal.VectorScaling,
    lwcal.MatrixScaling,
)
"""Calibrators with lines of their own. Scalings of two classes are a line, as Platt's is."""


def own_calibrators() -> dict[str, Make]:
    """Every public calibrator of lwcal, so that a new one takes part automatically.

    >>> own_calibrators()["Raw"].__name__, "LWCal" in own_calibrators()
    ('Identity', True)
    """
    public = (getattr(lwcal, name) for name in lwcal.__all__)
    found = [
        item
        for item in public
        if isinstance(item, type) and hasattr(item, "fit_table") and item not in APART
    ]
    return {RAW if cls is lwcal.Identity else cls.__name__: cls for cls in found}


def all_methods() -> dict[str, Method]:
    """Every method by name. Raises an error if a package is missing."""
    other_libraries.require_libraries()
    ours = [Method(name, make, "lwcal") for name, make in own_calibrators().items()]
    return {method.name: method for method in [*ours, *OTHERS, *AUDITED, *ORACLES]}


OTHERS = (
    Method("Venn-Abers", other_libraries.VennAbers, "venn-abers"),
    Method("Beta (betacal)", other_libraries.Beta, "betacal"),
    Method("Temperature", other_libraries.Temperature, "scikit-learn"),
    Method(
        "Quadratic",
        other_libraries.Quadratic,
        "scikit-learn",
        "logistic regression on the logit and its square, in place of a spline",
    ),
)
AUDITED = tuple(
    Method(
        f"Audited, {budget} checked",
        lwcal.Audited,
        "lwcal",
        f"{budget} checked labels, or all if there are fewer",
        checked=budget,
    )
    for budget in BUDGETS
)
ORACLES = (
    Method("Isotonic on clean labels", lwcal.Isotonic, "lwcal", oracle=True),
    Method("Platt on clean labels", lwcal.Platt, "lwcal", oracle=True),
)


def attempts(method: Method, rows: ScoredRows, plans: int = 1) -> list[Attempt]:
    """Fit and predict, once per audit plan; a method without checked labels needs one fit."""
    return [_attempt(method, rows, plan) for plan in range(plans if method.checked else 1)]


def _attempt(method: Method, rows: ScoredRows, plan: int) -> Attempt:
    def predict() -> Any:
        return _checked(_fitted(method, rows, plan).predict(rows.test), len(rows.test))

    return caught(predict, rows.test)


def caught(predict: Callable[[], Any], raw: Any) -> Attempt:
    """Call a function that returns test probabilities. If it fails, the raw scores stay."""
    try:
        # some libraries change the warning filters of numpy and Python for the whole process
        with warnings.catch_warnings(), np.errstate():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", ConvergenceWarning)
            return Attempt(predict(), "")
    except Exception as error:  # any error of another library is a failure of its method
        return Attempt(raw, f"{type(error).__name__}: {error}".partition("\n")[0][:200])


def _fitted(method: Method, rows: ScoredRows, plan: int) -> Any:
    if not method.checked:
        labels = rows.y_clean if method.oracle else rows.y_noisy
        return method.make().fit(rows.calibration, labels)
    truths = _truths(rows, method.checked, plan)
    return method.make().fit(rows.calibration, rows.y_noisy, y_audited=truths)


def verdict(method: Method, rows: ScoredRows) -> str:
    """The action that is recommended after the audit of a method; empty without an audit."""
    if not method.checked:
        return ""
    found = lwcal.diagnose(
        rows.calibration,
        rows.y_noisy,
        y_audited=_truths(rows, method.checked, plan=0),
        methods=(),
    )
    return found.recommendation.action


def _truths(rows: ScoredRows, checked: int, plan: int) -> npt.NDArray[np.float64]:
    """True labels of the rows of an audit plan; NaN elsewhere."""
    budget = min(checked, len(rows.calibration))
    picked = lwcal.plan_audit(rows.calibration, rows.y_noisy, budget, random_state=plan).rows
    truths = np.full(len(rows.calibration), np.nan)
    truths[picked] = rows.y_clean[picked]
    return truths


def _checked(probability: Any, n: int) -> Any:
    values = np.asarray(probability, dtype=np.float64)
    if values.shape != (n,):
        raise ArithmeticError(f"{n:,} rows but probabilities of shape {values.shape}")
    if not ((values >= 0) & (values <= 1)).all():
        raise ArithmeticError("probabilities outside [0, 1]")
    return values
