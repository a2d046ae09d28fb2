"""Any number of classes can be answered: each has a key, or is found in a list."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwcal.audit.answers import ClassNames
from lwcal.audit.cell_text import normalise
from lwcal.errors import InputError
from lwcal.page.answer_buttons import (
    MOST_BUTTONS,
    answers_of,
    buttons,
    key_answers,
    listed_classes,
)

NAMES = st.lists(
    st.one_of(st.sampled_from([*"0123456789sSuUab", "10", "other", "-1"]), st.text(min_size=1)),
    min_size=3,
    max_size=14,
)


@given(NAMES)
def test_each_class_can_be_chosen_once(names):
    """By a button with a key that no other has, or by name in a list."""
    try:
        known = ClassNames(tuple(names))
    except InputError:
        return
    offered = buttons(known) or listed_classes(known)
    assert bool(buttons(known)) == (len(names) <= MOST_BUTTONS)
    assert not (buttons(known) and listed_classes(known))
    meant = answers_of(known)
    assert sorted(meant[one.answer] for one in offered) == list(range(len(names)))
    assert all(known.name(meant[one.answer]) == one.name for one in offered)
    keys = key_answers(known)
    assert {keys[button.key]: button.answer for button in buttons(known)} == {
        button.answer: button.answer for button in buttons(known)
    }
    assert not {"s", "u"} & set(keys)


@given(NAMES)
def test_a_name_that_is_a_key_means_that_class(names):
    """The key 1 is the class 1, wherever its button stands."""
    try:
        known = ClassNames(tuple(names))
    except InputError:
        return
    for key, answer in key_answers(known).items():
        named = [k for k, name in enumerate(names) if normalise(name) == key]
        assert named in ([], [answers_of(known)[answer]])


@pytest.mark.parametrize(
    ("names", "keys"),
    [
        (("dog", "cat", "owl"), [("cat", "1"), ("dog", "2"), ("owl", "3")]),
        (("2", "1", "other"), [("1", "1"), ("2", "2"), ("other", "3")]),
        (tuple("9876543210"), [(digit, digit) for digit in "0123456789"]),
        (("s", "t", "u"), [("s", "1"), ("t", "t"), ("u", "2")]),
    ],
)
def test_keys_are_names_of_one_character_or_the_next_digits(names, keys):
    """In the order of the names; S and U have another meaning."""
    assert [(button.name, button.key) for button in buttons(ClassNames(names))] == keys
