"""What opinions tell about reviewers, on rows whose truth is known."""

import numpy as np
import pytest

from lwcal.reviews.hypotheses import HARD_ROWS, JUDGED, THEY_DIFFER
from lwcal.reviews.inference import infer_reviews
from lwcal.reviews.summarising import summarise_reviews
from lwcal.reviews.summary import NOT_EXCLUDED
from lwcal.reviews.uncertainty import Uncertainty
from tests.reviews.simulated import simulate, simulated_rows


def coverage(n_classes, seeds, **options):
    """Share of true error rates within their intervals, and how often the warning comes."""
    held, warned = [], []
    for seed in seeds:
        rows, _, rates = simulate(800, n_classes, 3, seed=seed, **options)
        summary = summarise_reviews(Uncertainty(infer_reviews(rows)), rows)
        warned.append(summary.warning is not None)
        for one, true in zip(summary.reviewers, rates, strict=True):
            low, high = 1.0 - np.diagonal(one.high), 1.0 - np.diagonal(one.low)
            held += ((low <= true) & (true <= high)).tolist()
    return np.mean(held), np.mean(warned)


def test_intervals_hold_the_error_rates_of_independent_reviewers():
    """At a level of 90%; so few data sets may vary."""
    held, _ = coverage(2, range(12), opinions=3)
    assert 0.8 < held <= 1.0


def mixed_pool(seed, n_classes):
    """Of 24 reviewers with 50 labels each, every third is wrong on 5%, and the others on 25%."""
    rng = np.random.default_rng(seed)
    rows, truth, _ = simulate(600, n_classes, 24, seed=seed)
    rates = np.where(np.arange(24) % 3 == 0, 0.05, 0.25)
    is_wrong = rng.random(len(rows.rows)) < rates[rows.reviewers]
    other = truth[rows.rows] + rng.integers(1, n_classes, len(rows.rows))
    rows.labels[:] = np.where(is_wrong, other % n_classes, truth[rows.rows])
    summary = summarise_reviews(Uncertainty(infer_reviews(rows)), rows)
    return rates, np.array([one.wrong for one in summary.reviewers])


@pytest.mark.parametrize("n_classes", [2, 4])
def test_good_reviewers_among_worse_ones_are_not_accused(n_classes):
    """Nobody is judged by the labels of others: few intervals lie above a true rate of 5%."""
    pools = [mixed_pool(seed, n_classes) for seed in range(3)]
    rates = np.concatenate([true for true, _ in pools])
    _, low, high = np.concatenate([found for _, found in pools]).T
    assert (low > rates)[rates == 0.05].mean() <= 0.2
    assert ((low <= rates) & (rates <= high)).mean() >= 0.82


def test_fits_that_judge_reviewers_are_no_part_of_the_mixture():
    """They give intervals, and change neither the map nor the probabilities."""
    posterior = infer_reviews(simulated_rows(200, 2, 3, seed=9))
    assert not posterior.having(JUDGED).any()
    assert [HARD_ROWS in one.name for one in posterior.judged] == [False, True]
    assert infer_reviews(simulated_rows(200, 2, 1, seed=9, opinions=1)).judged == ()


def test_errors_that_reviewers_share_are_noticed():
    """With three classes and three opinions a row they show."""
    held, warned = coverage(3, range(6), opinions=3, hard=0.2)
    assert held > 0.75
    assert warned == 1.0


def test_reviewers_who_differ_are_told_apart():
    """Three of them, with 2%, 10% and 35% wrong labels."""
    rng = np.random.default_rng(0)
    rows, truth, _ = simulate(1500, 2, 3, seed=1, opinions=3)
    flips = rng.random(len(rows.rows)) < np.array([0.02, 0.1, 0.35])[rows.reviewers]
    said = truth[rows.rows]
    rows.labels[:] = np.where(flips, 1 - said, said)
    posterior = infer_reviews(rows)
    assert posterior.probability_of(THEY_DIFFER) > 0.99
    ranks = [one.rank for one in summarise_reviews(Uncertainty(posterior), rows).reviewers]
    assert ranks == [(1, 1), (2, 2), (3, 3)]


def test_common_ways_of_being_wrong_give_way_to_opposite_reviewers_only():
    """Else all of the mixture follows chance more closely, and rare classes lose."""
    rows, truth, _ = simulate(800, 2, 3, seed=1, opinions=3)
    flips = np.random.default_rng(0).random(len(rows.rows))
    said = truth[rows.rows]
    common = []
    for rates in ((0.1, 0.2, 0.3), (0.1, 0.2, 0.9)):
        rows.labels[:] = np.where(flips < np.array(rates)[rows.reviewers], 1 - said, said)
        posterior = infer_reviews(rows)
        assert posterior.probability_of(THEY_DIFFER) > 0.99
        common.append(float(posterior.probabilities[~posterior.having(THEY_DIFFER)].sum()))
    assert common[0] > 0.25
    assert common[1] < 0.05


