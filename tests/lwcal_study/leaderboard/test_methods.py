"""Methods of the leaderboard: each can be fitted and evaluated, and failures are counted."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import lwcal
from lwcal.errors import MissingExtraError
from lwcal_study.evaluation import METRICS, evaluate
from lwcal_study.leaderboard import other_libraries
from lwcal_study.leaderboard.methods import (
    APART,
    AUDITED,
    Method,
    all_methods,
    attempts,
    own_calibrators,
    verdict,
)
from lwcal_study.scored_rows import ScoredRows


@pytest.fixture(scope="module")
def rows():
    """Scores that are too sure, with some wrong labels."""
    rng = np.random.default_rng(5)
    truth = rng.beta(0.7, 0.7, 600)
    y = (rng.random(600) < truth).astype(int)
    scores = truth**2 / (truth**2 + (1 - truth) ** 2)
    noisy = np.where(rng.random(600) < 0.15, 1 - y, y)
    return ScoredRows(scores[:300], y[:300], noisy[:300], scores[300:], y[300:])


@pytest.mark.parametrize("name", all_methods())
def test_every_method_can_be_evaluated(name, rows):
    """Without a failure, and not wildly worse than the raw score, but for the trimmed ones."""
    method = all_methods()[name]
    for probability, failure in attempts(method, rows):
        assert failure == ""
        found = evaluate(rows.y_test, probability)
        assert set(found) == set(METRICS)
        if not name.startswith("Trimmed"):
            assert found["nll"] < 1.3 * evaluate(rows.y_test, rows.test)["nll"]


def test_a_verdict_needs_an_audit(rows):
    """It rests on the rows of the first plan."""
    assert verdict(all_methods()["Auto"], rows) == ""
    assert verdict(AUDITED[-1], rows) in ("deploy", "keep raw")


def test_our_calibrators_join_by_themselves():
    """Every public class that fits a table is there; the audited one has its budgets instead."""
    public = [getattr(lwcal, name) for name in lwcal.__all__]
    classes = {c for c in public if hasattr(c, "fit_table")}
    assert set(own_calibrators().values()) == classes - {lwcal.ScoreTable, *APART}
    assert {c.checked for c in all_methods().values()} == {0, 25, 50, 100, 200}
    assert own_calibrators()["Raw"] is lwcal.Identity


def test_audited_methods_see_the_clean_labels_of_the_planned_rows(rows):
    """As many as they name, or all there are; other plans give other maps."""
    few, *_, many = AUDITED
    found = [attempt.probability for attempt in attempts(few, rows, plans=3)]
    assert len(found) == 3
    assert (found[0] != found[1]).any()
    plan = lwcal.plan_audit(rows.calibration, rows.y_noisy, 25, random_state=1)
    truths = np.full(300, np.nan)
    truths[plan.rows] = rows.y_clean[plan.rows]
    by_hand = lwcal.Audited().fit(rows.calibration, rows.y_noisy, y_audited=truths)
    np.testing.assert_array_equal(found[1], by_hand.predict(rows.test))
    small = ScoredRows(
        rows.calibration[:40], rows.y_clean[:40], rows.y_noisy[:40], *[rows.test] * 2
    )
    assert not attempts(many, small)[0].failure
    assert few.sees_clean_labels
    assert not few.oracle


def test_oracles_see_the_clean_labels_and_others_do_not(rows):
    """The isotonic oracle is the isotonic fit to clean labels."""
    found = attempts(all_methods()["Isotonic on clean labels"], rows)[0].probability
    by_hand = lwcal.Isotonic().fit(rows.calibration, rows.y_clean).predict(rows.test)
    np.testing.assert_array_equal(found, by_hand)
    noisy = attempts(all_methods()["Isotonic"], rows)[0].probability
    assert (noisy != by_hand).any()


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


def _raise(error):
    raise error


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        (
            lambda s: _raise(ZeroDivisionError("first line\nsecond")),
            "ZeroDivisionError: first line",
        ),
        (lambda s: warnings.warn("no end", ConvergenceWarning, 1) or s, "ConvergenceWarning"),
        (lambda s: s + 2, "ArithmeticError: probabilities outside"),
        (lambda s: s * np.nan, "ArithmeticError"),
        (lambda s: s[1:], "ArithmeticError: 300 rows"),
    ],
)
def test_a_failure_leaves_the_raw_scores_and_a_reason(rows, act, reason):
    """Error, no convergence, no probabilities, too few."""
    [(probability, failure)] = attempts(Method("Broken", lambda: Broken(act), "here"), rows)
    assert failure.startswith(reason)
    assert "\n" not in failure
    np.testing.assert_array_equal(probability, rows.test)


def test_one_class_of_labels_is_a_failure_of_those_that_need_two(rows):
    """Counted, not raised."""
    single = ScoredRows(rows.calibration, rows.y_clean, rows.y_noisy * 0, rows.test, rows.y_test)
    for name in ("Platt", "Quadratic", "Temperature"):
        assert attempts(all_methods()[name], single)[0].failure


def test_a_method_cannot_silence_warnings_for_others(rows):
    """Some libraries switch all warnings off."""

    def silence(scores):
        warnings.simplefilter("ignore")
        np.seterr(all="ignore")
        return scores

    before = np.geterr()
    attempts(Method("Silent", lambda: Broken(silence), "here"), rows)
    assert np.geterr() == before
    with pytest.raises(UserWarning, match="still heard"):
        warnings.warn("still heard", stacklevel=1)


def test_temperature_keeps_the_order_and_cools(rows):
    """Scores that are too sure come out less so, in the same order."""
    fitted = other_libraries.Temperature().fit(rows.calibration, rows.y_noisy)
    grid = np.linspace(0.01, 0.99, 50)
    assert (np.diff(fitted.predict(grid)) > 0).all()
    assert fitted.predict(np.array([0.99]))[0] < 0.99
    model = other_libraries.ScoreModel().fit(None, [0, 1])
    assert model.predict(np.array([[0.2], [0.7]])).tolist() == [0, 1]


def test_a_missing_library_is_one_line(monkeypatch):
    """With the command that installs it."""
    monkeypatch.setattr(other_libraries, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r'betacal.*pip install "lwcal\[leaderboard\]"'):
        all_methods()
