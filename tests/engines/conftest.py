"""The same rows wherever DuckDB finds them."""

import gzip
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather

import lwcal


@pytest.fixture
def frame(noisy_rows):
    """Scores, labels, fractional weights and other columns."""
    scores, labels = noisy_rows
    return pd.DataFrame(
        {
            "id": np.arange(len(scores)),
            "score": scores,
            "label": labels,
            "w": np.linspace(0.1, 2.0, len(scores)),
            "country": np.where(np.arange(len(scores)) % 3 == 0, "NL", "DE"),
        }
    )


@pytest.fixture
def here(tmp_path, monkeypatch, frame):
    """A folder with the rows in everything that can be read."""
    monkeypatch.chdir(tmp_path)
    frame.to_csv("rows.csv", index=False)
    Path("rows.csv.gz").write_bytes(gzip.compress(Path("rows.csv").read_bytes()))
    frame.to_parquet("rows.parquet", index=False)
    frame.to_json("rows.jsonl", orient="records", lines=True, double_precision=15)
    feather.write_feather(pa.Table.from_pandas(frame, preserve_index=False), "rows.arrow")
    Path("parts/later").mkdir(parents=True)
    frame[:300].to_parquet("parts/a.parquet", index=False)
    frame[300:].to_parquet("parts/later/b.parquet", index=False)
    Path("parts/_SUCCESS.csv").touch()
    for country, part in frame.groupby("country"):
        Path(f"hive/country={country}").mkdir(parents=True)
        part.drop(columns="country").to_parquet(f"hive/country={country}/rows.parquet", index=False)
    with duckdb.connect("rows.duckdb") as database:
        database.register("given", frame)
        database.execute("CREATE TABLE rows AS FROM given")
    return tmp_path


@pytest.fixture
def calibrator(noisy_rows):
    """Something fitted."""
    return lwcal.LWCal().fit(*noisy_rows)
