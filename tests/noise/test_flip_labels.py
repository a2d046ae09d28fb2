"""Flipped labels: the asked-for rates, the same types, and nothing hidden in a seed."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwcal.errors import InputError, ParameterError
from lwcal.noise import flip_labels

labels_strategy = st.lists(st.integers(0, 1), min_size=2, max_size=60).map(
    lambda values: np.array([0, 1, *values])
)
rates = st.floats(0, 1)

SPELLINGS = {
    "int8": np.array([0, 1], dtype=np.int8),
    "float": np.array([0.0, 1.0]),
    "bool": np.array([False, True]),
    "minus one and one": np.array([-1, 1]),
    "other numbers": np.array([3, 17]),
    "words": np.array(["no", "positively"]),
    "objects": np.array(["cat", "dog"], dtype=object),
}


@given(y=labels_strategy, rate=rates, seed=st.integers(0, 99))
def test_exactly_the_marked_labels_are_exchanged(y, rate, seed):
    """The mask says where the labels differ, and the input is left as it was."""
    before = y.copy()
    noisy = flip_labels(y, rate=rate, random_state=seed)
    np.testing.assert_array_equal(noisy.labels != y, noisy.flipped)
    np.testing.assert_array_equal(noisy.labels, np.where(noisy.flipped, 1 - y, y))
    np.testing.assert_array_equal(y, before)


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS.keys())
def test_type_values_and_mask_do_not_depend_on_the_spelling(spelling):
    """Labels keep their type and two values; the mask is that of 0 and 1."""
    codes = np.random.default_rng(0).integers(0, 2, 200)
    plain = flip_labels(codes, rate=0.3, random_state=4)
    noisy = flip_labels(spelling[codes], rate=0.3, random_state=4)
    assert noisy.labels.dtype == spelling.dtype
    np.testing.assert_array_equal(noisy.flipped, plain.flipped)
    np.testing.assert_array_equal(noisy.labels, spelling[plain.labels])


@pytest.mark.parametrize("container", [list, pd.Series, pl.Series, pd.DataFrame])
def test_columns_of_every_kind_are_flipped(container):
    """Whatever holds the labels, arrays come back."""
    y = [0, 1, 1, 0, 1]
    noisy = flip_labels(container(y), rate=0.5, random_state=2)
    expected = flip_labels(np.array(y), rate=0.5, random_state=2)
    np.testing.assert_array_equal(noisy.labels, expected.labels)
    np.testing.assert_array_equal(noisy.flipped, expected.flipped)


def test_symmetric_noise_flips_both_classes_at_the_rate():
    """Within four standard errors."""
    y = np.repeat([0, 1], 20_000)
    flipped = flip_labels(y, rate=0.3, random_state=0).flipped
    for label in (0, 1):
        assert flipped[y == label].mean() == pytest.approx(0.3, abs=4 * 0.0033)


def test_asymmetric_noise_has_a_rate_for_each_class():
    """Also when the positive class has to be named."""
    y = np.repeat(["lost", "won"], 20_000)
    rates = {"positive_rate": 0.4, "negative_rate": 0.05}
    for pos_label, expected in (("won", (0.05, 0.4)), ("lost", (0.4, 0.05))):
        flipped = flip_labels(
            y, kind="asymmetric", **rates, pos_label=pos_label, random_state=0
        ).flipped
        assert flipped[y == "lost"].mean() == pytest.approx(expected[0], abs=0.015)
        assert flipped[y == "won"].mean() == pytest.approx(expected[1], abs=0.015)


def test_instance_noise_follows_difficulty():
    """Twice as difficult is flipped twice as often, with the rate as the mean."""
    y = np.tile([0, 1], 30_000)
    difficulty = np.repeat([0.0, 1.0, 2.0], 20_000)
    flipped = flip_labels(
        y, kind="instance", rate=0.2, difficulty=difficulty, random_state=0
    ).flipped
    shares = flipped.reshape(3, -1).mean(axis=1)
    assert shares == pytest.approx([0.0, 0.2, 0.4], abs=0.015)


@given(y=labels_strategy)
def test_rates_of_zero_and_one_are_certain(y):
    """No label flips, every label flips, or just those of one class."""
    assert not flip_labels(y, rate=0).flipped.any()
    assert flip_labels(y, rate=1).flipped.all()
    one_class = flip_labels(y, kind="asymmetric", negative_rate=0, positive_rate=1)
    np.testing.assert_array_equal(one_class.flipped, y == 1)
    assert not one_class.labels.any()


def test_the_seed_decides_the_flips():
    """An int repeats itself, a generator moves on, None is fresh."""
    y = np.tile([0, 1], 100)

    def flips(random_state):
        return flip_labels(y, rate=0.5, random_state=random_state).flipped.tolist()

    assert flips(3) == flips(3) != flips(4)
    generator = np.random.default_rng(3)
    assert flips(generator) == flips(3)
    assert flips(generator) != flips(3)
    assert flips(None) != flips(None)


def test_the_global_random_state_plays_no_part():
    """Neither read nor moved."""
    y = np.tile([0, 1], 50)
    np.random.seed(0)  # noqa: NPY002 - the state that must not matter
    first, state = flip_labels(y, rate=0.5, random_state=1), np.random.get_state()  # noqa: NPY002
    np.random.seed(1)  # noqa: NPY002
    second = flip_labels(y, rate=0.5, random_state=1)
    np.testing.assert_array_equal(first.flipped, second.flipped)
    np.random.seed(0)  # noqa: NPY002
    np.testing.assert_array_equal(np.random.get_state()[1], state[1])  # noqa: NPY002


@given(y=labels_strategy, seed=st.integers(0, 99), low=rates, high=rates)
def test_a_higher_rate_flips_a_superset(y, seed, low, high):
    """With one seed, noise levels are nested: only the rate moves between them."""
    low, high = sorted((low, high))
    fewer, more = (flip_labels(y, rate=r, random_state=seed).flipped for r in (low, high))
    assert not (fewer & ~more).any()


@pytest.mark.parametrize(
    ("y", "options", "expected"),
    [
        ([1, 1], {}, [0, 0]),
        ([0, 0], {}, [1, 1]),
        ([-1, -1], {}, [1, 1]),
        ([True, True], {}, [False, False]),
        ([1, 1], {"pos_label": -1}, [-1, -1]),
        ([0, 0], {"pos_label": 0}, [1, 1]),
        (np.array([0, 0], dtype=object), {}, [1, 1]),
    ],
)
def test_a_single_class_of_numbers_is_known_by_its_value(y, options, expected):
    """0 flips to 1, -1 and True likewise; pos_label names a class that does not occur."""
    noisy = flip_labels(y, rate=1, **options)
    assert noisy.labels.tolist() == expected
    assert noisy.labels.dtype == np.asarray(y).dtype


@pytest.mark.parametrize("rate", [0.0, 1.0])
@pytest.mark.parametrize("y", [["yes", "yes"], [5, 5]])
def test_a_single_class_of_anything_else_is_refused(y, rate):
    """Whatever the draws: the other value cannot be known."""
    with pytest.raises(InputError, match=f"y to hold both classes, got only '{y[0]}'"):
        flip_labels(y, rate=rate)


BOTH = {"negative_rate": 0.1, "positive_rate": 0.2}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({}, "kind='symmetric' with rate only, got no rate"),
        ({"rate": 0.1, **BOTH}, "kind='symmetric' with rate only, got negative_rate as well"),
        ({"rate": 0.1, "difficulty": [1, 1]}, "got difficulty as well"),
        ({"kind": "asymmetric", "rate": 0.1}, "negative_rate and positive_rate only, got rate as"),
        ({"kind": "asymmetric", "positive_rate": 0.1}, "got no negative_rate"),
        ({"kind": "asymmetric", "negative_rate": 0.1}, "got no positive_rate"),
        ({"kind": "instance", "rate": 0.1}, "rate and difficulty only, got no difficulty"),
        ({"kind": "instance", "difficulty": [1, 1]}, "got no rate"),
        ({"kind": "random", "rate": 0.1}, "kind to be one of"),
        ({"rate": 1.5}, "rate to be a number from 0 to 1, got 1.5"),
        ({"rate": -0.1}, "rate to be a number from 0 to 1"),
        ({"rate": np.nan}, "rate to be a number from 0 to 1"),
        ({"rate": True}, "rate to be a number from 0 to 1"),
        ({"rate": "0.1"}, "rate to be a number from 0 to 1"),
        ({"kind": "asymmetric", **BOTH, "positive_rate": 2}, "positive_rate to be a number"),
    ],
)
def test_arguments_must_fit_the_kind(options, says):
    """Each wrong combination is named."""
    with pytest.raises(ParameterError, match=says):
        flip_labels([0, 1], **options)


@pytest.mark.parametrize(
    ("y", "options", "says"),
    [
        ([0, 1, 2], {"rate": 0.1}, "y: 1 of 3"),
        ([0, 1, np.nan], {"rate": 0.1}, "y: 1 of 3"),
        ([None, "a", "b"], {"rate": 0.1, "pos_label": "b"}, "y: 1 of 3"),
        ([], {"rate": 0.1}, "y has no rows"),
        ([[0, 1], [1, 0]], {"rate": 0.1}, "y has the shape"),
        (["a", "b"], {"kind": "asymmetric", **BOTH}, "pos_label='b'"),
        (["a", "b"], {"rate": 0.1, "pos_label": "c"}, "pos_label='c'"),
    ],
)
def test_labels_must_be_of_two_classes(y, options, says):
    """Each wrong column of labels is named."""
    with pytest.raises(InputError, match=says):
        flip_labels(y, **options)
