"""The audit record shows what every label did, in the order the rows came."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from pyarrow import parquet

import lwcal
from lwcal.errors import OutputError, ParameterError
from tests import reference

COLUMNS = ["score", "y", "loss", "weight", "contradicts", "p_raw", "p_calibrated"]


@pytest.fixture(params=[lwcal.LWCal, lwcal.GatedLWCal])
def fitted(request, noisy_rows):
    """Either loss-weighted calibrator."""
    return request.param().fit(*noisy_rows)


def test_columns_are_the_papers(backend, fitted, noisy_rows):
    """Loss, weight and contradiction by the formulas, in input order."""
    scores, labels = noisy_rows
    record = lwcal.audit_table(fitted, scores, labels)
    loss = reference.losses(scores, labels)
    m, s = np.median(loss), np.median(np.abs(loss - np.median(loss)))
    np.testing.assert_array_equal(record.score, scores)
    np.testing.assert_array_equal(record.y, labels)
    np.testing.assert_allclose(record.loss, loss, rtol=1e-14)
    np.testing.assert_allclose(record.weight, reference.weights(loss, m, s), rtol=1e-10)
    np.testing.assert_array_equal(record.contradicts, (scores >= 0.5) != labels)
    np.testing.assert_array_equal(record.p_raw, scores)
    np.testing.assert_array_equal(record.p_calibrated, fitted.predict(scores))
    assert record.contradicts.mean() == pytest.approx(record.summary["d"])
    assert len(record) == 800


def test_the_weights_explain_the_map(noisy_rows):
    """A plain weighted isotonic fit with the recorded weights is the fitted map."""
    fitted = lwcal.LWCal().fit(*noisy_rows)
    record = lwcal.audit_table(fitted, *noisy_rows)
    again = lwcal.Isotonic().fit(record.score, record.y, record.weight)
    np.testing.assert_allclose(again.predict(record.score), record.p_calibrated, atol=1e-9)


def test_parquet_reads_in_pandas_and_polars_with_the_scalars(fitted, noisy_rows, tmp_path):
    """Columns keep their types, metadata holds m, s, d and rho."""
    record = lwcal.audit_table(fitted, *noisy_rows)
    record.write(tmp_path / "audit.parquet")
    frame = pd.read_parquet(tmp_path / "audit.parquet")
    assert frame.columns.tolist() == COLUMNS
    np.testing.assert_array_equal(frame["weight"], record.weight)
    assert frame["contradicts"].dtype == bool
    assert pl.read_parquet(tmp_path / "audit.parquet")["loss"].to_list() == record.loss.tolist()
    metadata = parquet.read_schema(tmp_path / "audit.parquet").metadata
    for name, value in fitted.diagnostics_.items():
        assert float(metadata[f"lwcal.{name}".encode()]) == value


def test_csv_reads_in_pandas_and_polars_with_the_scalars_beside_it(fitted, noisy_rows, tmp_path):
    """Numbers read back as written."""
    record = lwcal.audit_table(fitted, *noisy_rows)
    record.write(tmp_path / "audit.csv")
    frame = pd.read_csv(tmp_path / "audit.csv")
    assert frame.columns.tolist() == COLUMNS
    np.testing.assert_allclose(frame["weight"], record.weight, rtol=1e-15)
    assert pl.read_csv(tmp_path / "audit.csv").columns == COLUMNS
    assert json.loads((tmp_path / "audit.summary.json").read_text()) == record.summary


def test_only_loss_weighted_fits_have_a_record(noisy_rows):
    """Other calibrators trust every label alike."""
    with pytest.raises(ParameterError, match="an LWCal or GatedLWCal, got Isotonic"):
        lwcal.audit_table(lwcal.Isotonic().fit(*noisy_rows), *noisy_rows)


def test_bad_names_are_refused(fitted, noisy_rows, tmp_path):
    """Before anything is written."""
    record = lwcal.audit_table(fitted, *noisy_rows)
    with pytest.raises(OutputError, match=r"ending in .parquet or .csv"):
        record.write(tmp_path / "audit.xlsx")
    (tmp_path / "audit.csv").touch()
    with pytest.raises(OutputError, match="--force"):
        record.write(tmp_path / "audit.csv", overwrite=False)
    assert [path.name for path in tmp_path.iterdir()] == ["audit.csv"]
