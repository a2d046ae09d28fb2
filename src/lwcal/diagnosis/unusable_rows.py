"""Say what is wrong with the rows themselves: too few, or scores that go with no label."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lwcal.diagnosis.class_ranking import ClassRanking
from lwcal.diagnosis.class_readings import ClassReadings
from lwcal.diagnosis.findings import FEWEST_CHECKS, Checks, checks_again, checks_for
from lwcal.diagnosis.ranking import Ranking
from lwcal.diagnosis.readings import Readings
from lwcal.diagnosis.recommendation import Recommendation
from lwcal.diagnosis.rules import LEAST_CHECKED, LIKELY
from lwcal.diagnosis.table_faults import NO_FAULTS, TableFaults
from lwcal.diagnosis.wording import area_of
from lwcal.multiclass.class_rows import ClassRows

OFTEN_TELL = "checked labels often tell."
LEAST_ROWS = 100
LEAST_OF_CLASS = 10
"""Fewer rows, or fewer of the rarer class, say nothing about a map."""
TRAINED_ON = "Are these rows that the model was trained on?"
ASTRAY = (
    "The checked labels agree with neither the labels nor the scores, though these two agree with "
    "each other. Do the answers belong to these rows, and do they say which class is true? Look at "
    "the answers, or let somebody else check rows."
)
MOST_NAMED = 10
"""Classes that a message lists."""


def refuse_rows(
    n: float, rarer: float, ranking: Ranking, *, checked: float = 0.0, by_labels: bool = False
) -> Recommendation | None:
    """Say what is wrong with rows of two classes, if anything is.

    Parameters
    ----------
    n, rarer : float
        Number of rows, and of rows labelled with the rarer class.
    ranking : Ranking
    checked : float
        Number of checked labels.
    by_labels : bool
        Whether nothing but one label a row is known.
    """
    # few rows of which many are checked have an interval for the gain that says how few they are
    few = n < LEAST_ROWS and checked < FEWEST_CHECKS
    if few or rarer < LEAST_OF_CLASS:
        reason = (
            f"{n:,.0f} rows, {rarer:,.0f} of the rarer class, are too few to judge any "
            f"map. Collect at least {LEAST_ROWS} rows, {LEAST_OF_CLASS} of each class."
        )
        return Recommendation("keep raw", "identity", reason, refuses_rows=True)
    if ranking.is_constant:
        reason = "Every row has the same score, so it says nothing about any of them."
        return Recommendation("check scores", "identity", reason, refuses_rows=True)
    if ranking.is_reversed:
        reason = (
            "The scores rank the wrong way: rows of the positive class have the lower scores "
            f"(AUC {area_of(ranking.auc)}). Either the other class is the positive one, or "
            "the score belongs to the other class."
        )
        return Recommendation("check scores", "identity", reason, refuses_rows=True)
    if ranking.is_idle and by_labels:
        reason = (
            f"The scores say next to nothing about the labels (AUC {area_of(ranking.auc)}). "
            "Either the labels are nearly random, or the score belongs to something else."
        )
        return Recommendation("check scores", "identity", reason, refuses_rows=True)
    if ranking.is_perfect:
        reason = (
            f"The scores separate the labels perfectly. {TRAINED_ON} Scores of such rows say "
            "nothing about new rows."
        )
        return Recommendation("check scores", "identity", reason, refuses_rows=True)
    return None


def with_doubts(
    advised: Recommendation,
    ranking: Ranking | ClassRanking,
    readings: Readings | ClassReadings,
    checks: Checks,
    faults: TableFaults = NO_FAULTS,
) -> Recommendation:
    """Deploy nothing as long as rows or labels may not be what they are taken for."""
    if checks.astray and not ranking.is_doubtful and advised.action != "check scores":
        return Recommendation("audit", "identity", ASTRAY, checks_again(checks.n))
    if faults.rows and advised.action == "keep raw":
        return replace(advised, reason=" ".join([advised.reason, *faults.rows]))
    if faults.rows:
        return Recommendation("check scores", "identity", " ".join(faults.rows))
    if advised.action not in ("deploy", "audit"):
        return advised
    remarks, doubts = _remarks(advised, ranking), list(faults.labels)
    if ranking.is_doubtful:
        area = f" (AUC {area_of(ranking.surely)})" if isinstance(ranking, Ranking) else ""
        doubt = f"But the scores may say nothing about these labels{area}."
        if checks.agree:
            remarks.append(doubt)
        else:
            doubts.append(f"{doubt} Do labels and scores belong to the same rows?")
    reason = " ".join([advised.reason, *remarks, *doubts])
    by_checks = readings.noise_holds if checks.n >= LEAST_CHECKED else None
    if not doubts or (by_checks is not None and by_checks.likely_gain >= LIKELY):
        return replace(advised, reason=reason)
    more = max(
        advised.checks or checks_again(checks.n),
        checks_for(faults.wrong) if faults.wrong else 0,
    )
    reason += f" {more} more checked labels may tell." if checks.n else f" {more} {OFTEN_TELL}"
    return replace(advised, action="audit", calibrator="identity", reason=reason, checks=more)


def _remarks(advised: Recommendation, ranking: Ranking | ClassRanking) -> list[str]:
    if advised.action != "deploy" or not isinstance(ranking, Ranking):
        return []
    found = f"The AUC is {ranking.auc.value:.3f}. {TRAINED_ON}"
    return [found] if ranking.is_nearly_perfect else []


def refuse_class_rows(
    rows: ClassRows, ranking: ClassRanking, *, by_labels: bool = False
) -> Recommendation | None:
    """Say what is wrong with rows of several classes, if anything is; see :func:`refuse_rows`."""
    counts = np.sort(np.bincount(rows.labels, rows.weights, minlength=rows.n_classes))[::-1]
    if rows.n < LEAST_ROWS or counts[1] < LEAST_OF_CLASS:
        reason = (
            f"{rows.n:,.0f} rows, {rows.n - counts[0]:,.0f} of them outside the largest class, are "
            f"too few to judge any map. Collect at least {LEAST_ROWS} rows, and {LEAST_OF_CLASS} "
            "of each class that matters."
        )
        return Recommendation("keep raw", "identity", reason, refuses_rows=True)
    fault = _fault(ranking, by_labels=by_labels)
    if fault is None:
        return None
    return Recommendation("check scores", "identity", fault, refuses_rows=True)


def _fault(ranking: ClassRanking, *, by_labels: bool) -> str | None:
    """What is wrong with the scores, if anything is."""
    if ranking.is_constant:
        return "Every row has the same scores, so they say nothing about any of them."
    if ranking.better_order is not None:
        order = ", ".join(map(repr, ranking.better_order[:MOST_NAMED]))
        more = " and so on" if len(ranking.better_order) > MOST_NAMED else ""
        return (
            f"The columns seem to be in another order: the labels fit them better as {order}{more}."
            " Check which class each column belongs to."
        )
    if ranking.is_idle and by_labels:
        return (
            "The scores say next to nothing about the labels: the score of a label is hardly "
            "higher than in rows with other labels. Either the labels are nearly random, or the "
            "scores belong to something else."
        )
    if ranking.is_perfect:
        return (
            "The most probable class is the label in every row. Are these rows that the model was "
            "trained on? Scores of such rows say nothing about new rows."
        )
    return None
