"""Draws in which labels carry no information are left out."""

from dataclasses import replace

import numpy as np
import pytest

from lwcal.noise.checked import posterior as module
from lwcal.noise.checked.posterior import infer_audited
from lwcal.noise.checked.table import CheckedTable
from lwcal.noise.hypotheses import hypotheses
from lwcal.table import ScoreTable


@pytest.mark.parametrize("p", [0.5, 1.0])
def test_rates_that_add_up_to_one_do_not_count(monkeypatch, p):
    """If none are left, those of class-conditional noise hold."""
    table = ScoreTable.from_arrays([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1])
    checked = CheckedTable.from_codes([0.2, 0.7, 0.7], np.array([0, 1, 1]), [0, 0, 1])
    found = replace(infer_audited(table, checked, hypotheses()), probability_dependent=p)
    all_flipped = module.FlipRateDraws(np.ones(1), np.array([[0.5, 0.5]]), np.ones(1))
    monkeypatch.setattr(module, "_dependent_rates", lambda *given: all_flipped)
    expected = found.class_conditional.rates_posterior
    left = found.flip_rates(table).posterior
    np.testing.assert_array_equal(left.points, expected.points)
    np.testing.assert_allclose(left.weights, expected.weights)
