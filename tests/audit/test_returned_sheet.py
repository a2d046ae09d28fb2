"""A sheet is accepted if every row is right, and refused with the first wrong row otherwise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwcal.audit.answers import ClassNames
from lwcal.audit.combined_answers import combine_answers
from lwcal.audit.returned_sheet import SheetRow, match_sheet
from lwcal.audit.row_codes import PlanId, RowCode, fingerprint
from lwcal.audit.sheet import OWN, make_sheet, read_sheet
from lwcal.errors import InputError
from tests.audit.sheets import (
    LABELS,
    PROBABILITIES,
    ROWS,
    SCORES,
    as_saved_abroad,
    changed,
    planned,
    source,
)

ANSWERS = ("bad", "no", "", "skip")


def test_answers_are_matched_with_the_rows_of_the_source():
    """In the order of the sheet; empty answers stay empty."""
    entries = match_sheet(planned(ANSWERS), source(), "a.csv")
    assert [(entry.position, entry.answer) for entry in entries] == [
        (3, 1),
        (1, 0),
        (4, None),
        (2, None),
    ]


def test_a_sheet_that_a_spreadsheet_saved_abroad_is_the_same():
    """Semicolons, decimal commas, four digits, another order, empty rows and columns."""
    saved = read_sheet(as_saved_abroad(planned(ANSWERS)), "a.csv")
    assert saved.delimiter == ";"
    found = {entry[:3] for entry in match_sheet(saved, source(), "a.csv")}
    assert found == {entry[:3] for entry in match_sheet(planned(ANSWERS), source(), "a.csv")}


def test_rows_are_identified_by_their_id_if_there_is_one():
    """The source may then be sorted, and a spreadsheet may drop leading zeros."""
    order = np.array([5, 4, 3, 2, 1, 0])
    ids = [f"00{row}" for row in order]
    moved = source(scores=SCORES[order], labels=LABELS[order], id="case", ids=ids)
    sheet = planned(ANSWERS)
    for row in range(4):
        sheet = changed(sheet, row, "case", str(ROWS[row]))
    entries = match_sheet(sheet, moved, "a.csv")
    assert [int(order[entry.position]) for entry in entries] == list(ROWS)


BASE = planned(ANSWERS)
MISTAKES = {
    "unknown row": (changed(BASE, 1, "audit_row", "7"), r"'audit_row'.*1 of 4 rows.*row 3"),
    "repeated row": (changed(BASE, 1, "audit_row", "4"), r"repeated .1 of 4 rows.*row 3: '4'"),
    "other row": (
        changed(BASE, 1, "audit_row", "1"),
        "differ .*1 of 4 rows, first in row 3",
    ),
    "score": (changed(BASE, 0, "score", "0.8"), r"'score'.*1 of 4 rows, first in row 2: '0.8'"),
    "no score": (changed(BASE, 0, "score", ""), r"'score'.*1 of 4 rows"),
    "label": (changed(BASE, 2, "label", "bad"), r"'label'.*row 4: 'bad'.*'audited_label'"),
    "probability": (
        changed(BASE, 3, "audit_probability", "0.4"),
        r"'audit_probability'.*1 of 4 rows.*row 5",
    ),
    "code": (
        changed(BASE, 3, "audit_code", "x"),
        r"'audit_code'.*1 of 4 rows, first in row 5: 'x'",
    ),
    "answer": (
        changed(BASE, 2, "audited_label", "maybe"),
        r"1 of 4.*row 4: 'maybe'.*good/bad, 0/1, no/yes, n/y, false/true or empty",
    ),
}


@pytest.mark.parametrize(("sheet", "expected"), MISTAKES.values(), ids=MISTAKES)
def test_one_wrong_row_refuses_the_sheet(sheet, expected):
    """The message has the count and the first row."""
    with pytest.raises(InputError, match=expected):
        match_sheet(sheet, source(), "a.csv")


def test_a_sheet_of_another_file_is_refused_even_without_scores():
    """The fingerprint of the row reveals it."""
    hidden = BASE.names.index("score")
    sheet = make_sheet(
        [name for name in BASE.names if name != "score"],
        [[cell for k, cell in enumerate(row) if k != hidden] for row in BASE.rows],
    )
    assert match_sheet(sheet, source(), "a.csv")
    with pytest.raises(InputError, match=r"4 of 4 rows"):
        match_sheet(sheet, source(scores=SCORES[::-1]), "a.csv")


def test_ids_must_be_present_and_distinct():
    """Even after a spreadsheet has reformatted them."""
    with pytest.raises(InputError, match=r"a column 'nr' in a.csv"):
        match_sheet(BASE, source(id="nr", ids=list("abcdef")), "a.csv")
    with pytest.raises(InputError, match=r"rows 1 and 2 .*'1'"):
        match_sheet(BASE, source(id="case", ids=["01", "1", *"cdef"]), "a.csv")


@pytest.mark.parametrize(
    ("names", "text", "expected"),
    [
        (ClassNames(("0", "1")), "1.0", 1),
        (ClassNames(("0", "1")), "YES", 1),
        (ClassNames(("no", "yes")), "0", 0),
        (ClassNames(("False", "True")), "TRUE", 1),
        (ClassNames(("1", "0")), "0", 1),
        (ClassNames(("1", "2")), "1", 0),
        (ClassNames(("good", "bad")), "n", 0),
        (ClassNames(("good", "bad")), " Skip", None),
        (ClassNames(("caf\u00e9", "bar")), "Cafe\u0301", 0),  # as a Mac may write it
    ],
)
def test_answers_mean_what_the_labels_mean(names, text, expected):
    """The names of the classes take precedence."""
    assert names.parse(text) == expected


def audit(*sheets):
    """Combine the answers of some sheets."""
    return combine_answers(
        [entry for k, s in enumerate(sheets) for entry in match_sheet(s, source(), f"{k}.csv")], 6
    )


def test_part_of_a_plan_has_part_of_its_probability():
    """Two of four rows are answered: half of the probability."""
    found = audit(planned(ANSWERS))
    np.testing.assert_array_equal(found.y_audited, [np.nan, 0, np.nan, 1, np.nan, np.nan])
    np.testing.assert_allclose(found.probability[[3, 1]], np.multiply(PROBABILITIES[:2], 0.5))
    assert (found.answered, [part.answered for part in found.progress]) == (2, [2])


def test_parts_of_one_plan_are_one_plan():
    """Two people answer parts of one plan, and one row twice."""
    first, second = planned(("1", "0", "", "")), planned(("", "no", "1", "0"))
    found = audit(first, second)
    np.testing.assert_allclose(found.probability[list(ROWS)], PROBABILITIES)
    assert len(found.progress) == 1


def test_different_answers_are_refused():
    """The message names both places."""
    with pytest.raises(InputError, match=r"Row 4 .*row 2 of 0.csv and row 2 of 1.csv"):
        audit(planned(ANSWERS), planned(("good", "", "", "")))


@pytest.mark.parametrize(
    ("second", "told"),
    [
        (("bad", "bad", "", ""), r"1.csv\. Decide which is right, and correct the other\."),
        (("good", "bad", "", ""), "and another row has, too. Decide which are right"),
        (("good", "bad", "good", ""), "and 2 other rows have, too."),
    ],
)
def test_sheets_that_contradict_each_other_say_how_often(second, told):
    """One row is shown; a person who corrects it would otherwise meet the next."""
    first = ("bad", "good", "bad", "good")
    with pytest.raises(InputError, match=rf"different answers in .*0.csv and .*{told}"):
        audit(planned(first), planned(second))


def test_totals_are_estimated_without_bias_over_rounds():
    """A second plan leaves out the rows that the first has checked."""
    rng = np.random.default_rng(5)
    n, values, sums = 60, np.arange(60.0), []

    def entries(rows, p, plan):
        return [SheetRow(int(k), 1, RowCode(plan, 1, p, fingerprint(k / n, 1)), "") for k in rows]

    for _ in range(2000):
        order = rng.permutation(n)
        first = entries(order[:20], 20 / n, PlanId(20, 0, 0))
        second = entries(order[20:30], 10 / 40, PlanId(10, 0, 20))
        found = combine_answers([*first, *second], n)
        checked = ~np.isnan(found.y_audited)
        sums.append((values[checked] / found.probability[checked]).sum())
    error = np.std(sums) / np.sqrt(len(sums))
    assert abs(np.mean(sums) - values.sum()) < 4 * error
    assert error < 0.01 * values.sum()


CLASS_SCORES = np.array([[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6], [0.7, 0.1, 0.2]])
CLASS_LABELS = np.array([0, 1, 1, 2])


def class_source(**changes):
    """Four rows of three classes."""
    names = ClassNames(("007", "Bird", "cat"))
    columns = ("p_007", "p_bird", "p_cat")
    given = {"scores": CLASS_SCORES, "labels": CLASS_LABELS, "class_names": names}
    return source(**given | {"score_columns": columns} | changes)


def class_sheet(answers):
    """All rows, with scores and labels."""
    names = ["p_007", "p_bird", "p_cat", "label", *OWN]
    rows = []
    for row, answer in enumerate(answers):
        check = fingerprint(CLASS_SCORES[row], CLASS_LABELS[row])
        code = RowCode(PlanId(4, 0, 0), row + 1, 0.5, check)
        label = ("007", "Bird", "cat")[CLASS_LABELS[row]]
        scores = [repr(score) for score in CLASS_SCORES[row].tolist()]
        rows.append([*scores, label, str(row + 1), "0.5", str(code), answer])
    return make_sheet(names, rows)


def test_answers_of_several_classes_are_matched():
    """By name, as a program may have written it; common words of two classes mean nothing."""
    found = match_sheet(class_sheet(["7", " BIRD", "skip", ""]), class_source(), "a.csv")
    assert [row.answer for row in found] == [0, 1, None, None]
    said = r"is not understood \(2 of 4 rows, first in row 3: 'yes'\). Write one of the classes"
    with pytest.raises(InputError, match=said):
        match_sheet(class_sheet(["cat", "yes", "1", ""]), class_source(), "a.csv")


@pytest.mark.parametrize(("column", "cell"), [("p_cat", "0.9"), ("p_007", "0.3"), ("label", "cat")])
def test_changed_scores_and_labels_of_several_classes_are_refused(column, cell):
    """In any of the columns."""
    with pytest.raises(InputError, match=f"column {column!r} was changed"):
        match_sheet(changed(class_sheet([""] * 4), 0, column, cell), class_source(), "a.csv")


def test_a_sheet_of_other_columns_is_refused():
    """Columns in another order would mean other classes."""
    other = class_source(scores=CLASS_SCORES[:, ::-1], score_columns=("p_cat", "p_bird", "p_007"))
    with pytest.raises(InputError, match=r"scores or label differ from s\.csv"):
        match_sheet(class_sheet([""] * 4), other, "a.csv")


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("keep", "Skip", "drop"), "called 'Skip', which means"),
        (("keep", "skip"), "called 'skip', which means"),
        (("EU", "NA", "ASIA"), "called 'NA', which means"),
        (("1", "2", "1,0"), "'1' and '1,0' are too similar"),
        (("a", "b", "1234567890123456", "1234567890123457"), "are too similar"),
    ],
)
def test_classes_that_a_sheet_cannot_tell_apart_are_refused(names, said):
    """An answer would be lost, or counted for another class."""
    with pytest.raises(InputError, match=said):
        ClassNames(names)


@given(st.lists(st.text(min_size=1), min_size=2, max_size=12, unique=True))
def test_the_name_of_a_class_is_an_answer_that_means_it(names):
    """Whatever it is, unless the names are refused."""
    try:
        known = ClassNames(tuple(names))
    except InputError:
        return
    assert [known.parse(name) for name in names] == list(range(len(names)))
