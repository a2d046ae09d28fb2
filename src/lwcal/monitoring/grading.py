"""Grade the tests of new rows: by significance, by the size of the change, and by the labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from lwcal.monitoring.label_tests import Change
from lwcal.monitoring.score_groups import LIMITS, ScoreGroup, group_has_reached
from lwcal.monitoring.statistics import Found, holm
from lwcal.monitoring.telling import ENOUGH_POWER

Level: TypeAlias = Literal["no drift", "cannot tell", "watch", "check labels", "refit"]
LEVELS: tuple[Level, ...] = ("no drift", "cannot tell", "watch", "check labels", "refit")
ALARMS: tuple[Level, ...] = ("check labels", "refit")
"""Levels that ask for something to be done."""

ALPHA = 0.01
"""Significance level. One batch a day gives one significant result by chance in 100 days."""


class Thresholds(NamedTuple):
    """Effect sizes at which a significant test says "watch" and raises an alarm."""

    watch: float
    refit: float


THRESHOLDS: dict[str, Thresholds] = {
    "scores": Thresholds(0.1, 0.25),
    "disagreement": Thresholds(0.03, 0.08),
    "groups": Thresholds(LIMITS["watch"].share, LIMITS["refit"].share),
    "labels": Thresholds(0.05, 0.1),
}
"""The thresholds of the PSI are those in common use. The gate opens completely over a range of
0.12 in the disagreement d, and 0.08 is most of it. A change of 0.1 in the share of positives at
equal scores is about as large as the errors that calibrators repair. In a group of scores twice
that counts."""
LABEL_ODDS = Thresholds(1.5, 2.0)
"""Factors of the odds of positive labels at equal scores, up or down. Where positives are rare, no
change of their share reaches 0.05, but twice as many frauds are a reason for a refit."""
LABEL_TESTS = ("groups", "labels")
"""Tests that ask whether labels at equal scores changed."""
WORDS = {
    "scores": "the distribution of the scores changed (PSI {0:.2f})",
    "disagreement": "the share of labels that contradict the model changed by {0:+.1%}",
    "labels": "the share of positive labels at equal scores changed by {0:.1%} (their odds by a "
    "factor of {1:.2f})",
}


@dataclass(frozen=True)
class DriftTest:
    """One comparison of new rows with those of the fit.

    Attributes
    ----------
    name : {"scores", "disagreement", "groups", "labels"}
        What is compared: "groups" are labels in groups of scores, such as the highest 2%.
    statistic, p_value : float
    p_adjusted : float
        The p-value after Holm's correction for all tests of the batch.
    effect : float
        PSI of the scores, change of the disagreement or of the share of positive labels in a group
        of scores, or root mean square change of that share at equal scores. What chance is expected
        to add is subtracted from the first and the last.
    level : {"no drift", "watch", "check labels", "refit"}
        What this test says. Other scores alone are no reason for a refit: labels decide, and
        where there are none, or too few, they should be checked first.
    power : float or None
        Of the test of labels: the probability that it finds a change which calls for a refit, if
        labels change alike at all scores. It says nothing of a change in a few of them.
    odds_ratio : float or None
        Of the test of labels: odds of positive labels at equal scores, divided by those in the fit.
    group : ScoreGroup or None
        Of the test of groups: the group of scores whose labels changed most clearly.
    """

    name: str
    statistic: float
    p_value: float
    p_adjusted: float
    effect: float
    level: Level
    power: float | None = None
    odds_ratio: float | None = None
    group: ScoreGroup | None = None

    @property
    def words(self) -> str:
        """What changed, and by how much."""
        if self.group is not None:
            return self.group.words
        return WORDS[self.name].format(self.effect, self.odds_ratio)

    @property
    def is_large(self) -> bool:
        """Whether the effect alone would call for a refit."""
        return has_reached("refit", self.name, self.effect, self.odds_ratio, self.group)


def change_of_labels(tests: int) -> Change:
    """The change of labels that calls for a refit, to be found among so many tests."""
    return Change(THRESHOLDS["labels"].refit, LABEL_ODDS.refit, ALPHA / tests)


def judge(
    found: Mapping[str, Found],
    *,
    gated: bool = False,
    enough_rows: bool = False,
    adjusted: Sequence[float] | None = None,
) -> tuple[DriftTest, ...]:
    """Adjust the p-values, and grade each test by significance and effect size.

    Parameters
    ----------
    found : mapping from name to Found
    gated : bool
        Whether the calibrator follows the disagreement; then labels do not excuse its change.
    enough_rows : bool
        Whether there are as many new rows with labels as the fit had.
    adjusted : sequence of float, optional
        The p-values after a correction for these tests and others; by default for these alone.

    Examples
    --------
    >>> judge({"scores": Found(400.0, 1e-9, 0.02)})[0].level  # significant, but a small effect
    'no drift'
    >>> judge({"scores": Found(400.0, 1e-9, 0.5)})[0].level
    'check labels'
    """
    if adjusted is None:
        adjusted = holm([test.p_value for test in found.values()])
    p_values = dict(zip(found, adjusted, strict=True))
    about_labels = {
        name: level_of(name, p_values[name], found[name]) for name in LABEL_TESTS if name in found
    }
    labels = LabelEvidence.of(found.get("labels"), about_labels.values(), enough_rows=enough_rows)

    def level(name: str, test: Found) -> Level:
        alone = level_of(name, p_values[name], test)
        return alone if name == "disagreement" and gated else level_by_labels(name, alone, labels)

    return tuple(
        DriftTest(
            name,
            test.statistic,
            test.p_value,
            p_values[name],
            test.effect,
            level(name, test),
            test.power,
            test.odds_ratio,
            test.group,
        )
        for name, test in found.items()
    )


def level_of(name: str, p_adjusted: float, found: Found) -> Level:
    """Grade a test by its significance and its effect size."""
    if p_adjusted >= ALPHA:
        return "no drift"
    for level in ("refit", "watch"):
        if has_reached(level, name, found.effect, found.odds_ratio, found.group):
            return level
    return "no drift"


def has_reached(
    level: Literal["watch", "refit"],
    name: str,
    effect: float,
    odds_ratio: float | None,
    group: ScoreGroup | None = None,
) -> bool:
    """Whether an effect has reached a threshold; of labels, its odds may have instead.

    >>> has_reached("refit", "labels", 0.01, 2.5), has_reached("refit", "labels", 0.01, 1.2)
    (True, False)
    """
    if group is not None:
        return group_has_reached(level, group)
    if abs(effect) >= getattr(THRESHOLDS[name], level):
        return True
    limit = getattr(LABEL_ODDS, level)
    return odds_ratio is not None and not 1.0 / limit < odds_ratio < limit


class LabelEvidence(NamedTuple):
    """What labels at equal scores say.

    Attributes
    ----------
    level : Level
        The most serious of their tests.
    is_enough : bool
        Whether it would have found a change that calls for a refit.
    enough_rows : bool
        Whether there are as many new rows with labels as the fit had. Then a refit is better than
        the old fit, also where no row of the fit is like them.
    """

    level: Level
    is_enough: bool
    enough_rows: bool

    @classmethod
    def of(
        cls, found: Found | None, levels: Iterable[Level], *, enough_rows: bool
    ) -> LabelEvidence | None:
        """Read the test of all labels, and the levels of all tests of them; None without labels."""
        if found is None:
            return None
        level = max(levels, key=LEVELS.index)
        return cls(level, (found.power or 0.0) >= ENOUGH_POWER, enough_rows)


def level_by_labels(name: str, level: Level, labels: LabelEvidence | None) -> Level:
    """Let the labels decide whether a change of scores or cases calls for a refit.

    Parameters
    ----------
    name : str
        Of the test.
    level : Level
        What it says alone.
    labels : LabelEvidence or None
    """
    if name in LABEL_TESTS or level == "no drift":
        return level
    if level == "watch":
        # other scores mean another base rate, or other cases of the same one: labels tell
        unknown = name == "scores" and (labels is None or not labels.is_enough)
        return "check labels" if unknown else level
    if labels is None:
        return "check labels" if name == "scores" else level
    if labels.is_enough:
        return "watch" if labels.level == "no drift" else "refit"
    return "refit" if labels.enough_rows else "check labels"
