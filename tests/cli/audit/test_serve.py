"""``lwcal audit serve`` before it serves, and after: the page has tests of its own."""

import sys

import pytest

from tests.cli.audit.helpers import answered
from tests.cli.helpers import call, files
from tests.page.running import serving

MISTAKES = {
    "standard input": ("audit serve -", "--sheet unless SCORES is one file, got standard input"),
    "several files": ("audit serve scores*.csv", "unless SCORES is one file, got 2 files"),
    "sheet name": ("audit serve scores.csv --sheet a.parquet", "a --sheet ending in .csv"),
    "no sheet": ("audit serve scores.csv --sheet scores2.csv", "none named audit_row, audit_prob"),
    "another file": ("audit serve scores2.csv --sheet s.csv", "differ from scores2.csv"),
    "planned without": (
        "audit serve scores.csv --sheet s.csv --show-column w",
        "a column 'w' in s.csv, as --show-column asks, got no such column",
    ),
    "hidden id": ("audit serve scores.csv --id id --hide-column id", "another column for --hide-c"),
    "name": ("audit serve scores.csv --as ann,bob", "expected --as with letters, digits"),
    "not blind": ("audit serve scores.csv --as ann --show-label", "not work with --as: an opinion"),
    "taken": ("audit serve merged.csv --as ANN", "expected no column 'opinion_ANN' in merged.csv"),
    "folder": ("audit serve scores.csv --sheet no/s.csv --as ann", "Create no first"),
    "host": ("audit serve scores.csv --host 203.0.113.1", "203.0.113.1"),
}


@pytest.mark.parametrize(("line", "said"), MISTAKES.values(), ids=MISTAKES)
def test_what_cannot_be_served_is_one_line(here, capsys, line, said):
    """And writes nothing."""
    (here / "scores2.csv").write_text("score,label\n" + "0.1,0\n0.9,1\n" * 400)
    (here / "merged.csv").write_text("score,label,opinion_ann\n" + "0.1,0,\n0.9,1,1\n" * 400)
    call("audit plan scores.csv --out s.csv")
    before = files(here)
    capsys.readouterr()
    assert call(line) == 2
    shown = capsys.readouterr()
    assert said in shown.err
    assert shown.err.count("\n") == 1
    assert files(here) == before


def test_without_the_extra_the_command_to_install_it_is_named(here, capsys, monkeypatch):
    """Before anything is read."""
    for name in [name for name in sys.modules if name.startswith("lwcal.page")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert call("audit serve nothing.csv") == 2
    assert 'pip install "lwcal[page]"' in capsys.readouterr().err


def test_a_planned_sheet_is_served_and_an_interrupt_says_what_is_next(here):
    """With the options that the merge needs; without answers there is nothing to merge."""
    call("audit plan scores.csv --label name --pos-label bad --out my_sheet.csv --budget 5")
    options = ["--label", "name", "--pos-label", "bad", "--sheet", "my_sheet.csv"]
    with serving(here, "scores.csv", *options) as server:
        assert server.said.startswith("5 rows to check. Open http://127.0.0.1:")
        code, out, _ = server.interrupt()
    assert code == 0
    assert "0 of 5 rows answered, saved in my_sheet.csv. Nothing to merge yet." in out
    answered("my_sheet.csv", truth=lambda row: row["name"])
    with serving(here, "scores.csv", *options) as server:
        assert "5 rows to check, 5 of them answered before" in server.said
        code, out, _ = server.interrupt()
    line = out.partition("Next: ")[2].strip()
    assert line == (
        "lwcal audit merge scores.csv my_sheet.csv --out calibrator.json --label name "
        "--pos-label bad"
    )
    assert call(line.removeprefix("lwcal ")) in (0, 1)
