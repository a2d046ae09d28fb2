"""A sheet is accepted if every row is right, and refused with the first wrong row otherwise."""

import numpy as np
import pytest

from lwcal.audit.answers import ClassNames
from lwcal.audit.combined_answers import combine_answers
from lwcal.audit.returned_sheet import SheetRow, match_sheet
from lwcal.audit.row_codes import PlanId, RowCode, fingerprint
from lwcal.audit.sheet import make_sheet, read_sheet
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
        (ClassNames("0", "1"), "1.0", 1),
        (ClassNames("0", "1"), "YES", 1),
        (ClassNames("no", "yes"), "0", 0),
        (ClassNames("False", "True"), "TRUE", 1),
        (ClassNames("1", "0"), "0", 1),
        (ClassNames("1", "2"), "1", 0),
        (ClassNames("good", "bad"), "n", 0),
        (ClassNames("good", "bad"), " Skip", None),
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
