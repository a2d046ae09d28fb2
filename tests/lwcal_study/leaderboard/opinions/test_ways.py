"""Ways to calibrate from several opinions: what each sees, and what it makes of it."""

import numpy as np
import pytest

import lwcal
from lwcal_study.leaderboard.opinions import methods, ways
from lwcal_study.leaderboard.opinions.methods import ONE, THRICE, TWICE, methods_of, opinion_methods
from lwcal_study.leaderboard.opinions.run import METRICS, evaluate
from lwcal_study.leaderboard.opinions.ways import Asked, labels_of
from lwcal_study.opinions.cells import HARD, INDEPENDENT, RATERS, OpinionScores
from lwcal_study.opinions.reviewers import (
    asking_order,
    drawn_matrices,
    drawn_opinions,
    error_rates,
)


def drawn(n_classes, n=400, seed=0):
    """Probabilities that are too sure, and the opinions of three reviewers."""
    rng = np.random.default_rng(seed)
    truth = rng.dirichlet(np.full(n_classes, 0.7), 2 * n)
    y = (rng.random(2 * n)[:, None] > truth.cumsum(axis=1)[:, :-1]).sum(axis=1)
    scores = truth**2 / (truth**2).sum(axis=1, keepdims=True)
    matrices = drawn_matrices(n_classes, rng)
    return OpinionScores(
        scores[:n],
        y[:n],
        drawn_opinions(matrices, y[:n], rng),
        asking_order(n, rng),
        rng.permutation(n),
        scores[n:],
        y[n:],
        matrices,
        error_rates(matrices, hard=False),
    )


@pytest.fixture(scope="module")
def two():
    """Rows of two classes."""
    return drawn(2)


@pytest.fixture(scope="module")
def five():
    """Rows of five classes."""
    return drawn(5, n=300, seed=1)


@pytest.mark.parametrize("name", opinion_methods())
def test_every_method_can_be_evaluated(name, two):
    """Without a failure, and not wildly worse than the raw score."""
    found = evaluate(opinion_methods()[name], two)
    assert found["failure"] == ""
    assert set(METRICS) <= set(found)
    assert found["nll"] < 1.1 * evaluate(methods.RAW_SCORES, two)["nll"]


@pytest.mark.parametrize("method", methods_of(INDEPENDENT, 5), ids=lambda method: method.name)
def test_and_with_more_classes(method, five):
    """The same."""
    found = evaluate(method, five)
    assert found["failure"] == ""
    assert found["nll"] < 1.1 * evaluate(methods.RAW_SCORES, five)["nll"]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [(ONE, 400), (Asked(100), 500), (TWICE, 800), (THRICE, 1200)],
)
def test_as_many_labels_are_seen_as_are_paid(two, asked, expected):
    """Each is what the reviewer of its column said, and the first label is always there."""
    labels = labels_of(two, asked)
    seen = ~np.isnan(labels)
    assert seen.sum() == expected == len(labels) + asked.extra(len(labels))
    np.testing.assert_array_equal(labels[seen], two.opinions[seen])
    first = np.take_along_axis(labels, two.order[:, :1], axis=1)[:, 0]
    np.testing.assert_array_equal(first, ways.first_labels(two))


def test_a_majority_is_that_of_the_votes(two):
    """Of three labels of two classes there is always one; of two, the first decides."""
    three = ways.voted(two, THRICE).consensus.argmax(axis=1)
    np.testing.assert_array_equal(three, two.opinions.sum(axis=1) > 1)
    of_two = ways.voted(two, TWICE).consensus.argmax(axis=1)
    np.testing.assert_array_equal(of_two, ways.first_labels(two))


def test_clean_and_audited_see_the_truth(two):
    """The oracle is Platt on clean labels; the expert checks only the picked rows."""
    fitted = ways.clean(two, ONE).calibrator
    by_hand = lwcal.Platt().fit(two.calibration[:, 1], two.y_clean)
    np.testing.assert_array_equal(fitted.predict(two.test[:, 1]), by_hand.predict(two.test[:, 1]))
    assert ways.audited(two, Asked(checked=50)).calibrator.diagnostics_["audited"] == 50


def test_known_matrices_give_almost_the_clean_scaling():
    """With three opinions on many rows."""
    rows = drawn(2, n=4000, seed=2)
    clean = ways.clean(rows, ONE).calibrator.predict(rows.test[:, 1])
    told = ways.told(rows, THRICE).calibrator.predict(rows.test[:, 1])
    np.testing.assert_allclose(told, clean, atol=0.03)


def test_dawid_skene_is_that_of_crowd_kit(two):
    """Probabilities of all rows and classes, more often right than a majority of unequal people."""
    if not methods.has_crowd_kit():
        pytest.skip("crowd-kit is not installed: make setup")
    found = evaluate(methods.consensus(THRICE), two)
    assert found["failure"] == ""
    assert found["consensus_accuracy"] > 0.85


def test_coverage_is_counted_against_the_true_rates(two):
    """The estimates themselves are covered, rates of 1 never; those of real people are unknown."""
    reviewers = ways.reviewed(two, THRICE).reviews.reviewers
    estimated = np.stack([1 - np.diag(one.matrix) for one in reviewers])
    good = evaluate(methods.reviewed(THRICE), two._replace(rates=estimated))
    assert (good["covered"], good["covered_classes"]) == (1, 1)
    bad = evaluate(methods.reviewed(THRICE), two._replace(rates=np.ones_like(two.rates)))
    assert (bad["covered"], bad["covered_classes"]) == (0, 0)
    unknown = evaluate(methods.reviewed(THRICE), two._replace(rates=None, matrices=None))
    assert unknown["covered"] is None
    assert unknown["warned"] in (0, 1)


def test_a_consensus_is_not_judged_by_labels_that_contain_it(two):
    """As of nodules, whose trusted labels have the opinions in them."""
    assert evaluate(methods.voted(THRICE), two, apart=False)["consensus_accuracy"] is None
    assert evaluate(methods.voted(THRICE), two)["consensus_accuracy"] > 0.7


def test_a_failure_leaves_the_raw_scores_and_a_reason(two):
    """Counted, and nothing is said of reviewers."""
    broken = methods.reviewed(TWICE)._replace(fit=lambda rows, asked: 1 / 0)
    found = evaluate(broken, two)
    assert found["failure"].startswith("ZeroDivisionError")
    assert found["nll"] == pytest.approx(evaluate(methods.RAW_SCORES, two)["nll"], rel=1e-12)
    assert found["covered"] is None


def test_each_kind_of_reviewers_has_its_methods(monkeypatch):
    """The baseline and the oracle are everywhere; without crowd-kit its methods are left out."""
    for kind in (INDEPENDENT, HARD, RATERS):
        names = [method.name for method in methods_of(kind, 2)]
        assert {methods.AUTO.name, methods.CLEAN.name, methods.reviewed(TWICE).name} <= set(names)
    assert len(methods_of(INDEPENDENT, 5)) < len(methods_of(INDEPENDENT, 2))
    monkeypatch.setattr(methods, "find_spec", lambda name: None)
    assert not any(method.source == methods.CROWD_KIT for method in opinion_methods().values())
