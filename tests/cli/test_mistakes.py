"""Mistakes: one clear line, the right exit code, nothing left behind."""

import gc
import gzip
import io
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather

import lwcal
import lwcal.cli
from lwcal.cli.console import note
from lwcal.engines.duckdb.session import explained, session
from tests.artifact.make_golden import FOLDER
from tests.cli.helpers import call, files, shell

FIT = "fit scores.csv --score score --label label --out new.json"
OUT = "--score s --label l --out new.json"
MISTAKES = {
    "age without time": (f"{FIT} --label-matures 30", "Name the column of times with --time"),
    "time without age": (f"{FIT} --time day", "Add --label-matures, or omit --time"),
    "date without age": (f"{FIT} --as-of 2024-01-01", "--as-of works only with --label-matures"),
    "negative age": (f"{FIT} --time day --label-matures -1", "--label-matures to be a number from"),
    "no such time": (f"{FIT} --time day --label-matures 3", "expected a column 'day' in"),
    "split without time": ("compare scores.csv --split-at 2024-01-01", "Name it with --split-time"),
    "two times": (
        "compare scores.csv --split-time a --time b",
        "--time is b and --split-time is a",
    ),
    "split at no date": (
        "compare scores.csv --split-time a --split-at May",
        "expected --split-at to be a date or a timestamp, got 'May'",
    ),
    "split by scores": (
        "compare scores.csv --split-time score",
        "Column 'score' cannot hold times and scores or labels too",
    ),
    "period without time": ("monitor ok.json scores.csv --period day", "Name its column with"),
    "unknown period": (
        "monitor ok.json scores.csv --time day --period decade",
        "expected --period to be one of 'day'",
    ),
    "missing file": (f"fit no.csv {OUT}", "No file named no.csv"),
    "folder": (f"fit . {OUT}", "files of one format in ., got arrow and csv and jsonl and parquet"),
    "empty folder": (f"fit folder.csv {OUT}", "No files of rows in the folder folder.csv"),
    "format": (f"fit scores.xlsx {OUT}", "The format of scores.xlsx is unknown"),
    "compressed parquet": (f"fit s.parquet.gz {OUT}", "The format of s.parquet.gz is unknown"),
    "format option": (f"{FIT} --format xlsx", "'arrow', got 'xlsx'"),
    "no match": (f"fit no/*.csv {OUT}", "No file matches no/*.csv"),
    "words among numbers": (
        f"fit types/*.csv {OUT}",
        "column 's': 1 of 2 values is not numeric, the first in row 1 ('high')",
    ),
    "types of files": (
        f"fit types/*.parquet {OUT}",
        "column 's' of types/b.parquet to be DOUBLE as in types/a.parquet, got VARCHAR",
    ),
    "one of many truncated": (f"fit many/*.parquet {OUT}", "many/b.parquet cannot be read"),
    "names of files": (f"fit names/*.csv {OUT}", "the same columns in names/b.csv as in names/a"),
    "twice the same name": (f"fit twice.csv {OUT}", "names of columns in twice.csv, got 's' twice"),
    "column": (
        "fit scores.csv --score p --label label --out new.json",
        "the columns id, score, label, w, name",
    ),
    "strings": (
        "fit scores.csv --score name --label label --out new.json",
        "column 'name': 800 of 800 values are not numeric",
    ),
    "strings, applied": ("apply ok.json scores.csv --score name --out o.csv", "800 of 800 values"),
    "mixed": ("fit mixed.csv --out new.json", "1 of 2 values is not numeric, the first in row 1"),
    "mixed, named": ("fit mixed.csv --score score --out new.json", "column 'score': 1 of 2 values"),
    "mixed JSON": (f"fit mixed.jsonl {OUT}", "column 's': 1 of 2 values is not numeric"),
    "broken JSON": (f"fit broken.jsonl {OUT}", "broken.jsonl cannot be read: Malformed JSON"),
    "missing values": (
        "fit gaps.csv --score s --label l --out new.json",
        "1 of 2 values is missing",
    ),
    "range": (
        "fit scores.csv --score id --label label --out new.json",
        "column 'id': 798 of 800 values are outside",
    ),
    "labels": ("fit scores.csv --score score --label id --out new.json", "800 distinct values"),
    "unnamed": (
        "fit scores.csv --score score --label name --out new.json",
        "High scores go with 'bad'",
    ),
    "no obvious score": ("diagnose header.csv", "header.csv has no rows"),
    "two scores": (
        "diagnose two.csv --label y",
        "'score' and 'p' among the columns score, p, y",
    ),
    "no label": (
        "diagnose plain.csv",
        "one obvious column for --label in plain.csv, got no column",
    ),
    "pos-label": (f"{FIT} --pos-label maybe", "--pos-label to be one of the labels"),
    "method": (f"{FIT} --method magic", "'reviewed', got 'magic'"),
    "methods": (
        "compare scores.csv --method platt,magic",
        "'reviewed', got 'magic'",
    ),
    "checked": (f"{FIT} --method audited", "use lwcal audit merge"),
    "checked too": ("compare scores.csv --method platt,audited", "audited needs checked labels"),
    "label weights": (f"{FIT} --method platt --label-weights a.csv", "--method lwcal or gated"),
    "rates": (f"{FIT} --noise-rates 0.1,0.2", "--method noise-aware with --noise-rates, got auto"),
    "two rates": (f"{FIT} --method noise-aware --noise-rates 0.1", "a pair (r0, r1)"),
    "rate words": (f"{FIT} --method noise-aware --noise-rates few", "a pair (r0, r1), got 'few'"),
    "noise": ("evaluate scores.csv --noise-rates much", "a pair (r0, r1), got 'much'"),
    "noise adds up": ("compare scores.csv --noise-rates 0.5,0.6", "add up to less than 1"),
    "weights name": (f"{FIT} --label-weights a.txt", "ending in .csv or .parquet"),
    "no folder": (
        "fit scores.csv --score score --label label --out no/c.json",
        "no/c.json cannot be written",
    ),
    "exists": ("fit scores.csv --score score --label label --out scores.csv", "pass --force"),
    "truncated": (f"fit broken.parquet {OUT}", "broken.parquet cannot be read"),
    "truncated Arrow": (f"fit broken.arrow {OUT}", "broken.arrow cannot be read"),
    "truncated gzip": (f"fit broken.csv.gz {OUT}", "broken.csv.gz cannot be read"),
    "not gzip": (f"fit plain.jsonl.gz {OUT}", "plain.jsonl.gz cannot be read: Input is not a GZIP"),
    "ragged": (f"fit ragged.csv {OUT}", "ragged.csv cannot be read: CSV line 3: Expected Number"),
    "encoding": (f"fit latin.csv {OUT}", "latin.csv is not written in UTF-8. Save it as UTF-8"),
    "Excel's line": (f"fit excel.csv {OUT}", "excel.csv begins with Excel's line sep=;. Remove"),
    "empty": (f"fit empty.csv {OUT}", "empty.csv cannot be read: Empty CSV file"),
    "empty JSON": (f"fit empty.jsonl {OUT}", "empty.jsonl has no rows"),
    "empty Parquet": (f"fit empty.parquet {OUT}", "empty.parquet cannot be read"),
    "empty Arrow": (f"fit empty.arrow {OUT}", "empty.arrow cannot be read"),
    "empty, applied": (
        "apply ok.json empty.csv --out o.csv",
        "empty.csv cannot be read: Empty CSV",
    ),
    "no rows": (f"fit header.csv {OUT}", "header.csv has no rows"),
    "repeated ids": (
        "fit scores.csv --out new.json --id w",
        "repeated in 799 rows of column 'w', first '2'",
    ),
    "no ids": (
        "apply ok.json gaps.csv --score l --id s --out o.parquet",
        "An id is missing in 1 row of",
    ),
    "no ids, as text": (
        "apply ok.json gaps.csv --score l --id s --out o.csv",
        "An id is missing in 1 row of",
    ),
    "ids, applied": (
        "apply ok.json scores.csv --id name --out o.csv",
        "of column 'name', first 'bad'",
    ),
    "not a calibrator": ("apply scores.json scores.csv --score score --out o.csv", "format"),
    "no calibrator": ("apply no.json scores.csv --score score --out o.csv", "no.json"),
    "taken": ("apply ok.json scores.csv --score score --out o.csv --column id", "--force-column"),
    "printed JSON": ("apply ok.json scores.csv --out - --json", "when --json is given"),
    "printed Parquet": ("apply ok.json scores.csv --out - --out-format parquet", "'csv', 'jsonl'"),
    "format of a file": ("apply ok.json scores.csv --out o.csv --out-format csv", "with --out -"),
    "out name": ("apply ok.json scores.csv --out o.xlsx", "format of o.xlsx is unknown"),
    "too old": ("monitor old.json scores.csv", "or fit it again"),
    "one class": ("evaluate one.csv --score s --label l", "no positive label in 2 rows"),
    "no budget": ("audit plan scores.csv --out a.csv --budget 0", "Invalid value for '--budget'"),
    "sheet format": ("audit plan scores.csv --out a.xlsx", "format of a.xlsx is unknown"),
    "no sheet": ("audit merge scores.csv no.csv --out new.json", "no.csv: No such file"),
    "not a sheet": (
        "audit merge scores.csv plain.csv --out new.json",
        "expected the columns audit_row, audit_probability",
    ),
    "audit command": ("audit check scores.csv", "No such command 'check' (see lwcal audit --help)"),
    "argument": ("fit", "Missing argument 'SCORES' (see lwcal fit --help)"),
    "option": ("fit scores.csv", "Missing option '--out' (see lwcal fit --help)"),
    "no such option": ("fit scores.csv --outt c.json", "No such option: --outt"),
    "unquoted pattern": (
        "fit scores.csv scores.parquet --out new.json",
        "extra argument(s) (scores.parquet) (quote a pattern of several files; see lwcal fit",
    ),
    "rows first": ("monitor scores.csv ok.json", "got scores.csv; the calibrator comes first"),
    "command": ("fitt", "No such command 'fitt'"),
}


