"""Gains and areas in the words of a verdict."""

from lwcal.estimates import Estimate

SAME = 0.0005
"""Change of the log loss that reads as none."""
CHECK_WEIGHTED = (
    "Audits count every row once, and these rows have weights. Check {:,} rows drawn at random, "
    "write their true labels into a column of the file, and name it with --trusted."
)
"""What to do where an audit would find another base rate than that of the weighted rows."""
TENFOLD = -9.0
"""Gain from which downwards percentages say nothing: the loss is ten times as high."""


def change_of(gain: Estimate) -> str:
    """Say how log loss changes, with the interval.

    Examples
    --------
    >>> change_of(Estimate(0.2, 0.1, 0.3)), change_of(Estimate(-0.05, -0.1, 0.02))
    ('falls by 20% (10% to 30%)', 'rises by 5.0% (from a fall of 2.0% to a rise of 10%)')
    >>> change_of(Estimate(-70.0, -160.0, 0.5))
    'rises more than tenfold'
    """
    if gain.value <= TENFOLD:
        return "rises more than tenfold"
    if max(map(abs, gain)) < SAME:
        return "stays the same"
    if abs(gain.value) < SAME:
        return f"stays the same ({_ends(gain)})"
    verb, flipped = ("falls", gain) if gain.value > 0 else ("rises", _negated(gain))
    one_way = f"{_percent(flipped.low)} to {_percent(flipped.high)}"
    return f"{verb} by {_percent(flipped.value)} ({one_way if flipped.low > 0 else _ends(gain)})"


def harm_of(gain: Estimate) -> str:
    """Say how far log loss may rise, where nobody asks whether it falls.

    Examples
    --------
    >>> harm_of(Estimate(0.01, -0.12, 0.14)), harm_of(Estimate(-0.05, -0.1, -0.02))
    ('may rise by 12%', 'rises by 5.0% (2.0% to 10%)')
    """
    if gain.high < 0.0:
        return change_of(gain)
    if gain.low <= TENFOLD:
        return "may rise more than tenfold"
    return f"may rise by {_percent(-gain.low)}"


def _ends(gain: Estimate) -> str:
    ends = (gain.high, gain.low)
    words = [f"a {'fall' if end > 0 else 'rise'} of {_percent(abs(end))}" for end in ends]
    return f"from {words[0]} to {words[1]}"


def _negated(gain: Estimate) -> Estimate:
    return Estimate(-gain.value, -gain.high, -gain.low)


def _percent(share: float) -> str:
    return f"{share:.0%}" if share >= 0.0995 else f"{share:.1%}"


def area_of(auc: Estimate) -> str:
    """An area under the ROC curve, with its interval.

    >>> area_of(Estimate(0.52, 0.48, 0.56))
    '0.52, 0.48 to 0.56'
    """
    return f"{auc.value:.2f}, {auc.low:.2f} to {auc.high:.2f}"
