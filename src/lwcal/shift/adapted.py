"""What new scores say about the base rate, and how that is told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from lwcal.adjustments import percent
from lwcal.calibrators import Calibrator
from lwcal.estimates import Estimate
from lwcal.shift.base_rate import CONFIDENCE
from lwcal.shift.readings import MOST_NOISE
from lwcal.shift.verdicts import (
    LEAST_ROWS,
    Verdict,
    contradicted,
    interval_of,
    is_wide,
    unexplained,
)

CHECK = "Check some of them (lwcal audit), or give the base rate if it is known."


class Adaptation(NamedTuple):
    """What new scores say about the base rate, and the calibrator that follows from it.

    Attributes
    ----------
    verdict : {"adapted", "no change", "scores moved", "labels contradict", "cannot tell"}
        The calibrator has another base rate; the base rate may be as before; scores changed in a
        way that no base rate explains; no base rate from 0 to 1 is possible with the labels of
        the fit; or any change may do harm, depending on how many labels of the fit are wrong.
    calibrator : Calibrator or None
        The adapted one; the one that was passed if nothing changed; None if it was refused.
    before : float
        Base rate of the rows of the fit, by the calibrator.
    base_rate : Estimate or None
        Base rate of the new rows, estimated from their scores; None if there is none.
    used : float or None
        Base rate of the adapted calibrator. It lies between the old one and the estimate if the
        whole change would do harm, should more labels be wrong than estimated.
    given : float or None
        The known base rate, if there is one.
    factor : float
        By what the odds of every score are multiplied; 1 if the calibrator did not change.
    p_value : float
        Of the test that scores within the classes are distributed as in the fit.
    distance : float
        Share of the new rows whose scores no base rate explains.
    n : float
        Number of new rows, or their weight.
    trusts_labels : bool
        Whether the calibrator takes every label of the fit as right.
    confidence : float
        Level of the interval.
    doubt : str or None
        Why it was refused, if that is another reason than the verdict usually has: the calibrator
        does not follow the labels of its fit, or the new rows would not show scores that moved.
    """

    verdict: Verdict
    calibrator: Calibrator | None
    before: float
    base_rate: Estimate | None
    used: float | None
    given: float | None
    factor: float
    p_value: float
    distance: float
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
        """Whether the scores suggest another base rate than the one that was given."""
        estimate = self.base_rate
        if self.given is None or estimate is None:
            return False
        return not estimate.low <= self.given <= estimate.high

    def to_dict(self) -> dict[str, Any]:
        """Everything but the calibrator, for JSON."""
        document = self._asdict()
        del document["calibrator"]
        estimate = self.base_rate
        document["base_rate"] = None if estimate is None else estimate.to_dict()
        return {**document, "sentence": self.sentence}


def _sentences(found: Adaptation) -> Iterator[str]:
    before, estimate, given = percent(found.before), found.base_rate, found.given
    if found.verdict == "scores moved":
        yield unexplained(found.distance)
        return
    if found.verdict == "labels contradict":
        yield contradicted("No base rate", trusts_labels=found.trusts_labels)
        return
    if found.verdict == "cannot tell" and estimate is not None:
        yield (
            f"The base rate changed. By how much depends on how many labels of the fit are wrong: "
            f"it was {before} and may be {interval_of(estimate)} now. To adapt the calibrator "
            f"could do harm, so it is not adapted. {CHECK}"
        )
        return
    if given is not None:
        yield f"The base rate was {before} in the fit and is given as {percent(given)} now."
        if estimate is not None and found.contradicts_given:
            yield f"The scores themselves suggest {interval_of(estimate)}; check the given one."
    elif estimate is not None and found.verdict == "no change":
        rates = f"{before} in the fit, {interval_of(estimate)} now"
        if found.n < LEAST_ROWS:
            yield (
                f"{found.n:,.0f} new rows are too few to change the base rate ({rates}): the "
                f"calibrator stays as it is. At least {LEAST_ROWS} are needed."
            )
            return
        yield f"The base rate may be as before: {rates}. The calibrator stays as it is."
        return
    elif estimate is not None:
        yield (
            f"The base rate was {before} in the fit and is {percent(estimate.value)} now"
            f"{', if every label is right' * found.trusts_labels} ({interval_of(estimate)})."
        )
        if found.used is not None and found.used != estimate.value:
            yield (
                f"The calibrator is adapted to {percent(found.used)} only. To go further could do "
                f"harm if up to {MOST_NOISE:.0%} of the labels of the fit are wrong. {CHECK}"
            )
        elif is_wide(estimate):
            yield (
                "The interval is wide. A known base rate, more checked labels of the fit or more "
                "new rows would narrow it."
            )
    yield f"The odds of every score are multiplied by {found.factor:.2g}."
    yield (
        "This holds if only the base rate changed. Scores cannot prove that; labels of some new "
        "rows can (lwcal monitor)."
    )
