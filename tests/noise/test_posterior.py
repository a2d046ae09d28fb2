"""The posterior: probabilities that add up, and a clean posterior that is monotone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import entr, expit

from lwcal import ScoreTable, kernels
from lwcal.noise import forward, inference
from lwcal.noise.checked.table import CheckedTable
from lwcal.noise.hypotheses import (
    CALIBRATED,
    FLEXIBLE,
    NO_NOISE,
    NOISELESS,
    ROWS_OF_EVIDENCE,
    hypotheses,
)
from lwcal.noise.inference import apparent_log_slope, infer, infer_with_checks
from lwcal.noise.logit_counts import pool_by_logit, soft_logit
from tests.noise.simulated import sample
from tests.strategies import rows

GRID = np.sort(np.concatenate([np.linspace(0, 1, 201), [5e-324, 1e-9, 2.0**-60, 1 - 2.0**-53]]))


def pooled_rows(scores, labels):
    """A table as calibrators hand it to inference."""
    return pool_by_logit(ScoreTable.from_arrays(scores, labels))


@pytest.fixture(scope="module")
def noisy_posterior():
    """What is inferred from 400 rows of which some are wrong."""
    drawn = sample(np.random.default_rng(2), 400, line=(1.3, 0.1), rates=(0.1, 0.2))
    return infer(ScoreTable.from_arrays(drawn.scores, drawn.noisy), hypotheses())


@settings(max_examples=30)
@given(data=rows(), prior_clean=st.sampled_from([0.0, 0.2, 1.0]))
def test_any_rows_give_probabilities_that_add_up(data, prior_clean):
    """Of components, and of the draws within each, finite for any table."""
    posterior = infer(ScoreTable.from_arrays(*data), hypotheses(prior_clean=prior_clean))
    assert posterior.probabilities.sum() == pytest.approx(1)
    assert sum(posterior.hypotheses.values()) == pytest.approx(1)
    for component in posterior.components:
        assert component.lines.weights.sum() == pytest.approx(1)
        assert (component.lines.weights > 0).all()
        assert np.isfinite(component.log_weight)
    expected = {0.0: 0.0, 1.0: 1.0}.get(prior_clean, posterior.probability_clean)
    assert posterior.probability_clean == pytest.approx(expected)


@settings(max_examples=30)
@given(data=rows())
def test_the_clean_posterior_never_decreases(data):
    """And is a probability, for any table."""
    found = infer(ScoreTable.from_arrays(*data), hypotheses()).clean_probability(GRID)
    assert ((found > 0) & (found < 1)).all()
    assert (np.diff(found) >= -1e-12).all()


@given(probability=st.floats(0, 1))
def test_another_trust_in_the_labels_keeps_the_odds_within_each_side(noisy_posterior, probability):
    """The total is as asked; draws stay as they were."""
    changed = noisy_posterior.with_probability_clean(probability)
    assert changed.probability_clean == pytest.approx(probability, abs=1e-12)
    assert changed.probabilities.sum() == pytest.approx(1)
    assert changed.components is noisy_posterior.components
    for side in (noisy_posterior.noiseless, ~noisy_posterior.noiseless):
        before, after = noisy_posterior.probabilities[side], changed.probabilities[side]
        np.testing.assert_allclose(after * before.sum(), before * after.sum(), atol=1e-12)


@given(probability=st.floats(0, 1))
def test_the_average_is_linear_in_the_trust(noisy_posterior, probability):
    """Between full trust and none: what Auto's bound relies on."""

    def at(p):
        return noisy_posterior.with_probability_clean(p).clean_probability(GRID)

    expected = probability * at(1) + (1 - probability) * at(0)
    np.testing.assert_allclose(at(probability), expected, atol=1e-12)


def test_the_own_trust_changes_nothing(noisy_posterior):
    """with_clean of what is believed anyway."""
    same = noisy_posterior.with_probability_clean(noisy_posterior.probability_clean)
    np.testing.assert_allclose(same.probabilities, noisy_posterior.probabilities, atol=1e-12)


