"""What can be said of each segment, in plain words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, TypeAlias

from lwcal.estimates import Estimate
from lwcal.segments.fitted import Segments

Level: TypeAlias = Literal["differs", "as all rows", "too few rows"]
LEVELS: tuple[Level, ...] = ("differs", "as all rows", "too few rows")
ENOUGH = 0.5
"""Share of its own rows in the odds of a segment from which on the rows say something."""


class SegmentVerdict(NamedTuple):
    """What the labels of one segment say.

    Attributes
    ----------
    name : object
    n : float
        Rows, or their weight.
    odds_ratio : Estimate
        Odds of the positive class, compared with those of all rows at equal scores; with its
        90% credible interval. Many segments were estimated together, which pulls chance findings
        towards 1; so the interval needs no correction for their number.
    own_share : float
        Share of the segment's own rows in its calibrator.
    has_own_curve : bool
    level : {"differs", "as all rows", "too few rows"}
    """

    name: Any
    n: float
    odds_ratio: Estimate
    own_share: float
    has_own_curve: bool
    level: Level

    @property
    def sentence(self) -> str:
        """The verdict in plain words."""
        odds = f"{self.odds_ratio:.2g}"
        if self.level == "differs":
            return (
                f"At equal scores, the odds of the positive class are {odds} times those of all "
                "rows. Its labels may also be wrong more often, or less: only checked labels tell."
            )
        if self.level == "as all rows":
            return f"Like all rows: the odds are {odds} times as high, which includes 1."
        return f"Too few rows to tell it from all rows: the odds are {odds} times as high."

    def to_dict(self) -> dict[str, Any]:
        """Return the fields in types that JSON has, and the sentence."""
        name = list(self.name) if isinstance(self.name, tuple) else self.name
        return {
            **self._asdict(),
            "name": name,
            "odds_ratio": self.odds_ratio.to_dict(),
            "sentence": self.sentence,
        }


def segment_verdicts(fitted: Segments) -> Iterator[SegmentVerdict]:
    """Judge each segment, the largest first.

    Examples
    --------
    >>> import numpy as np
    >>> from lwcal import Identity, ScoreTable, fit_segments
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random((2, 900))
    >>> tables = {
    ...     "NL": ScoreTable.from_arrays(p[0], rng.random(900) < p[0]),
    ...     "BE": ScoreTable.from_arrays(p[1], rng.random(900) < p[1] ** 3),
    ...     "LU": ScoreTable.from_arrays([0.5], [1]),
    ... }
    >>> [(one.name, one.level) for one in segment_verdicts(fit_segments(tables, Identity()))]
    [('NL', 'as all rows'), ('BE', 'differs'), ('LU', 'too few rows')]
    """
    for place, name in enumerate(fitted.names):
        ratio = Estimate(*fitted.odds_ratios[place].tolist())
        share = float(fitted.own_shares[place])
        own = name in fitted.curves
        level: Level = "as all rows" if share >= ENOUGH else "too few rows"
        if not ratio.low <= 1.0 <= ratio.high:
            level = "differs"
        yield SegmentVerdict(name, float(fitted.n[place]), ratio, share, own, level)
