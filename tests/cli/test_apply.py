"""``lwcal apply``: what it adds, and what it leaves alone."""

import gzip
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pyarrow import feather

import lwcal
from tests.cli.helpers import call


@pytest.fixture
def calibrator(here, noisy_rows):
    """A fitted calibrator in the working folder."""
    fitted = lwcal.Platt().fit(*noisy_rows)
    lwcal.save(fitted, "c.json")
    return fitted


READERS = {
    "o.csv": pd.read_csv,
    "o.csv.gz": pd.read_csv,
    "o.parquet": pd.read_parquet,
    "o.jsonl": lambda path: pd.read_json(path, lines=True, precise_float=True),
    "o.jsonl.gz": lambda path: pd.read_json(path, lines=True, precise_float=True),
    "o.feather": pd.read_feather,
    "o.arrow": feather.read_feather,
}


@pytest.mark.parametrize("target", READERS)
@pytest.mark.parametrize("source", ["scores.csv", "scores.parquet"])
def test_every_format_holds_all_columns_and_one_more(calibrator, source, target):
    """In the order of the rows."""
    assert call(f"apply c.json {source} --out {target}") == 0
    before, after = pd.read_csv("scores.csv"), READERS[target](target)
    if source == "scores.csv":  # text stays text
        after = after.astype(before.dtypes.to_dict())
    pd.testing.assert_frame_equal(after[before.columns], before, check_dtype=False)
    expected = calibrator.predict(before["score"])
    np.testing.assert_allclose(after["p_calibrated"], expected, rtol=1e-14)


TRICKY = 'zip,when,score,note\n007,2026-01-02,0.50,"a, ""b"""\n,NA,1e-1,"two\nlines"\n1e5,,1,x\n'


@pytest.mark.parametrize("compressed", [False, True])
def test_from_csv_to_csv_other_columns_stay_as_they_were_written(calibrator, compressed):
    """Leading zeros, empty cells, quotes, line breaks."""
    name = "t.csv.gz" if compressed else "t.csv"
    Path(name).write_bytes(gzip.compress(TRICKY.encode()) if compressed else TRICKY.encode())
    assert call(f"apply c.json {name} --out o.csv --column p_new") == 0
    read = pd.read_csv("o.csv", dtype=str, keep_default_na=False)
    expected = pd.read_csv(name, dtype=str, keep_default_na=False)
    pd.testing.assert_frame_equal(read[expected.columns], expected)
    np.testing.assert_allclose(
        read["p_new"].astype(float), calibrator.predict([0.5, 0.1, 1.0]), rtol=1e-15
    )
    assert (
        Path("o.csv").read_text().startswith('zip,when,score,note,p_new\n007,2026-01-02,0.50,"a,')
    )


def test_names_of_columns_stay_as_they_were_written(calibrator, capsys):
    """Also one with a line break; one that never ends is refused."""
    Path("t.csv").write_text('"a\nb",score\n01,0.5\n')
    assert call("apply c.json t.csv --out o.csv") == 0
    assert Path("o.csv").read_text().startswith('"a\nb",score,p_calibrated\n01,0.5,')
    Path("t.csv").write_text('"a,score\n01,0.5\n')
    assert call("apply c.json t.csv --out p.csv") == 2
    assert not Path("p.csv").exists()


def test_rows_can_go_through_a_pipe(calibrator, standard_input, capfdbinary):
    """From standard input to standard output; the report goes to the side."""
    standard_input(b"score\n0.1\n0.9\n")
    assert call("apply c.json - --out -") == 0
    out, err = capfdbinary.readouterr()
    assert out.startswith(b"score,p_calibrated\n0.1,")
    assert err == b"score column: score\nwrote 2 rows, new column p_calibrated\n"
    standard_input(b'{"score": 0.1}\n')
    assert call("apply c.json - --format jsonl --out - --out-format jsonl") == 0
    row = json.loads(capfdbinary.readouterr().out)
    assert row["p_calibrated"] == pytest.approx(calibrator.predict([0.1])[0])


def test_a_column_is_replaced_only_when_asked_to(calibrator):
    """In its place."""
    assert call("apply c.json scores.csv --out o.parquet --column w") == 2
    assert call("apply c.json scores.csv --out o.parquet --column w --force-column") == 0
    after = pd.read_parquet("o.parquet")
    assert list(after.columns) == ["id", "score", "label", "w", "name"]
    np.testing.assert_allclose(after["w"], calibrator.predict(after["score"].astype(float)))


def test_a_file_is_replaced_only_when_asked_to(calibrator, capsys):
    """And JSON says what was done."""
    Path("o.csv").write_text("old")
    assert call("apply c.json scores.csv --out o.csv") == 2
    assert Path("o.csv").read_text() == "old"
    capsys.readouterr()
    assert call("apply c.json scores.csv --out o.csv --force --json") == 0
    document = json.loads(capsys.readouterr().out)
    assert document.pop("score_scale") == "probability"
    assert document == {"rows": 800, "column": "p_calibrated", "written": ["o.csv"]}
