"""The one type of an estimate with its interval."""

from __future__ import annotations

from typing import NamedTuple


class Estimate(NamedTuple):
    """An estimated value and the ends of its interval.

    The level of the interval is stated by whatever returns the estimate, once for all of
    them, as ``confidence``.

    Attributes
    ----------
    value : float
        The estimate itself.
    low, high : float
        Ends of the interval.

    Examples
    --------
    >>> gain = Estimate(0.2, 0.1, 0.3)
    >>> f"{gain:.0%}"
    '20% (10% to 30%)'
    >>> gain.to_dict()
    {'value': 0.2, 'low': 0.1, 'high': 0.3}
    """

    value: float
    low: float
    high: float

    def to_dict(self) -> dict[str, float]:
        """Return the three numbers by name, for JSON."""
        return self._asdict()

    def __format__(self, spec: str) -> str:
        """Write the value, then the interval in brackets, all in the same number format."""
        value, low, high = (format(number, spec) for number in self)
        return f"{value} ({low} to {high})"


def whole_percent(share: float, digits: int = 0) -> str:
    """Write a share in whole percent, and one that would read 0% so that it can be seen.

    >>> whole_percent(0.2), whole_percent(0.012), whole_percent(0.0012), whole_percent(1e-6)
    ('20%', '1%', '0.12%', '<0.01%')
    >>> whole_percent(0.0), whole_percent(0.101, digits=1)
    ('0%', '10.1%')
    """
    if 0.0 < share < 5e-5:
        return "<0.01%"
    return f"{100.0 * share:.2g}%" if share < 0.005 else f"{share:.{digits}%}"
