"""``lwcal table``: shards are reduced where they lie, and a fit needs the rows no more."""

import json
from pathlib import Path

import duckdb
import pandas as pd
import pytest

import lwcal
from tests.cli.helpers import call, done, files


@pytest.fixture
def days(here):
    """The rows as those of three days, in three formats."""
    frame = pd.read_csv("scores.csv")
    frame[:200].to_csv("one.csv", index=False)
    frame[200:600].to_parquet("two.parquet")
    frame[600:].to_json("three.jsonl", orient="records", lines=True, double_precision=15)
    return here


def test_a_fit_to_merged_shards_is_the_fit_to_the_rows(days, capsys):
    """Today's table is added to yesterday's, which takes its place."""
    for name in ("one.csv", "two.parquet"):
        shard = name.split(".", maxsplit=1)[0]
        assert call(f"table reduce {name} --out {shard}.table.parquet") == 0
    assert "200 rows" in capsys.readouterr().out
    tables = "one.table.parquet two.table.parquet"
    assert call(f"table merge {tables} --out one.table.parquet --force --json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["n"], told["grid"], told["written"]) == (600, None, ["one.table.parquet"])
    assert call("fit one.table.parquet --method gated --out merged.json") == 0
    pd.read_csv("scores.csv")[:600].to_csv("first.csv", index=False)
    assert call("fit first.csv --method gated --out rows.json") == 0
    assert Path("merged.json").read_bytes() == Path("rows.json").read_bytes()


def test_several_tables_are_fitted_as_one(days):
    """By a pattern or a folder."""
    Path("tables").mkdir()
    for name in ("one.csv", "two.parquet", "three.jsonl"):
        assert call(f"table reduce {name} --out tables/{name}.parquet") == 0
    for source in ("tables", "tables/*.parquet"):
        assert call(f"fit {source} --method platt --out c.json --force") == 0
        assert lwcal.load("c.json").n_ == 800


MISTAKES = {
    "columns of a table": (
        "fit t.parquet --score p --out c.json",
        "--score does not work with a saved table",
    ),
    "rows as a table": (
        "table merge scores.parquet --out m.parquet",
        "scores.parquet is a Parquet file, but not a saved table",
    ),
    "table and rows": (
        "fit *.parquet --out c.json",
        "scores.parquet is a Parquet file, but not a saved table",
    ),
    "no table": ("table merge none.parquet --out m.parquet", "none.parquet"),
    "ending": ("table reduce scores.csv --out t.csv", "a file ending in .parquet"),
    "exists": ("table reduce scores.csv --out t.parquet", "--force"),
    "merged exists": ("table merge t.parquet --out t.parquet", "--force"),
    "no database": ("fit no.duckdb --out c.json", "No file named no.duckdb"),
    "not a database": ("fit plain.duckdb --out c.json", "plain.duckdb cannot be read"),
    "table of a file": ("fit scores.csv --table t --out c.json", "a database with --table"),
    "weights of dropped": (
        "fit scores.csv --drop-invalid --method gated --label-weights a.csv --out c.json",
        "--label-weights does not work with --drop-invalid",
    ),
    "weights of a table": (
        "fit t.parquet --method gated --label-weights a.csv --out c.json",
        "t.parquet is a saved table",
    ),
    "trusted labels of a table": (
        "report c.json t.parquet --trusted label",
        "--trusted needs single rows",
    ),
    "audit of a table": ("audit plan t.parquet --out a.csv", "t.parquet is a saved table"),
}


@pytest.mark.parametrize(("line", "expected"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_one_clear_line(days, capsys, line, expected):
    """Nothing is written."""
    Path("two.parquet").unlink()
    Path("plain.duckdb").write_text("no database at all, but long enough to be taken for one" * 99)
    assert call("table reduce scores.csv --out t.parquet") == 0
    if "report c.json" in line:
        assert call("fit t.parquet --method platt --out c.json") == 0
    if line.startswith("fit *"):
        Path("a.parquet").write_bytes(Path("t.parquet").read_bytes())
    capsys.readouterr()
    before = files(days)
    assert call(line) == 2
    shown = capsys.readouterr()
    assert expected in shown.err
    assert shown.err.count("\n") == 1
    assert files(days) == before


def test_a_database_is_fitted_and_applied_to(days, noisy_rows):
    """The table that is named."""
    with duckdb.connect("rows.duckdb") as database:
        database.execute("CREATE TABLE scored AS FROM 'scores.parquet'; CREATE TABLE x (y INT)")
    assert call("fit rows.duckdb --table scored --method platt --out c.json") == 0
    assert call("apply c.json rows.duckdb --table scored --out o.parquet") == 0
    expected = lwcal.Platt().fit(*noisy_rows).predict(noisy_rows[0])
    assert pd.read_parquet("o.parquet")["p_calibrated"].to_numpy() == pytest.approx(expected)


def test_invalid_rows_are_dropped_when_asked_to(days, capsys):
    """And counted on the side."""
    text = Path("scores.csv").read_text() + "900,1.5,1,2,bad\n901,NA,0,2,good\n902,0.5,,2,good\n"
    Path("more.csv").write_text(text)
    named = "--score score --label label --method platt --out c.json"
    assert call(f"fit more.csv {named}") == 2
    assert "1 of 803 values is missing, the first in row 801" in (capsys.readouterr().err)
    assert call(f"fit more.csv {named} --drop-invalid") == 0
    shown = capsys.readouterr()
    assert shown.err.startswith("dropped 3 of 803 rows: column 'score': 1 is missing")
    assert call("fit scores.csv --score score --label label --method platt --out d.json") == 0
    assert Path("c.json").read_bytes() == Path("d.json").read_bytes()
    capsys.readouterr()
    assert call("apply c.json more.csv --score score --out o.csv --drop-invalid --json") == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out)["dropped"] == 2
    assert json.loads(shown.out)["rows"] == 801
    assert shown.err.startswith("dropped 2 of 803 rows")


def test_scores_beyond_the_limit_are_rounded_and_it_is_said(here, capsys):
    """In the report, in JSON, and in the calibrator."""
    duckdb.sql(
        "SELECT (i + 0.5) / 1100001 AS score, i % 2 AS label FROM range(1100000) t(i)"
    ).write_parquet("many.parquet")
    assert call("fit many.parquet --method isotonic --out c.json") == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "grid 2^-20 scores are rounded, as there are over 1,048,576 distinct" in shown
    assert call("fit many.parquet --method isotonic --out d.json --json") == 0
    assert json.loads(capsys.readouterr().out)["grid"] == 2.0**-20
    assert json.loads(Path("c.json").read_text())["grid"] == 2.0**-20
    assert lwcal.load("c.json").grid_ == 2.0**-20


def test_a_saved_table_does_for_rows_wherever_counts_are_enough(here, capsys, noisy_rows):
    """The same numbers; the positive class is not in the file."""
    assert call("table reduce scores.csv --out t.parquet --json") == 0
    assert json.loads(capsys.readouterr().out)["positive_class"] == "1"
    assert call("fit t.parquet --method noise-aware --out c.json") == 0
    for line in (
        "diagnose {}",
        "evaluate {} c.json --noise-rates estimate",
        "compare {} --method platt,auto",
        "monitor c.json {}",
    ):
        capsys.readouterr()
        found = []
        for source in ("scores.csv", "t.parquet"):
            assert done(f"{line.format(source)} --json")
            found.append(json.loads(capsys.readouterr().out))
        classes = [one.pop("positive_class") for one in found]
        assert classes == ["1", None]
        following = [one.pop("next", "") for one in found]  # an audit needs single rows
        assert following[1] in ("", "lwcal audit serve FILE --budget 25")
        for one in found:
            one.pop("or", "")  # so does a second opinion
        assert found[0] == found[1]
        assert done(line.format("t.parquet"))
        assert "not recorded in a saved table" in " ".join(capsys.readouterr().out.split())
    assert call("report c.json t.parquet") == 0
    assert "wrote report.html" in capsys.readouterr().out


def test_every_command_reads_a_table_of_a_database(here, capsys):
    """Also those that need every row."""
    with duckdb.connect("rows.duckdb") as database:
        database.execute("CREATE TABLE scored AS FROM 'scores.parquet'; CREATE TABLE x (y INT)")
    on = "rows.duckdb --table scored"
    assert call(f"fit {on} --method lwcal --label-weights w.csv --out c.json") == 0
    assert len(pd.read_csv("w.csv")) == 800
    for line in (
        f"diagnose {on}",
        f"evaluate {on} c.json",
        f"compare {on} --method platt",
        f"monitor c.json {on}",
        f"report c.json {on} --out r.html",
        f"table reduce {on} --out t.parquet",
        f"audit plan {on} --out a.csv",
    ):
        assert done(line), line
    assert "--table scored" in capsys.readouterr().out  # in the command to merge the sheet
    assert call("diagnose rows.duckdb") == 2
    assert "name one with --table" in capsys.readouterr().err


def test_unusable_rows_are_dropped_by_every_command_that_counts(here, capsys):
    """And counted; without the option they are refused."""
    text = Path("scores.csv").read_text() + "900,1.5,1,2,bad\n901,NA,0,2,good\n"
    Path("more.csv").write_text(text)
    call("fit scores.csv --method platt --out c.json")
    for line in (
        "diagnose {}",
        "evaluate {} c.json",
        "compare {} --method platt",
        "monitor c.json {}",
    ):
        named = f"{line} --score score --json"
        assert call(named.format("more.csv")) == 2
        capsys.readouterr()
        assert done(named.format("scores.csv"))
        expected = capsys.readouterr().out
        assert done(f"{named.format('more.csv')} --drop-invalid")
        shown = capsys.readouterr()
        assert shown.out.replace("more.csv", "scores.csv") == expected
        assert "dropped 2 of 802 rows" in shown.err


def test_a_class_that_comes_late_is_still_that_of_the_fit(here, capsys):
    """The first rows, by which columns are found, need not hold it."""
    frame = pd.read_csv("scores.csv")
    many = pd.concat([frame[frame["name"] == "good"]] * 60 + [frame[frame["name"] == "bad"]])
    many.to_csv("sorted.csv", index=False)
    assert call("fit scores.csv --label name --pos-label bad --method platt --out c.json") == 0
    capsys.readouterr()
    assert call("evaluate sorted.csv c.json --label name --json") == 0
    assert json.loads(capsys.readouterr().out)["positive_class"] == "bad"
