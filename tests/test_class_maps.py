"""Maps of class probabilities: what they compute, what they refuse, and their JSON form."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax

from lwcal.class_maps import (
    ROWS_AT_ONCE,
    ClassIdentityMap,
    ScalingMap,
    class_map_from_dict,
)
from lwcal.errors import ArtifactError, InputError, ParameterError

RNG = np.random.default_rng(0)
MATRIX = np.eye(3) * 1.3 + RNG.normal(0.0, 0.1, (3, 3))


def scaled_by_hand(scores, matrix, intercepts, softness):
    """The formula of the documentation."""
    x = np.log(scores + softness)
    return softmax((x - x.mean(axis=1, keepdims=True)) @ matrix.T + intercepts, axis=1)


@pytest.mark.parametrize("matrix", [MATRIX, np.diag([0.5, 1.0, 2.0])], ids=["full", "diagonal"])
def test_a_scaling_is_its_formula(matrix):
    """More rows than are mapped together, some of them with zeros."""
    scores = RNG.dirichlet([0.2, 0.2, 0.2], ROWS_AT_ONCE + 10)
    scores[0] = [1.0, 0.0, 0.0]
    intercepts = np.array([0.1, -0.2, 0.3])
    found = ScalingMap(matrix, intercepts, 1e-4)(scores)
    expected = scaled_by_hand(scores, matrix, intercepts, 1e-4)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)


@given(st.integers(2, 6), st.integers(0, 10_000))
def test_any_scaling_gives_probabilities(n_classes, seed):
    """Rows sum to 1, also where the scores are 0 or 1, and steep slopes do not overflow."""
    rng = np.random.default_rng(seed)
    scores = rng.dirichlet(np.full(n_classes, 0.1), 20)
    matrix = rng.normal(0.0, 10.0 ** rng.uniform(-2, 3), (n_classes, n_classes))
    found = ScalingMap(matrix, rng.normal(size=n_classes), 1e-9)(scores)
    assert (found >= 0.0).all()
    np.testing.assert_allclose(found.sum(axis=1), 1.0)


@pytest.mark.parametrize("made", [ClassIdentityMap(3), ScalingMap(MATRIX, np.ones(3), 0.01)])
def test_written_and_read(made):
    """The same map comes back, through JSON."""
    scores = RNG.dirichlet([1.0, 1.0, 1.0], 50)
    read = class_map_from_dict(json.loads(json.dumps(made.to_dict())))
    np.testing.assert_array_equal(read(scores), made(scores))


@pytest.mark.parametrize(
    "damaged",
    [
        {"kind": "class_identity"},
        {"kind": "class_identity", "n_classes": 1},
        {"kind": "class_scaling", "matrix": 1, "intercepts": [0, 0], "softness": 0.1},
        {"kind": "class_scaling", "matrix": [["a"]], "intercepts": [0], "softness": 0.1},
        {"kind": "class_scaling", "matrix": [[1, 0]], "intercepts": [0, 0], "softness": 0.1},
        {"kind": "class_scaling", "matrix": [[1, 0], [0, 1]], "intercepts": [0, 0]},
    ],
)
def test_damaged_maps_are_refused(damaged):
    """As every damaged file is."""
    with pytest.raises(ArtifactError):
        class_map_from_dict(damaged)


@pytest.mark.parametrize("softness", [0.0, 2.0, True, "0.1"])
def test_a_softness_is_a_share(softness):
    """Above 0: the logarithm of 0 is not finite."""
    with pytest.raises(ParameterError, match="softness"):
        ScalingMap(np.eye(2), np.zeros(2), softness)


def test_numbers_are_finite():
    """A slope beyond all numbers makes no probabilities."""
    with pytest.raises(ParameterError, match="finite"):
        ScalingMap(np.full((2, 2), np.inf), np.zeros(2), 0.1)


def test_scores_are_checked():
    """A row for another number of classes, and one that does not sum to 1."""
    with pytest.raises(InputError, match="2 columns"):
        ClassIdentityMap(3)([[0.5, 0.5]])
    with pytest.raises(InputError, match="sum"):
        ClassIdentityMap(2)([[0.5, 0.2]])