@pytest.fixture
def spoiled(here):
    """The working folder, with everything that can be wrong with a file."""
    parquet = Path("scores.parquet").read_bytes()
    Path("broken.parquet").write_bytes(parquet[:500])
    Path("s.parquet.gz").write_bytes(gzip.compress(parquet))
    feather.write_feather(pa.table({"s": [0.1] * 999}), "whole.arrow")
    Path("broken.arrow").write_bytes(Path("whole.arrow").read_bytes()[:200])
    Path("broken.csv.gz").write_bytes(gzip.compress(Path("scores.csv").read_bytes())[:900])
    Path("latin.csv").write_bytes("score,label\n0.5,café\n".encode("latin-1"))
    Path("excel.csv").write_text("sep=;\nscore;label\n0.5;1\n")
    for name in ("empty.csv", "empty.jsonl", "empty.parquet", "empty.arrow"):
        Path(name).touch()
    for folder in ("types", "names", "folder.csv", "many"):
        Path(folder).mkdir()
    pd.DataFrame({"s": [0.1], "l": [1]}).to_parquet("types/a.parquet")
    pd.DataFrame({"s": ["high"], "l": [1]}).to_parquet("types/b.parquet")
    for name in ("a", "b", "c"):
        Path(f"many/{name}.parquet").write_bytes(parquet[: 500 if name == "b" else None])
    texts = {
        "header.csv": "s,l\n",
        "plain.csv": "score,x\n0.1,1\n0.2,2\n",
        "plain.jsonl.gz": '{"s": 0.1}\n',
        "ragged.csv": "s,l\n0.1,1\n0.2\n",
        "twice.csv": "s,s\n0.1,1\n",
        "two.csv": "score,p,y\n0.1,0.2,0\n0.2,0.3,1\n",
        "mixed.csv": "score,label\n0.1,1\nhigh,0\n",
        "mixed.jsonl": '{"s": 0.1, "l": 1}\n{"s": "high", "l": 0}\n',
        "broken.jsonl": '{"s": 0.1, "l": 1}\n{"s": 0.2, "l"\n',
        "gaps.csv": "s,l\n0.1,1\n,0\n",
        "one.csv": "s,l\n0.1,0\n0.2,0\n",
        "types/a.csv": "s,l\n0.1,1\n",
        "types/b.csv": "s,l\nhigh,1\n",
        "names/a.csv": "s,l\n0.1,1\n",
        "names/b.csv": "s,m\n0.1,1\n",
        "scores.json": "{}",
        "old.json": (FOLDER / "v1" / "platt.json").read_text(),
    }
    for name, text in texts.items():
        Path(name).write_text(text)
    lwcal.save(lwcal.LWCal().fit([0.2, 0.8], [0, 1]), "ok.json")
    return here


