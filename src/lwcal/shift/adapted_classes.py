"""What new scores of several classes say about their base rates, and how that is told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from lwcal.adjustments import percent
from lwcal.calibrators import Calibrator
from lwcal.estimates import Estimate
from lwcal.shift.base_rate import CONFIDENCE
from lwcal.shift.verdicts import (
    LEAST_LABELS,
    LEAST_ROWS,
    Verdict,
    contradicted,
    interval_of,
    is_wide,
    unexplained,
)

MOST_NAMED = 5
"""Classes that the sentence names."""


class ClassAdaptation(NamedTuple):
    """What new scores of several classes say about their base rates.

    With two classes, it is an :class:`~lwcal.shift.Adaptation`.

    Attributes
    ----------
    verdict : {"adapted", "no change", "scores moved", "labels contradict", "cannot tell"}
        The calibrator has other base rates; they may be as before; scores changed in a way that no
        base rates explain; no base rates from 0 to 1 are possible with the labels of the fit; or
        the scores do not tell the classes apart well enough, or the answer depends on how many of
        the trusted labels are wrong.
    calibrator : Calibrator or None
        The adapted one; the one that was passed if nothing changed; None if it was refused.
    classes : tuple
        The classes, in the order of the base rates.
    before : tuple of float
        Base rates of the rows of the fit, by the calibrator.
    base_rates : tuple of Estimate, or None
        Base rates of the new rows, estimated from their scores; None if they were refused.
    given : tuple of float, or None
        The known base rates, if there are some.
    p_value : float
        Of the test that scores within the classes are distributed as in the fit.
    distance : float
        Share of the new rows whose scores no base rates explain.
    unknown : float
        Part of the change of the base rates that the scores do not tell, from 0 to 1.
    unclear : tuple
        If the scores cannot tell: the classes that have too few labels in the fit, or the two
        whose scores are too alike.
    n : float
        Number of new rows, or their weight.
    trusts_labels : bool
        Whether the calibrator takes every label of the fit as right.
    confidence : float
        Level of each interval.
    doubt : str or None
        Why it was refused, if the calibrator does not follow the labels of its fit.
    """

    verdict: Verdict
    calibrator: Calibrator | None
    classes: tuple[Any, ...]
    before: tuple[float, ...]
    base_rates: tuple[Estimate, ...] | None
    given: tuple[float, ...] | None
    p_value: float
    distance: float
    unknown: float
    unclear: tuple[Any, ...]
    n: float
    trusts_labels: bool
    confidence: float = CONFIDENCE
    doubt: str | None = None

    @property
    def sentence(self) -> str:
        """The result in plain words."""
        return self.doubt or " ".join(_sentences(self))

    @property
    def contradicts_given(self) -> bool:
        """Whether the scores suggest other base rates than those that were given."""
        if self.given is None or self.base_rates is None:
            return False
        pairs = zip(self.base_rates, self.given, strict=True)
        return not all(one.low <= share <= one.high for one, share in pairs)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the calibrator, for JSON."""
        document = self._asdict()
        del document["calibrator"]
        found = self.base_rates
        document["base_rates"] = None if found is None else [one.to_dict() for one in found]
        for name in ("classes", "before", "given", "unclear"):
            shown = document[name]
            document[name] = None if shown is None else list(shown)
        return {**document, "sentence": self.sentence}


def _sentences(found: ClassAdaptation) -> Iterator[str]:
    if found.verdict == "scores moved":
        yield unexplained(found.distance)
    elif found.verdict == "labels contradict":
        yield contradicted("No set of base rates", trusts_labels=found.trusts_labels)
    elif found.verdict == "cannot tell":
        yield from _doubts(found)
    elif found.verdict == "no change":
        if found.n < LEAST_ROWS:
            yield (
                f"{found.n:,.0f} new rows are too few to change the base rates: the calibrator "
                f"stays as it is. At least {LEAST_ROWS} are needed."
            )
            return
        if found.base_rates is not None:
            yield f"The base rates may be as before: {_changes(found)}."
            yield from _wide(found)
        yield "The calibrator stays as it is."
    else:
        yield from _adapted(found)


def _doubts(found: ClassAdaptation) -> Iterator[str]:
    named = _listed(found.unclear)
    if found.base_rates is None:
        yield (
            f"Fewer than {LEAST_LABELS:.0f} rows of the fit have the label {named}. They do not "
            "tell how its scores are distributed."
        )
    elif not found.unclear:
        yield (
            "The base rates changed. By how much depends on how many labels of the fit are wrong: "
            f"possible are {_changes(found)}. To adapt the calibrator could do harm, so it is not "
            "adapted. Fit Auto or NoiseAware, check labels, or give the base rates if they are "
            "known."
        )
        return
    else:
        yield (
            f"The base rates changed, but the new scores do not tell how: {named} are too alike. "
            f"Possible are {_changes(found)}."
        )
    yield (
        "So the calibrator is not adapted. More rows, or checked labels of the fit, may tell; or "
        "give the base rates if they are known."
    )


def _adapted(found: ClassAdaptation) -> Iterator[str]:
    if found.given is not None:
        yield f"The base rates are given: {_changes(found)}."
        if found.base_rates is None:
            yield (
                f"The scores were not tested, because fewer than {LEAST_LABELS:.0f} rows of the "
                f"fit have the label {_listed(found.unclear)}."
            )
        else:
            yield from _other_suggestion(found.given, found.base_rates, found.classes)
    else:
        right = ", if every label is right" * found.trusts_labels
        yield f"The base rates changed{right}: {_changes(found)}."
        yield from _wide(found)
    yield (
        "This holds if only the base rates changed. Scores cannot prove that; labels of some new "
        "rows can."
    )


def _wide(found: ClassAdaptation) -> Iterator[str]:
    pairs = zip(found.classes, found.base_rates or (), strict=True)
    wide = [name for name, one in pairs if is_wide(one)]
    if wide:
        yield (
            f"The interval of {_listed(wide)} is wide. More new rows, more rows of the fit or "
            "more checked labels would narrow it."
        )


def _other_suggestion(
    given: tuple[float, ...], estimates: tuple[Estimate, ...], names: tuple[Any, ...]
) -> Iterator[str]:
    outside = [
        f"{name!r} {interval_of(one)}"
        for name, one, share in zip(names, estimates, given, strict=True)
        if not one.low <= share <= one.high
    ]
    if outside:
        yield f"The scores themselves suggest {_first(outside)}; check the given ones."


def _changes(found: ClassAdaptation) -> str:
    """The classes that changed most: from what, to what."""
    after = found.given
    if after is None:
        after = tuple(one.value for one in found.base_rates or ())
    order = np.argsort([-abs(now - then) for now, then in zip(after, found.before, strict=True)])
    shown = []
    for k in order.tolist():
        interval = ""
        if found.given is None and found.base_rates is not None:
            interval = f" ({interval_of(found.base_rates[k])})"
        now = f"{percent(after[k])}{interval}"
        shown.append(f"{found.classes[k]!r} from {percent(found.before[k])} to {now}")
    return _first(shown)


def _first(parts: list[str]) -> str:
    more = len(parts) - MOST_NAMED
    return ", ".join(parts[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _listed(names: Any) -> str:
    shown = [repr(name) for name in names]
    return " and ".join(shown) if len(shown) == 2 else _first(shown)
