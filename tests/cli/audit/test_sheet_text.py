"""Sheets show text as the source writes it, and are read back so."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lwcal.cli.app import run
from lwcal.cli.audit.sheets import load_sheet
from tests.engines.text_files import (
    LOOKS_LIKE_SOMETHING_ELSE,
    SHEETS,
    SOURCES_OF_SHEETS,
    TEXTS,
    examples,
    read,
    write,
)


@pytest.mark.parametrize("sheet", SHEETS)
@pytest.mark.parametrize("source", SOURCES_OF_SHEETS)
@settings(max_examples=examples(1))
@given(st.lists(TEXTS, min_size=4, max_size=9).map(lambda some: some + LOOKS_LIKE_SOMETHING_ELSE))
def test_cells_of_a_sheet_are_those_of_the_source(source, sheet, notes):
    """Ids as well; a spreadsheet cannot tell a missing cell from an empty one."""
    places = range(len(notes))
    columns = {
        "id": [f"00{k}E{k}" for k in places],
        "score": [f"0.{k:02}0" for k in places],
        "note": notes,
        "label": [str(k % 2) for k in places],
    }
    with tempfile.TemporaryDirectory() as folder:
        path, out = write(Path(folder, source), columns), Path(folder, sheet)
        options = f"--id id --budget {len(notes)} --show-column note"
        assert run(["audit", "plan", str(path), "--out", str(out), *options.split()]) == 0
        cells = load_sheet(out)
        written = None if sheet == "s.csv" else read(out)
    rows = [int(number) - 1 for number in cells.column("audit_row")]
    assert sorted(rows) == list(places)
    assert cells.column("id") == [columns["id"][k] for k in rows]
    assert cells.column("note") == [notes[k] or "" for k in rows]
    if written is not None:  # a format for programs has a word for what is missing
        assert written["note"] == [notes[k] for k in rows]
