"""Several classes on DuckDB: the same rows give the same bits as in memory."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import lwcal
from lwcal.engines.duckdb import apply, reduce_classes
from lwcal.errors import DroppedRowsWarning, InputError, ParameterError
from tests.class_frames import NAMES, class_frame, scores_of

FIELDS = ("scores", "labels", "weights")


def same(found, expected):
    """Whether two sets of rows hold the same bits."""
    return found.classes == expected.classes and all(
        getattr(found, name).tobytes() == getattr(expected, name).tobytes() for name in FIELDS
    )


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with rows as CSV and Parquet."""
    monkeypatch.chdir(tmp_path)
    frame = class_frame(digits=1)
    frame.to_csv("rows.csv", index=False)
    frame.to_parquet("rows.parquet", index=False)
    return frame


@pytest.fixture
def calibrator(here):
    """Fitted to all classes."""
    return lwcal.MatrixScaling().fit(scores_of(here), here["label"], classes=NAMES)


@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("source", ["rows.csv", "rows.parquet", "frame"])
def test_rows_are_those_of_arrays(here, source, weight):
    """Pooled: a tenth of a digit leaves few distinct rows."""
    expected = lwcal.ClassRows.from_arrays(
        scores_of(here), here["label"], None if weight is None else here[weight], classes=NAMES
    )
    given = here if source == "frame" else source
    assert same(reduce_classes(given, "p_*", "label", weight), expected)
    assert len(expected.labels) < 200


def test_a_fit_to_rows_is_that_to_arrays(here, calibrator):
    """Also the number of rows."""
    fitted = lwcal.MatrixScaling().fit_rows(reduce_classes("rows.csv", "p_*", "label"))
    np.testing.assert_array_equal(fitted.map_.matrix, calibrator.map_.matrix)
    assert (fitted.n_, fitted.sampled_from_) == (400, None)


def test_a_sample_is_the_same_for_any_order_and_number_of_threads(here):
    """It is not the rows that came first."""
    found = reduce_classes("rows.parquet", "p_*", "label", limit=50)
    here.sample(frac=1.0, random_state=1).to_parquet("other.parquet", index=False)
    for threads in (1, 2):
        assert same(
            reduce_classes("other.parquet", "p_*", "label", limit=50, threads=threads), found
        )
    assert len(found.labels) <= 50  # rows that differ only by rounding are pooled
    assert found.sampled_from == 400
    fitted = lwcal.Temperature().fit_rows(found)
    assert (fitted.n_, fitted.sampled_from_) == (found.n, 400)
    lwcal.save(fitted, "c.json")
    assert lwcal.load("c.json").sampled_from_ == 400


def test_a_list_of_columns_of_a_frame_needs_classes(here):
    """A frame may be read only once."""
    columns = [f"p_{name}" for name in NAMES]
    with pytest.raises(ParameterError, match="classes="):
        reduce_classes(here, columns, "label")
    found = reduce_classes(here, columns, "label", classes=NAMES)
    assert same(found, reduce_classes("rows.csv", columns, "label"))
    with pytest.raises(ParameterError, match="a class for each of the 3 columns, got 2 classes"):
        reduce_classes(here, columns, "label", classes=["a", "b"])
    with pytest.raises(ParameterError, match="a different class for each"):
        reduce_classes(here, columns, "label", classes=["a", "A", "b"])
    with pytest.raises(ParameterError, match="a different column in each role"):
        reduce_classes(here, columns, "p_cat", classes=NAMES)


FAULTS = {
    "label": ("b,0.2,0.3,0.5,wolf,1\n", r"'label': 1 of 401 .*not among the classes.*'wolf'"),
    "no label": ("b,0.2,0.3,0.5,NA,1\n", "'label': 1 of 401 values is missing"),
    "sum": ("b,0.2,0.3,0.3,cat,1\n", r"sum of a row .* not near 1.*row 400 \(0.8\)"),
    "zeros": ("b,0,0,0,cat,1\n", "zero in every class"),
    "score": ("b,x,0.3,0.3,cat,1\n", "'p_cat': 1 of 401 values is not numeric"),
    "outside": ("b,1.2,-0.2,0,cat,1\n", "'p_cat': 1 of 401 values is outside"),
    "weight": ("b,0.2,0.3,0.5,cat,-1\n", "'w': 1 of 401 values is invalid"),
}


@pytest.mark.parametrize(("line", "match"), FAULTS.values(), ids=FAULTS)
def test_invalid_rows_are_refused_or_dropped(here, line, match):
    """Each counts once, whatever else is wrong with it."""
    rows = Path("rows.csv").read_text()
    Path("bad.csv").write_text(rows + line)
    with pytest.raises(InputError, match=match):
        reduce_classes("bad.csv", "p_*", "label", "w")
    with pytest.warns(DroppedRowsWarning, match="dropped 1 of 401 rows"):
        found = reduce_classes("bad.csv", "p_*", "label", "w", drop_invalid=True)
    assert same(found, reduce_classes("rows.csv", "p_*", "label", "w"))


