"""``lwcal fit --segment``: one file for all segments, which apply and export read."""

import json

import duckdb
import numpy as np
import pandas as pd
import pytest

import lwcal
from tests.cli.helpers import call, files


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Rows of three shops, in which the odds differ, in two formats; and their calibrators."""
    folder = tmp_path_factory.mktemp("segments")
    rng = np.random.default_rng(0)
    n = 4000
    shop = rng.choice(3, n, p=[0.7, 0.25, 0.05])
    p = rng.random(n).round(4)
    odds = p / (1 - p + 1e-9) * np.array([1.0, 3.0, 0.3])[shop]
    label = (rng.random(n) < odds / (1 + odds)).astype(int)
    frame = pd.DataFrame({"shop": shop, "odd": shop % 2 == 1, "score": p, "label": label})
    frame.to_parquet(folder / "rows.parquet")
    frame.to_csv(folder / "rows.csv", index=False)
    (folder / "spelled.csv").write_text("shop,score\nnorth,0.5\n1.0,0.5\n")
    found = lwcal.engines.duckdb.fit_segments(
        frame, "shop", "score", "label", calibrator=lwcal.Platt()
    )
    lwcal.save(found, folder / "python.json")
    return folder


@pytest.fixture
def folder(made, monkeypatch):
    """The working folder."""
    monkeypatch.chdir(made)
    return made


def test_the_file_is_that_of_python(folder, capsys):
    """And the screen has a verdict for each segment."""
    call_ = "fit rows.parquet --segment shop --method platt --out s.json --force"
    assert call(call_) == 0
    shown = capsys.readouterr().out
    assert shown.count("differs") == 5  # three segments, their number, and what to do
    assert "check some of its labels" in " ".join(shown.split())
    written = json.loads((folder / "s.json").read_text())
    assert written == json.loads((folder / "python.json").read_text())
    assert call(f"{call_} --json") == 0
    document = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in document["segments"]] == [0, 1, 2]
    assert {one["level"] for one in document["segments"]} == {"differs"}
    assert document["written"] == ["s.json"]


def test_rows_meet_the_calibrator_of_their_segment(folder, capsys):
    """A number of a Parquet file is a word in a CSV file; others are counted."""
    fitted = lwcal.load_segments("python.json")
    for name in ("rows.parquet", "rows.csv"):
        assert call(f"apply python.json {name} --out out.parquet --force") == 0
        out = pd.read_parquet("out.parquet")
        expected = fitted.predict(out.score.astype(float), out.shop.astype(int))
        np.testing.assert_array_equal(out.p_calibrated, expected)
        assert "not in the fit" not in capsys.readouterr().err
    rows = pd.DataFrame({"branch": ["0", "7", None], "score": 0.5})
    rows.to_csv("new.csv", index=False)
    assert call("apply python.json new.csv --segment branch --out out.csv --force") == 0
    assert "2 rows are in segments that were not in the fit" in capsys.readouterr().err
    out = pd.read_csv("out.csv").p_calibrated
    assert out[1] == out[2] == fitted.pooled.predict([0.5])[0] != out[0]


def test_a_file_of_new_segments_gets_the_calibrator_of_all_rows(folder, capsys):
    """As in Python, and it says so; a new country is no mistake of spelling."""
    pd.DataFrame({"shop": ["north", "south"], "score": [0.5, 0.9]}).to_csv("north.csv", index=False)
    assert call("apply python.json north.csv --out north-out.csv --force") == 0
    told = " ".join(capsys.readouterr().err.split())
    assert "No row is in a segment of the fit; 2 rows are in segments that were not in it" in told
    assert "Check the spelling: expected names such as" in told
    expected = lwcal.load_segments("python.json").pooled.predict([0.5, 0.9])
    np.testing.assert_array_equal(pd.read_csv("north-out.csv").p_calibrated, expected)


def test_missing_values_do_not_hide_numbers_that_became_floats(folder, capsys):
    """Where one is missing, pandas writes 1 as 1.0: text of CSV that is no segment of the fit."""
    rows = pd.read_csv("rows.csv")
    rows.assign(shop=rows.shop.where(rows.score < 0.9).astype("Int64")).to_csv("fit.csv")
    assert call("fit fit.csv --segment shop --method platt --out missing.json") == 0
    new = pd.DataFrame({"shop": [0, 1, np.nan], "score": 0.5})
    new.to_csv("floats.csv", index=False)
    capsys.readouterr()
    assert call("apply missing.json floats.csv --out floats-out.csv") != 0
    error = " ".join(capsys.readouterr().err.split())
    assert "No row with a value is in a segment of the fit: expected names such as '0'" in error
    new.assign(shop=["0", "1.0", None]).to_csv("floats.csv", index=False)
    assert call("apply missing.json floats.csv --out floats-out.csv") == 0
    error = " ".join(capsys.readouterr().err.split())
    assert "1 row is in segments" in error
    assert "such as '1' (text), got '1.0' (text)" in error


def test_python_applies_and_warns(folder):
    """As the command does."""
    fitted = lwcal.load_segments("python.json")
    new = pd.DataFrame({"shop": [1, 9], "score": [0.5, 0.5]})
    with pytest.warns(lwcal.errors.SegmentWarning, match="1 row is"):
        lwcal.engines.duckdb.apply(new, fitted, "score", "one.csv", overwrite=True)
    out = pd.read_csv("one.csv").p_calibrated
    assert out.tolist() == fitted.predict([0.5, 0.5], [1, 9]).tolist()


def test_sql_has_one_expression(folder, capsys):
    """With the column of the fit, or with another one."""
    assert call("export python.json --to sql") == 0
    expression = capsys.readouterr().out
    found = duckdb.sql(f"SELECT shop, score, {expression} AS q FROM 'rows.parquet'").df()
    expected = lwcal.load_segments("python.json").predict(found.score, found.shop)
    np.testing.assert_allclose(found.q, expected, rtol=1e-12)  # DuckDB has another exp
    assert lwcal.export(lwcal.load_segments("python.json"), "sql").strip() == expression.strip()
    assert call("export python.json --to sql --segment branch") == 0
    assert '"branch"' in capsys.readouterr().out


def test_several_columns_are_combined(folder, capsys):
    """Names of such segments are tuples."""
    call_ = "fit rows.csv --segment shop --segment odd --method platt --out pair.json"
    assert call(call_) == 0
    assert lwcal.load_segments("pair.json").names[0] == ("0", "False")
    assert call("apply pair.json rows.csv --out pair.csv") == 0
    capsys.readouterr()
    assert call("apply pair.json rows.csv --segment shop --out other.csv") != 0
    assert "--segment 2 times" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["boolean", "uuid"])
def test_columns_of_any_type_name_segments(folder, capsys, kind):
    """Booleans and UUIDs of a Parquet file, with missing ones, as texts of the file say."""
    value = {
        "boolean": "odd",
        "uuid": "('0000000' || shop || '-0000-0000-0000-000000000000')::UUID",
    }
    sql = (
        f"SELECT CASE WHEN score > 0.9 THEN NULL ELSE {value[kind]} END AS g, * FROM 'rows.parquet'"
    )
    duckdb.sql(f"COPY ({sql}) TO '{kind}.parquet'")
    duckdb.sql(f"COPY ({sql}) TO '{kind}.csv'")
    assert call(f"fit {kind}.csv --segment g --method platt --out {kind}.json") == 0
    capsys.readouterr()
    for end in ("parquet", "csv"):
        assert call(f"apply {kind}.json {kind}.{end} --out of_{end}.parquet --force") == 0
        assert "not in the fit" not in capsys.readouterr().err
    found, expected = (pd.read_parquet(f"of_{end}.parquet") for end in ("parquet", "csv"))
    assert found.p_calibrated.nunique() > 1000
    np.testing.assert_array_equal(found.p_calibrated, expected.p_calibrated)


def test_fit_and_report_read_the_same_segments(tmp_path, monkeypatch, capsys):
    """Texts such as NULL and nan are names in both."""
    monkeypatch.chdir(tmp_path)
    p = np.random.default_rng(0).random(400).round(4)
    frame = pd.DataFrame({"g": ["NULL", "nan", "NA", ""] * 100, "score": p, "label": p > 0.5})
    frame.loc[::7, "label"] ^= True
    frame.astype({"label": int}).to_csv("rows.csv", index=False)
    assert call("fit rows.csv --segment g --method platt --out s.json --json") == 0
    fitted = json.loads(capsys.readouterr().out)["segments"]
    assert {one["name"] for one in fitted} == {"NULL", "nan", "NA", None}
    assert call("fit rows.csv --method platt --out one.json") == 0
    assert call("report one.json rows.csv --segment g --out page.html") == 0
    page = (tmp_path / "page.html").read_text()
    for name in ("NULL", "nan", "NA", "(no value)"):
        assert f'<th scope="row">{name}</th><td>100</td>' in page


WRONG = {
    "fit rows.csv --segment land --out x.json": "land",
    "fit rows.csv --segment shop --segment shop --out x.json": "'shop' twice",
    "report x.json rows.csv --segment shop --segment shop --out x.html": "'shop' twice",
    "fit rows.csv --prior-rows 5 --out x.json": "--segment",
    "fit rows.csv --segment shop --prior-rows -5 --out x.json": "prior_rows",
    "fit rows.csv --segment shop --trusted label --out x.json": "one label a row",
    "fit rows.csv --segment shop --method lwcal --label-weights w.csv --out x.json": "--segment",
    "fit rows.csv --segment shop --sampling-rate-negatives 0.5 --out x.json": "--segment",
    "fit rows.csv --segment shop --engine spark --out x.json": "duckdb",
    "apply python.json rows.csv --segment odd --out x.csv": "got 'False' (text) in odd",
    "apply python.json spelled.csv --out x.csv": "such as 1 (number), got '1.0' (text) in shop",
    "apply python.json rows.csv --engine spark --out x.csv": "duckdb",
    "apply gone.json rows.csv --segment shop --out x.csv": "No such file",
    "export gone.json --segment shop --to sql": "No such file",
    "fit rows.csv --segment shop --time score --label-matures 3 --out x.json": "--segment",
    **{
        f"{command}": "fit one calibrator to all rows, with lwcal fit without --segment"
        for command in (
            "monitor python.json rows.csv",
            "adapt python.json rows.csv --out x.json",
            "decide python.json rows.csv --cost-false-positive 1 --cost-false-negative 5",
            "evaluate rows.csv python.json",
            "report python.json rows.csv --out x.html",
        )
    },
    "export python.json --to onnx --out x.onnx": "Segments",
}


@pytest.mark.parametrize(("wrong", "expected"), WRONG.items(), ids=WRONG)
def test_mistakes_are_explained(folder, capsys, wrong, expected):
    """And nothing is written."""
    before = files(folder)
    assert call(wrong) != 0
    shown = " ".join(capsys.readouterr().err.split())
    assert expected in shown
    assert "load_segments" not in shown  # which nobody can call in a shell
    assert files(folder) == before


def test_one_calibrator_has_no_segments(folder, capsys):
    """The option is refused, not ignored."""
    assert call("fit rows.csv --method platt --out one.json --force") == 0
    capsys.readouterr()
    for command in ("apply one.json rows.csv --out x.csv", "export one.json --to sql"):
        assert call(f"{command} --segment shop") != 0
        assert "segment" in capsys.readouterr().err


def test_the_report_says_where_a_calibrator_holds(folder, capsys):
    """With the option in the command that makes the page again."""
    assert call("fit rows.csv --method platt --out all.json --force") == 0
    assert call("report all.json rows.csv --segment shop --out page.html --force") == 0
    page = (folder / "page.html").read_text()
    assert "In 3 segments of 3 the labels contradict the calibrator" in page
    assert "--segment shop" in page
    pairs = "report all.json rows.csv --segment shop --segment odd --out pairs.html --force"
    assert call(pairs) == 0
    page = (folder / "pairs.html").read_text()
    assert '<th scope="row">0, False</th>' in page
    assert '<th scope="col">shop, odd</th>' in page
    assert "--segment shop --segment odd" in page
    capsys.readouterr()
    assert call("report all.json rows.csv --segment land --out other.html") != 0
    assert "land" in capsys.readouterr().err
    assert call("report all.json rows.csv --segment shop --drop-invalid --out other.html") != 0
    assert "single rows" in capsys.readouterr().err
    assert not (folder / "other.html").exists()