@pytest.mark.parametrize("probability", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("knowledge", [{"prior_clean": 0.0}, {"prior_clean": 1.0}])
def test_trust_in_what_was_excluded_changes_nothing(knowledge, probability):
    """With one side only, that side has all the probability, whatever is asked."""
    table = ScoreTable.from_arrays([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1])
    posterior = infer(table, hypotheses(**knowledge))
    changed = posterior.with_probability_clean(probability)
    np.testing.assert_allclose(changed.probabilities, posterior.probabilities)


def test_names_say_which_components_are_noiseless(noisy_posterior):
    """The probability of clean labels is theirs."""
    by_name = noisy_posterior.hypotheses
    expected = sum(by_name[name] for name in NOISELESS)
    assert noisy_posterior.probability_clean == pytest.approx(expected)
    assert noisy_posterior.noiseless.tolist() == [name in NOISELESS for name in by_name]


def test_rates_are_averaged_over_all_draws(noisy_posterior):
    """By hand: noiseless draws count, with rates of 0."""
    expected = sum(
        probability * component.lines.weights @ component.lines.rates
        for component, probability in zip(
            noisy_posterior.components, noisy_posterior.probabilities, strict=True
        )
    )
    assert noisy_posterior.rates_posterior.mean() == pytest.approx(tuple(expected))
    trusting = noisy_posterior.with_probability_clean(1.0).rates_posterior
    assert trusting.mean() == (0.0, 0.0)
    doubting = noisy_posterior.with_probability_clean(0.0).rates_posterior
    assert min(doubting.mean()) > 0.02


def test_the_clean_posterior_is_an_average_by_hand(noisy_posterior):
    """Of one component: weighted sigmoids of the soft log-odds."""
    lines = noisy_posterior.components[-1].lines
    z = soft_logit(GRID, lines.softness)
    expected = sum(
        weight * expit(slope * z + intercept)
        for weight, slope, intercept in zip(
            lines.weights, lines.slopes, lines.intercepts, strict=True
        )
    )
    np.testing.assert_allclose(lines.clean_probability(GRID), expected, atol=1e-12)


def test_labels_are_the_clean_posterior_after_flips(noisy_posterior):
    """Averaged over all draws: r0 of the true negatives and all but r1 of the true positives."""
    weights, clean, rates = noisy_posterior.draws(GRID)
    expected = weights @ (rates[:, :1] * (1.0 - clean) + (1.0 - rates[:, 1:]) * clean)
    np.testing.assert_allclose(noisy_posterior.noisy_probability(GRID), expected, atol=1e-12)


def test_both_sets_of_kernels_infer_the_same(monkeypatch, noisy_posterior):
    """Draws, their weights and the odds of the components, but for the last digits."""
    drawn = sample(np.random.default_rng(2), 400, line=(1.3, 0.1), rates=(0.1, 0.2))
    for name in kernels.KERNELS:
        monkeypatch.setattr(kernels, name, getattr(kernels.pure, name))
    pure = infer(ScoreTable.from_arrays(drawn.scores, drawn.noisy), hypotheses())
    np.testing.assert_allclose(pure.probabilities, noisy_posterior.probabilities, rtol=1e-10)
    for one, other in zip(pure.draws(GRID), noisy_posterior.draws(GRID), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-10)


def test_the_mean_line_is_that_of_the_truth_with_many_rows():
    """20,000 rows with noise: slope and intercept of the clean posterior, measured 1.53, 0.43."""
    drawn = sample(np.random.default_rng(4), 20_000, line=(1.5, 0.4), rates=(0.1, 0.2))
    table = pooled_rows(drawn.scores, drawn.noisy)
    posterior = infer(table, hypotheses()).with_probability_clean(0.0)
    assert posterior.mean_line() == pytest.approx((1.5, 0.4), abs=0.15)
    assert posterior.rates_posterior.mean() == pytest.approx((0.1, 0.2), abs=0.02)


def test_known_rates_are_one_certain_branch():
    """Nothing competes, and nothing is learned of the rates."""
    table = ScoreTable.from_arrays([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1])
    posterior = infer(table, hypotheses(noise_rates=(0.1, 0.2)))
    assert posterior.hypotheses == {"known": 1.0}
    assert posterior.rates_posterior.mean() == pytest.approx((0.1, 0.2))


@pytest.mark.parametrize("n", [100, 2000, 30_000])
def test_tempered_evidence_counts_for_a_thousand_rows_at_most(n):
    """Log odds are the prior's plus a part of the evidence, which falls as rows are added.

    Without a limit on the rows, all of it counts.
    """
    drawn = sample(np.random.default_rng(2), n, line=(1.3, 0.1), rates=(0.1, 0.2))
    believed = hypotheses()
    table = pooled_rows(drawn.scores, drawn.noisy)
    prior = np.log([hypothesis.weight for hypothesis in believed])
    for limit, part in ((np.inf, 1.0), (ROWS_OF_EVIDENCE, 1.0 / (1.0 + n / ROWS_OF_EVIDENCE))):
        found = infer(table, believed, rows_of_evidence=limit)
        evidence = np.array([component.log_evidence for component in found.components])
        expected = np.exp(prior + part * (evidence - evidence.max()))
        np.testing.assert_allclose(found.probabilities, expected / expected.sum(), atol=1e-12)


def test_truths_count_in_full_however_many_rows_there_are():
    """Wrong labels that somebody found exclude that none is wrong."""
    drawn = sample(np.random.default_rng(4), 30_000, rates=(0.05, 0.05))
    rest = pooled_rows(drawn.scores[60:], drawn.noisy[60:])
    checked = CheckedTable.from_codes(drawn.scores[:60], drawn.noisy[:60], drawn.clean[:60])
    assert checked.flipped.sum() > 0
    everything = ScoreTable.merge([rest, checked.labels])
    labelled = infer(everything, hypotheses())
    found = infer_with_checks(labelled, rest, checked, hypotheses())
    assert labelled.probability_clean > 0.01
    assert found.probability_clean < 1e-6


def test_checking_nothing_changes_nothing():
    """Of what labels say."""
    drawn = sample(np.random.default_rng(4), 500, rates=(0.1, 0.2))
    table = ScoreTable.from_arrays(drawn.scores, drawn.noisy)
    labelled = infer(table, hypotheses())
    found = infer_with_checks(labelled, table, CheckedTable.nothing(), hypotheses())
    np.testing.assert_allclose(found.probabilities, labelled.probabilities, atol=1e-9)


def test_the_slope_that_labels_show_is_that_of_labels_as_they_are():
    """True to the line without noise, flatter with it."""
    rng = np.random.default_rng(5)
    right, wrong = (
        sample(rng, 20_000, line=(1.5, 0.0), rates=rates, shape=(1, 1))
        for rates in ((0.0, 0.0), (0.2, 0.2))
    )
    tables = [pooled_rows(one.scores, one.noisy) for one in (right, wrong)]
    shown = [apparent_log_slope(table) for table in tables]
    assert shown[0] == pytest.approx(np.log(1.5), abs=0.05)
    assert shown[1] < np.log(1.5) + np.log(0.6)  # the factor 1 - r0 - r1, and more


@pytest.mark.parametrize("label", [0, 1])
def test_the_truth_given_a_label_is_bayes_rule_over_all_draws(noisy_posterior, label):
    """By hand: joint probabilities of truth and label, averaged, then divided."""
    weights, clean, rates = noisy_posterior.draws(GRID)
    given_positive = 1 - rates[:, 1] if label else rates[:, 1]
    given_negative = rates[:, 0] if label else 1 - rates[:, 0]
    positive = (weights * given_positive) @ clean
    negative = (weights * given_negative) @ (1 - clean)
    found = noisy_posterior.truth_given_label(GRID, label)
    np.testing.assert_allclose(found, positive / (positive + negative), atol=1e-9)
    assert (np.diff(found) >= -1e-12).all()


def test_labels_known_to_be_right_are_the_truth():
    """Also where a probability rounds to 0 or 1."""
    table = ScoreTable.from_counts([0.0, 1.0], negatives=[10**6, 0], positives=[0, 10**6])
    posterior = infer(table, hypotheses(prior_clean=1.0))
    np.testing.assert_array_equal(posterior.truth_given_label(GRID, 1), 1.0)
    np.testing.assert_array_equal(posterior.truth_given_label(GRID, 0), 0.0)


@pytest.mark.parametrize("knowledge", [{}, {"prior_clean": 0.0}, {"noise_rates": (0.1, 0.1)}])
def test_the_mode_without_noise_is_searched_once(monkeypatch, knowledge):
    """It gives the apparent slope, and the start of the draws without noise."""
    searched = []
    original = forward.mode_of

    def counted(hypothesis, counts):
        searched.append(hypothesis.name)
        return original(hypothesis, counts)

    monkeypatch.setattr(forward, "mode_of", counted)
    monkeypatch.setattr(inference, "mode_of", counted)
    prior = hypotheses(**knowledge)
    infer(ScoreTable.from_arrays([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1]), prior)
    same_mode = {CALIBRATED, FLEXIBLE}  # nothing to search, and the mode of the line
    assert sorted(searched) == sorted({NO_NOISE, *(one.name for one in prior)} - same_mode)


def test_a_calibrated_score_is_the_clean_posterior_itself():
    """The point hypothesis has one draw: the score, but for softening."""
    drawn = sample(np.random.default_rng(2), 400)
    posterior = infer(ScoreTable.from_arrays(drawn.scores, drawn.noisy), hypotheses())
    point = posterior.components[0]
    assert (point.name, point.lines.weights.tolist()) == (CALIBRATED, [1.0])
    inside = GRID[(GRID > 0.01) & (GRID < 0.99)]
    np.testing.assert_allclose(point.lines.clean_probability(inside), inside, atol=0.002)


SHAPES = {
    "bump": lambda rank: np.where(abs(rank - 0.5) < 0.2, 0.6, 0.05),
    "two steps": lambda rank: np.select([rank < 0.3, rank < 0.7], [0.05, 0.5], 0.9),
    "one step": lambda rank: np.where(rank < 0.5, 0.1, 0.4),
}
"""Share of positives by the rank of the score, as models show it that are misshapen."""


def misshapen(shape, seed, n):
    """Right labels of that shape, under a smooth score."""
    rng = np.random.default_rng(seed)
    scores = np.sort(expit(rng.normal(-1.0, 0.7, n)))
    return scores, (rng.random(n) < SHAPES[shape](np.arange(n) / n)).astype(int)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("shape", ["bump", "two steps"])
def test_noise_does_not_fit_the_labels_of_a_misshapen_model(shape, seed):
    """Right labels of any smooth shape explain them, noise does not.

    Then the labels are taken as right.
    """
    posterior = infer(pooled_rows(*misshapen(shape, seed, 3000)), hypotheses())
    assert not posterior.noise_fits
    assert posterior.believed.probability_clean == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(4))
