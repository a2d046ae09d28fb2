"""Label weights show what every label did in the fit, in the order of the rows."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from pyarrow import parquet

import lwcal
from lwcal.errors import InputError, OutputError, ParameterError
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


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_the_record_is_complete(noisy_rows, tmp_path, form):
    """Ids and row weights in the table; method, version and every parameter in the summary."""
    scores, labels = noisy_rows
    ids = [f"{k:04}" for k in range(len(scores))]
    weights = np.linspace(0.5, 2.0, len(scores))
    fitted = lwcal.GatedLWCal(floor=0.1, gate_center=0.2).fit(scores, labels, weights)
    found = lwcal.label_weights(fitted, scores, labels, ids=ids, sample_weight=weights)
    path = tmp_path / f"weights.{form}"
    found.write(path)
    readers = {
        "parquet": (pd.read_parquet, pl.read_parquet),
        "csv": (
            lambda p: pd.read_csv(p, dtype={"id": str}),
            lambda p: pl.read_csv(p, infer_schema=False),
        ),
    }
    by_pandas, by_polars = (read(path) for read in readers[form])
    assert by_pandas.columns.tolist() == by_polars.columns == ["id", "row_weight", *COLUMNS]
    assert by_pandas["id"].tolist() == by_polars["id"].to_list() == ids
    np.testing.assert_allclose(by_pandas["row_weight"], weights, rtol=1e-15)
    kept = fitted.get_params() | {"lwcal_version": lwcal.__version__, "method": "GatedLWCal"}
    assert {name: found.summary[name] for name in kept} == kept
    if form == "csv":
        assert json.loads((tmp_path / "weights.summary.json").read_text()) == found.summary
    else:
        metadata = parquet.read_schema(path).metadata
        assert metadata[b"lwcal.gate_center"] == b"0.2"


def test_rows_that_were_not_fitted_are_refused(fitted, noisy_rows):
    """Fewer rows, other labels, or other weights; another order is the same rows."""
    scores, labels = noisy_rows
    lwcal.label_weights(fitted, scores[::-1], labels[::-1])
    with pytest.raises(
        InputError, match="the rows of the fit, with n = 800, got rows with n = 799"
    ):
        lwcal.label_weights(fitted, scores[1:], labels[1:])
    with pytest.raises(InputError, match="the rows of the fit, with m = "):
        lwcal.label_weights(fitted, scores, 1 - labels)
    with pytest.raises(InputError, match="the rows of the fit"):
        lwcal.label_weights(fitted, scores, labels, sample_weight=np.arange(1.0, 801.0))
    with pytest.raises(InputError, match="1 values of id"):
        lwcal.label_weights(fitted, scores, labels, ids=["a"])


def test_a_positive_class_of_any_type_is_written(noisy_rows, tmp_path):
    """Also one that JSON does not know."""
    scores, labels = noisy_rows
    y = np.where(labels == 1, 7, 3)
    fitted = lwcal.LWCal(pos_label=np.int64(7)).fit(scores, y)
    lwcal.label_weights(fitted, scores, y).write(tmp_path / "weights.csv")
    summary = json.loads((tmp_path / "weights.summary.json").read_text())
    assert summary["pos_label"] == 7


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
