"""Columns in the names of folders: only inside the folder that was named, and as text."""

import pandas as pd
import pyarrow.parquet as pq
import pytest

import lwcal
from lwcal.engines.duckdb import apply
from lwcal.errors import InputError

FORMS = ["csv", "parquet", "jsonl"]


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """Rows below folders that look like partitions, three deep."""
    monkeypatch.chdir(tmp_path)
    for rate in ("00.10", "a%2Fb", "__HIVE_DEFAULT_PARTITION__"):
        folder = tmp_path / "day=1" / "data" / f"lr={rate}"
        folder.mkdir(parents=True)
        frame = pd.DataFrame({"score": [0.5], "name": ["x"]})
        frame.to_csv(folder / "x.csv", index=False)
        frame.to_parquet(folder / "x.parquet", index=False)
        frame.to_json(folder / "x.jsonl", orient="records", lines=True)
    return tmp_path


def columns(source):
    """What apply writes."""
    apply(source, lwcal.maps.IdentityMap(), "score", "o.parquet", overwrite=True)
    return pq.read_table("o.parquet").drop(["p_calibrated", "score", "name"]).to_pydict()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("prefix", ["", "file://{here}/"])
def test_a_file_has_only_its_own_columns(runs, form, prefix):
    """Wherever it lies; and so have files that a pattern finds in one folder."""
    begin = prefix.format(here=runs)
    assert columns(f"{begin}day=1/data/lr=00.10/x.{form}") == {}
    assert columns(f"{begin}day=1/data/lr=00.10/*.{form}") == {}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("prefix", ["./", "file://{here}/"])
def test_columns_of_folders_inside_the_named_one_are_read_as_text(runs, form, prefix):
    """One value for each file; the names of outer folders say nothing."""
    expected = {"lr": [None, "00.10", "a/b"]}
    begin = prefix.format(here=runs)
    found = columns(f"{begin}day=1/data/*/x.{form}")
    assert {"lr": sorted(found["lr"], key=str)} == {"lr": sorted(expected["lr"], key=str)}
    found = columns(f"{begin}day=*/data/lr=0*/x.{form}")
    assert found == {"day": ["1"], "lr": ["00.10"]}


def test_a_folder_can_be_named_with_a_slash_or_without(runs):
    """And a column that the files have themselves stays as it is."""
    for folder in (runs / "day=1" / "data").iterdir():
        (folder / "x.csv").write_text("score,name,LR\n0.5,x,own\n")
        (folder / "x.parquet").unlink()
        (folder / "x.jsonl").unlink()
    for source in ("day=1/data", "day=1/data/", "day=1"):
        assert columns(source) == {"LR": ["own"] * 3}


def test_files_must_share_the_columns_of_their_folders(runs):
    """A row without a value would otherwise look like one with a missing value."""
    (runs / "day=1" / "data" / "y.csv").write_text("score,name\n0.5,x\n")
    with pytest.raises(InputError, match="lr="):
        columns("day=1/data/**/*.csv")
    (runs / "day=1" / "data" / "a.csv").write_text("score,name\n0.5,x\n")
    with pytest.raises(InputError, match="no folder named like lr="):
        columns("day=1/data/**/*.csv")
