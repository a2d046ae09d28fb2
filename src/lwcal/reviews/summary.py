"""What is known of reviewers: how often each is wrong, and whether they err together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.estimates import Estimate
from lwcal.reviews.agreement import Agreement
from lwcal.reviews.consensus import Explanation
from lwcal.reviews.hypotheses import PRIOR_HARD
from lwcal.reviews.near_copies import NearCopy

CONFIDENCE_LEVEL = 0.9
NOT_EXCLUDED = 0.05
"""Probability of shared errors from which on they are not excluded, and a warning says so."""
LEAST_CONTRAST = 0.1
"""Labels with a smaller contrast hardly depend on the truth."""
MOST_LISTED = 3
"""Names in a sentence."""


@dataclass(frozen=True, eq=False)
class ReviewerEstimate:
    """One reviewer.

    Attributes
    ----------
    name : any
    labels : float
        Number of labels that the reviewer gave, or their weight.
    wrong : Estimate
        Share of all rows that the reviewer would label wrongly, with its credible interval. It
        rests on the reviewer's own labels: those of others count as two for each true class.
    matrix : float64 array of shape (K, K)
        Expected probability of each label (column) for rows of each true class (row).
    low, high : float64 arrays of shape (K, K)
        Credible intervals of these probabilities.
    rank : pair of int
        Best and worst place among all reviewers, 1 for the fewest wrong labels. Reviewers whose
        ranges overlap cannot be told apart; that is all of them, unless it is as good as sure that
        they differ.
    """

    name: Any
    labels: float
    wrong: Estimate
    matrix: FloatArray
    low: FloatArray
    high: FloatArray
    rank: tuple[int, int]

    @property
    def contrast(self) -> Estimate:
        """How far the labels follow the truth: 1 if all are right, 0 if they do not depend on it.

        It is below 0 if they contradict it. With two classes, it is 1 less both flip rates.
        """
        matrices = self.matrix, self.low, self.high
        return Estimate(*((float(np.trace(one)) - 1.0) / (len(one) - 1.0) for one in matrices))

    def __str__(self) -> str:
        first, last = self.rank
        place = f"{first}" if first == last else f"{first} to {last}"
        return f"{self.name}: {self.wrong:.0%} wrong, {self.labels:,.0f} labels, rank {place}"


@dataclass(frozen=True, eq=False)
class ReviewSummary:
    """What opinions say about the people who gave them.

    Attributes
    ----------
    classes : tuple
        The class of each row and column of the matrices.
    reviewers : tuple of ReviewerEstimate
        In the order of the columns, or sorted by name. Beyond 1,000 rates, reviewers with the
        fewest labels are one group, "others".
    agreement : Agreement
    probability_differ : float
        Probability that reviewers differ in how often they are wrong.
    probability_hard : float
        Probability that some rows are hard for everybody, so that reviewers err together.
    share_hard : Estimate
        Share of such rows, if there are some.
    explanations : tuple of Explanation
        The scaling and the matrices of every hypothesis that is not negligible, by which opinions
        on further rows are weighed.
    confidence : float
        Level of the intervals.
    near_copies : tuple of NearCopy
        Pairs of reviewers of whom one seems to repeat the other. Their labels on the same row
        count as one opinion.
    """

    classes: tuple[Any, ...]
    reviewers: tuple[ReviewerEstimate, ...]
    agreement: Agreement
    probability_differ: float
    probability_hard: float
    share_hard: Estimate
    explanations: tuple[Explanation, ...]
    confidence: float = CONFIDENCE_LEVEL
    near_copies: tuple[NearCopy, ...] = ()

    @property
    def label_shares(self) -> FloatArray:
        """Share of all labels that each reviewer gave."""
        given = np.array([one.labels for one in self.reviewers])
        return np.asarray(given / max(given.sum(), 1e-300))

    @property
    def average_matrix(self) -> FloatArray:
        """Probability of each label for each true class, of a label by any reviewer."""
        matrices = [one.matrix for one in self.reviewers]
        return np.asarray(np.tensordot(self.label_shares, matrices, 1))

    @property
    def they_differ(self) -> bool:
        """Whether it is as good as sure that reviewers differ at all.

        Ranks and intervals of reviewers hold if they differ. Without this, they accuse nobody.
        """
        return len(self.reviewers) > 1 and self.probability_differ >= self.confidence

    @property
    def warning(self) -> str | None:
        """What to know before the intervals are believed; None if nothing speaks against them."""
        parts = [self.untelling, self._shared_errors]
        return " ".join(filter(None, parts)) or None

    @property
    def _shared_errors(self) -> str | None:
        if self.near_copies:
            return (
                f"{self.copies} Ask them how they worked, or check some rows on which they agree."
            )
        if self.agreement.never_differ:
            one, other, rows = self.agreement.never_differ[0]
            return (
                f"{one!r} and {other!r} gave the same label on all of {rows:,.0f} rows. If one is "
                "a copy of the other, they are one opinion: leave one of them out. Otherwise "
                "copies look better than they are, and those who contradict them look worse."
            )
        if self.probability_hard < NOT_EXCLUDED:
            return None
        if self.probability_hard <= PRIOR_HARD:  # the opinions do not speak for it
            return (
                "These opinions cannot exclude that reviewers make the same mistakes, on hard rows "
                "or because one follows another. Then more labels are wrong than the estimates "
                "say. Check some rows on which reviewers agree."
            )
        return (
            "Reviewers make the same mistakes more often than by chance. Either some rows are hard "
            f"for everybody, {self.share_hard:.0%} of all rows, or some reviewers follow others. "
            "More labels are wrong than they contradict. Check some rows on which reviewers agree."
        )

    @property
    def untelling(self) -> str:
        """Whose labels do not follow the truth, or contradict it; "" if those of all do."""
        opposed = [one for one in self.reviewers if one.contrast.high < 0.0]
        aimless = [one for one in self.reviewers if 0.0 <= one.contrast.high < LEAST_CONTRAST]
        parts = []
        if opposed:
            parts.append(
                f"{_listed(opposed)} mostly gave another label than the true one: ask what the "
                "labels mean to them."
            )
        if aimless:
            parts.append(f"The labels of {_listed(aimless)} hardly depend on the true class.")
        return " ".join(parts)

    @property
    def copies(self) -> str:
        """Who seems to repeat whom, and how that is counted; "" if nobody does."""
        if not self.near_copies:
            return ""
        first, *more = self.near_copies
        others = f" (and {len(more)} more {'pair' if len(more) == 1 else 'pairs'})" if more else ""
        return (
            f"{first.one!r} and {first.other!r}{others} make the same mistakes: one seems to "
            f"repeat the other on {first.copied:.0%} of the {first.rows:,.0f} rows that both "
            "labelled. So their labels on a row count as one opinion."
        )

    @property
    def sentence(self) -> str:
        """The estimate in plain words."""
        best = sorted(self.reviewers, key=lambda one: one.wrong.value)
        parts = [f"{len(best)} reviewers."]
        if self.agreement.equal is not None:
            parts.append(
                f"They agree on {self.agreement.equal:.0%} of {self.agreement.rows:,.0f} rows with "
                "several opinions."
            )
        if self.they_differ and best[0].rank[1] < best[-1].rank[0]:
            parts.append(f"Fewest wrong labels: {best[0]}. Most: {best[-1]}.")
        elif len(best) > 1:
            parts.append("Who is wrong more often cannot be told from these labels.")
        return " ".join(filter(None, [*parts, self.warning]))

    def __str__(self) -> str:
        return self.sentence


def _listed(reviewers: Sequence[ReviewerEstimate]) -> str:
    """Names of reviewers; of many, the first ones and how many more."""
    names = [repr(one.name) for one in reviewers]
    if len(names) > MOST_LISTED:
        names = [*names[:MOST_LISTED], f"{len(names) - MOST_LISTED:,} more"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