@pytest.mark.parametrize(("line", "expected"), MISTAKES.values(), ids=MISTAKES.keys())
def test_mistakes_are_one_clear_line_and_write_nothing(spoiled, capsys, line, expected):
    """Exit code 2, one line on standard error, no traceback, no file."""
    before = files(spoiled)
    assert call(line) == 2
    shown = capsys.readouterr()
    assert expected in shown.err
    assert shown.err.startswith("Error: ")
    assert shown.err.count("\n") == 1
    assert shown.out == ""
    assert files(spoiled) == before


FORCED = {
    "fit": "fit scores.csv --out scores.csv",
    "fit to a link": "fit scores.csv --out link.csv",
    "fit a folder": "fit many --score s --label l --out many/a.parquet",
    "label weights": "fit scores.parquet --method lwcal --out c.json "
    "--label-weights scores.parquet",
    "noise matrix": f"{FIT} --noise-matrix ok.json --out ok.json",
    "report of a calibrator": "report ok.json scores.csv --out ok.json",
    "report of rows": "report ok.json scores.csv --out scores.csv",
    "adapt": "adapt ok.json scores.csv --out ok.json",
    "adapt to rows": "adapt ok.json scores.csv --out scores.csv",
    "export": "export ok.json --to sql --out ok.json",
    "table": "table reduce scores.parquet --out scores.parquet",
    "audit plan": "audit plan scores.csv --out scores.csv",
    "audit merge to rows": "audit merge scores.csv two.csv --out scores.csv",
    "audit merge to a sheet": "audit merge scores.csv two.csv --out c.json --out-scores two.csv",
    "opinions plan": "opinions plan scores.csv --out scores.csv",
    "opinions merge": "opinions merge scores.csv two.csv --out two.csv",
    "opinions read": "opinions read two.csv --out two.csv",
}


