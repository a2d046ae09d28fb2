"""The names of columns tell their classes, with or without what all of them share."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwcal.errors import InputError
from lwcal.rows.classes import class_key
from lwcal.rows.column_classes import places_by_name, readings_of

words = st.text("abcXYZ_ .0123456789", min_size=1, max_size=6)


@given(
    st.lists(words.filter(str.strip), min_size=2, max_size=5, unique_by=class_key),
    st.sampled_from(["", "p_", "P(", "probability of "]),
    st.sampled_from(["", "_p", ")", " score"]),
    st.randoms(use_true_random=False),
)
def test_any_order_is_found_by_name(classes, begin, end, random):
    """Whatever stands around the classes, and whatever they share themselves."""
    shuffled = random.sample(classes, len(classes))
    places = places_by_name([f"{begin}{label}{end}" for label in shuffled], classes)
    assert [shuffled[place] for place in places] == classes


@pytest.mark.parametrize(
    ("names", "reading", "is_one"),
    [
        (["p_10", "p_11"], ("10", "11"), True),
        (["p_10", "p_11"], ("0", "1"), False),
        (["11", "21"], ("1", "2"), False),
        (["catProb", "dogProb"], ("cat", "dog"), True),
        (["cat1", "dog1"], ("cat", "dog"), True),
        (["cat", "rat"], ("c", "r"), False),
        (["a", "a"], ("a", "a"), True),
    ],
)
def test_readings(names, reading, is_one):
    """Numbers are whole, and ends are words."""
    assert (reading in readings_of(names)) == is_one


@pytest.mark.parametrize(
    ("names", "match"),
    [
        (["p_a", "p_b", "p_x"], "got the columns 'p_a', 'p_b', 'p_x', none of them of 'c'"),
        (["c", "y", "z"], "none of them of 'a'.*Rename.*to_numpy"),
        (["a", "b", "A"], "none of them of 'c'"),
    ],
)
def test_some_of_the_classes_are_refused(names, match):
    """The order of the columns may be another one."""
    with pytest.raises(InputError, match=match):
        places_by_name(names, ["a", "b", "c"])


def test_other_names_tell_nothing():
    """The order of the columns counts."""
    assert places_by_name(["x", "y", "z"], ["a", "b", "c"]) is None
