"""Which explanation of the labels is found, and that nothing but the rows decides it."""

import numpy as np
import pytest

from lwcal.errors import ParameterError
from lwcal.multiclass.checked_classes import CheckedClasses
from lwcal.multiclass.class_hypotheses import FREE, ONE_RATE, RATE_PER_CLASS, class_hypotheses
from lwcal.multiclass.class_posterior import MOST_ROWS, infer_classes
from lwcal.multiclass.class_rows import ClassRows
from lwcal.multiclass.given_noise import as_noise_matrix
from lwcal.noise.hypotheses import NO_NOISE, OVERCONFIDENT
from tests.multiclass.simulated import class_rows, even_noise, next_noise, noisy_rows


def inferred(rows, **knowledge):
    """Posterior of these rows."""
    return infer_classes(rows, class_hypotheses(rows.n_classes, **knowledge))


def test_the_matrix_of_the_next_class_is_found():
    """And the slope that it hides."""
    found = inferred(class_rows(6000, next_noise(5, 0.3)))
    assert sum(p for name, p in found.hypotheses.items() if name.endswith(FREE)) > 0.95
    np.testing.assert_allclose(found.noise_matrix, next_noise(5, 0.3), atol=0.05)
    np.testing.assert_allclose(np.diagonal(found.scaling.matrix), 1.0, atol=0.2)


def test_even_noise_needs_no_free_matrix():
    """Simple explanations keep their weight."""
    found = inferred(class_rows(6000, even_noise(5, 0.3)))
    assert found.probability_clean < 0.05
    assert found.hypotheses[ONE_RATE] + found.hypotheses[RATE_PER_CLASS] > 0.4
    np.testing.assert_allclose(found.noise_matrix, even_noise(5, 0.3), atol=0.03)


@pytest.mark.parametrize("seed", range(3))
def test_right_labels_are_believed(seed):
    """Evidence is tempered, so it is never sure."""
    found = inferred(class_rows(4000, np.eye(4), seed))
    assert 0.6 < found.probability_clean < 0.999
    np.testing.assert_allclose(np.diagonal(found.scaling.matrix), 1.0, atol=0.2)


def test_the_order_of_rows_changes_no_bit():
    """Only values decide."""
    scores, _, labels = noisy_rows(500, even_noise(4, 0.2))
    order = np.random.default_rng(0).permutation(500)
    one, other = (
        inferred(ClassRows.from_arrays(scores[rows], labels[rows]))
        for rows in (np.arange(500), order)
    )
    np.testing.assert_array_equal(one.scaling.matrix, other.scaling.matrix)
    np.testing.assert_array_equal(one.probabilities, other.probabilities)


def test_a_weight_of_two_is_a_row_twice():
    """To the last bit."""
    scores, _, labels = noisy_rows(300, even_noise(3, 0.2))
    twice = ClassRows.from_arrays(np.tile(scores, (2, 1)), np.tile(labels, 2))
    weighted = ClassRows.from_arrays(scores, labels, np.full(300, 2.0))
    one, other = inferred(twice), inferred(weighted)
    np.testing.assert_array_equal(one.scaling.matrix, other.scaling.matrix)


def test_large_tables_are_sampled_by_their_values():
    """In any order, the same rows are drawn, and they are like all."""
    scores, _, labels = noisy_rows(MOST_ROWS + 5000, even_noise(3, 0.2))
    rows = ClassRows.from_arrays(scores, labels)
    sample = rows.sample(MOST_ROWS)
    assert sample.n == MOST_ROWS
    again = ClassRows.from_arrays(scores[::-1], labels[::-1]).sample(MOST_ROWS)
    np.testing.assert_array_equal(sample.scores, again.scores)
    np.testing.assert_allclose(sample.scores.mean(axis=0), scores.mean(axis=0), atol=0.01)
    assert inferred(rows).rows.n == MOST_ROWS


def test_a_known_matrix_is_used_as_it_is():
    """It lifts the doubt about the slope."""
    noise = next_noise(4, 0.4)
    rows = class_rows(3000, noise)
    found = inferred(rows, noise_matrix=noise)
    assert found.matrix_is_known
    np.testing.assert_allclose(found.noise_matrix, noise)
    np.testing.assert_allclose(np.diagonal(found.scaling.matrix), 1.0, atol=0.2)


def test_expected_rates_move_few_rows():
    """Where rows say little, what was expected stays."""
    rows = class_rows(60, np.eye(3), clarity=5.0)
    told = inferred(rows, prior_rates=[0.4, 0.4, 0.4], prior_strength=200.0, prior_clean=0.0)
    np.testing.assert_allclose(np.diagonal(told.noise_matrix), 0.6, atol=0.1)


