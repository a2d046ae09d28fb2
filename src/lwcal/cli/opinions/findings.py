"""What opinions say about reviewers, for people and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lwcal.artifact.reviews import reviews_to_dict
from lwcal.cli.console import numbers_table, share_with_interval
from lwcal.estimates import whole_percent
from lwcal.reviews.summary import ReviewerEstimate, ReviewSummary

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

MOST_REVIEWERS = 20
"""Reviewers that are listed."""
MOST_CLASSES = 10
"""Classes up to which the whole confusion is shown."""
COMMONEST = 10
"""Confused pairs that are shown where there are more classes."""


def print_agreement(console: Console, summary: ReviewSummary) -> None:
    """Print how far reviewers agree, and what to know before the intervals are believed."""
    found = summary.agreement
    if found.equal is None:
        console.print(
            "No row has several opinions, so reviewers are compared only at equal scores."
        )
    else:
        beyond = [
            f"{name} {value:.2f}"
            for name, value in (
                ("Krippendorff's alpha", found.alpha),
                ("Cohen's kappa", found.kappa),
            )
            if value is not None
        ]
        measured = f" ({', '.join(beyond)}; 1 is perfect, 0 is chance)" if beyond else ""
        console.print(
            f"Opinions on the same row agree in {found.equal:.0%} of cases, on {found.rows:,.0f} "
            f"rows with several opinions{measured}."
        )
    if summary.warning:
        console.print(f"[bold]Warning:[/bold] {summary.warning}")


def reviewers_table(summary: ReviewSummary) -> Table:
    """Reviewers with the number of their labels, and how many of them are wrong."""
    listed = sorted(summary.reviewers, key=lambda one: -one.labels)[:MOST_REVIEWERS]
    left = len(summary.reviewers) - len(listed)
    caption = f"{summary.confidence:.0%} intervals; overlapping ranks cannot be told apart"
    table = numbers_table(
        "reviewer",
        "labels",
        "wrong",
        "rank",
        caption=caption if not left else f"and {left:,} more; {caption}",
    )
    for one in listed:
        table.add_row(
            _escaped(one.name), f"{one.labels:,.0f}", share_with_interval(one.wrong), _rank(one)
        )
    return table


def confusion_table(summary: ReviewSummary) -> Table:
    """How often each true class gets each label: of two classes by reviewer, of more on average."""
    if len(summary.classes) == 2:
        return _errors_by_reviewer(summary)
    average = summary.average_matrix.tolist()
    if len(summary.classes) <= MOST_CLASSES:
        names = [_escaped(name) for name in summary.classes]
        table = numbers_table(
            "true class", *names, caption="probability of each label, all reviewers"
        )
        for name, row in zip(names, average, strict=True):
            table.add_row(name, *(f"{share:.0%}" for share in row))
        return table
    pairs = [
        (share, true, label)
        for true, row in enumerate(average)
        for label, share in enumerate(row)
        if true != label
    ]
    table = numbers_table(
        "true class", "labelled", "share", caption="the commonest confusions, all reviewers"
    )
    for share, true, label in sorted(pairs, reverse=True)[:COMMONEST]:
        table.add_row(
            _escaped(summary.classes[true]), _escaped(summary.classes[label]), whole_percent(share)
        )
    return table


def summary_document(summary: ReviewSummary) -> dict[str, Any]:
    """Everything about reviewers, in types that JSON knows."""
    return {
        **reviews_to_dict(summary),
        "confusion": summary.average_matrix.tolist(),
        "warning": summary.warning,
        "sentence": summary.sentence,
    }


def _errors_by_reviewer(summary: ReviewSummary) -> Table:
    negative, positive = map(_escaped, summary.classes)
    listed = sorted(summary.reviewers, key=lambda one: -one.labels)[:MOST_REVIEWERS]
    table = numbers_table(
        "reviewer",
        f"true {negative}\nlabelled {positive}",
        f"true {positive}\nlabelled {negative}",
        caption=f"{summary.confidence:.0%} intervals",
    )
    for one in listed:
        table.add_row(_escaped(one.name), _cell(one, 0, 1), _cell(one, 1, 0))
    return table


def _cell(one: ReviewerEstimate, true: int, label: int) -> str:
    low, high = one.low[true, label], one.high[true, label]
    return share_with_interval((one.matrix[true, label], low, high))


def _rank(one: ReviewerEstimate) -> str:
    first, last = one.rank
    return f"{first}" if first == last else f"{first} to {last}"


def _escaped(name: Any) -> str:
    """A name that may have brackets, which rich would take for a style."""
    from rich.markup import escape

    return escape(str(name))
