"""The section on reviewers, in words that the head of a review team can use."""

from __future__ import annotations

from typing import NamedTuple

from lwcal.calibrators import Calibrator, Reviewed
from lwcal.estimates import whole_percent
from lwcal.report.chart_shapes import RatesChart
from lwcal.report.formats import bounded_percent, count, percent
from lwcal.report.reviewer_charts import (
    ReviewerMatrix,
    interval_text,
    intervals_chart,
    matrix_of,
    said_name,
    shown_classes,
)
from lwcal.report.rows import class_text
from lwcal.report.wording import Fact
from lwcal.reviews.differences import (
    ClassDifference,
    class_differences,
    not_told_apart,
    wrong_on,
)
from lwcal.reviews.summary import ReviewerEstimate, ReviewSummary

BUSIEST = 6
"""Reviewers whose matrix is not folded."""
MOST_MATRICES = 24
MOST_DIFFERENCES = 12
MOST_NAMED = 3
NOT_KNOWN = "not known"
CANNOT = "cannot be told apart"
NOT_SAID = (
    (
        "Who was given which rows.",
        "The estimates assume that chance decides it, among rows with equal scores. A reviewer who "
        "was given harder rows looks worse than others.",
    ),
    (
        "Which errors all reviewers share.",
        "If everybody makes the same mistake, opinions agree, and no number here shows it. "
        "Checked labels do.",
    ),
    (
        "Who is the better reviewer.",
        "This is not a ranking of people. A label counts as wrong if it differs from the truth "
        "that this model infers. Speed, care and the reasons for a label are not in it.",
    ),
)
"""What the section does not say, and why."""


class ReviewerLine(NamedTuple):
    """One reviewer in the table.

    Attributes
    ----------
    name, labels, wrong, interval, rank : str
    tied : str
        Whom these labels do not tell apart from this reviewer.
    """

    name: str
    labels: str
    wrong: str
    interval: str
    rank: str
    tied: str


class ClassShares(NamedTuple):
    """Wrong labels of one reviewer by true class: share and interval."""

    name: str
    cells: list[tuple[str, str]]


class ReviewerSection(NamedTuple):
    """Everything that the section shows.

    Attributes
    ----------
    sentence, warning : str
        What is known; and what to know before it is believed, empty if there is nothing.
    level : str
        Of the intervals.
    facts : list of Fact
        Agreement, each number with its meaning.
    chart : RatesChart
    lines : list of ReviewerLine
    differences : list of str
        Who differs, and on which true class.
    differences_note : str
        What the list leaves out, or why it is empty.
    busiest, others : lists of ReviewerMatrix
    matrices_note : str
        What the matrices leave out.
    classes : list of str
    shares : list of ClassShares
    not_said : tuple of pairs of str
    """

    sentence: str
    warning: str
    level: str
    facts: list[Fact]
    chart: RatesChart
    lines: list[ReviewerLine]
    differences: list[str]
    differences_note: str
    busiest: list[ReviewerMatrix]
    others: list[ReviewerMatrix]
    matrices_note: str
    classes: list[str]
    shares: list[ClassShares]
    not_said: tuple[tuple[str, str], ...]


def reviews_of(calibrator: Calibrator) -> ReviewSummary | None:
    """What a calibrator knows of reviewers; None if it was not fitted to their opinions."""
    return calibrator.reviews_ if isinstance(calibrator, Reviewed) else None


def reviewer_section(summary: ReviewSummary | None) -> ReviewerSection | None:
    """Put the section together; None without reviewers."""
    if summary is None:
        return None
    found = _differences(summary)
    busiest = sorted(summary.reviewers, key=lambda one: -one.labels)
    drawn = [matrix_of(summary, one) for one in busiest[:MOST_MATRICES]]
    return ReviewerSection(
        _sentence(summary),
        summary.warning or "",
        f"{summary.confidence:.0%}",
        _facts(summary),
        intervals_chart(summary),
        [_line(summary, number) for number in range(len(summary.reviewers))],
        [_difference(summary, one) for one in found[:MOST_DIFFERENCES]],
        _differences_note(summary, len(found)),
        drawn[:BUSIEST],
        drawn[BUSIEST:],
        _matrices_note(summary),
        [class_text(label) for label in summary.classes],
        [_shares(summary, one) for one in summary.reviewers],
        NOT_SAID,
    )


def _sentence(summary: ReviewSummary) -> str:
    n = len(summary.reviewers)
    given = count(round(sum(one.labels for one in summary.reviewers)))
    if n == 1:
        return f"One reviewer gave {given} labels. There is nobody to compare with."
    begin = f"{n:,} reviewers gave {given} labels."
    if not summary.they_differ:
        return (
            f"{begin} They {CANNOT} by these labels: the probability that some are wrong more "
            f"often than others is {bounded_percent(summary.probability_differ)}. Shares and "
            "intervals show what is possible if they differ."
        )
    if all(len(not_told_apart(summary, number)) == n - 1 for number in range(n)):
        return (
            f"{begin} Some are wrong more often than others, but these labels do not say who: "
            f"they {CANNOT}."
        )
    return (
        f"{begin} Some are wrong more often than others. Reviewers whose ranges of ranks overlap "
        f"{CANNOT}; the table names them."
    )


