"""Labels of any number of classes find their columns, or are refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwcal.errors import InputError, ParameterError
from lwcal.rows.class_labels import as_class_labels


@given(st.lists(st.sampled_from("abcdef"), min_size=1), st.permutations("abcdef"))
def test_named_classes(labels, classes):
    """The class of the column of each label is that label."""
    found = as_class_labels(labels, 6, classes=classes)
    assert [found.classes[code] for code in found.codes] == labels


@pytest.mark.parametrize(
    ("labels", "options", "classes"),
    [
        (["b", "a", "c"], {}, ("a", "b", "c")),
        ([3, 10, 7], {}, (3, 7, 10)),
        (np.array([1.5, 0.5, 2.5]), {}, (0.5, 1.5, 2.5)),
        ([2, 0], {}, (0, 1, 2)),
        (["b", "a"], {"names": ["c", "b", "a"]}, ("c", "b", "a")),
        (["B", "a"], {"names": ["a", "b", "c"]}, ("a", "B", "c")),
        (["x", "y", "z"], {"names": ["p", "q", "r"]}, ("x", "y", "z")),
        (["b", "a"], {"names": ["p_c", "p_b", "p_a"]}, ("c", "b", "a")),
        (["b", "a"], {"names": ["c(%)", "b(%)", "a(%)"]}, ("c", "b", "a")),
        ([2, 1], {"names": ["x_2", "x_5", "x_1"]}, (2, 5, 1)),
        (["2", "1"], {"names": ["x_2", "x_5", "x_1"]}, ("2", "5", "1")),
        ([10, 11, 12], {"names": ["p12", "p11", "p10"]}, (12, 11, 10)),
        (["a"], {"names": ["x", "y", "z"], "classes": "abc"}, ("a", "b", "c")),
        (["a"], {"names": ["p_a", "p_x", "p_c"], "classes": "abc"}, ("a", "b", "c")),
        (np.array([1, "x", "y"], dtype=object), {}, (1, "x", "y")),
        (["a"], {"classes": np.array(["a", "b", "c"])}, ("a", "b", "c")),
    ],
)
def test_which_class_is_which_column(labels, options, classes):
    """What was named, the names of the columns, the sorted labels, or numbers from 0."""
    assert as_class_labels(labels, 3, **options).classes == classes


@pytest.mark.parametrize(
    ("labels", "options", "error", "match"),
    [
        (["a", "b"], {}, InputError, "3 columns.*2 classes.*classes="),
        (list("abcdef"), {}, InputError, "6 classes.*[.][.][.]"),
        ([1, 5], {}, InputError, "3 columns"),
        (["a", None], {}, InputError, "1 of 2.*row 1"),
        (["d"], {"classes": ["a", "b", "c"]}, InputError, "'d'"),
        (["a"], {"classes": ["a", "b"]}, ParameterError, "2 classes"),
        (["a"], {"classes": ["a", "b", "A"]}, ParameterError, "differ"),
        (["a", "b"], {"names": ["p_a", "p_c", "p_d"]}, InputError, "'b', and no column.*to_numpy"),
        ([0, 1, 2], {"names": ["p1", "p2", "p3"]}, InputError, "label 0, and no column"),
        (["a"], {"names": ["a", "a", "b"]}, InputError, "'a' and 'a'"),
        (["007", "07", "7"], {}, InputError, "'007' and '07' are one of them: labels that differ"),
        (["007", "7"], {"names": ["p_7", "p_x", "p_007"]}, InputError, "'p_7' and 'p_007'.*Rename"),
        (["7"], {"classes": ["7", "x", "07"]}, ParameterError, "'7' and '07': labels.*Rename"),
        (["a"], {"names": ["p_b", "p_a", "p_c"], "classes": "abc"}, ParameterError, "the order of"),
    ],
)
def test_refused(labels, options, error, match):
    """Columns whose classes nobody knows, and labels that belong to none."""
    with pytest.raises(error, match=match):
        as_class_labels(labels, 3, **options)


@pytest.mark.parametrize("as_type", [int, float, str])
@given(st.data())
def test_numbers_without_0_may_begin_at_1(as_type, data):
    """Labels 1 to 4 of five columns are classes from 0 or from 1, and nobody can tell."""
    k = data.draw(st.integers(3, 6))
    some = data.draw(st.lists(st.integers(1, k - 1), min_size=1))
    labels = list(map(as_type, some))
    with pytest.raises(InputError, match=rf"0 to {k - 1} or 1 to {k}\. .*classes="):
        as_class_labels(labels, k)
    for first in (0, 1):
        named = as_class_labels(labels, k, classes=range(first, first + k))
        assert named.codes.tolist() == [label - first for label in some]
    assert as_class_labels([*some, 0], k).codes.tolist() == [*some, 0]
    assert as_class_labels(range(1, k + 1), k).classes == tuple(range(1, k + 1))


def test_of_two_columns_the_second_is_1():
    """Also if every label is."""
    assert as_class_labels([1, 1], 2).classes == (0, 1)
