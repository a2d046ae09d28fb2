"""``lwcal table``: shards are reduced where they lie, and a fit needs the rows no more."""

import json
from pathlib import Path

import duckdb
import pandas as pd
import pytest

import lwcal
from tests.cli.helpers import call, files


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
    "columns of a table": ("fit t.parquet --score p --out c.json", "no names of columns with a sa"),
    "rows as a table": ("table merge scores.parquet --out m.parquet", "another Parquet file"),
    "table and rows": ("fit *.parquet --out c.json", "scores.parquet to be a saved table"),
    "no table": ("table merge none.parquet --out m.parquet", "none.parquet"),
    "ending": ("table reduce scores.csv --out t.csv", "a file ending in .parquet"),
    "exists": ("table reduce scores.csv --out t.parquet", "--force"),
    "merged exists": ("table merge t.parquet --out t.parquet", "--force"),
    "no database": ("fit no.duckdb --out c.json", "a file named no.duckdb"),
    "not a database": ("fit plain.duckdb --out c.json", "plain.duckdb cannot be read"),
    "table of a file": ("fit scores.csv --table t --out c.json", "a database with --table"),
    "audit of dropped": (
        "fit scores.csv --drop-invalid --method gated --audit a.csv --out c.json",
        "--drop-invalid without --audit",
    ),
}


@pytest.mark.parametrize(("line", "expected"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_one_clear_line(days, capsys, line, expected):
    """Nothing is written."""
    Path("two.parquet").unlink()
    Path("plain.duckdb").write_text("no database at all, but long enough to be taken for one" * 99)
    assert call("table reduce scores.csv --out t.parquet") == 0
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
    assert "grid 2^-20 that scores are rounded to (over 1,048,576 distinct)" in shown
    assert call("fit many.parquet --method isotonic --out d.json --json") == 0
    assert json.loads(capsys.readouterr().out)["grid"] == 2.0**-20
    assert json.loads(Path("c.json").read_text())["grid"] == 2.0**-20
    assert lwcal.load("c.json").grid_ == 2.0**-20
