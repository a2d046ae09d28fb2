"""Sheets are read back unchanged, even after a spreadsheet has saved them."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwcal.audit.cell_text import (
    FORMULA,
    NUMBER,
    escape_formula,
    normalise,
    parse_number,
    unescape_formula,
)
from lwcal.audit.row_codes import PlanId, RowCode, fingerprint
from lwcal.audit.sheet import OWN, make_sheet, read_sheet
from lwcal.errors import InputError
from tests.audit.sheets import planned

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
RISKY = st.builds("".join, st.tuples(st.text("'=+-@\t0.1e", max_size=6), TEXT))


@given(RISKY)
def test_escaped_text_is_harmless_and_can_be_restored(text):
    """Text that is not escaped is a number, or starts with a harmless character."""
    assert unescape_formula(escape_formula(text)) == text or NUMBER.fullmatch(text)
    if not NUMBER.fullmatch(text):
        assert escape_formula(text)[:1] not in tuple("=+-@\t\r")


@given(st.lists(st.tuples(RISKY, TEXT), min_size=1, max_size=5))
def test_every_sheet_is_read_back_unchanged(rows):
    """Cells may contain quotes, separators, line breaks and formulas."""
    cells = [["1", "0.5", "code", "", *row] for row in rows]
    made = make_sheet([*OWN, "a", "b"], cells)
    assert read_sheet(made.to_bytes(), "s.csv") == made


def test_a_sheet_opens_in_a_spreadsheet():
    """It has a byte order mark, Windows line ends, and no formula that runs."""
    content = planned().to_bytes()
    assert content.startswith(b"\xef\xbb\xbf")
    assert content.count(b"\r\n") == 5
    cells = [cell for row in csv.reader(io.StringIO(content.decode("utf-8-sig"))) for cell in row]
    risky = [cell for cell in cells if FORMULA.match(cell) and not NUMBER.fullmatch(cell)]
    assert set(risky) == {"'=1+1"}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_every_way_to_save_is_read(encoding, delimiter):
    """The names of the columns reveal encoding and separator."""
    lines = [delimiter.join([*OWN, "name"]), delimiter.join(["1", "0.5", "c", "yes", "Zoë"])]
    sheet = read_sheet("\r\n".join(lines).encode(encoding), "s.csv")
    assert (sheet.names, sheet.delimiter) == ((*OWN, "name"), delimiter)
    assert sheet.column("name") == ["Zoë"]


def test_empty_rows_and_columns_are_dropped_and_rows_keep_their_number():
    """As a spreadsheet counts them."""
    text = f"sep=;\r\n{';'.join(OWN)};;\r\n;;;;;\r\n1;0.5;c;yes;;\r\n;;;;;\r\n"
    sheet = read_sheet(text.encode(), "s.csv")
    assert (sheet.names, sheet.lines, len(sheet.rows)) == (OWN, (3,), 1)


MISTAKES = {
    "no sheet": (b"a,b\n1,2\n", "none named audit_row, audit_probability, audit_code"),
    "empty": (b"", "s.csv is empty"),
    "no rows": (",".join(OWN).encode(), "s.csv has no rows"),
    "twice": (",".join([*OWN, "audit_row"]).encode(), "more than one column 'audit_row'"),
    "beyond": (",".join(OWN).encode() + b"\n1,2,3,,note\n", "1 of 1 rows, first in row 2"),
}


@pytest.mark.parametrize(("content", "expected"), MISTAKES.values(), ids=MISTAKES)
def test_other_files_are_refused(content, expected):
    """The message says what is wrong."""
    with pytest.raises(InputError, match=expected):
        read_sheet(content, "s.csv")


@given(st.floats(0.0, 1.0), st.integers(1, 9))
def test_rounded_numbers_match_their_originals(value, digits):
    """With a point or a comma, and within the precision of their digits only."""
    for written in (f"{value:.{digits}f}", f"{value:.{digits}f}".replace(".", ","), repr(value)):
        assert parse_number(written).matches(value)
    assert not parse_number(f"{value:.{digits}f}").matches(value + 1.1 * 10.0**-digits)
    assert not parse_number("1").matches(0.9)
    assert parse_number("53%").matches(0.534)


@given(st.integers(1, 99), st.integers(0, 2**32), st.floats(1e-9, 1.0), st.floats(0.0, 1.0))
def test_codes_are_read_back_unchanged(rows, seed, probability, score):
    """With every bit of the probability."""
    code = RowCode(PlanId(rows, seed, 3), rows, probability, fingerprint(score, 1))
    assert RowCode.parse(f" {code} ") == code


@pytest.mark.parametrize(
    "text",
    [
        "",
        "lwcal",
        "lwcal-4-0-0-5-0.5-00000000",
        "lwcal-4-0-0-1-2.5-00000000",
        "lwcal-4-0-0-1-e-00000000",
    ],
)
def test_invalid_codes_are_none(text):
    """Including probabilities above 1 and places beyond the last."""
    assert RowCode.parse(text) is None


def test_equal_values_are_normalised_to_the_same_text():
    """In whatever format a program writes them."""
    assert {normalise(value) for value in (1, 1.0, "1", " 1,00", "01", "1.0")} == {"1"}
    assert {normalise(value) for value in (True, "TRUE", "true ")} == {"true"}
    assert normalise(None) == normalise(float("nan")) == ""
