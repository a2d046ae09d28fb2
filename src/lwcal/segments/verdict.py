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
    level: Level = "as all rows" if share >= ENOUGH else "too few rows"
    if not ratio.low <= 1.0 <= ratio.high:
        level = "differs"
    return SegmentVerdict(name, n, ratio, share, own_curve, level)
