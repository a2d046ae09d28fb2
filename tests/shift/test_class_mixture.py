"""New rows as a mixture of labels, and the base rates that follow from it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwcal.multiclass.class_cells import ClassCells
from lwcal.multiclass.class_noise import ClassNoiseEstimate
from lwcal.noise.estimate import RateEstimate
from lwcal.shift.class_base_rates import class_base_rates_from
from lwcal.shift.class_mixture import ClassMixture, fit_class_mixture
from lwcal.shift.noise_matrices import drawn_matrices
from tests.multiclass.simulated import even_noise


def cells_of(parts, sizes):
    """Cells of a fit: ``parts`` has the distribution of each label."""
    counts = parts / parts.sum(axis=0) * sizes
    return ClassCells(np.full((parts.shape[1], len(parts) // parts.shape[1] - 1), 0.5), counts)


PARTS = np.repeat(np.eye(3), 4, axis=0) + np.random.default_rng(0).random((12, 3)) / 3


@given(shares=st.lists(st.floats(0.02, 1.0), min_size=3, max_size=3))
def test_a_mixture_is_found(shares):
    """With very many rows, exactly."""
    shares = np.array(shares) / sum(shares)
    cells = cells_of(PARTS, np.full(3, 1e9))
    found = fit_class_mixture(cells, 1e9 * (cells.counts / 1e9 @ shares))
    np.testing.assert_allclose(found.shares, shares, atol=1e-4)
    assert found.p_value > 0.5
    assert found.distance == pytest.approx(0.0, abs=1e-3)


def test_errors_are_as_large_as_they_say():
    """Over many samples, with few rows of the fit, too."""
    rng = np.random.default_rng(1)
    truth = PARTS / PARTS.sum(axis=0)
    shares, off, said, p = np.array([0.6, 0.3, 0.1]), [], [], []
    for _ in range(200):
        counts = np.column_stack([rng.multinomial(100, part) for part in truth.T]).astype(float)
        new = rng.multinomial(300, truth @ shares).astype(float)
        found = fit_class_mixture(ClassCells(np.full((3, 3), 0.5), counts), new)
        off.append(found.shares - shares)
        said.append(np.sqrt(np.diagonal(found.covariance)))
        p.append(found.p_value)
    np.testing.assert_allclose(np.std(off, axis=0), np.mean(said, axis=0), rtol=0.2)
    assert np.mean(np.array(p) < 0.05) <= 0.07


def test_labels_with_equal_scores_have_large_errors():
    """Only the sum of both shares is known."""
    parts = PARTS.copy()
    parts[:, 2] = parts[:, 1]
    found = fit_class_mixture(cells_of(parts, np.full(3, 1000.0)), 1e3 * parts.sum(axis=1))
    assert np.sqrt(found.covariance[1, 1]) > 0.5
    assert np.sqrt(found.covariance[0, 0]) < 0.1


def noise_of(matrix, spread, clean=0.0):
    """An estimate of a noise matrix."""
    matrix = np.asarray(matrix)
    rate = RateEstimate(0.2, 0.1, 0.3, 1.0)
    low, high = np.clip(matrix - spread, 0, 1), np.clip(matrix + spread, 0, 1)
    k = len(matrix)
    return ClassNoiseEstimate(
        tuple(range(k)), matrix, low, high, (rate,) * k, rate, clean, {"x": 1.0}, 0.9
    )


def test_drawn_matrices_agree_with_the_estimate():
    """Means, spreads, the probability of right labels; rows add up to 1."""
    matrix = even_noise(4, 0.3)
    drawn = drawn_matrices(noise_of(matrix, 0.05), 4000, np.random.default_rng(0))
    np.testing.assert_allclose(drawn.sum(axis=2), 1.0)
    np.testing.assert_allclose(drawn.mean(axis=0), matrix, atol=0.01)
    assert drawn[:, 0, 0].std() == pytest.approx(0.05 / 1.645, rel=0.1)
    half = drawn_matrices(noise_of(matrix, 0.05, clean=0.5), 100, np.random.default_rng(0))
    assert (half == np.eye(4)).all(axis=(1, 2)).sum() == 50
    sure = drawn_matrices(noise_of(matrix, 0.0), 10, np.random.default_rng(0))
    np.testing.assert_allclose(sure, np.broadcast_to(matrix, (10, 4, 4)))


def test_base_rates_undo_the_noise():
    """The mixture of labels that base rates cause leads back to them."""
    noise = even_noise(3, 0.3)
    before, now = np.array([0.2, 0.3, 0.5]), np.array([0.9, 0.05, 0.05])
    labels = before @ noise
    among = before[:, None] * noise / labels  # true classes of each label
    shares = np.linalg.solve(among, now)
    assert shares.min() < 0.0
    mixture = ClassMixture(shares, 1e-6 * (np.eye(3) - 1 / 3), 0.5, 0.0)
    found = class_base_rates_from(
        mixture, 1e7 * labels, noise_of(noise, 0.0), n=1e6, estimated=False
    )
    np.testing.assert_allclose([one.value for one in found.estimates], now, atol=0.005)
    assert found.probability > 0.5
    trusted = class_base_rates_from(mixture, 1e7 * labels, None, n=1e6, estimated=False)
    assert trusted.probability < 1e-6
    assert trusted.estimates is None
    wide = class_base_rates_from(mixture, 1e7 * labels, noise_of(noise, 0.0), n=1e6, estimated=True)
    assert wide.estimates[0].high - wide.estimates[0].low > 0.0


def test_a_matrix_that_says_nothing_is_left_out():
    """Labels that do not depend on the class leave no base rates."""
    mixture = ClassMixture(np.full(3, 1 / 3), 1e-4 * (np.eye(3) - 1 / 3), 0.5, 0.0)
    noise = noise_of(np.full((3, 3), 1 / 3), 0.0)
    found = class_base_rates_from(mixture, np.full(3, 100.0), noise, n=100.0, estimated=False)
    assert found.estimates is None


def test_the_distance_is_a_share_of_the_rows():
    """Also where the nearest mixture has shares far beyond 0 and 1."""
    alike = np.array([[0.5, 0.3, 0.2], [0.5, 0.2, 0.3], [0.45, 0.25, 0.3]])
    found = fit_class_mixture(
        cells_of(alike, [9000, 9000, 9000]), 9000.0 * np.array([0.05, 0.9, 0.05])
    )
    assert 0.0 < found.distance <= 1.0
