"""What :class:`Reviewed` learns from opinions. It imports this module at its first fit.

The model of opinions takes longer to import than most calibrators take to be fitted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from lwcal.calibrators.audited import Audited
from lwcal.calibrators.base import Fitted
from lwcal.calibrators.class_base import FittedClasses
from lwcal.calibrators.posterior_map import posterior_map
from lwcal.reviews.checked_labels import checked_classes, checked_tables
from lwcal.reviews.consensus import Consensus, gain_of_another, truth_given_opinions
from lwcal.reviews.inference import ReviewPosterior
from lwcal.reviews.inferred import InferredReviews, inferred_reviews
from lwcal.reviews.label_noise import class_noise, two_class_noise
from lwcal.reviews.one_voice import one_voice
from lwcal.reviews.opinion_rows import OpinionRows
from lwcal.reviews.reading import Reviewable
from lwcal.reviews.single_labels import label_table
from lwcal.reviews.summary import ReviewSummary
from lwcal.reviews.two_classes import two_class_posterior
from lwcal.reviews.uncertainty import Uncertainty
from lwcal.rows.class_labels import class_array
from lwcal.table import ScoreTable


class ReviewFit(NamedTuple):
    """A fit to opinions.

    Attributes
    ----------
    found : Fitted or FittedClasses
        The latter with more than two classes.
    inferred : InferredReviews
        What it was built from.
    """

    found: Fitted | FittedClasses
    inferred: InferredReviews


def fit_to_opinions(rows: OpinionRows) -> ReviewFit:
    """Fit to rows with several opinions, or with the names of reviewers."""
    inferred = inferred_reviews(rows)
    voices, uncertainty, summary = inferred
    posterior, several = uncertainty.posterior, voices.several
    if rows.n_classes == 2:
        return ReviewFit(_fit_two(uncertainty, summary, label_table(rows), several), inferred)
    noise = class_noise(posterior, summary, several)
    described = _describe(posterior, summary, rows)
    if noise.wrong.value is not None:
        described["wrong"] = noise.wrong.value
    return ReviewFit(FittedClasses(posterior.scaling, described, noise), inferred)


def find_consensus(rows: OpinionRows, summary: ReviewSummary) -> Consensus:
    """The most probable true class of rows."""
    voices = one_voice(_known_reviewers(rows, summary), summary.near_copies)
    parts = truth_given_opinions(voices.rows, summary.explanations, summary.label_shares)
    truth = np.zeros((len(rows.weights), rows.n_classes))
    shares = voices.rows.weights / rows.weights[voices.origins]
    np.add.at(truth, voices.origins, parts * shares[:, None])
    best = truth.argmax(axis=1)
    return Consensus(
        class_array(rows.classes)[best],
        truth[np.arange(len(truth)), best],
        truth,
        gain_of_another(truth, summary.average_matrix),
    )


def fit_to_checked(rows: OpinionRows, read: Reviewable, pos_label: Any) -> Audited:
    """Fit to one label a row and checked labels."""
    fitted = Audited(pos_label=pos_label)
    if read.has_classes:
        return fitted.fit_checked_rows(checked_classes(rows))
    fitted.fit_table(*checked_tables(rows))
    fitted.scale_ = read.scale
    return fitted


def _fit_two(
    uncertainty: Uncertainty, summary: ReviewSummary, table: ScoreTable, several: float
) -> Fitted:
    posterior = uncertainty.posterior
    draws = two_class_posterior(uncertainty)
    noise = two_class_noise(draws, table, several)
    r0, r1 = noise.rates_posterior.mean()
    slope, intercept = draws.mean_line()
    described = _describe(posterior, summary, posterior.rows) | {
        "r0": r0,
        "r1": r1,
        "slope": slope,
        "intercept": intercept,
    }
    return Fitted(posterior_map(draws), described, noise)


def _describe(
    posterior: ReviewPosterior, summary: ReviewSummary, rows: OpinionRows
) -> dict[str, float]:
    alpha = summary.agreement.alpha
    return {
        "opinions": sum(one.labels for one in summary.reviewers),
        "several": summary.agreement.rows,
        **({} if alpha is None else {"alpha": alpha}),
        **(
            {"audited": float(rows.weights[rows.is_checked].sum())} if rows.is_checked.any() else {}
        ),
        "p_clean": posterior.probability_clean,
        "p_differ": summary.probability_differ,
        "p_hard": summary.probability_hard,
    }


def _known_reviewers(rows: OpinionRows, summary: ReviewSummary) -> OpinionRows:
    """Opinions with the numbers of the summary; others have the last number."""
    place = {one.name: number for number, one in enumerate(summary.reviewers)}
    numbers = np.array([place.get(name, len(place)) for name in rows.names], dtype=np.intp)
    names = (*(one.name for one in summary.reviewers), "others")
    return replace(rows, reviewers=numbers[rows.reviewers], names=names)