@pytest.mark.parametrize("line", FORCED.values(), ids=FORCED.keys())
def test_no_command_replaces_what_it_reads(spoiled, capsys, line):
    """Also if it may replace files: rows and calibrators would be lost."""
    Path("link.csv").symlink_to("scores.csv")
    kept = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    assert call(f"{line} --force") == 2
    shown = capsys.readouterr().err
    assert "is the file that is read; choose another name" in shown
    assert shown.count("\n") == 1
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == kept


def damage(form):
    """A file of many rows, with something wrong far from its beginning."""
    rows = pd.DataFrame({"score": [k / 200_000 for k in range(200_000)], "label": [0, 1] * 100_000})
    if form == "csv":
        rows.to_csv("late.csv", index=False)
        lines = Path("late.csv").read_text().splitlines()
        lines[190_000] = "0.5"
        Path("late.csv").write_text("\n".join(lines) + "\n")
        return "late.csv cannot be read: CSV line 190001: Expected Number of Columns: 2 Found: 1"
    rows.to_parquet("late.parquet", row_group_size=50_000)
    data = bytearray(Path("late.parquet").read_bytes())
    middle, size = len(data) // 2, len(data) // 3  # so much that it covers the heads of pages
    data[middle : middle + size] = b"\xff" * size
    Path("late.parquet").write_bytes(data)
    return "late.parquet"


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize(
    "line",
    [
        "fit {} --out c.json",
        "apply ok.json {} --out o.csv",
        "apply ok.json {} --out o.parquet",
        "apply ok.json {} --out o.arrow",
    ],
)
def test_damage_that_shows_late_is_told_like_any_other(spoiled, capsys, form, line):
    """After many good rows were read; none of them is written."""
    told = damage(form)
    before = files(spoiled)
    assert call(line.format(f"late.{form}")) == 2
    shown = capsys.readouterr().err
    assert shown.startswith("Error: ")
    assert shown.count("\n") == 1
    assert told in shown
    assert "cannot be read" in shown
    assert files(spoiled) == before


