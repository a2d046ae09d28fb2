"""Calibrators of several classes on rows they did not see."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression

import lwcal
from lwcal import ClassRows
from lwcal.calibrators.class_crossfit import cross_predict_classes
from lwcal.diagnosis.class_comparison import compare_classes
from lwcal.errors import ParameterError
from lwcal.metrics import class_nll
from tests.class_frames import NAMES, class_frame, scores_of

METHODS = ["identity", "temperature", "matrix-scaling"]


@pytest.fixture
def rows():
    """Overconfident scores."""
    frame = class_frame(600)
    return ClassRows.from_arrays(scores_of(frame), frame["label"], classes=NAMES)


def by_method(found):
    """Candidates by their names."""
    return {one.method: one for one in found.candidates}


def test_the_raw_score_is_the_yardstick(rows):
    """It changes nothing; those that flatten the scores do better on other rows."""
    steps = []
    found = compare_classes(rows, METHODS, on_progress=lambda: steps.append(1))
    assert len(steps) == 3
    one = by_method(found)
    assert one["identity"].labelled_change == (0.0, 0.0, 0.0)
    assert one["temperature"].labelled_change.high < 0.0
    raw, flat = (one[name].labelled["nll"] for name in ("identity", "temperature"))
    assert flat - raw == pytest.approx(one["temperature"].labelled_change.value)
    losses = [candidate.corrected["nll"].value for candidate in found.candidates]
    assert losses == sorted(losses)


def test_rows_are_judged_by_fits_to_others():
    """Random labels: a matrix that saw the rows seems to be better than it is."""
    rng = np.random.default_rng(0)
    scores, labels = rng.dirichlet(np.ones(6), 120), rng.integers(0, 6, 120)
    seen = class_nll(labels, lwcal.MatrixScaling().fit(scores, labels).predict(scores))
    found = compare_classes(ClassRows.from_arrays(scores, labels), ["matrix-scaling"])
    assert found.candidates[0].labelled["nll"] > seen + 0.01


def test_fractional_weights_and_few_rows(rows):
    """Every row is judged once."""
    weighted = replace(rows, weights=rows.weights / 3)
    assert by_method(compare_classes(weighted, METHODS))["identity"].labelled_change.value == 0.0
    few = ClassRows.from_arrays([[0.6, 0.2, 0.2], [0.2, 0.2, 0.6]], [0, 2])
    assert compare_classes(few, ["temperature"]).n == 2


def noisy_rows(seed, trained_on, wrong=0.2, n=3000, k=5):
    """Scores of a model trained on right or on wrong labels, other labels, and their truth."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(k, 6))
    truth = rng.integers(0, k, 2 * n)
    features = centres[truth] + rng.normal(size=(2 * n, 6))
    flipped = rng.random(2 * n) < wrong
    labels = np.where(flipped, (truth + rng.integers(1, k, 2 * n)) % k, truth)
    model = LogisticRegression(max_iter=500)
    model.fit(features[:n], (labels if trained_on == "wrong" else truth)[:n])
    return model.predict_proba(features[n:]), labels[n:], truth[n:]


@pytest.mark.parametrize(("trained_on", "wrong"), [("wrong", 0.2), ("right", 0.2), ("right", 0.0)])
def test_intervals_hold_the_truth(trained_on, wrong):
    """They know that the noise is estimated: with its expected matrix alone, hardly one did."""
    held, too_narrow = 0, 0
    for seed in range(4):
        scores, labels, truth = noisy_rows(seed, trained_on, wrong)
        columns = range(5)
        found = lwcal.compare(scores, labels, methods=["identity"], classes=columns)
        alone = lwcal.compare(
            scores,
            labels,
            methods=["identity"],
            classes=columns,
            noise_matrix=found.noise_matrix,
        )
        actual = class_nll(truth, scores)
        corrected, given = (one.candidates[0].corrected["nll"] for one in (found, alone))
        assert corrected.value == pytest.approx(given.value)
        held += corrected.low <= actual <= corrected.high
        too_narrow += not given.low <= actual <= given.high
    assert held == 4
    assert too_narrow == (4 if wrong else 0)


