"""One calibrator for each segment: small ones like all, large ones like themselves."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

import lwcal
from lwcal import Isotonic, LWCal, Platt, ScoreTable, fit_segments
from lwcal.errors import InputError, ParameterError

GRID = np.linspace(0, 1, 21)


def rows(n, power, seed=0):
    """A table of n rows whose labels are positive with probability p ** power."""
    rng = np.random.default_rng(seed)
    scores = rng.random(n)
    return ScoreTable.from_arrays(scores, rng.random(n) < scores**power)


def test_a_large_segment_keeps_its_own_curve_and_a_small_one_that_of_all():
    """A small one gets odds of its own, pulled towards those of all rows."""
    tables = {"large": rows(200_000, 3.0), "small": rows(20, 0.2, seed=1)}
    found = fit_segments(tables, Platt())
    large, small = found.segments["large"], found.segments["small"]
    assert list(found.segments) == ["large", "small"]
    assert 0.99 < large.own_share < 1.0
    assert large.has_own_curve
    assert not small.has_own_curve
    assert 0.0 < small.own_share < 1.0
    np.testing.assert_allclose(
        large.calibrator.predict(GRID), found.pooled.predict(GRID), atol=0.01
    )
    table = tables["small"]
    pooled, borrowed = (
        float(np.average(one.predict(table.scores), weights=table.negatives + table.positives))
        for one in (found.pooled, small.calibrator)
    )
    assert pooled + 0.05 < borrowed < table.positives.sum() / table.n - 0.01
    odds = small.odds_ratio
    assert 1.0 < odds.low < odds.value < odds.high


def test_without_a_prior_every_segment_is_fitted_for_itself():
    """And with a very large one, segments differ in their odds only."""
    tables = {"a": rows(500, 2.0), "b": rows(300, 0.5, seed=1)}
    alone = fit_segments(tables, LWCal(), prior_rows=0)
    for name, table in tables.items():
        assert alone.segments[name].has_own_curve
        expected = LWCal().fit_table(table).map_.to_dict()
        assert alone.segments[name].calibrator.map_.to_dict() == expected
    drowned = fit_segments(tables, Isotonic(), prior_rows=1e12)
    assert not drowned.curves
    pooled = drowned.pooled.predict(GRID)
    inside = (pooled > 0.0) & (pooled < 1.0)
    pooled = pooled[inside]
    for segment in drowned.segments.values():
        found = segment.calibrator.predict(GRID[inside])
        ratios = found / (1 - found) / (pooled / (1 - pooled))
        np.testing.assert_allclose(ratios, segment.odds_ratio.value)


def simulated(seed, spread, segments=60, noise=0.0, most=400):
    """Segments whose log-odds differ by normal offsets; scores are right where there is none."""
    rng = np.random.default_rng(seed)
    offsets = rng.normal(0.0, spread, segments)
    tables = {}
    for name, n in enumerate(rng.integers(5, most, segments).tolist()):
        log_odds = rng.normal(-1.0, 1.5, n)
        truth = rng.random(n) < expit(log_odds + offsets[name])
        labels = truth ^ (rng.random(n) < noise)
        tables[name] = ScoreTable.from_arrays(expit(log_odds), labels)
    return offsets, tables


def test_odds_ratios_and_their_spread_are_found():
    """Intervals hold about 90% of the true ones, and equal segments are told to be equal."""
    inside, spreads = [], {0.0: [], 0.6: []}
    for spread, found in spreads.items():
        for seed in range(3):
            offsets, tables = simulated(seed, spread)
            fitted = fit_segments(tables, Platt())
            found.append(fitted.spread)
            places = np.array([fitted.places[name] for name in range(len(offsets))])
            _, low, high = np.log(fitted.odds_ratios[places]).T
            if spread:
                inside.append(
                    (low <= offsets - offsets.mean()) & (offsets - offsets.mean() <= high)
                )
    assert 0.84 < np.mean(inside) < 0.96
    assert all(estimate.high < 0.25 for estimate in spreads[0.0])
    assert all(estimate.low < 0.6 < estimate.high for estimate in spreads[0.6])


def test_noise_of_the_labels_is_not_taken_for_a_difference():
    """With known flip rates, odds ratios are those of the truth, not of the labels."""
    offsets, tables = simulated(0, 0.8, segments=20, noise=0.25, most=8000)
    known = fit_segments(tables, lwcal.NoiseAware(noise_rates=(0.25, 0.25)), prior_rows=1e9)
    trusting = fit_segments(tables, Platt(), prior_rows=1e9)
    errors = []
    for fitted in (known, trusting):
        places = np.array([fitted.places[name] for name in range(len(offsets))])
        found = np.log(fitted.odds_ratios[places, 0])
        errors.append(np.abs(found - found.mean() - offsets + offsets.mean()).mean())
    assert errors[0] < 0.15
    assert errors[1] > 2 * errors[0]


def test_the_order_of_segments_and_the_grouping_of_rows_do_not_matter():
    """Rows of weight 2 are rows that occur twice."""
    _, tables = simulated(1, 0.5, segments=8)
    found = fit_segments(tables, Platt())
    turned = fit_segments(dict(reversed(tables.items())), Platt())
    doubled = fit_segments({name: table.scaled(2.0) for name, table in tables.items()}, Platt())
    twice = fit_segments({name: table + table for name, table in tables.items()}, Platt())
    for name in tables:
        for one, other in ((found, turned), (doubled, twice)):
            np.testing.assert_allclose(
                one.segments[name].odds_ratio, other.segments[name].odds_ratio, rtol=1e-9
            )


def test_very_large_segments_are_as_exact_as_their_rows():
    """Beyond the resolution of the grid, the likelihood itself is maximised."""
    log_odds = np.tile(np.linspace(-3, 3, 200), 5000)
    rng = np.random.default_rng(0)
    tables = {
        offset: ScoreTable.from_arrays(
            expit(log_odds), rng.random(len(log_odds)) < expit(log_odds + offset)
        )
        for offset in (-1.3, 0.0, 1.1)
    }
    found = fit_segments(tables, lwcal.Identity(), prior_rows=1e9)
    ratios = {name: np.log(s.odds_ratio.value) for name, s in found.segments.items()}
    assert ratios[1.1] - ratios[0.0] == pytest.approx(1.1, abs=0.05)
    assert ratios[-1.3] - ratios[0.0] == pytest.approx(-1.3, abs=0.05)
    widths = [np.log(s.odds_ratio.high / s.odds_ratio.low) for s in found.segments.values()]
    assert max(widths) < 0.02


def test_many_rows_lend_few_places_and_keep_their_scale():
    """Curves of a segment hardly change if all rows are borrowed in fewer places."""
    rng = np.random.default_rng(0)
    log_odds = rng.normal(-1.0, 1.5, (3, 4000))
    tables = {
        name: ScoreTable.from_arrays(one, rng.random(4000) < expit(one + name), scale="logit")
        for name, one in enumerate(log_odds)
    }
    found = fit_segments(tables, Isotonic())
    everything = ScoreTable.merge(tables.values())
    lent = everything.scaled(1000 / everything.n)
    pooled = Isotonic().fit_table(everything)
    share = np.clip(pooled.map_(everything.scores), 1e-6, 1.0 - 1e-6)
    for name, one in enumerate(log_odds):
        odds = share / (1.0 - share) * found.segments[name].odds_ratio.value
        after = odds / (1.0 + odds)
        borrowed = ScoreTable.unchecked(
            lent.scores,
            lent.negatives * (1.0 - after) / (1.0 - share),
            lent.positives * after / share,
            scale="logit",
        )
        expected = Isotonic().fit_table(tables[name] + borrowed)
        change = np.abs(found.predict(one, [name] * 4000) - expected.predict(one))
        assert change.mean() < 0.005


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


def test_missing_and_unknown_segments():
    """NaN and NA are None; names of another type are probably a mistake."""
    tables = {1: rows(3000, 2.0), None: rows(3000, 0.5, seed=1)}
    found = fit_segments(tables, Isotonic())
    expected = found.segments[None].calibrator.predict([0.3])[0]
    for missing in (None, np.nan, pd.NA, pd.NaT):
        assert found.predict([0.3], [missing])[0] == expected
    with pytest.warns(lwcal.errors.SegmentWarning, match="1 row is in segments"):
        assert found.predict([0.3, 0.3], [1, "1"]).tolist() != [expected, expected]
    with pytest.warns(lwcal.errors.SegmentWarning, match="None of 20 rows"):
        found.predict(np.full(20, 0.3), ["1"] * 20)


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


def test_missing_names_are_one_segment():
    """NaN, which equals nothing, and None; also as a part of a name."""
    table = lwcal.ScoreTable.from_arrays([0.2, 0.4, 0.6, 0.8], [0, 1, 0, 1])
    tables = {"NL": table, float("nan"): table, None: table + table}
    found = lwcal.fit_segments(tables, lwcal.Platt()).segments
    assert {name: one.n for name, one in found.items()} == {None: 12, "NL": 4}
    pairs = {("NL", float("nan")): table, ("NL", 1.0): table}
    assert set(lwcal.fit_segments(pairs, lwcal.Platt()).segments) == {("NL", None), ("NL", 1.0)}