def test_a_file_without_permission_is_exit_code_3(here, monkeypatch, capsys):
    """Simulated, because permissions do not bind the user that tests may run as."""

    def refused(path, *args, **kwargs):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("pathlib.Path.open", refused)
    assert call("diagnose scores.csv") == 3
    assert capsys.readouterr().err == "Error: scores.csv: Permission denied\n"


def test_a_failing_disk_is_exit_code_3(here, monkeypatch, capsys):
    """An error of the system while reading is not taken for a damaged file."""

    def fails(*args, **kwargs):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("lwcal.engines.duckdb.files.read_header", fails)
    assert call("diagnose scores.csv") == 3
    assert capsys.readouterr().err == "Error: Input/output error\n"


def test_a_failing_machine_is_exit_code_3(here, monkeypatch, capsys):
    """A full disk is not the user's mistake."""

    def full(*args, **kwargs):
        raise OSError(28, "No space left on device", "c.json")

    monkeypatch.setattr("lwcal.cli.fit.save", full)
    assert call("fit scores.csv --score score --label label --out c.json") == 3
    assert capsys.readouterr().err == "Error: c.json: No space left on device\n"


def test_a_file_that_cannot_be_written_to_its_end_is_not_there(here):
    """A limit on the size of files stops the writing in the middle, as a full disk does."""
    frame = pd.concat([pd.read_csv("scores.csv")] * 8)
    frame.to_csv("scores.csv", index=False)
    call("fit scores.csv --out c.json")
    targets = ["o.csv", "o.parquet", "o.jsonl", "o.arrow", "o.csv.gz"]
    Path("limited.py").write_text(
        "import resource, sys\n"
        "from lwcal.cli.app import run\n"
        "sys.dont_write_bytecode = True  # half a file of bytecode would stay\n"
        "before = resource.getrlimit(resource.RLIMIT_FSIZE)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (8192, before[1]))\n"
        f"for target in {targets}:\n"
        "    assert run(f'apply c.json scores.csv --score score --out {target}'.split()) == 3\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, before)  # what measures coverage writes later\n"
    )
    before = files(here)
    ended, _, shown = shell("python limited.py")
    assert shown.splitlines() == [f"Error: {target}: File too large" for target in targets]
    assert ended == 0
    assert files(here) == before


def test_a_full_disk_behind_standard_output_is_told(here):
    """For tables as for reports, once and not twice."""
    call("fit scores.csv --out c.json")
    for line in ("apply c.json scores.csv --score score --out -", "--version"):
        code, _, shown = shell(f"lwcal {line} > /dev/full")
        assert (code, shown) == (3, "Error: No space left on device\n")


def test_a_reader_that_leaves_is_not_told(here):
    """As with head; the exit code is not that of a verdict."""
    call("fit scores.csv --out c.json")
    line = "lwcal apply c.json scores.csv --score score --out - | head -1; exit ${PIPESTATUS[0]}"
    code, _, shown = shell(line)
    assert code in (0, 141)  # small tables may fit into the pipe before the reader leaves
    assert "Error" not in shown