def test_noise_fits_noisy_labels(seed):
    """A fifth of 4,000 labels wrong, on a line: then the posterior is believed as it is."""
    drawn = sample(np.random.default_rng(seed), 4000, line=(1.5, 0.0), rates=(0.2, 0.2))
    posterior = infer(pooled_rows(drawn.scores, drawn.noisy), hypotheses())
    assert posterior.noise_fits
    assert posterior.believed is posterior


@pytest.mark.parametrize("knowledge", [{"prior_clean": 0.0}, {"noise_rates": (0.1, 0.1)}])
def test_noise_that_a_user_is_sure_of_is_not_put_to_the_test(knowledge):
    """There is no rival that could win."""
    table = pooled_rows(*misshapen("bump", 0, 3000))
    posterior = infer(table, hypotheses(**knowledge))
    assert posterior.noise_fits
    assert posterior.probability_clean == 0.0


def test_two_halves_of_a_table_tell_the_same_story():
    """Tempered belief does not jump: one step, ten tables of 4,000 rows with right labels.

    Noise could draw the same curve, so nothing can be sure of either. Measured: the two
    probabilities of no noise differ by 0.21 on average, and none is below 0.03.
    """
    found = np.array(
        [
            [infer(pooled_rows(scores[part], labels[part]), hypotheses()).probability_clean
             for part in (slice(0, None, 2), slice(1, None, 2))]
            for scores, labels in (misshapen("one step", seed, 4000) for seed in range(10))
        ]
    )  # fmt: skip
    assert abs(found[:, 0] - found[:, 1]).mean() < 0.3
    assert found.min() > 0.01


