"""A change of the base rate that was applied to a fitted calibrator."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

Reason: TypeAlias = Literal["sampling", "base rate", "new scores", "segment"]
REASONS: tuple[Reason, ...] = ("sampling", "base rate", "new scores", "segment")


PLACES: dict[Reason, tuple[str, str]] = {
    "sampling": ("in the sampled rows", "in all rows"),
    "base rate": ("in the fit", "in deployment"),
    "new scores": ("in the fit", "estimated from new scores"),
    "segment": ("in all segments", "in this segment, if only that differs"),
}
"""Where the shares before and after a change belong."""


def percent(share: float) -> str:
    """Write a share with two digits.

    >>> percent(0.305), percent(0.0284), percent(0.00123)
    ('30%', '2.8%', '0.12%')
    """
    return f"{share:.0%}" if share >= 0.0995 else f"{100.0 * share:.2g}%"


FAR = 1.5
"""Factor of the odds from which a base rate is said to be another one."""


def other_base_rate(adjustments: tuple[Adjustment, ...], base_rate: float, n: float) -> str:
    """Say that rows have another base rate than a calibrator was corrected for.

    Empty if it was not corrected, or if the difference is small or could be chance.

    Parameters
    ----------
    adjustments : tuple of Adjustment
        Of the calibrator.
    base_rate, n : float
        Share of positive labels in the rows, and their number.

    Examples
    --------
    >>> change = Adjustment("sampling", before=(0.68, 0.32), after=(0.977, 0.023))
    >>> other_base_rate((change,), 0.32, 5000)
    'This calibrator is for 2.3% positives, and 32% of these rows are labelled positive. If they \
were sampled by their labels, judge it by rows that were not.'
    >>> other_base_rate((change,), 0.024, 5000)
    ''
    >>> other_base_rate((change,), 0.05, 5000)  # unlike the rows of the fit, too: a drift
    'This calibrator is for 2.3% positives, and 5% of these rows are labelled positive.'
    """
    if not adjustments or len(adjustments[-1].after) != 2:
        return ""
    fitted, expected = adjustments[0].before[1], adjustments[-1].after[1]
    ratio = _odds_factor(base_rate, expected)
    spread = (expected * (1.0 - expected) / n) ** 0.5
    if 1.0 / FAR < ratio < FAR or abs(base_rate - expected) < 3.0 * spread:
        return ""
    said = (
        f"This calibrator is for {percent(expected)} positives, and {percent(base_rate)} of these "
        "rows are labelled positive."
    )
    # nearer to the rows of the fit, by the logarithm of the odds
    like_the_fit = ratio**2 > _odds_factor(fitted, expected) > 1.0
    like_the_fit |= ratio**2 < _odds_factor(fitted, expected) < 1.0
    advice = " If they were sampled by their labels, judge it by rows that were not."
    return f"{said}{advice if like_the_fit else ''}"


def _odds_factor(now: float, then: float) -> float:
    return now * (1.0 - then) / max(then * (1.0 - now), 1e-300)


class Adjustment(NamedTuple):
    """A change of the base rate that was applied to a fitted calibrator.

    Attributes
    ----------
    reason : {"sampling", "base rate", "new scores", "segment"}
        Rows were sampled by their labels; the base rate of deployment is known; it was estimated
        from new scores; or it is that of one segment.
    before, after : tuple of float
        Share of each class; of two classes, the positive one is the second.
    interval : pair of float, optional
        Credible interval of the estimated share of the positive class; after sampling, its lowest
        and highest value under all readings of the labels.

    Examples
    --------
    >>> change = Adjustment("base rate", before=(0.75, 0.25), after=(0.9, 0.1))
    >>> round(change.factor, 3)
    0.333
    """

    reason: Reason
    before: tuple[float, ...]
    after: tuple[float, ...]
    interval: tuple[float, float] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields in types that JSON has; without an interval if there is none."""
        fields = {
            "reason": self.reason,
            "before": list(self.before),
            "after": list(self.after),
        }
        return fields if self.interval is None else {**fields, "interval": list(self.interval)}

    @property
    def ratios(self) -> tuple[float, ...]:
        """How many times more frequent each class became."""
        return tuple(now / then for now, then in zip(self.after, self.before, strict=True))

    @property
    def sentence(self) -> str:
        """The change in plain words.

        >>> Adjustment("sampling", before=(0.5, 0.5), after=(0.95, 0.05)).sentence
        'Base rate: 50% in the sampled rows, 5% in all rows.'
        """
        then, now = PLACES[self.reason]
        two = len(self.before) == 2
        before, after = (
            ", ".join(map(percent, shares[1:] if two else shares))
            for shares in (self.before, self.after)
        )
        told = f"Base rate{'' if two else 's'}: {before} {then}, {after} {now}"
        if self.reason != "sampling" or self.interval is None:
            return f"{told}."
        return f"{told} ({' to '.join(map(percent, self.interval))}, by how many labels are wrong)."

    @property
    def factor(self) -> float:
        """By what the odds of the positive one of two classes are multiplied."""
        negative, positive = self.ratios
        return positive / negative
