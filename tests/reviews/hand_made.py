"""Summaries of reviewers by hand, where a test needs certain numbers."""

import numpy as np

from lwcal.estimates import Estimate
from lwcal.reviews.agreement import Agreement
from lwcal.reviews.opinion_likelihood import Emission
from lwcal.reviews.summary import ReviewerEstimate, ReviewSummary

AGREEMENT = Agreement(0.5, 0.45, 100.0, 0.8)


def reviewer(name, rates, rank, width=0.02, labels=100.0):
    """Wrong labels go to the next class; every interval has the same width."""
    rates = np.array(rates)
    matrix = np.diag(1.0 - rates) + rates[:, None] * np.roll(np.eye(len(rates)), 1, axis=1)
    low, high = (np.clip(matrix + end, 0.0, 1.0) for end in (-width, width))
    mean = float(rates.mean())
    wrong = Estimate(mean, max(mean - width, 0.0), min(mean + width, 1.0))
    return ReviewerEstimate(name, labels, wrong, matrix, low, high, rank)


def summary(*reviewers, classes=(0, 1), differ=0.99, hard=0.05, agreement=AGREEMENT):
    """What is known of some reviewers."""
    matrices = np.array([one.matrix for one in reviewers])
    share = Estimate(0.2, 0.1, 0.3)
    return ReviewSummary(
        classes, tuple(reviewers), agreement, differ, hard, share, Emission(matrices)
    )