def test_reviewers_who_are_alike_are_not_ranked():
    """Nobody is accused by chance."""
    rng = np.random.default_rng(0)
    rows, truth, _ = simulate(600, 2, 4, seed=2, opinions=2)
    said = truth[rows.rows]
    rows.labels[:] = np.where(rng.random(len(said)) < 0.2, 1 - said, said)
    posterior = infer_reviews(rows)
    assert posterior.probability_of(THEY_DIFFER) < 0.5
    summary = summarise_reviews(Uncertainty(posterior), rows)
    assert all(one.rank == (1, 4) for one in summary.reviewers)
    assert "cannot be told" in summary.sentence


def test_right_labels_are_found_right():
    """Opinions that never contradict each other, beside scores that are calibrated."""
    rows, truth, _ = simulate(1000, 2, 2, seed=3)
    rows.labels[:] = truth[rows.rows]
    posterior = infer_reviews(rows)
    assert posterior.probability_clean > 0.9


def test_a_reviewer_with_five_labels_borrows_from_the_others():
    """And the interval is wider."""
    rows, _, _ = simulate(600, 2, 3, seed=4, opinions=3)
    kept = (rows.reviewers < 2) | (rows.rows < 5)
    rows = type(rows)(
        rows.scores,
        rows.weights,
        rows.truths,
        rows.rows[kept],
        rows.reviewers[kept],
        rows.labels[kept],
        rows.classes,
        rows.names,
    )
    found = summarise_reviews(Uncertainty(infer_reviews(rows)), rows).reviewers
    common = np.mean([one.wrong.value for one in found[:2]])
    assert found[2].labels == 5
    assert abs(found[2].wrong.value - common) < 0.1
    assert found[2].wrong.high - found[2].wrong.low > found[0].wrong.high - found[0].wrong.low


def test_one_opinion_a_row_has_no_shared_errors():
    """They could not show. Differences between reviewers can."""
    posterior = infer_reviews(simulated_rows(400, 2, 3, seed=5, opinions=1))
    assert posterior.probability_of(HARD_ROWS) == 0.0
    assert posterior.probability_of(THEY_DIFFER) > 0.0


@pytest.mark.parametrize("opinions", [1, 2])
def test_checked_rows_count_in_full(opinions):
    """Truths that contradict the labels leave no doubt."""
    rows, truth, _ = simulate(300, 3, 2, seed=6, opinions=opinions, checked=0.2)
    rows.labels[:] = (truth[rows.rows] + 1) % 3
    rows.labels[rows.rows >= 150] = truth[rows.rows[rows.rows >= 150]]
    assert infer_reviews(rows).probability_clean < 1e-6


def test_the_warning_has_a_limit():
    """It comes if shared errors are not excluded."""
    rows = simulated_rows(2000, 5, 3, seed=7, opinions=3)
    summary = summarise_reviews(Uncertainty(infer_reviews(rows)), rows)
    assert (summary.warning is None) == (summary.probability_hard < NOT_EXCLUDED)


def test_a_copied_column_is_warned_of():
    """Copies agree on every mistake, so labels would pass for right."""
    rows, _, _ = simulate(300, 2, 2, seed=8)
    first = rows.labels[rows.reviewers == 0]
    rows.labels[rows.reviewers == 1] = first
    summary = summarise_reviews(Uncertainty(infer_reviews(rows)), rows)
    assert summary.warning is not None
    assert "'r0' and 'r1' gave the same label on all of 300 rows" in summary.warning
    assert "those who contradict them look worse" in summary.warning


def test_a_reviewer_who_nearly_copies_another_is_not_taken_for_hard_rows_alone():
    """Both causes of shared mistakes are named, because opinions do not tell them apart."""
    rng = np.random.default_rng(0)
    rows, _, _ = simulate(400, 3, 3, seed=10, opinions=3)
    copies = rng.random(400) < 0.9
    rows.labels[1::3] = np.where(copies, rows.labels[::3], rows.labels[1::3])
    summary = summarise_reviews(Uncertainty(infer_reviews(rows)), rows)
    assert summary.warning is not None
    assert "hard" in summary.warning
    assert "follow" in summary.warning


@pytest.mark.parametrize("reviewers", [2, 3])
def test_one_who_takes_one_class_for_the_other_does_not_spoil_the_map(reviewers):
    """No explanation keeps its weight in which reviewers are alike."""
    rows, truth, _ = simulate(1500, 2, reviewers, seed=3, opinions=reviewers)
    without = infer_reviews(rows).scaling
    last = rows.reviewers == reviewers - 1
    rows.labels[last] = 1 - rows.labels[last]
    found = infer_reviews(rows).scaling
    losses = [
        -np.log(one.apply_unchecked(rows.scores)[np.arange(1500), truth]).mean()
        for one in (found, without)
    ]
    assert losses[0] < losses[1] + 0.002
