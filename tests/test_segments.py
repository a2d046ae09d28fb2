"""One calibrator for each segment: small ones like all, large ones like themselves."""

import numpy as np
import pytest

import lwcal
from lwcal import Isotonic, LWCal, Platt, ScoreTable, fit_segments
from lwcal.errors import InputError, ParameterError

GRID = np.linspace(0, 1, 21)


def rows(n, power, seed=0):
    """A table of n rows whose labels are positive with probability p ** power."""
    rng = np.random.default_rng(seed)
    scores = rng.random(n)
    return ScoreTable.from_arrays(scores, rng.random(n) < scores**power)


def test_a_large_segment_keeps_its_own_map_and_a_small_one_that_of_all():
    """In between, in between: the share is n / (n + k)."""
    tables = {"large": rows(200_000, 3.0), "small": rows(20, 0.2, seed=1)}
    found = fit_segments(tables, Platt())
    assert list(found.segments) == ["large", "small"]
    assert found.segments["large"].own_share == 200_000 / 201_000
    assert found.segments["small"].own_share == 20 / 1020
    alone = {name: Platt().fit_table(table).predict(GRID) for name, table in tables.items()}
    for name, most in (("large", 0.01), ("small", 0.15)):
        to_pooled = np.abs(
            found.segments[name].calibrator.predict(GRID) - found.pooled.predict(GRID)
        )
        assert to_pooled.max() < most
    assert np.abs(alone["small"] - found.pooled.predict(GRID)).max() > 0.3


def test_without_a_prior_every_segment_is_fitted_for_itself():
    """And with one so large that nothing else counts, like all."""
    tables = {"a": rows(500, 2.0), "b": rows(300, 0.5, seed=1)}
    alone = fit_segments(tables, LWCal(), prior_rows=0)
    for name, table in tables.items():
        assert alone.segments[name].own_share == 1.0
        expected = LWCal().fit_table(table).map_.to_dict()
        assert alone.segments[name].calibrator.map_.to_dict() == expected
    drowned = fit_segments(tables, Isotonic(), prior_rows=1e12)
    for segment in drowned.segments.values():
        np.testing.assert_allclose(
            segment.calibrator.predict(GRID), drowned.pooled.predict(GRID), atol=1e-4
        )


def test_predictions_are_those_of_each_rows_segment():
    """Of all rows where the segment is unknown."""
    tables = {"a": rows(5000, 2.0), None: rows(3000, 0.5, seed=1)}
    found = fit_segments(tables, Isotonic())
    scores = np.array([0.3, 0.3, 0.3])
    expected = [
        found.segments["a"].calibrator.predict([0.3])[0],
        found.segments[None].calibrator.predict([0.3])[0],
        found.pooled.predict([0.3])[0],
    ]
    assert found.predict(scores, ["a", None, "new"]).tolist() == expected
    assert found.predict(scores, np.array(["a", None, "new"], dtype=object)).tolist() == expected
    with pytest.raises(InputError, match="3 scores but 1 segment"):
        found.predict(scores, ["a"])


def test_a_segment_may_lack_a_class():
    """Its prior has both; the default is Auto."""
    tables = {"a": rows(3000, 1.0), "b": ScoreTable.from_arrays([0.2, 0.9], [1, 1])}
    found = fit_segments(tables)
    assert isinstance(found.segments["b"].calibrator, lwcal.Auto)
    with pytest.raises(InputError, match="no negative label"):
        fit_segments(tables, prior_rows=0)


def test_what_makes_no_sense_is_refused():
    """No segments, and a prior below nothing."""
    with pytest.raises(InputError, match="no segments"):
        fit_segments({})
    with pytest.raises(ParameterError, match="prior_rows"):
        fit_segments({"a": rows(50, 1.0)}, prior_rows=-1)