@pytest.mark.parametrize(
    ("line", "closed", "expected"),
    [
        ("diagnose scores.csv", "stdout", 141),
        ("--help", "stdout", 141),
        ("apply missing.json scores.csv --out o.csv", "stderr", 2),
        ("nonsense", "stderr", 2),
    ],
)
def test_a_pipe_without_a_reader_ends_quietly(here, line, closed, expected):
    """With the exit code of other tools, or that of the mistake, and never that of a verdict."""
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-c", "from lwcal.cli import main; main()", *line.split()]
    other = "stderr" if closed == "stdout" else "stdout"
    finished = subprocess.run(command, **{closed: writer, other: subprocess.PIPE}, text=True)
    os.close(writer)
    assert finished.returncode == expected
    assert "Error" not in (getattr(finished, other) or "")
    assert "Traceback" not in (getattr(finished, other) or "")


@pytest.mark.parametrize("arrays", [True, False])
def test_a_process_that_ends_looks_for_little_garbage(monkeypatch, arrays):
    """Its memory goes with it; but extensions complain about what they are not asked to free."""
    monkeypatch.setattr("lwcal.cli._run", lambda: 0)
    if not arrays:
        monkeypatch.delitem(sys.modules, "numpy")
    frozen = gc.get_freeze_count()
    with pytest.raises(SystemExit):
        lwcal.cli.main()
    assert gc.get_threshold()[0] == lwcal.cli.GARBAGE
    assert not gc.isenabled()
    assert (gc.get_freeze_count() == frozen) == arrays


def test_nothing_complains_at_the_end(here):
    """DuckDB would, about objects that are not freed."""
    call("fit scores.csv --out c.json --method platt")
    for line in ("apply c.json scores.csv --out o.csv", "fit scores.csv --out d.json", "--help"):
        code, _, shown = shell(f"lwcal {line}")
        assert code == 0
        assert "leaked" not in shown


def test_a_name_is_printed_as_it_is(capsys):
    """Neither as a style nor as a picture."""
    note("[bold]:smile:")
    assert capsys.readouterr().err == "[bold]:smile:\n"


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        """Say so."""
        return True


