"""Which columns hold the probabilities of the classes, and what the classes are called."""

import pytest

from lwcal.engines.class_columns import class_columns, new_columns
from lwcal.errors import InputError, ParameterError
from lwcal.rows.column_classes import as_classes

COLUMNS = dict.fromkeys(["id", "p_cat", "p_car", "label", "cat_p", "car_p"], "DOUBLE")


@pytest.mark.parametrize(
    ("score", "classes"),
    [
        ("p_*", ("cat", "car")),
        ("*_p", ("cat", "car")),
        ("p_car, p_cat", ("car", "cat")),
        (["p_cat", "p_car"], ("cat", "car")),
    ],
)
def test_classes_follow_from_names_and_labels(score, classes):
    """A pattern tells them; in a list, the labels do, even if the classes begin alike."""
    found = class_columns(score, COLUMNS)
    assert found.classes([("Cat", 2), ("car", 1)]) == classes


def test_full_names_may_be_the_classes():
    """If they are the labels."""
    found = class_columns("p_cat,p_car", COLUMNS)
    assert found.classes([("p_cat", 2)]) == ("p_cat", "p_car")


def test_most_rows_decide_where_no_reading_fits_all_labels():
    """The others are then refused, with their number."""
    found = class_columns("p_cat,p_car", COLUMNS)
    assert found.classes([("p_cat", 2), ("car", 3), ("dog", 9)]) == ("cat", "car")


def test_columns_are_found_by_the_classes_of_a_calibrator():
    """In any order, with other capitals, and as numbers."""
    assert class_columns("p_*", COLUMNS).in_order(["CAR", "cat"]) == ("p_car", "p_cat")
    numbers = dict.fromkeys(["x1", "x0", "x10"], "DOUBLE")
    assert class_columns("x0,x1,x10", numbers).in_order([10, 1, 0]) == ("x10", "x1", "x0")


@pytest.mark.parametrize(
    ("classes", "match"),
    [
        (["cat", "dog"], r"\('cat', 'dog'\), got none for the class 'dog'"),
        (["cat"], "got also the column 'p_car'"),
    ],
)
def test_other_classes_are_refused(classes, match):
    """With the class or the column that is too much."""
    for score in ("p_*", "p_cat,p_car"):
        with pytest.raises(InputError, match=match):
            class_columns(score, COLUMNS).in_order(classes)


def test_two_columns_of_one_class_are_refused():
    """Nobody can tell which one is meant."""
    columns = dict.fromkeys(["p_1", "p_1.0"], "DOUBLE")
    with pytest.raises(InputError, match="also the column 'p_1'"):
        class_columns("p_*", columns).in_order([1])


@pytest.mark.parametrize(
    ("score", "error", "match"),
    [
        ("q_*", InputError, r"two columns like 'q_\*', got none among the columns id"),
        ("p_cat*", InputError, "got none"),
        ("*at", InputError, "got 'p_cat'"),
        ("p_*_*", ParameterError, r"one \*"),
        ("p_*,id", ParameterError, r"one \*"),
        ("p_cat,q", InputError, "a column 'q'"),
        (["p_cat"], ParameterError, "at least two columns of scores, got 1"),
    ],
)
def test_columns_that_do_not_exist(score, error, match):
    """What was expected, and what there is."""
    with pytest.raises(error, match=match):
        class_columns(score, COLUMNS)


def test_columns_in_another_role_match_no_pattern():
    """Labels are no scores."""
    assert class_columns("*", COLUMNS, others=["id", "label", "cat_p", "car_p"]).names == (
        "p_cat", "p_car"
    )  # fmt: skip


def test_calibrated_columns_are_no_classes_unless_they_are_asked_for():
    """A pattern means the same before and after apply."""
    added = {**COLUMNS, "p_calibrated_cat": "DOUBLE", "p_calibrated_car": "DOUBLE"}
    assert class_columns("p_*", added).names == ("p_cat", "p_car")
    found = class_columns("p_calibrated_*", added)
    assert found == (("p_calibrated_cat", "p_calibrated_car"), (("cat", "car"),))


def test_whole_numbers_are_numbers_only_if_all_are():
    """007 stays a text."""
    assert as_classes(["0", "1", "10"]) == (0, 1, 10)
    assert as_classes(["007", "1"]) == ("007", "1")


def test_existing_columns_are_replaced_only_if_that_is_allowed():
    """At their own spelling."""
    assert new_columns(["P_A", "P_B"], ["p_a"], replace=True, source="f") == ["p_a", "P_B"]
    with pytest.raises(ParameterError, match="already has a column 'p_a'"):
        new_columns(["P_A"], ["p_a"], replace=False, source="f")
