"""The verdict by period, which says since when new rows differ from those of the fit."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

from lwcal.adjustments import percent
from lwcal.monitoring.grading import ALARMS, ALPHA, LEVELS, DriftTest, Level
from lwcal.monitoring.telling import ENOUGH_POWER
from lwcal.monitoring.verdict import Monitoring, worst_level

MOSTLY_LABELLED = 0.9
"""Share of rows with a label below which those that arrived may be of another kind."""

STRAY = 0.01
"""Share of the rows up to which a period far from all others is noted."""
FAR_AWAY = 2 * 365
"""Days that it is away from them, at least."""


@dataclass(frozen=True)
class Period:
    """Rows of one period, compared with those of the fit.

    Attributes
    ----------
    name : str
        Such as "2024-03" for a month, "2024-W10" for a week, "2024-Q1" for a quarter.
    start : datetime.date
        Its first day.
    n, n_labelled : int or float
        Number of rows, and of those whose label counts; or their total weights.
    mean_score, mean_probability : float
        Mean of the raw and of the calibrated scores of all rows.
    base_rate : float or None
        Share of positive labels; None without labels.
    tests : tuple of DriftTest
        Their p-values are adjusted for the tests of all periods.
    """

    name: str
    start: date
    n: float
    n_labelled: float
    mean_score: float
    mean_probability: float
    base_rate: float | None
    tests: tuple[DriftTest, ...]

    @property
    def level(self) -> Level:
        """The most serious level of any test."""
        return worst_level(self.tests)

    @property
    def can_tell(self) -> bool:
        """Whether its labels would have shown a change at all scores that calls for a refit."""
        return any((test.power or 0.0) >= ENOUGH_POWER for test in self.tests)

    def effect(self, test: str) -> float | None:
        """Size of the change that a test found; None if it was not made."""
        return next((one.effect for one in self.tests if one.name == test), None)

    def to_dict(self) -> dict[str, Any]:
        """Return everything in types that JSON supports."""
        return {
            "period": self.name,
            "start": self.start.isoformat(),
            "n": self.n,
            "n_labelled": self.n_labelled,
            "mean_score": self.mean_score,
            "mean_probability": self.mean_probability,
            "base_rate": self.base_rate,
            "verdict": self.level,
            "can_tell": self.can_tell,
            "tests": [asdict(test) for test in self.tests],
        }


@dataclass(frozen=True)
class PeriodMonitoring:
    """Comparison of the rows of every period with those of the fit.

    Attributes
    ----------
    overall : Monitoring
        All rows together, as :func:`lwcal.monitor` compares them.
    period : {"day", "week", "month", "quarter", "year"}
        Length of the periods.
    periods : tuple of Period
        Those that have rows, in order.
    young : int
        Rows whose label counts as missing, because it was too young.
    ended : bool or None
        Whether rows after the last drifting period show that the drift is over: they would have
        shown it with a probability of 90%. False if they show that it goes on, or if there
        are none; None if they are too few to tell, or if no period drifts.
    """

    overall: Monitoring
    period: str
    periods: tuple[Period, ...]
    young: int = 0
    ended: bool | None = None

    @property
    def drifting(self) -> tuple[Period, ...]:
        """Periods in which drift was found."""
        return tuple(one for one in self.periods if one.level != LEVELS[0])

    @property
    def latest(self) -> Period:
        """The last period; or the last that drifts, unless later rows show that it is over."""
        return self.drifting[-1] if self.drifting and not self.ended else self.periods[-1]

    @property
    def since(self) -> Period | None:
        """The first of the drifting periods; None if there is none, or if the drift is over."""
        return self.drifting[0] if self.drifting and not self.ended else None

    @property
    def verdict(self) -> Level:
        """The most serious level: of all rows together, and of the latest period."""
        return max(self.overall.verdict, self.latest.level, key=LEVELS.index)

    @property
    def is_alarm(self) -> bool:
        """Whether something should be done: labels checked, or the calibrator refitted."""
        return self.verdict in ALARMS

    @property
    def sentence(self) -> str:
        """Since when the rows drift, and how sure that is."""
        return " ".join(
            part
            for part in (
                self._drift(),
                self._whether_over(),
                self._late(),
                self._early(),
                self._doubt(),
                self._strays(),
            )
            if part
        )

    def _drift(self) -> str:
        total, found = len(self.periods), self.drifting
        of_all = f"{total:,} {self.period}{'s' if total != 1 else ''}"
        if not found:
            quiet = f"no drift was found in {'any of ' if total != 1 else ''}{of_all}."
            if self.verdict == "cannot tell":
                return f"Cannot tell: {quiet}"
            return f"{quiet[0].upper()}{quiet[1:]}"
        first = found[0]
        reasons = " and ".join(test.words for test in first.tests if test.level != LEVELS[0])
        if self.since is not None:
            later = self.periods[self.periods.index(first) :]
            if len(later) == 1:
                return f"Drift in {first.name}, the latest {self.period}: {reasons}."
            return (
                f"Drift since {first.name}, in {len(found):,} of the {len(later):,} "
                f"{self.period}s from then on: {reasons}."
            )
        where = first.name if len(found) == 1 else f"{first.name} to {found[-1].name}"
        return (
            f"Drift in {len(found):,} of {of_all} ({where}), and no longer {self._after()}: "
            f"{reasons}."
        )

    def _after(self) -> str:
        """The periods after the last one that drifts, in words."""
        later = self.periods[self.periods.index(self.drifting[-1]) + 1 :]
        if len(later) == 1:
            return f"in {later[0].name}"
        return f"in {later[0].name} to {later[-1].name}"

    def _whether_over(self) -> str:
        if not self.drifting or self.ended is not None:
            return ""
        return f"Whether it goes on {self._after()} cannot be told: too few rows with labels."

    def _late(self) -> str:
        """Say what labels look like that have not arrived yet: fewer positives, at the end only."""
        found = self.drifting
        labelled = [one for one in self.periods if one.n_labelled]
        at_the_end = 0 < len(found) < len(labelled) and tuple(labelled[-len(found) :]) == found
        ratios = [test.odds_ratio for one in found for test in one.tests if test.name == "labels"]
        if self.young or not at_the_end or not all(ratio and ratio < 1.0 for ratio in ratios):
            return ""
        return (
            "Only the latest labels have fewer positives. If labels arrive late, count young ones "
            "as missing (label_matures, --label-matures)."
        )

    def _early(self) -> str:
        """Say what labels look like of which only the positive ones have arrived."""
        if self.young:
            return ""
        for one in reversed(self.drifting):
            ratios = [test.odds_ratio for test in one.tests if test.name == "labels"]
            partly = 0 < one.n_labelled < MOSTLY_LABELLED * one.n
            if partly and one.base_rate is not None and any(r and r > 1.0 for r in ratios):
                return (
                    f"In {one.name}, {percent(one.n_labelled / one.n)} of the rows have a label, "
                    f"and {percent(one.base_rate)} of these are positive. If positive labels "
                    "arrive first, count young ones as missing (label_matures, --label-matures)."
                )
        return ""

    def _doubt(self) -> str:
        """Say in how many quiet periods labels could not have shown a change, and what would."""
        quiet = [one for one in self.periods if one.level == LEVELS[0] and not one.can_tell]
        if not quiet:
            return ""
        which = f"{len(quiet):,} {self.period}{'s have' if len(quiet) != 1 else ' has'}"
        said = f"{which} too few labels to tell whether the calibrator still holds."
        if self.overall.verdict != "cannot tell":
            return said
        telling = self.overall.telling
        if self.young and not telling.labelled:
            return f"{said} All labels are too young to count. {telling.advice}"
        return f"{said} So have all rows together. {telling.advice}"

    def _strays(self) -> str:
        """Say that a few rows are years away from all others, as wrong times are."""
        if len(self.periods) < 3:
            return ""
        total = sum(one.n for one in self.periods)
        said = []
        for end, rest in ((0, self.periods[1:]), (-1, self.periods[:-1])):
            one, nearest = self.periods[end], rest[end]
            away = abs((nearest.start - one.start).days)
            far = max((rest[-1].start - rest[0].start).days, FAR_AWAY)
            if one.n <= STRAY * total and away > far:
                said.append(one)
        if not said:
            return ""
        which = " and ".join(
            f"{one.n:,} row{'s' if one.n != 1 else ''} of {one.name}" for one in said
        )
        return f"Look at the times of {which}, years away from all others."

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """Return everything in types that JSON supports."""
        return {
            "verdict": self.verdict,
            "sentence": self.sentence,
            "since": None if self.since is None else self.since.name,
            "period": self.period,
            "periods": [one.to_dict() for one in self.periods],
            "ended": self.ended,
            "young_labels": self.young,
            "correction": "Holm, over the tests of all periods",
            "alpha": ALPHA,
            "overall": self.overall.to_dict(),
        }