def _facts(summary: ReviewSummary) -> list[Fact]:
    agreement = summary.agreement
    if agreement.equal is None:
        together = Fact("Agreement and shared errors", NOT_KNOWN, "no row has two opinions")
        known = []
    else:
        together = Fact(
            "Shared errors",
            bounded_percent(summary.probability_hard),
            "probability that some rows are hard for everybody",
        )
        rows = f"of two opinions on a row are the same; {count(agreement.rows)} rows have several"
        known = [
            Fact("Equal opinions", percent(agreement.equal), rows),
            _index(
                "Krippendorff's alpha",
                agreement.alpha,
                "agreement of all reviewers: 1 is perfect, 0 is what chance gives",
            ),
            _index(
                "Cohen's kappa",
                agreement.kappa,
                "the same for two reviewers at a time, averaged over pairs",
            ),
        ]
    differ = Fact(
        "Reviewers differ",
        bounded_percent(summary.probability_differ),
        "probability that some are wrong more often than others",
    )
    return [
        *known,
        *([differ] if len(summary.reviewers) > 1 else []),
        together,
    ]


def _index(name: str, value: float | None, meaning: str) -> Fact:
    if value is None:
        return Fact(name, NOT_KNOWN, "all opinions are the same, so chance is perfect too")
    return Fact(name, f"{value:.2f}".replace("-", "\N{MINUS SIGN}"), meaning)


def _line(summary: ReviewSummary, number: int) -> ReviewerLine:
    one = summary.reviewers[number]
    first, last = one.rank
    return ReviewerLine(
        str(one.name),
        count(one.labels),
        whole_percent(one.wrong.value),
        interval_text(*one.wrong[1:]),
        f"{first}" if first == last else f"{first} to {last}",
        _tied(summary, number),
    )


def _tied(summary: ReviewSummary, number: int) -> str:
    tied, n = not_told_apart(summary, number), len(summary.reviewers)
    if n == 1:
        return ""
    if not tied:
        return "nobody"
    if len(tied) == n - 1:
        return "all others" if n > 2 else str(summary.reviewers[tied[0]].name)
    if len(tied) > MOST_NAMED:
        return f"{len(tied):,} of {n - 1:,} others"
    return ", ".join(str(summary.reviewers[other].name) for other in tied)


def _differences(summary: ReviewSummary) -> list[ClassDifference]:
    """Of two reviewers, one differs as much as the other: the one who is wrong more often."""
    found = class_differences(summary)
    if len(summary.reviewers) > 2:
        return found
    return [one for one in found if one.wrong.value > one.others.value]


def _difference(summary: ReviewSummary, found: ClassDifference) -> str:
    one, true = summary.reviewers[found.reviewer], class_text(summary.classes[found.true])
    way = "more" if found.wrong.value > found.others.value else "fewer"
    others = "most others" if len(summary.reviewers) > 2 else "the other reviewer"
    return (
        f"{said_name(one)} labels {way} rows of true {true} wrongly than {others}: "
        f"{found.wrong:.0%}, against {found.others:.0%}{_goal(summary, one, found.true)}."
    )


def _goal(summary: ReviewSummary, one: ReviewerEstimate, true: int) -> str:
    """Name the label that wrong ones have most often, if that is more than chance."""
    wrong = [label for label in range(len(summary.classes)) if label != true]
    if len(wrong) == 1:
        return ""
    most = max(wrong, key=lambda label: float(one.matrix[true, label]))
    if any(one.high[true, label] >= one.low[true, most] for label in wrong if label != most):
        return ""
    return f"; most often as {class_text(summary.classes[most])}"


def _differences_note(summary: ReviewSummary, found: int) -> str:
    if len(summary.reviewers) == 1:
        return "There is one reviewer."
    if found > MOST_DIFFERENCES:
        return f"And {found - MOST_DIFFERENCES:,} more; the table of true classes has all numbers."
    if found:
        return ""
    return "Nobody. On every true class, each reviewer may be like most others."


def _matrices_note(summary: ReviewSummary) -> str:
    parts = []
    left_out = len(summary.classes) - len(shown_classes(summary))
    if left_out:
        parts.append(
            f"{left_out} of {len(summary.classes)} classes are left out: those with fewer wrong "
            "labels."
        )
    more = len(summary.reviewers) - MOST_MATRICES
    if more > 0:
        parts.append(
            f"{more:,} reviewers with fewer labels have no picture. The calibrator's file has "
            "their matrices, under reviews."
        )
    return " ".join(parts)


def _shares(summary: ReviewSummary, one: ReviewerEstimate) -> ClassShares:
    found = [wrong_on(one, true) for true in range(len(summary.classes))]
    return ClassShares(
        str(one.name), [(whole_percent(rate.value), interval_text(*rate[1:])) for rate in found]
    )