def test_too_many_invalid_rows_are_refused(here):
    """Without advice that does not exist for several classes."""
    frame = here.assign(p_cat=here["p_cat"] * 100)
    frame.to_csv("percents.csv", index=False)
    with pytest.raises(InputError, match="may be dropped") as refused:
        reduce_classes("percents.csv", "p_*", "label", drop_invalid=True)
    assert "scale" not in str(refused.value)
    frame[:0].to_csv("empty.csv", index=False)
    with pytest.raises(InputError, match="no rows"):
        reduce_classes("empty.csv", "p_*", "label")
    with pytest.raises(InputError, match="every weight is zero"):
        reduce_classes(here.assign(w=0), "p_*", "label", "w")


def test_a_file_gets_a_column_for_each_class(here, calibrator):
    """To the bits of predict; all other columns stay the text that they were."""
    assert apply("rows.csv", calibrator, "p_*", "new.csv") == 400
    with Path("rows.csv").open() as before, Path("new.csv").open() as after:
        old, new = list(csv.reader(before)), list(csv.reader(after))
    assert [line[: len(old[0])] for line in new] == old
    assert new[0][len(old[0]) :] == [f"p_calibrated_{name}" for name in NAMES]
    found = np.array([line[len(old[0]) :] for line in new[1:]], dtype=np.float64)
    np.testing.assert_array_equal(found, calibrator.predict(scores_of(here)))


@pytest.mark.parametrize("order", [(2, 0, 1), (1, 2, 0)])
def test_columns_are_matched_by_name(here, calibrator, order):
    """Never by their order."""
    columns = [f"p_{NAMES[place]}" for place in order]
    turned = here[["id", *columns]]
    apply(turned, calibrator, columns, "new.parquet", column="q")
    found = pd.read_parquet("new.parquet")
    expected = calibrator.predict(scores_of(here))
    np.testing.assert_array_equal(found[[f"q_{name}" for name in NAMES]], expected)


def test_two_classes_have_two_columns(here):
    """They sum to 1, and the second is that of one column."""
    pair = pd.DataFrame({"p_no": 1 - here["p_cat"], "p_yes": here["p_cat"]})
    y = np.where(here["label"] == "cat", "yes", "no")
    fitted = lwcal.Temperature().fit(pair.to_numpy(), y, classes=["no", "yes"])
    apply(pair, fitted, "p_*", "new.parquet")
    found = pd.read_parquet("new.parquet")
    expected = fitted.predict(pair.to_numpy())
    np.testing.assert_array_equal(found[["p_calibrated_no", "p_calibrated_yes"]], expected)
    apply(pair, fitted, "p_yes", "one.parquet")
    np.testing.assert_array_equal(pd.read_parquet("one.parquet")["p_calibrated"], expected[:, 1])


def test_rows_that_cannot_be_calibrated(here, calibrator):
    """Refused before anything is written, or dropped and counted."""
    bad = pd.concat([here, here[:1].assign(p_cat=0.9, p_dog=0.9)])
    with pytest.raises(InputError, match=r"not near 1.*row 400"):
        apply(bad, calibrator, "p_*", "new.csv")
    assert not Path("new.csv").exists()
    with pytest.warns(DroppedRowsWarning, match="dropped 1 of 401 rows"):
        assert apply(bad, calibrator, "p_*", "new.csv", drop_invalid=True) == 400


def test_what_does_not_fit_together_is_refused(here, calibrator):
    """In one line, before anything is written."""
    one = lwcal.Platt().fit([0.2, 0.8, 0.4], [0, 1, 1])
    for fitted, options, match in (
        (one, {"score": "p_*"}, "one column of scores"),
        (lwcal.Identity().fit([0.2, 0.8], [0, 1]), {"score": "p_*"}, "one column of scores"),
        (calibrator, {"score": "p_cat"}, "3 classes"),
        (calibrator, {"score": "p_cat,p_dog"}, "none for the class 'bird'"),
        (calibrator, {"score": "p_*", "scale": "percent"}, "the scale percent"),
        (calibrator, {"score": "p_*", "column": "p"}, "already has a column 'p_cat'"),
        ("c.json", {"score": "p_*"}, "fitted to class probabilities, got str"),
    ):
        with pytest.raises((InputError, ParameterError), match=match):
            apply("rows.csv", fitted, out="new.csv", **options)
    assert not Path("new.csv").exists()


def test_probabilities_of_two_digits(tmp_path):
    """They miss 1 by a hundredth, and adding up makes an error."""
    path = tmp_path / "rounded.csv"
    path.write_text("p_a,p_b,p_c,y\n0.33,0.33,0.33,a\n0.34,0.33,0.34,b\n0.2,0.2,0.59,c\n")
    rows = reduce_classes(path, "p_*", "y")
    assert rows.n == 3.0
    assert apply(path, lwcal.Temperature().fit_rows(rows), "p_*", tmp_path / "new.csv") == 3