@pytest.mark.parametrize("noise", ["even", "by class"])
def test_intervals_hold_the_truth_where_labels_cannot_tell(noise):
    """Sharp right scores beside wrong labels look like a bad model beside right ones."""
    for seed in range(3, 7):
        rng = np.random.default_rng(seed)
        centres, truth = 1.5 * rng.normal(size=(4, 3)), rng.integers(0, 4, 1000)
        x = centres[truth] + rng.normal(size=(1000, 3))
        scores = softmax(1.3 * (x @ centres.T - (centres**2).sum(axis=1) / 2), axis=1)
        rate = {"even": 0.2, "by class": np.array([0.0, 0.4, 0.1, 0.2])[truth]}[noise]
        wrong = rng.random(1000) < rate
        labels = np.where(wrong, (truth + rng.integers(1, 4, 1000)) % 4, truth)
        actual = class_nll(truth, scores)
        # right labels are the same for both
        for rows, narrow in ((labels, False), (truth, True))[: 2 if noise == "even" else 1]:
            found = compare_classes(ClassRows.from_arrays(scores, rows), ["identity"])
            corrected = found.candidates[0].corrected["nll"]
            assert corrected.low <= actual <= corrected.high
            assert (corrected.high - corrected.low < 0.15) == narrow


def test_changes_hold_the_truth():
    """How much a correction gains depends on how many labels are wrong, which is not known well."""
    held = 0
    for seed in range(4):
        scores, labels, truth = noisy_rows(seed, "wrong")
        rows = ClassRows.from_arrays(scores, labels, classes=range(5))
        found = by_method(compare_classes(rows, ["identity", "auto"]))["auto"]
        fitted = cross_predict_classes(lwcal.Auto, rows)
        true_of = dict(zip(map(bytes, scores / scores.sum(axis=1)[:, None]), truth, strict=True))
        again = np.array([true_of[bytes(one)] for one in fitted.scores])
        actual = class_nll(again, fitted.predicted) - class_nll(again, fitted.scores)
        change = found.corrected_change
        assert actual < change.value < 0.0 < found.labelled_change.low
        held += change.low <= actual <= change.high
    assert held >= 3


def test_two_columns_are_corrected_for_draws_of_the_flip_rates():
    """As one column is."""
    rng = np.random.default_rng(0)
    p = rng.beta(0.3, 0.3, 1500)
    truth = rng.random(1500) < p
    labels = truth ^ (rng.random(1500) < 0.2)
    noisy = 0.2 + 0.6 * p
    both = lwcal.compare(np.column_stack([1 - noisy, noisy]), labels, methods=["identity"])
    one = lwcal.compare(noisy, labels, methods=["identity"])
    two_columns, one_column = (each.candidates[0].corrected["nll"] for each in (both, one))
    assert tuple(two_columns) == pytest.approx(tuple(one_column), abs=0.03)
    assert two_columns.high - two_columns.low > 0.05


def test_calibrators_of_one_column_are_refused(rows):
    """By name."""
    with pytest.raises(ParameterError, match=r"several classes .*, got 'platt'"):
        compare_classes(rows, ["platt"])


def test_the_public_call_takes_columns_and_a_known_matrix():
    """As the rows do; and refuses what belongs to one column."""
    frame = class_frame(300)
    scores = scores_of(frame)
    noise = 0.9 * np.eye(len(NAMES)) + 0.1 / len(NAMES)
    found = lwcal.compare(
        scores, frame["label"], classes=NAMES, methods=METHODS, noise_matrix=noise, n_resamples=20
    )
    np.testing.assert_allclose(found.noise_matrix, noise)
    assert {candidate.method for candidate in found.candidates} == set(METHODS)
    with pytest.raises(ParameterError, match="noise_matrix with several columns"):
        lwcal.compare(scores, frame["label"], classes=NAMES, noise_rates=(0.1, 0.1))
    with pytest.raises(ParameterError, match="noise_rates with one column"):
        lwcal.compare([0.2, 0.8], [0, 1], noise_matrix=np.eye(2))
