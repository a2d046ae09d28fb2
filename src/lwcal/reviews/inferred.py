"""What opinions say, inferred once: for the map, and for the verdict on it."""

from __future__ import annotations

from typing import NamedTuple

from lwcal.reviews.inference import infer_reviews
from lwcal.reviews.near_copies import near_copies
from lwcal.reviews.one_voice import one_voice
from lwcal.reviews.opinion_rows import OpinionRows
from lwcal.reviews.summarising import summarise_reviews
from lwcal.reviews.summary import ReviewSummary
from lwcal.reviews.uncertainty import Uncertainty


class InferredReviews(NamedTuple):
    """What opinions say about scores, reviewers and each other.

    Attributes
    ----------
    voices : OpinionRows
        The rows; labels of pairs who copy count as one opinion.
    uncertainty : Uncertainty
        Of the posterior.
    summary : ReviewSummary
    """

    voices: OpinionRows
    uncertainty: Uncertainty
    summary: ReviewSummary


def inferred_reviews(rows: OpinionRows) -> InferredReviews:
    """Look for copies, fit every hypothesis, and summarise what is known of reviewers.

    Parameters
    ----------
    rows : OpinionRows
        Distinct rows, each with an opinion or a checked label.
    """
    copies = near_copies(rows)
    voices = one_voice(rows, copies).rows
    uncertainty = Uncertainty(infer_reviews(voices))
    return InferredReviews(voices, uncertainty, summarise_reviews(uncertainty, rows, copies))
