"""Maps of several classes, judged by checked rows that they did not see."""

import numpy as np
import pytest

import lwcal
from lwcal.calibrators.class_crossfit import ClassCrossFitted, cross_predict_checked
from lwcal.class_maps import ClassIdentityMap
from lwcal.diagnosis.class_checks import UNSEEN_ROWS, reading_of_checks
from lwcal.metrics import class_nll
from lwcal.multiclass.checked_classes import read_checked_columns
from tests.multiclass.simulated import drawn, even_noise, noisy_rows


def audited(true, count):
    """The first true classes; None elsewhere."""
    checked = np.full(len(true), None, dtype=object)
    checked[:count] = true[:count]
    return checked


def wrong_where_unclear(seed, n=2000, k=5):
    """Scores that are too sure; labels are wrong where the model hesitates."""
    rng = np.random.default_rng(seed)
    truth = rng.dirichlet(np.full(k, 0.3), n)
    true = drawn(rng, truth)
    second = np.argsort(truth, axis=1)[:, -2]
    other = np.where(second == true, truth.argmax(axis=1), second)
    hard = 1.0 - truth.max(axis=1)
    wrong = rng.random(n) < np.clip(0.35 * hard / hard.mean(), 0.0, 0.9)
    scores = (truth + 1e-9) ** 2
    return scores / scores.sum(axis=1, keepdims=True), true, np.where(wrong, other, true)


def test_losses_are_those_of_the_true_classes():
    """By hand, with the rows that are added."""
    p, q = np.array([[0.7, 0.2, 0.1]]), np.array([[0.5, 0.25, 0.25]])
    rows = ClassCrossFitted(p, q, np.array([0]), np.array([1000.0]))
    scores, predicted = np.repeat(p, 2, axis=0), np.repeat(q, 2, axis=0)
    checked = ClassCrossFitted(scores, predicted, np.array([1, 2]), np.array([15.0, 5.0]))
    found = reading_of_checks(rows, checked, 0.9)
    share = np.array([0.0, 15.0, 5.0]) + UNSEEN_ROWS * (p + q)[0] / 2
    share /= 20.0 + UNSEEN_ROWS
    raw, new = -share @ np.log(p[0]), -share @ np.log(q[0])
    assert found.shares == pytest.approx(tuple(share))
    assert (found.raw_loss, found.calibrated_loss) == pytest.approx((raw, new))
    assert found.gain.value == pytest.approx(1 - new / raw)
    better = np.log(q[0] / p[0])
    error = np.sqrt(share @ (better - share @ better) ** 2 / (19.0 + UNSEEN_ROWS))
    reach = 1.7109 * error / raw  # of Student's t with 24 degrees of freedom
    assert found.gain.high - found.gain.value == pytest.approx(reach, abs=1e-4)
    assert found.raw_errors == found.calibrated_errors == pytest.approx(1 - share[0])


def test_a_map_that_changes_nothing_gains_nothing():
    """A fall is then as likely as a rise."""
    p = np.array([[0.7, 0.2, 0.1]])
    rows = ClassCrossFitted(p, p, np.array([0]), np.array([50.0]))
    found = reading_of_checks(rows, rows, 0.9)
    assert (found.gain, found.likely_gain) == ((0.0, 0.0, 0.0), 0.5)


def test_checks_that_show_no_rare_case_are_not_taken_for_sure():
    """25 rows of the likely class: what a rare one would cost is expected, not seen."""
    p, q = np.array([[0.98, 0.01, 0.01]]), np.array([[0.9999, 0.00005, 0.00005]])
    rows = ClassCrossFitted(p, q, np.array([0]), np.array([1000.0]))
    checked = ClassCrossFitted(p, q, np.array([0]), np.array([25.0]))
    found = reading_of_checks(rows, checked, 0.9)
    assert found.gain.low < -0.02
    assert found.likely_gain < 0.8


def test_nobody_judges_the_map_that_learnt_from_it():
    """Every row and every checked row once, by a map fitted without that fold."""
    scores, true, labels = noisy_rows(300, even_noise(3, 0.2))
    divided = read_checked_columns(scores, labels, y_audited=audited(true, 53)).divided()
    seen = []

    def fit(rows, checked):
        seen.append((rows.n, checked.n))
        return ClassIdentityMap(3)

    rows, checked = cross_predict_checked(fit, divided.everything, divided.checked)
    assert rows.weights.sum() == 300.0
    assert checked.weights.sum() == 53.0
    assert sum(300.0 - n for n, _ in seen) == 300.0
    assert sum(53.0 - n for _, n in seen) == 53.0
    assert max(n for _, n in seen) < 53.0
    known = np.bincount(divided.checked.truths, divided.checked.weights)
    np.testing.assert_array_equal(np.bincount(checked.labels, checked.weights), known)


@pytest.mark.parametrize("seed", range(3))
def test_the_interval_holds_where_errors_depend_on_the_row(seed):
    """Losses corrected by a noise matrix missed it in each of these tables."""
    scores, true, labels = wrong_where_unclear(seed)
    checks = audited(true, 100)
    found = lwcal.diagnose(scores, labels, y_audited=checks, methods=())
    used = lwcal.Audited().fit(scores, labels, y_audited=checks).predict(scores)
    gain = 1 - class_nll(true, used) / class_nll(true, scores)
    assert found.readings.noise_holds.gain.low < gain < found.readings.noise_holds.gain.high
    assert found.recommendation.action == "deploy"
