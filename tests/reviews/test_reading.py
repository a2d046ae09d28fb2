"""Scores and opinions as users have them."""

import pytest

import lwcal
from lwcal.errors import InputError
from lwcal.reviews.reading import read_reviews


@pytest.mark.parametrize(
    ("labels", "truths", "row"),
    [
        ([[0, 1], [0, None], [1, 1], ["x", 1]], None, 3),
        ([[0, 1], [None, None], [1, 2], [1, 1]], None, 2),
        ([[0, 1], [0, None], [1, 1], [1, 1]], [None, 7, None, None], 1),
    ],
)
def test_a_wrong_label_is_named_by_its_row(labels, truths, row):
    """Not by its number among all opinions."""
    with pytest.raises(InputError, match=rf"not 0 or 1, the first in row {row} "):
        read_reviews([0.1, 0.2, 0.6, 0.7], labels, y_audited=truths)


def test_items_without_opinions_are_named_by_items():
    """The message says how to keep them."""
    said = ["a", "c"], ["Ann", "Ann"], [0, 1]
    with pytest.raises(InputError, match=r"3 scores but opinions on 2 items.*items=\.\.\."):
        read_reviews([0.2, 0.5, 0.9], lwcal.opinions(*said))
    assert read_reviews([0.2, 0.5, 0.9], lwcal.opinions(*said, items=list("abc"))).rows.n == 3.0