def test_the_entropy_is_averaged_over_all_draws(noisy_posterior):
    """By hand, and below that of the average: what is not known may be learned."""
    scores = np.linspace(0.01, 0.99, 31)
    weights, clean, _ = noisy_posterior.draws(scores)
    found = noisy_posterior.expected_entropy(scores)
    expected = weights @ (entr(clean) + entr(1.0 - clean))
    np.testing.assert_allclose(found, expected, atol=1e-9)
    average = noisy_posterior.clean_probability(scores)
    assert (found < entr(average) + entr(1.0 - average)).all()


def test_draws_that_two_components_share_count_for_both(noisy_posterior):
    """A line and a smooth curve predict the same, and their draws are the same object."""
    shared = {one.lines for one in noisy_posterior.components}
    assert len(shared) == len(noisy_posterior.components) - 1
    weights = np.concatenate([piece.weights for piece in noisy_posterior._joined])
    assert weights.sum() == pytest.approx(1)
    assert len(weights) < len(noisy_posterior.draws(GRID).weights)


def test_shares_of_positives_are_those_of_the_draws(noisy_posterior):
    """In the same order, without a matrix of all of them."""
    scores = np.linspace(0.0, 1.0, 31)
    shares = np.linspace(0.0, 1.0, 31) / 15.5
    drawn, (weights, rates) = noisy_posterior.draws(scores), noisy_posterior.rate_draws()
    np.testing.assert_array_equal(weights, drawn.weights)
    np.testing.assert_array_equal(rates, drawn.rates)
    found = noisy_posterior.positive_shares(scores, shares)
    np.testing.assert_allclose(found, drawn.clean @ shares, rtol=1e-12)