def test_prior_clean_of_0_and_1():
    """Certainty stays certainty."""
    rows = class_rows(200, even_noise(3, 0.2))
    assert inferred(rows, prior_clean=1.0).probability_clean == pytest.approx(1.0)
    assert inferred(rows, prior_clean=0.0).probability_clean == 0.0


@pytest.mark.parametrize(("n", "k"), [(3, 3), (30, 26), (200, 26), (40, 120)])
def test_few_rows_and_many_classes_stay_near_the_scores(n, k):
    """Also with exact zeros, and with classes that are never a label."""
    rng = np.random.default_rng(0)
    scores = rng.dirichlet(np.full(k, 0.05), n)
    scores[scores < 1e-3] = 0.0
    scores /= scores.sum(axis=1, keepdims=True)
    labels = rng.integers(0, 2, n)
    labels[:2] = [0, 1]
    found = inferred(ClassRows.from_arrays(scores, labels, classes=range(k)))
    result = found.scaling.apply_unchecked(scores)
    assert np.isfinite(result).all()
    np.testing.assert_allclose(result.sum(axis=1), 1.0)
    assert np.isfinite(found.noise_matrix).all()


def test_without_noise_or_with_it_only():
    """And half between."""
    found = inferred(class_rows(500, even_noise(3, 0.2)))
    assert found.with_probability_clean(1.0).probability_clean == 1.0
    np.testing.assert_array_equal(found.with_probability_clean(1.0).noise_matrix, np.eye(3))
    assert found.with_probability_clean(0.0).probability_clean == 0.0
    half = found.with_probability_clean(0.5)
    ends = [found.with_probability_clean(p).scaling.matrix for p in (0.0, 1.0)]
    np.testing.assert_allclose(half.scaling.matrix, 0.5 * (ends[0] + ends[1]))


@pytest.mark.parametrize(
    ("matrix", "complaint"),
    [
        (np.eye(2), "of shape"),
        ([[0.5, 0.5, 0.1], [0, 1, 0], [0, 0, 1]], "sum to 1"),
        ([[-0.1, 1.1, 0.0], [0, 1, 0], [0, 0, 1]], "shares from 0 to 1"),
        (np.full((3, 3), 1 / 3), "an inverse"),
        ([[1, 0, 0], [0, 1, 0], [0.3, 0.7, 0]], "only zeros in column 2; .*do not identify it"),
    ],
)
def test_matrices_that_cannot_be(matrix, complaint):
    """The message names the fault."""
    with pytest.raises(ParameterError, match=complaint):
        as_noise_matrix(matrix, 3)


def overconfident_rows(floor, n=4000, k=5):
    """Right labels, of which the model excludes a share that it calls impossible."""
    scores, true, _ = noisy_rows(n, np.eye(k), clarity=0.1)
    rng = np.random.default_rng(1)
    truth = np.where(rng.random(n) < floor, rng.integers(0, k, n), true)
    return scores, truth


@pytest.mark.parametrize("floor", [0.05, 0.1])
def test_right_labels_of_an_overconfident_model_stay_possible(floor):
    """They look like wrong ones, and nothing but the prior tells them apart."""
    found = inferred(ClassRows.from_arrays(*overconfident_rows(floor)))
    assert 0.1 < found.probability_clean < 0.9
    assert found.hypotheses[OVERCONFIDENT] > 0.1


def test_its_map_is_that_of_right_labels():
    """The rival bends no probability."""
    found = inferred(ClassRows.from_arrays(*overconfident_rows(0.1)))
    by_name = {component.name: component.fit for component in found.components}
    assert by_name[OVERCONFIDENT].scaling is by_name[NO_NOISE].scaling
    np.testing.assert_array_equal(by_name[OVERCONFIDENT].matrix, np.eye(5))


def test_many_wrong_labels_are_no_overconfidence():
    """No usable model is wrong in every third case of which it is sure."""
    found = inferred(class_rows(4000, even_noise(5, 0.35)))
    assert found.probability_clean < 0.05


@pytest.mark.parametrize("wrong", [False, True])
def test_checks_tell_an_overconfident_model_from_wrong_labels(wrong):
    """The same scores and labels, with other truths."""
    scores, labels = overconfident_rows(0.15)
    _, sure, _ = noisy_rows(4000, np.eye(5), clarity=0.1)
    rows = ClassRows.from_arrays(scores[100:], labels[100:])
    truths = (sure if wrong else labels)[:100]
    checked = CheckedClasses.of_codes(scores[:100], labels[:100], truths, np.ones(100))
    found = infer_classes(rows, class_hypotheses(5), checked)
    assert (found.probability_clean < 0.01) if wrong else (found.probability_clean > 0.9)
