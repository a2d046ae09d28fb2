"""Audited with several classes: what checked labels add, and that they are read rightly."""

import numpy as np
import pytest

import lwcal
from lwcal.artifact import from_document, to_document
from lwcal.errors import InputError
from lwcal.metrics import class_nll
from lwcal.multiclass.checked_classes import read_checked_columns
from tests.multiclass.simulated import even_noise, next_noise, noisy_rows


def audited(true, count, seed=0):
    """True classes of some rows, chosen at random; None elsewhere."""
    checked = np.full(len(true), None, dtype=object)
    chosen = np.random.default_rng(seed).permutation(len(true))[:count]
    checked[chosen] = true[chosen]
    return checked


def test_without_checks_it_is_noise_aware():
    """To the last bit."""
    scores, _, labels = noisy_rows(500, even_noise(4, 0.2))
    one, other = (made.fit(scores, labels) for made in (lwcal.Audited(), lwcal.NoiseAware()))
    np.testing.assert_array_equal(one.map_.matrix, other.map_.matrix)
    assert one.diagnostics_["audited"] == 0.0


def test_checks_settle_what_labels_cannot_tell():
    """Labels that are wrong where the model hesitates look right."""
    scores, true, _ = noisy_rows(3000, np.eye(4), clarity=0.3)
    second = np.argsort(scores, axis=1)[:, -2]
    rng = np.random.default_rng(1)
    labels = np.where((scores.max(axis=1) < 0.95) & (rng.random(3000) < 0.5), second, true)
    losses = [
        class_nll(
            true,
            lwcal.Audited().fit(scores, labels, y_audited=audited(true, count)).predict(scores),
        )
        for count in (0, 100, 400)
    ]
    assert losses[2] < losses[1] < losses[0]
    assert losses[2] - class_nll(true, scores) < 0.5 * (losses[0] - class_nll(true, scores))


def test_the_share_of_wrong_labels_is_known_by_checks():
    """Where no case is clear."""
    scores, true, labels = noisy_rows(2000, even_noise(3, 0.3), clarity=5.0)
    found = lwcal.Audited().fit(scores, labels, y_audited=audited(true, 200))
    assert lwcal.NoiseAware().fit(scores, labels).noise_.wrong.value is None
    low, high = (found.diagnostics_[name] for name in ("wrong_low", "wrong_high"))
    assert low < 0.3 < high
    assert high - low < 0.2
    assert found.noise_.identified


def test_saved_and_loaded():
    """With what the checks say."""
    scores, true, labels = noisy_rows(400, next_noise(3, 0.2))
    fitted = lwcal.Audited().fit(scores, labels, y_audited=audited(true, 50))
    read = from_document(to_document(fitted))
    np.testing.assert_array_equal(read.predict(scores), fitted.predict(scores))
    assert read.diagnostics_ == fitted.diagnostics_


def test_two_columns_are_one():
    """Checked rows too."""
    scores, true, labels = noisy_rows(600, even_noise(2, 0.2))
    checked = audited(true, 60)
    both = lwcal.Audited().fit(scores, labels, y_audited=checked)
    one = lwcal.Audited().fit(scores[:, 1], labels, y_audited=checked)
    np.testing.assert_allclose(both.predict(scores)[:, 1], one.predict(scores[:, 1]), atol=1e-9)
    assert both.classes_.tolist() == [0, 1]


def test_rows_are_read_once():
    """Checked and unchecked rows make up all of them; weights of 0 are left out."""
    scores, true, labels = noisy_rows(50, np.eye(3))
    weights = np.ones(50)
    weights[:5] = 0.0
    found = read_checked_columns(scores, labels, weights, y_audited=audited(true, 50)).divided()
    assert found.checked.n == found.everything.n == 45.0
    assert found.unchecked.n == 0.0
    assert lwcal.Audited().fit(scores, labels, y_audited=true).diagnostics_["audited"] == 50.0


def test_chosen_with_unequal_probabilities():
    """A choice by something else than score and label is weighted away."""
    scores, true, labels = noisy_rows(400, even_noise(3, 0.2))
    chance = np.where(np.arange(400) % 2, 0.5, 0.1)
    found = read_checked_columns(
        scores, labels, y_audited=audited(true, 100), audit_probability=chance
    ).divided()
    assert found.checked.n < 100.0
    assert np.ptp(found.checked.weights) > 0.5


def test_truths_of_no_class_are_refused():
    """With the row."""
    scores, _, labels = noisy_rows(20, np.eye(3))
    with pytest.raises(InputError, match=r"row 2 \('x'\)"):
        lwcal.Audited().fit(scores, labels, y_audited=[None, None, "x"] + [None] * 17)


@pytest.mark.parametrize(("wrong", "count"), [(0.0, 100), (0.3, 200)])
def test_the_verdict_rests_on_the_checks(wrong, count):
    """It says so, and what it recommends does not harm."""
    scores, true, labels = noisy_rows(1500, even_noise(4, wrong), slope=2.0)
    found = lwcal.diagnose(scores, labels, y_audited=audited(true, count), methods=())
    assert found.evidence == "checked labels"
    assert found.checked == count
    assert f"By the {count} checked labels" in found.recommendation.reason
    assert found.recommendation.headline == "Deploy audited"
    used = lwcal.Audited().fit(scores, labels, y_audited=audited(true, count)).predict(scores)
    assert class_nll(true, used) < class_nll(true, scores)


def test_the_estimate_does_not_contradict_the_checks():
    """Labels that are wrong where the scores allow it look right; checked rows show them."""
    rng = np.random.default_rng(0)
    scores = rng.dirichlet([0.6] * 4, 2000)
    true = (rng.random((2000, 1)) > scores.cumsum(axis=1)[:, :-1]).sum(axis=1)
    top = scores.argmax(axis=1)
    labels = np.where(rng.random(2000) < 0.5, top, true)
    truths = audited(true, 200)
    found = lwcal.Audited().fit(scores, labels, y_audited=truths).noise_
    is_checked = np.array([truth is not None for truth in truths])
    checked = np.mean((labels != true)[is_checked])
    assert abs(found.wrong.value - checked) < 0.06
    assert found.wrong.low < np.mean(labels != true) < found.wrong.high
    alone = lwcal.NoiseAware().fit(scores, labels).noise_
    assert alone.wrong.value is None or alone.wrong.value < checked - 0.06


def test_checks_that_leave_it_open_ask_for_as_many_again():
    """A fall that is likely, but not by 80%, is no reason to deploy."""
    scores, true, labels = noisy_rows(1500, even_noise(4, 0.3), slope=2.0)
    found = lwcal.diagnose(scores, labels, y_audited=audited(true, 100), methods=())
    assert 0.5 < found.readings.noise_holds.likely_gain < 0.8
    advised = found.recommendation
    assert (advised.action, advised.calibrator, advised.checks) == ("audit", "identity", 100)
    assert advised.reason.endswith("100 more checks may tell.")
