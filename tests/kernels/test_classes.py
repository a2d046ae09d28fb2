"""The likelihood of noisy labels of several classes, in both backends."""

import numpy as np
import pytest
from scipy.special import log_softmax, logsumexp

import lwcal

SIZES = [1, 7, 8, 9, 127, 128, 129, 2100]
"""Numbers of rows, around whole registers, blocks and pieces of the compiled kernel."""
STEP = 1e-6


def rows_of(size, classes, seed=0, *, diagonal=False):
    """Features, labels and weights; a scaling; and the chances of every label."""
    rng = np.random.default_rng(seed)
    features = rng.normal(0.0, 2.0, (classes, size))
    labels = rng.integers(0, classes, size)
    weights = rng.uniform(0.5, 2.0, size)
    matrix = rng.normal(1.0, 0.3, classes)
    if not diagonal:
        matrix = np.diag(matrix) + rng.normal(0.0, 0.1, (classes, classes))
    chances = rng.dirichlet(np.ones(classes), classes)
    return features, labels, weights, matrix, rng.normal(size=classes), chances


def by_hand(features, labels, weights, matrix, intercepts, chances):
    """The log likelihood, and the expected weight of each label and true class."""
    whole = np.diag(matrix) if matrix.ndim == 1 else matrix
    logs = log_softmax(features.T @ whole.T + intercepts, axis=1) + np.log(chances.T[labels])
    explained = logsumexp(logs, axis=1)
    counts = np.zeros(chances.shape)
    np.add.at(counts, labels, np.exp(logs - explained[:, None]) * weights[:, None])
    return weights @ explained, counts


@pytest.mark.parametrize("diagonal", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_by_hand(backend, size, diagonal):
    """The likelihood and the expected counts, whose sum is the weight of the labels."""
    given = rows_of(size, 4, diagonal=diagonal)
    found, *_, counts = backend.class_likelihood(*given)
    expected, expected_counts = by_hand(*given)
    assert found == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(counts, expected_counts, rtol=1e-9, atol=1e-12)
    of_labels = np.bincount(given[1], given[2], minlength=4)
    np.testing.assert_allclose(counts.sum(axis=1), of_labels)


@pytest.mark.parametrize("diagonal", [False, True])
def test_the_gradients_are_slopes(backend, diagonal):
    """Against small steps in every number of the scaling."""
    features, labels, weights, matrix, intercepts, chances = rows_of(60, 3, diagonal=diagonal)

    def height(matrix, intercepts):
        given = features, labels, weights, matrix, intercepts, chances
        return backend.class_likelihood(*given)[0]

    _, by_matrix, by_intercepts, _ = backend.class_likelihood(
        features, labels, weights, matrix, intercepts, chances
    )
    for place in range(matrix.size):
        step = np.zeros(matrix.size)
        step[place] = STEP
        step = step.reshape(matrix.shape)
        slope = (height(matrix + step, intercepts) - height(matrix - step, intercepts)) / (2 * STEP)
        assert by_matrix[place] == pytest.approx(slope, rel=1e-5, abs=1e-5)
    for place in range(3):
        step = STEP * np.eye(3)[place]
        slope = (height(matrix, intercepts + step) - height(matrix, intercepts - step)) / (2 * STEP)
        assert by_intercepts[place] == pytest.approx(slope, rel=1e-5, abs=1e-5)


def test_extreme_scores_stay_finite(backend):
    """A label that the scaling calls impossible, with chances of 0 elsewhere."""
    features = np.array([[2000.0, -2000.0], [-2000.0, 2000.0]])
    found = backend.class_likelihood(
        features, np.array([1, 0]), np.ones(2), np.ones(2), np.zeros(2), np.eye(2)
    )
    assert found[0] == pytest.approx(-1400.0)
    for values in found[1:]:
        assert np.isfinite(values).all()


def test_threads_do_not_matter():
    """Bit for bit, with several pieces."""
    compiled = pytest.importorskip("lwcal.kernels.compiled")
    given = rows_of(20_000, 5)
    with lwcal.thread_limit(1):
        expected = compiled.class_likelihood(*given)
    with lwcal.thread_limit(8):
        found = compiled.class_likelihood(*given)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)
