"""Weights for how checked rows were chosen."""

import numpy as np
import pytest

import lwcal
from lwcal.noise.checked.selection import unexplained_weights
from tests.noise.simulated import sample


def test_a_choice_by_score_and_label_needs_no_weights():
    """Log-probabilities that are linear in what the model is told anyway."""
    rng = np.random.default_rng(0)
    scores, labels = rng.random(80), rng.integers(0, 2, 80).astype(np.uint8)
    chosen = np.exp(-1.0 - scores + 0.5 * labels - 0.4 * labels * scores)
    np.testing.assert_allclose(unexplained_weights(scores, labels, chosen), 1.0)


def test_unequal_weights_count_as_fewer_rows():
    """Kish: rows of very different weight say less than as many of equal weight."""
    rng = np.random.default_rng(0)
    scores, labels = rng.random(200), rng.integers(0, 2, 200).astype(np.uint8)
    weights = unexplained_weights(scores, labels, rng.choice([0.05, 0.9], 200))
    assert weights.sum() == pytest.approx(weights.sum() ** 2 / (weights @ weights))
    assert weights.sum() < 150


def test_a_choice_by_the_outcome_is_corrected():
    """Wrong labels were checked five times as often as right ones, by something not in the data.

    Without probabilities the labels look far worse than they are; with them the interval of the
    share of wrong labels holds the true one.
    """
    rng = np.random.default_rng(1)
    rows = sample(rng, 6000, rates=(0.08, 0.08), shape=(1, 1))
    wrong = rows.noisy != rows.clean
    chance = np.where(wrong, 0.2, 0.04)
    audited = np.where(rng.random(6000) < chance, rows.clean, np.nan)
    blind = lwcal.Audited().fit(rows.scores, rows.noisy, y_audited=audited).diagnostics_
    told = (
        lwcal.Audited()
        .fit(rows.scores, rows.noisy, y_audited=audited, audit_probability=chance)
        .diagnostics_
    )
    assert blind["wrong_low"] > wrong.mean() + 0.05
    assert told["wrong_low"] < wrong.mean() < told["wrong_high"]
