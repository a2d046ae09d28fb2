"""Names of reviewers are names of columns that every program reads back as they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwcal.audit.sheet import OWN, make_sheet, read_sheet
from lwcal.audit.sheet_reviewers import check_reviewer, columns_of, reviewers_of
from lwcal.errors import InputError, ParameterError


@given(st.text(max_size=45))
def test_an_accepted_name_survives_the_sheet_and_a_list_of_columns(name):
    """Whatever is typed: it is refused, or comes back from the file unchanged."""
    try:
        reviewer = check_reviewer(name)
    except ParameterError:
        return
    columns = columns_of(reviewer)
    sheet = make_sheet([*OWN], [["1", "0.5", "", ""]]).with_columns(columns[:2])
    found = read_sheet(sheet.to_bytes(), "s.csv")
    assert found == sheet
    assert reviewers_of(found.names, "s.csv") == [reviewer]
    assert columns.opinions.split(",") == [columns.opinions]
    assert not set("*?[") & set(columns.opinions)


@pytest.mark.parametrize("name", ["", " ", "ann lee", "ann,bob", "a*", "-x", "_x", "=1", "x" * 41])
def test_other_names_are_refused(name):
    """With the name, and what is expected."""
    with pytest.raises(ParameterError, match="letters, digits"):
        check_reviewer(name)


def test_the_same_letters_are_the_same_name():
    """An accent may be typed as a character of its own."""
    assert check_reviewer("Zoe\u0308") == check_reviewer("Zo\u00eb") == "Zo\u00eb"


def test_names_that_differ_in_case_only_are_refused():
    """A database would take the columns for one."""
    with pytest.raises(InputError, match="'Ann' and 'ann', which differ in upper and lower case"):
        reviewers_of(["audit_opinion_Ann", "audit_opinion_ann"], "s.csv")


def test_cells_and_columns_of_a_sheet_are_changed_in_a_copy():
    """Other cells stay; a column that exists is not added again."""
    sheet = make_sheet(["a", "b"], [["1", "2"], ["3", "4"]])
    assert sheet.with_cells(1, {"b": "x"}).rows == (("1", "2"), ("3", "x"))
    wider = sheet.with_columns(["b", "c"])
    assert (wider.names, wider.rows) == (("a", "b", "c"), (("1", "2", ""), ("3", "4", "")))
    assert sheet.rows == (("1", "2"), ("3", "4"))
