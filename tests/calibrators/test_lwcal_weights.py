"""Label weights show what every label did in the fit, in the order of the rows."""

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
    found = lwcal.label_weights(fitted, scores, labels)
    loss = reference.losses(scores, labels)
    m, s = np.median(loss), np.median(np.abs(loss - np.median(loss)))
    np.testing.assert_array_equal(found.score, scores)
    np.testing.assert_array_equal(found.y, labels)
    np.testing.assert_allclose(found.loss, loss, rtol=1e-14)
    np.testing.assert_allclose(found.weight, reference.weights(loss, m, s), rtol=1e-10)
    np.testing.assert_array_equal(found.contradicts, (scores >= 0.5) != labels)
    np.testing.assert_array_equal(found.p_raw, scores)
    np.testing.assert_array_equal(found.p_calibrated, fitted.predict(scores))
    assert found.contradicts.mean() == pytest.approx(found.summary["d"])
    assert len(found) == 800


def test_the_weights_explain_the_map(noisy_rows):
    """A plain weighted isotonic fit with these weights is the fitted map."""
    fitted = lwcal.LWCal().fit(*noisy_rows)
    found = lwcal.label_weights(fitted, *noisy_rows)
    again = lwcal.Isotonic().fit(found.score, found.y, found.weight)
    np.testing.assert_allclose(again.predict(found.score), found.p_calibrated, atol=1e-9)


def test_parquet_reads_in_pandas_and_polars_with_the_scalars(fitted, noisy_rows, tmp_path):
    """Columns keep their types, metadata holds m, s, d and rho."""
    found = lwcal.label_weights(fitted, *noisy_rows)
    found.write(tmp_path / "weights.parquet")
    frame = pd.read_parquet(tmp_path / "weights.parquet")
    assert frame.columns.tolist() == COLUMNS
    np.testing.assert_array_equal(frame["weight"], found.weight)
    assert frame["contradicts"].dtype == bool
    assert pl.read_parquet(tmp_path / "weights.parquet")["loss"].to_list() == found.loss.tolist()
    metadata = parquet.read_schema(tmp_path / "weights.parquet").metadata
    for name, value in fitted.diagnostics_.items():
        assert float(metadata[f"lwcal.{name}".encode()]) == value


def test_csv_reads_in_pandas_and_polars_with_the_scalars_beside_it(fitted, noisy_rows, tmp_path):
    """Numbers read back as written."""
    found = lwcal.label_weights(fitted, *noisy_rows)
    found.write(tmp_path / "weights.csv")
    frame = pd.read_csv(tmp_path / "weights.csv")
    assert frame.columns.tolist() == COLUMNS
    np.testing.assert_allclose(frame["weight"], found.weight, rtol=1e-15)
    assert pl.read_csv(tmp_path / "weights.csv").columns == COLUMNS
    assert json.loads((tmp_path / "weights.summary.json").read_text()) == found.summary


def test_only_loss_weighted_fits_have_label_weights(noisy_rows):
    """Other calibrators give every label the same weight."""
    with pytest.raises(ParameterError, match="Isotonic"):
        lwcal.label_weights(lwcal.Isotonic().fit(*noisy_rows), *noisy_rows)


def test_other_formats_are_refused(fitted, noisy_rows, tmp_path):
    """Before anything is written."""
    found = lwcal.label_weights(fitted, *noisy_rows)
    with pytest.raises(OutputError, match=r"\.parquet or \.csv"):
        found.write(tmp_path / "weights.xlsx")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("existing", ["weights.csv", "weights.summary.json"])
def test_existing_files_are_kept_unless_they_may_be_overwritten(noisy_rows, tmp_path, existing):
    """Neither file of a CSV is written if one of the two exists."""
    found = lwcal.label_weights(lwcal.LWCal().fit(*noisy_rows), *noisy_rows)
    (tmp_path / existing).write_text("precious")
    with pytest.raises(OutputError, match=existing):
        found.write(tmp_path / "weights.csv")
    assert [path.name for path in tmp_path.iterdir()] == [existing]
    assert (tmp_path / existing).read_text() == "precious"
    found.write(tmp_path / "weights.csv", overwrite=True)
    assert json.loads((tmp_path / "weights.summary.json").read_text()) == found.summary
    assert len(pd.read_csv(tmp_path / "weights.csv")) == len(found)