def test_an_error_is_red_on_a_terminal(monkeypatch):
    """And the same line."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr("sys.stderr", Terminal())
    assert call("fit missing.csv --out c.json") == 2
    shown = sys.stderr.getvalue()
    assert shown.startswith("\x1b[31mError: ")
    assert shown.count("\n") == 1


def test_streams_may_be_closed_before_the_start(monkeypatch):
    """As with ``2>&-``; what would go there is discarded."""
    for run, expected in ((lambda: 2, 2), (lambda: 1 / 0, 3), (lambda: print("lost") or 0, 0)):
        monkeypatch.setattr("lwcal.cli._run", run)
        monkeypatch.setattr("sys.stdout", None)
        monkeypatch.setattr("sys.stderr", None)
        with pytest.raises(SystemExit) as ended:
            lwcal.cli.main()
        sys.stdout.close()
        sys.stderr.close()
        assert ended.value.code == expected


class Nobody(io.StringIO):
    """A pipe whose reader left."""

    def write(self, text):
        """Fail as the system does."""
        raise BrokenPipeError


def test_an_error_that_nobody_reads_keeps_its_exit_code(monkeypatch):
    """Before any command runs, and in one."""

    def broken():
        raise BrokenPipeError

    for run, expected in ((lambda: 1 / 0, 3), (broken, 141)):
        monkeypatch.setattr("lwcal.cli._run", run)
        monkeypatch.setattr("sys.stderr", Nobody())
        with pytest.raises(SystemExit) as ended:
            lwcal.cli.main()
        assert ended.value.code == expected
    monkeypatch.setattr("lwcal.cli.console.fail", lambda reason: broken())
    assert call("fit missing.csv --out c.json") == 2


@pytest.mark.parametrize(
    ("error", "code", "shown"),
    [
        (MemoryError(), 3, "Error: not enough memory"),
        (MemoryError("Unable to allocate\n8 GiB"), 3, "(Unable to allocate 8 GiB)"),
        (RecursionError("too deep"), 3, "RecursionError: too deep"),
        (BrokenPipeError(), 141, ""),
        (SystemExit(1), 3, ""),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_no_exception_looks_like_a_verdict(here, monkeypatch, capsys, error, code, shown):
    """Exit code 1 has a meaning."""

    def fails(*args, **kwargs):
        raise error

    monkeypatch.setattr("lwcal.cli.fit.save", fails)
    assert call("fit scores.csv --score score --label label --out c.json") == code
    said = capsys.readouterr().err
    assert shown in said
    assert "Traceback" not in said


def interrupt(*args, **kwargs):
    """What Ctrl-C does."""
    raise KeyboardInterrupt


def test_an_interrupted_command_leaves_nothing(here, monkeypatch, capsys):
    """Neither a file nor a traceback; the exit code is that of shells."""
    call("fit scores.csv --out c.json --method platt")
    before = files(here)
    capsys.readouterr()
    monkeypatch.setattr("lwcal.engines.duckdb.applying.write_rows", interrupt)
    assert call("apply c.json scores.csv --score score --out o.csv") == 130
    assert capsys.readouterr() == ("", "")
    assert files(here) == before


def test_a_query_can_be_interrupted():
    """Ctrl-C stops DuckDB on all its threads, and is told as what it is."""
    code = (
        "import os, signal, threading\n"
        "from lwcal.engines.duckdb.session import explained, session\n"
        "with session() as cursor:\n"
        "    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "    try:\n"
        "        with explained('rows'):\n"
        "            cursor.execute('SELECT max(hash(i)) FROM range(1000000000000) t(i)')\n"
        "    except KeyboardInterrupt:\n"
        "        print('interrupted')\n"
        "print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)\n"
    )
    command = [sys.executable, "-c", code]
    # without an interruption it would take hours
    finished = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (finished.returncode, finished.stdout) == (0, "interrupted\nTrue\n")
    with pytest.raises(RuntimeError, match="another"), explained("rows"):
        raise RuntimeError("another")


def test_a_query_beside_the_main_thread_leaves_its_signals_alone():
    """Signals belong to the main thread; elsewhere a session works without them."""

    def handler():
        with session() as cursor:
            assert cursor.execute("SELECT 1").fetchall() == [(1,)]
            return signal.getsignal(signal.SIGINT)

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(handler).result() is signal.getsignal(signal.SIGINT)


def test_the_start_can_be_interrupted_too(monkeypatch, capsys):
    """The imports take a second; what catches the interruption is there before they begin."""
    monkeypatch.setattr("lwcal.cli._run", interrupt)
    with pytest.raises(SystemExit) as ended:
        lwcal.cli.main()
    assert ended.value.code == 130
    assert capsys.readouterr() == ("", "")
    code = "import sys; from lwcal.cli import main; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
    assert "lwcal.cli" in loaded.split()
    assert not {"numpy", "typer", "pyarrow"} & set(loaded.split())


def test_a_bug_is_no_verdict(here, monkeypatch, capsys):
    """Exit code 1 has a meaning; the traceback is there for whoever asks for it."""
    monkeypatch.setattr("lwcal.cli.fit.save", lambda *args, **kwargs: 1 / 0)
    line = "fit scores.csv --score score --label label --out c.json"
    assert call(line) == 3
    shown = capsys.readouterr().err
    assert shown.count("\n") == 1
    assert "ZeroDivisionError: division by zero" in shown
    assert "LWCAL_TRACEBACK=1" in shown
    monkeypatch.setenv("LWCAL_TRACEBACK", "1")
    assert call(line) == 3
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_a_failing_import_is_no_verdict(monkeypatch, capsys):
    """Before any command runs."""
    monkeypatch.setattr("lwcal.cli._run", lambda: 1 / 0)
    with pytest.raises(SystemExit) as ended:
        lwcal.cli.main()
    assert ended.value.code == 3
    assert capsys.readouterr().err.startswith("Error: unexpected ZeroDivisionError")
