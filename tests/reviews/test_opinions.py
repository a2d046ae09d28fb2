"""Opinions in every form that people have."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lwcal
from lwcal.errors import InputError
from lwcal.reviews.opinions import as_opinions
from lwcal.rows.values import as_objects, is_missing_value

WIDE = [["yes", None], ["no", "yes"], [None, "no"]]
FRAME = {"Ann": ["yes", "no", None], "Bob": [None, "yes", "no"]}


def same(found):
    """Whether opinions are those of WIDE."""
    return found.wide().tolist() == WIDE


@pytest.mark.parametrize(
    "labels",
    [
        WIDE,
        np.array(WIDE, dtype=object),
        np.array([["yes", ""], ["no", "yes"], ["NA", "no"]]),
        np.ma.array([["yes", "x"], ["no", "yes"], ["x", "no"]], mask=[[0, 1], [0, 0], [1, 0]]),
        pd.DataFrame(FRAME),
        pl.DataFrame(FRAME),
        pa.table(FRAME),
    ],
)
def test_tables_of_every_kind(labels):
    """Lists, arrays, masks and frames."""
    assert same(as_opinions(labels))


def test_names_of_columns_are_reviewers():
    """Or those that were given, or numbers."""
    assert as_opinions(pd.DataFrame(FRAME)).names == ("Ann", "Bob")
    assert as_opinions(WIDE, reviewers=["u", "v"]).names == ("u", "v")
    assert as_opinions(WIDE).names == (0, 1)


def test_numbers_that_a_missing_one_made_floats_are_whole():
    """So that 1.0 is the class 1."""
    found = as_opinions(np.array([[1.0, np.nan], [0.0, 1.0]]))
    assert found.labels.tolist() == [1, 0, 1]
    assert all(isinstance(label, int) for label in found.labels)


def test_who_gave_each_label():
    """Columns may hold the labels of many people."""
    who = [["Ann", None], ["Bob", "Cem"], [None, "Ann"]]
    found = as_opinions(WIDE, reviewers=who)
    assert found.names == ("Ann", "Bob", "Cem")
    assert found.wide().tolist() == [
        ["yes", None, None],
        [None, "no", "yes"],
        ["no", None, None],
    ]


def test_long_form_in_the_order_of_the_scores():
    """Not in that of the opinions."""
    found = lwcal.opinions(
        ["c", "a", "b", "b"], ["Bob", "Ann", "Bob", "Ann"], ["no", "yes", "yes", "no"],
        items=["a", "b", "c"],
    )  # fmt: skip
    assert same(found)
    assert found.names == ("Ann", "Bob")


def test_missing_labels_of_the_long_form_are_left_out():
    """Somebody was asked, and did not answer."""
    found = lwcal.opinions([1, 1, 2], ["u", "v", "u"], [0, None, 1])
    assert found.counts.tolist() == [1, 1]


@given(st.permutations(range(6)))
def test_the_order_of_a_long_table_does_not_matter(order):
    """For any permutation."""
    item, who = np.array([3, 1, 1, 2, 2, 3]), np.array(list("uvwuvw"))
    label = np.array([0, 1, 1, 0, 1, 1])
    expected = lwcal.opinions(item, who, label)
    found = lwcal.opinions(item[order], who[order], label[order])
    assert found.wide().tolist() == expected.wide().tolist()
    assert found.names == expected.names


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        (([1, 1], ["u", "u"], [0, 1]), "one label of each reviewer for an item"),
        (([1, 2], ["u", None], [0, 1]), "a reviewer for every label, got 1 without"),
        (([1, None], ["u", "u"], [0, 1]), "an? item for every label, got 1 without"),
        (([1, 2], ["u"], [0, 1]), "2 items but 1"),
    ],
)
def test_what_a_long_table_cannot_hold(columns, problem):
    """Two answers of one person, and gaps."""
    with pytest.raises(InputError, match=problem):
        lwcal.opinions(*columns)


def test_an_item_without_scores_is_named():
    """It cannot be calibrated on."""
    with pytest.raises(InputError, match="1 others, the first 7"):
        lwcal.opinions([1, 7], ["u", "u"], [0, 1], items=[1, 2])


def test_reviewers_of_another_shape():
    """The message lists those that fit."""
    with pytest.raises(InputError, match=r"reviewers of shape \(3,\), \(2,\) or \(3, 2\)"):
        as_opinions(WIDE, reviewers=list("abcd"))


def test_one_column_may_have_one_name():
    """Of the only reviewer."""
    assert as_opinions([[1], [0]], reviewers=["Ann"]).names == ("Ann",)
    assert as_opinions([1, 0], reviewers=["Ann"]).names == ("Ann",)


def test_nothing_said():
    """Nothing can be learned."""
    with pytest.raises(InputError, match="2 rows without any"):
        as_opinions([[None, None], [None, None]])


names = st.one_of(st.text(max_size=3), st.integers(0, 9), st.integers(0, 9).map(float))


@given(st.lists(names.filter(lambda name: not is_missing_value(name)), min_size=1))
def test_names_that_differ_are_different(who):
    """Reviewers and items: what is one in both is the same text, but for blanks and 7.0 and 7."""
    found = lwcal.opinions(range(len(who)), as_objects(who), [1] * len(who))

    def texts(some):
        return [str(int(name) if isinstance(name, float) else name).strip() for name in some]

    assert sorted(texts(found.names)) == sorted(set(texts(who)))
    assert texts(found.names[one] for one in found.reviewers) == texts(who)


def test_items_are_as_they_are_written():
    """Also with all items given; numbers of another type are the same."""
    assert lwcal.opinions(["5", "05", " 5"], list("aab"), [0, 1, 1]).n == 3
    with pytest.raises(InputError, match="every item to be one of items, got 1 others"):
        lwcal.opinions(["5", "05"], ["a", "a"], [0, 1], items=["5", "6"])
    assert lwcal.opinions([5.0, 6.0], ["a", "a"], [0, 1], items=["6", "5"]).rows.tolist() == [0, 1]


def test_two_labels_of_one_name():
    """They may be two people: nobody is told to delete one of them."""
    with pytest.raises(InputError, match="if two people share the name, give each a name"):
        lwcal.opinions([1, 1], ["Ann", " Ann "], [0, 1])
    assert lwcal.opinions([1, 1], ["Ann", "ann"], [0, 1]).names == ("Ann", "ann")
