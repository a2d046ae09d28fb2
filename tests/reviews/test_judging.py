"""Intervals of reviewers allow for shared errors."""

from dataclasses import replace

import numpy as np
import pytest

from lwcal.kernels.importance import normalise
from lwcal.reviews.hypotheses import HARD_ROWS
from lwcal.reviews.inference import infer_reviews
from lwcal.reviews.judging import LEAST_SHARED, judging_of
from tests.reviews.simulated import simulated_rows


@pytest.mark.parametrize(("hard_share", "least", "most"), [(0.0, 0.0, 0.5), (0.3, 0.9, 1.0)])
def test_shared_errors_have_half_of_the_weight_or_more(hard_share, least, most):
    """Also where opinions speak against them, because they can hardly rule them out."""
    rows = simulated_rows(800, 2, 6, seed=4, opinions=6, hard=hard_share)
    posterior = infer_reviews(rows)
    judging = judging_of(posterior)
    hard = [HARD_ROWS in one.name for one in judging.components]
    shared = judging.weights[hard].sum()
    by_evidence = normalise(np.array([one.log_weight for one in posterior.judged]))[hard].sum()
    assert least <= by_evidence <= most
    assert shared == pytest.approx(max(by_evidence, LEAST_SHARED))
    assert judging.weights.sum() == pytest.approx(1.0)


def test_columns_without_names_are_judged_by_the_hypotheses():
    """One reviewer who labelled rows several times has no fit of their own."""
    rows = simulated_rows(300, 2, 3, seed=4, opinions=3)
    posterior = replace(infer_reviews(rows), judged=())
    judging = judging_of(posterior)
    hard = posterior.having(HARD_ROWS)
    assert judging.weights[hard].sum() >= LEAST_SHARED - 1e-12
    assert not judging.weights[posterior.noiseless].any()
    assert judging.weights.sum() == pytest.approx(1.0)
