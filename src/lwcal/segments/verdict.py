"""What can be said of each segment, in plain words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from lwcal.calibrators import Calibrator
from lwcal.errors import InputError
from lwcal.estimates import Estimate
from lwcal.segments.evidence import Evidence
from lwcal.segments.fitted import Segments
from lwcal.segments.naming import shown_name
from lwcal.segments.offsets import fit_offsets
from lwcal.shift.adjusting import expected_noise
from lwcal.table import ScoreTable

Level: TypeAlias = Literal["differs", "as all rows", "too few rows"]
LEVELS: tuple[Level, ...] = ("differs", "as all rows", "too few rows")
SMALL_RATIO = 1.5
"""Odds that differ by less are called alike. This factor turns 10% into 14%, and 50% into 60%."""
LARGEST_WIDTH = np.log(SMALL_RATIO)
"""Half the width of an interval around 1 that just reaches such a factor, in log-odds."""


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
        Share of the segment's own rows in its odds ratio. The rest comes from all segments.
    has_own_curve : bool
    level : {"differs", "as all rows", "too few rows"}
        It differs if the interval of the odds ratio leaves out 1. It is as all rows if the interval
        lies between 1/1.5 and 1.5, and the segment's own rows alone would give as narrow a one.
    """

    name: Any
    n: float
    odds_ratio: Estimate
    own_share: float
    has_own_curve: bool
    level: Level

    @property
    def shown_name(self) -> str:
        """The name as people read it; "(no value)" for rows without one."""
        return shown_name(self.name)

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
            return (
                f"Like all rows: the odds are {odds} times as high, so a difference by a "
                f"factor of {SMALL_RATIO} is ruled out."
            )
        return (
            f"Too few rows to tell: the odds are {odds} times as high, and its own rows cannot "
            f"rule out a difference by a factor of {SMALL_RATIO}."
        )

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
        share, own = float(fitted.own_shares[place]), name in fitted.curves
        yield _verdict(name, float(fitted.n[place]), ratio, share, own_curve=own)


def judge_segments(
    calibrator: Calibrator, tables: Mapping[Any, ScoreTable]
) -> list[SegmentVerdict]:
    """Say in which segments a calibrator holds; the largest first.

    Odds ratios compare the labels of a segment with what the calibrator says. It need not have been
    fitted to these rows, and no calibrator of a segment is fitted.

    Parameters
    ----------
    calibrator : Calibrator
        Fitted, for two classes.
    tables : mapping of segment to ScoreTable
        For example from :func:`segment_tables`.

    Examples
    --------
    >>> import numpy as np
    >>> from lwcal import Isotonic, ScoreTable
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random((2, 900))
    >>> north = ScoreTable.from_arrays(p[0], rng.random(900) < p[0])
    >>> south = ScoreTable.from_arrays(p[1], rng.random(900) < p[1] ** 3)
    >>> for one in judge_segments(Isotonic().fit(north), {"north": north, "south": south}):
    ...     print(one.name, one.level, f"{one.odds_ratio:.1f}")
    north as all rows 1.0 (0.9 to 1.1)
    south differs 0.2 (0.1 to 0.2)
    """
    if not tables:
        raise InputError("There are no segments to judge; at least one is needed.")
    calibrator.require_two_classes()
    names = sorted(tables, key=lambda name: -tables[name].n)
    evidence = Evidence.of_tables(calibrator, (tables[name] for name in names))
    offsets = fit_offsets(evidence, expected_noise(calibrator))
    ratios = np.exp(np.stack([offsets.values, offsets.low, offsets.high], axis=1))
    return [
        _verdict(name, float(tables[name].n), Estimate(*ratio), float(share), own_curve=False)
        for name, ratio, share in zip(names, ratios.tolist(), offsets.own_share, strict=True)
    ]


def _verdict(
    name: Any, n: float, ratio: Estimate, share: float, *, own_curve: bool
) -> SegmentVerdict:
    return SegmentVerdict(name, n, ratio, share, own_curve, level_of(ratio, share))


def level_of(odds_ratio: Estimate, own_share: float) -> Level:
    """What the interval of an odds ratio says, and how much of it the segment's own rows say.

    Where all other segments are alike, the interval of a segment with a handful of rows is narrow
    too. That says nothing of this segment. So it is like all rows only if its own rows alone would
    have an interval that is narrow enough.

    >>> level_of(Estimate(2.1, 0.6, 7.0), 0.5), level_of(Estimate(1.0, 0.9, 1.1), 0.3)
    ('too few rows', 'as all rows')
    >>> level_of(Estimate(1.0, 0.9, 1.1), 0.01)
    'too few rows'
    """
    if not odds_ratio.low <= 1.0 <= odds_ratio.high:
        return "differs"
    alike = odds_ratio.low > 1.0 / SMALL_RATIO and odds_ratio.high < SMALL_RATIO
    # the rows have this share of the precision, which is one divided by the squared width
    width = np.log(odds_ratio.high / odds_ratio.low) / 2.0
    return "as all rows" if alike and width < np.sqrt(own_share) * LARGEST_WIDTH else "too few rows"
