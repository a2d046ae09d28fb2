"""Methods of many classes: each can be fitted and evaluated, and failures are counted."""

import numpy as np
import pytest

import lwcal
from lwcal_study.classes.cells import ClassScores
from lwcal_study.leaderboard.classes.methods import (
    CLEAN_SCALINGS,
    ORACLE,
    class_methods,
    timed_attempt,
)
from lwcal_study.leaderboard.classes.run import EVALUATED, METRICS, evaluate
from lwcal_study.leaderboard.methods import Method


@pytest.fixture(scope="module")
def rows():
    """Probabilities that are too sure, with some wrong labels."""
    rng = np.random.default_rng(7)
    truth = rng.dirichlet(np.full(3, 0.8), 800)
    y = (rng.random(800)[:, None] > truth.cumsum(axis=1)[:, :-1]).sum(axis=1)
    scores = truth**2 / (truth**2).sum(axis=1, keepdims=True)
    noisy = np.where(rng.random(800) < 0.15, (y + 1) % 3, y)
    return ClassScores(
        scores[:400], y[:400], noisy[:400], scores[400:], y[400:], classes=np.arange(3)
    )


@pytest.mark.parametrize("name", class_methods())
def test_every_method_can_be_evaluated(name, rows):
    """Without a failure, and not wildly worse than the raw score."""
    found = evaluate(class_methods()[name], rows)
    assert found["failure"] == ""
    assert set(METRICS) <= set(found)
    assert found["seconds"] >= 0
    assert found["nll"] < 1.1 * evaluate(class_methods()["Raw"], rows)["nll"]


def test_the_measures_are_those_of_the_library(rows):
    """With its clip, so a forest's zeros cost 13.8 and not infinity."""
    raw = evaluate(class_methods()["Raw"], rows)
    there = lwcal.metrics.class_evaluate(rows.y_test, rows.test)
    for name in EVALUATED:
        assert raw[name] == pytest.approx(there[name], rel=1e-12), name
    sure = rows._replace(test=np.eye(3)[(rows.y_test + 1) % 3])
    assert evaluate(class_methods()["Raw"], sure)["nll"] == pytest.approx(-np.log(1e-6))


def test_oracles_see_the_clean_labels_and_others_do_not(rows):
    """The oracle is the same scaling, fitted to clean labels."""
    found = timed_attempt(class_methods()[ORACLE], rows).attempt.probability
    by_hand = lwcal.MatrixScaling().fit(rows.calibration, rows.y_clean).predict(rows.test)
    np.testing.assert_array_equal(found, by_hand)
    noisy = timed_attempt(class_methods()["MatrixScaling"], rows).attempt.probability
    assert (noisy != by_hand).any()
    assert {name for name, method in class_methods().items() if method.oracle} == set(
        CLEAN_SCALINGS
    )


class Broken:
    """Does what it is told, or not."""

    def __init__(self, act):
        self.act = act

    def fit(self, scores, labels):
        """Learn nothing."""
        return self

    def predict(self, scores):
        """Act."""
        return self.act(scores)


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        (lambda s: s[:, :2], "ArithmeticError: scores of shape (400, 3)"),
        (lambda s: s - 0.5, "ArithmeticError: probabilities outside"),
        (lambda s: s * np.nan, "ArithmeticError: probabilities outside"),
        (lambda s: s * 0.9, "ArithmeticError: rows of probabilities that do not sum to 1"),
        (lambda s: 1 / 0, "ZeroDivisionError"),
    ],
)
def test_a_failure_leaves_the_raw_scores_and_a_reason(rows, act, reason):
    """Wrong columns, no probabilities, rows that do not sum to 1, an error."""
    method = Method("Broken", lambda: Broken(act), "here")
    probability, failure = timed_attempt(method, rows).attempt
    assert failure.startswith(reason)
    np.testing.assert_array_equal(probability, rows.test)
    assert evaluate(method, rows)["nll"] == evaluate(class_methods()["Raw"], rows)["nll"]
