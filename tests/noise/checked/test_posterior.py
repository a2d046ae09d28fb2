"""Labels and checked rows together."""

import numpy as np
import pytest
from scipy.special import entr, expit, logit

from lwcal import ScoreTable
from lwcal.noise.checked.posterior import infer_audited
from lwcal.noise.checked.summary import gain_of_more, summarise
from lwcal.noise.checked.table import CheckedTable
from lwcal.noise.hypotheses import CALIBRATED_NOISY, hypotheses
from tests.noise.simulated import sample

GRID = np.linspace(0, 1, 201)


def posterior_of(scores, noisy, clean, checked):
    """What is inferred when the first rows were checked."""
    rest = ScoreTable.from_arrays(scores[checked:], noisy[checked:])
    audited = CheckedTable.from_codes(scores[:checked], noisy[:checked], clean[:checked])
    return infer_audited(rest, audited, hypotheses())


def test_class_conditional_noise_is_recognised():
    """Rates that do not depend on the score: the checked rows favour the simpler explanation."""
    rows = sample(np.random.default_rng(0), 6000, line=(1.2, 0.3), rates=(0.1, 0.25), shape=(1, 1))
    found = posterior_of(rows.scores, rows.noisy, rows.clean, 600)
    assert found.probability_dependent < 0.5
    r0, r1 = found.class_conditional.rates_posterior.mean()
    assert (r0, r1) == pytest.approx((0.1, 0.25), abs=0.05)


def test_rates_that_depend_on_the_score_are_recognised():
    """Positives are missed mostly where the score is low, which no constant rate explains."""
    rng = np.random.default_rng(0)
    scores = rng.uniform(0, 1, 8000)
    clean = (rng.random(8000) < expit(1.5 * logit(scores))).astype(int)
    noisy = clean * (rng.random(8000) < scores)
    found = posterior_of(scores, noisy, clean, 800)
    assert found.probability_dependent > 0.95
    expected = expit(1.5 * logit(GRID[20:-20]))
    assert np.abs(found.clean_probability(GRID[20:-20]) - expected).max() < 0.08


def test_a_model_trained_on_better_labels_is_left_alone():
    """Its score is right and a fifth of the labels is not; the labels alone would change it."""
    changes = []
    for seed in range(8):
        rows = sample(np.random.default_rng(seed), 1000, line=(1.0, 0.0), rates=(0.2, 0.2))
        found = posterior_of(rows.scores, rows.noisy, rows.clean, 60)
        grid = np.quantile(rows.scores, np.linspace(0.02, 0.98, 49))
        changes.append(
            [
                np.abs(map_(grid) - grid).mean()
                for map_ in (_by_labels(rows), found.clean_probability)
            ]
        )
    by_labels, by_checks = np.mean(changes, axis=0)
    assert by_checks < 0.5 * by_labels
    assert CALIBRATED_NOISY in found.class_conditional.hypotheses
    assert (
        CALIBRATED_NOISY
        not in posterior_of(rows.scores, rows.noisy, rows.clean, 0).labelled.hypotheses
    )


def _by_labels(rows):
    return posterior_of(rows.scores, rows.noisy, rows.clean, 0).clean_probability


def test_worlds_average_to_the_clean_probability():
    """The same truth, whether read off the worlds or directly; shares of wrong labels agree."""
    rows = sample(np.random.default_rng(3), 1500, rates=(0.1, 0.2))
    found = posterior_of(rows.scores, rows.noisy, rows.clean, 60)
    table = ScoreTable.from_arrays(rows.scores.round(2), rows.noisy)
    truths, flips = found.clean_draws(table.scores), found.flip_rates(table).given_noise
    assert truths.weights.sum() == pytest.approx(1)
    assert flips.weights.sum() == pytest.approx(1)
    average = truths.weights @ truths.clean
    np.testing.assert_allclose(average, found.clean_probability(table.scores), atol=1e-9)
    entropies = truths.weights @ (entr(truths.clean) + entr(1.0 - truths.clean))
    np.testing.assert_allclose(found.expected_entropy(table.scores), entropies, atol=1e-9)
    assert ((flips.rates >= 0) & (flips.rates <= 1)).all()
    # the share of wrong labels lies between the two rates of every world
    assert (flips.wrong >= flips.rates.min(axis=1) - 1e-9).all()
    assert (flips.wrong <= flips.rates.max(axis=1) + 1e-9).all()


def test_rows_that_were_all_right_leave_some_wrong_ones_possible():
    """Sixty checks without an error: the interval reaches to some percent, not to zero."""
    rows = sample(np.random.default_rng(0), 2000)
    table = ScoreTable.from_arrays(rows.scores, rows.noisy)
    found = summarise(posterior_of(rows.scores, rows.noisy, rows.clean, 60), table)
    assert 0.005 < found.wrong.high < 0.05


def test_the_truth_given_either_label_averages_to_the_truth():
    """Total probability over the label, with the share of labels that the same model expects."""
    rows = sample(np.random.default_rng(3), 1500, rates=(0.1, 0.2))
    posterior = posterior_of(rows.scores, rows.noisy, rows.clean, 0)  # nothing was checked
    share = posterior.labelled.noisy_probability(GRID)
    total = share * posterior.truth_given_label(GRID, 1)
    total = total + (1 - share) * posterior.truth_given_label(GRID, 0)
    np.testing.assert_allclose(total, posterior.clean_probability(GRID), atol=1e-9)


def test_more_checked_rows_leave_less_to_gain():
    """And narrower intervals."""
    rows = sample(np.random.default_rng(5), 4000, rates=(0.15, 0.15), shape=(1, 1))
    table = ScoreTable.from_arrays(rows.scores, rows.noisy)
    found = {k: posterior_of(rows.scores, rows.noisy, rows.clean, k) for k in (30, 600)}
    gains = [gain_of_more(posterior, table, k) for k, posterior in found.items()]
    assert 0 < gains[1] < gains[0] / 5
    few, many = (summarise(posterior, table) for posterior in found.values())
    assert many.wrong.high - many.wrong.low < few.wrong.high - few.wrong.low
