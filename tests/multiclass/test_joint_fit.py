"""Scalings of class probabilities: the optimum, the order of rows, weights, and few rows."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax

from lwcal.class_maps import centred_logs
from lwcal.errors import InputError
from lwcal.multiclass.class_rows import ClassRows
from lwcal.multiclass.joint_fit import fit_scaling
from lwcal.multiclass.scaling_numbers import ScalingPrior

PRIORS = {
    "temperature": ScalingPrior(2.0),
    "vector": ScalingPrior(2.0, 0.8, 0.2),
    "matrix": ScalingPrior(2.0, 0.8, 0.2, 0.3),
}


def rows_of(n, n_classes=4, seed=0):
    """Overconfident scores with labels drawn from the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.dirichlet(np.full(n_classes, 0.5), n)
    labels = (rng.random((n, 1)) > truth.cumsum(axis=1)[:, :-1]).sum(axis=1)
    sharp = truth**2
    return sharp / sharp.sum(axis=1, keepdims=True), labels


def penalised_loss(fitted, scores, labels, prior):
    """Loss of a scaling, with the best split of its matrix between slope, diagonal and rest."""
    x = centred_logs(scores, fitted.softness)
    logs = log_softmax(x @ fitted.matrix.T + fitted.intercepts, axis=1)
    loss = -logs[np.arange(len(labels)), labels].sum()
    if prior.intercepts:
        loss += 0.5 * (fitted.intercepts**2).sum() / prior.intercepts**2
    diagonal = np.diagonal(fitted.matrix)
    wide = (prior.off_diagonal / len(diagonal)) ** 2
    off = fitted.matrix - np.diag(diagonal)
    if wide:
        loss += 0.5 * (off**2).sum() / wide

    def of_slope(log_slope):
        value = 0.5 * (log_slope[0] / prior.log_slope) ** 2
        rest = diagonal - np.exp(log_slope[0])
        spread = prior.diagonal**2 + wide  # the diagonal of the matrix takes its part
        return value + (0.5 * (rest**2).sum() / spread if spread else 0.0)

    start = [float(np.log(diagonal.mean()))]
    return loss + (minimize(of_slope, start).fun if prior.diagonal else of_slope(start))


@pytest.mark.parametrize("name", PRIORS)
def test_no_other_scaling_is_more_probable(name):
    """Small changes in every direction raise the loss."""
    scores, labels = rows_of(400)
    prior = PRIORS[name]
    fitted = fit_scaling(ClassRows.from_arrays(scores, labels), prior)
    least = penalised_loss(fitted, scores, labels, prior)
    rng = np.random.default_rng(1)
    for size in (0.003, 0.03):
        for _ in range(10):
            change = np.eye(4) * rng.normal(0, size)
            if prior.diagonal:
                change += np.diag(rng.normal(0, size, 4))
            if prior.off_diagonal:
                change += rng.normal(0, size, (4, 4))
            shift = rng.normal(0, size, 4) if prior.intercepts else 0.0
            other = type(fitted)(fitted.matrix + change, fitted.intercepts + shift, fitted.softness)
            assert penalised_loss(other, scores, labels, prior) > least - 1e-7


@pytest.mark.parametrize("name", PRIORS)
def test_the_truth_is_found(name):
    """Many rows undo what made the scores overconfident."""
    scores, labels = rows_of(40_000)
    fitted = fit_scaling(ClassRows.from_arrays(scores, labels), PRIORS[name])
    np.testing.assert_allclose(np.diagonal(fitted.matrix), 0.5, atol=0.03)


def test_few_rows_give_nearly_temperature_scaling():
    """What a class adds to the slope needs rows that show it."""
    scores, labels = rows_of(12)
    rows = ClassRows.from_arrays(scores, labels)
    fitted = fit_scaling(rows, PRIORS["matrix"])
    off = fitted.matrix - np.diag(np.diagonal(fitted.matrix))
    assert np.abs(off).max() < 0.05
    assert np.ptp(np.diagonal(fitted.matrix)) < 0.2


@pytest.mark.parametrize("name", PRIORS)
def test_order_and_weights(name):
    """Rows in another order give the same bits; a weight of 2 is the row twice."""
    scores, labels = rows_of(300)
    weights = np.random.default_rng(2).integers(0, 3, 300)
    order = np.random.default_rng(3).permutation(300)
    one, other, repeated = (
        fit_scaling(rows, PRIORS[name])
        for rows in (
            ClassRows.from_arrays(scores, labels, weights),
            ClassRows.from_arrays(scores[order], labels[order], weights[order]),
            ClassRows.from_arrays(np.repeat(scores, weights, axis=0), np.repeat(labels, weights)),
        )
    )
    np.testing.assert_array_equal(one.matrix, other.matrix)
    np.testing.assert_array_equal(one.intercepts, other.intercepts)
    np.testing.assert_allclose(one.matrix, repeated.matrix, atol=1e-4)


def test_separable_labels_stay_finite():
    """Each label is the most probable class, which no finite slope explains best."""
    scores = np.repeat(np.eye(3) * 0.4 + 0.2, 5, axis=0)
    fitted = fit_scaling(ClassRows.from_arrays(scores, scores.argmax(axis=1)), PRIORS["matrix"])
    assert 1.0 < fitted.matrix[0, 0] < 100.0


def test_a_class_without_labels():
    """Its intercept is low, and its probability stays above 0."""
    scores, labels = rows_of(400)
    kept = labels != 3
    rows = ClassRows.from_arrays(scores[kept], labels[kept], classes=range(4))
    fitted = fit_scaling(rows, PRIORS["vector"])
    assert fitted.intercepts.argmin() == 3
    assert (fitted(scores)[:, 3] > 0.0).all()


def test_one_class_is_refused():
    """Rows of weight 0 do not count."""
    with pytest.raises(InputError, match="one class, 'a'"):
        ClassRows.from_arrays(np.full((3, 3), 1 / 3), list("aab"), [1, 1, 0], classes=list("abc"))
