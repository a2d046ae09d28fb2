"""Thresholds by costs: the cheapest, within the capacity, under both readings of the labels."""

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lwcal
from lwcal.decisions.score_thresholds import lowest_score
from lwcal.errors import InputError, ParameterError
from lwcal.score_map import ScoreMap
from tests.shift.simulated import flipped, rows
from tests.test_maps import maps

COSTS = st.floats(0.1, 50.0)


@pytest.fixture(scope="module")
def fitted():
    """A calibrator, and rows like those that it will decide."""
    rng = np.random.default_rng(0)
    scores, truth = rows(rng, 3000, 0.3)
    labels = flipped(rng, truth, 0.1, 0.1)
    return lwcal.NoiseAware().fit(scores, labels), scores, labels, truth


def cost_of(decisions, truth, costs):
    """Cost a row of decisions, judged by the truth."""
    wrong = np.where(truth, decisions == "negative", decisions == "positive")
    price = np.where(truth, costs.false_negative, costs.false_positive)
    return float((wrong * price + costs.review * (decisions == "review")).mean())


@given(fp=COSTS, fn=COSTS)
def test_without_reviews_the_threshold_is_that_of_the_costs(fitted, fp, fn):
    """No other threshold is expected to be cheaper."""
    calibrator, scores, *_ = fitted
    policy = lwcal.decide(calibrator, scores, cost_false_positive=fp, cost_false_negative=fn)
    assert policy.low == policy.high == pytest.approx(fp / (fp + fn))
    assert policy.cost == pytest.approx(policy.cost_without_review)
    p = calibrator.predict(scores)
    for other in np.linspace(0.0, 1.0, 21):
        expected = np.where(p >= other, (1.0 - p) * fp, p * fn).mean()
        assert policy.cost <= expected + 1e-12


@given(fp=COSTS, fn=COSTS, review=st.floats(0.0, 5.0), capacity=st.floats(0.01, 1.0))
def test_reviews_stay_within_the_capacity_and_save_cost(fitted, fp, fn, review, capacity):
    """The rows that are reviewed are those for which it saves most."""
    calibrator, scores, *_ = fitted
    policy = lwcal.decide(
        calibrator,
        scores,
        cost_false_positive=fp,
        cost_false_negative=fn,
        cost_review=review,
        capacity=capacity,
    )
    assert policy.review <= capacity + 1e-9
    assert policy.cost <= policy.cost_without_review + 1e-12
    assert policy.negative + policy.review + policy.positive == pytest.approx(1.0)
    decisions = policy.decide(scores)
    saved = policy.costs.saved_by_review(calibrator.predict(scores))
    reviewed = decisions == "review"
    assert reviewed.mean() == pytest.approx(policy.review)
    if reviewed.any():
        assert saved[reviewed].min() >= max(saved[~reviewed].max(initial=0.0), 0.0) - 1e-9
    elif capacity > 0.01:
        assert saved.max() <= 1e-9 or capacity * len(scores) < 1.5


def test_labels_judge_the_costs_in_two_ways(fitted):
    """By the labels as they are, and by the truth behind them."""
    calibrator, scores, labels, truth = fitted
    policy = lwcal.decide(
        calibrator, scores, labels, cost_false_negative=5.0, cost_review=0.2, capacity=0.1
    )
    decisions = policy.decide(scores)
    as_labelled = cost_of(decisions, labels, policy.costs)
    assert policy.labels_right.value == pytest.approx(as_labelled)
    assert policy.labels_right.low < as_labelled < policy.labels_right.high
    in_truth = cost_of(decisions, truth, policy.costs)
    assert policy.noise_holds.low <= in_truth <= policy.noise_holds.high
    assert in_truth < as_labelled
    assert "If the noise estimate holds" in policy.sentence
    table = lwcal.ScoreTable.from_arrays(scores, labels)
    again = lwcal.decide(calibrator, table, cost_false_negative=5.0, cost_review=0.2, capacity=0.1)
    assert again.labels_right == pytest.approx(policy.labels_right)


def test_without_noise_model_there_is_one_reading(fitted):
    """And none without labels."""
    _, scores, labels, _ = fitted
    trusting = lwcal.Platt().fit(scores, labels)
    assert lwcal.decide(trusting, scores, labels).noise_holds is None
    alone = lwcal.decide(trusting, scores)
    assert alone.labels_right is None
    assert alone.to_dict()["labels_right"] is None


@given(fitted=maps, probability=st.floats(0.0, 1.0))
def test_the_lowest_score_is_exact(fitted, probability):
    """The next lower double has a lower probability."""
    found = lowest_score(ScoreMap(fitted), probability)
    if found == np.inf:
        assert fitted([1.0])[0] < probability
        return
    assert fitted([found])[0] >= probability
    if found > 0.0:
        assert fitted([np.nextafter(found, 0.0)])[0] < probability


@pytest.mark.parametrize("scale", ["probability", "percent", "logit"])
@pytest.mark.parametrize("capacity", [0.0, 0.2])
def test_sql_decides_as_python_does(tmp_path, fitted, scale, capacity):
    """On every scale; what is no score has no decision."""
    _, scores, labels, _ = fitted
    given = {"probability": scores, "percent": 100 * scores, "logit": np.log(scores / (1 - scores))}
    calibrator = lwcal.Platt().fit(given[scale], labels, scale=scale)
    policy = lwcal.decide(calibrator, given[scale], cost_false_negative=3.0, capacity=capacity)
    expression = policy.to_sql("my score")
    table = {"my score": given[scale]}
    connection = duckdb.connect()
    connection.register("rows", pd.DataFrame(table))
    found = connection.sql(f"SELECT {expression} FROM rows").fetchnumpy()
    (values,) = found.values()
    np.testing.assert_array_equal(np.asarray(values, dtype=str), policy.decide(given[scale]))
    for bad in ("NULL", "'nan'::DOUBLE", "'inf'::DOUBLE"):
        query = f'SELECT {expression} FROM (SELECT {bad} AS "my score")'
        assert connection.sql(query).fetchall() == [(None,)]
    # statistics of a Parquet file skip NaN, and DuckDB trusts them
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"my score": [*given[scale][:2], np.nan]}), path)
    (*_, last) = connection.sql(f"SELECT {expression} FROM '{path}'").fetchall()
    assert last == (None,)
    connection.close()


def test_a_score_that_is_never_reached(fitted):
    """A flat map decides all rows alike."""
    _, scores, *_ = fitted
    flat = lwcal.Platt().fit([0.5, 0.5, 0.5, 0.5], [0, 0, 0, 1])
    policy = lwcal.decide(flat, scores, cost_false_positive=9.0)
    assert policy.high_score == np.inf
    assert policy.to_dict()["high_score"] is None
    assert set(policy.decide(scores)) == {"negative"}
    query = f"SELECT {policy.to_sql('x')} FROM (SELECT 0.5 AS x)"
    assert duckdb.sql(query).fetchall() == [("negative",)]


@pytest.mark.parametrize(
    "costs",
    [
        {"cost_false_positive": 0.0},
        {"cost_false_negative": -1.0},
        {"cost_false_negative": float("nan")},
        {"cost_review": -0.1, "capacity": 0.1},
        {"capacity": 1.5},
        {"cost_review": 0.1},
        {"cost_false_negative": 1e300},
        {"cost_false_positive": 1e-300},
        {"cost_review": 1e300, "capacity": 1.0},
    ],
)
def test_impossible_costs_are_refused(fitted, costs):
    """With the name of the parameter."""
    calibrator, scores, *_ = fitted
    with pytest.raises(ParameterError, match=r"cost|capacity"):
        lwcal.decide(calibrator, scores, **costs)


@pytest.mark.parametrize("unit", [1e-98, 1e98])
def test_costs_are_in_any_unit(fitted, unit):
    """Intervals are as wide in all of them."""
    calibrator, scores, labels, _ = fitted
    one, other = (
        lwcal.decide(
            calibrator, scores, labels, cost_false_negative=20.0 * by, cost_false_positive=by
        )
        for by in (1.0, unit)
    )
    assert other.high == pytest.approx(one.high)
    for name in ("labels_right", "noise_holds"):
        expected = np.multiply(getattr(one, name), unit)
        np.testing.assert_allclose(getattr(other, name), expected, rtol=1e-9)


def test_what_is_no_score_is_refused(fitted):
    """In a policy as everywhere."""
    calibrator, scores, *_ = fitted
    policy = lwcal.decide(calibrator, scores)
    for bad in ([0.5, np.nan], [1.5], [[0.5, 0.5]]):
        with pytest.raises(InputError):
            policy.decide(bad)


def test_scores_are_decided_as_they_are_read_elsewhere(fitted):
    """Texts with a percent sign, one column of two dimensions, and hidden values are missing."""
    _, scores, labels, _ = fitted
    policy = lwcal.decide(lwcal.Platt().fit(scores * 100.0, labels, scale="percent"), scores * 100)
    expected = policy.decide([6.1, 88.0]).tolist()
    assert policy.decide(["6.1%", "88 %"]).tolist() == expected
    assert policy.decide(np.array([[6.1], [88.0]])).tolist() == expected
    with pytest.raises(InputError, match="missing"):
        policy.decide(np.ma.array([6.1, 88.0], mask=[False, True]))


def test_a_group_that_is_too_large_to_be_reviewed_is_named(fitted):
    """Rows of equal scores are reviewed together, so capacity can stay unused."""
    _, scores, labels, _ = fitted
    calibrator = lwcal.Identity().fit(scores, labels)
    tied = np.repeat([0.1, 0.5, 0.9], [3000, 1500, 500])
    policy = lwcal.decide(calibrator, tied, capacity=0.1)
    assert policy.review == 0.0
    assert policy.next_group == pytest.approx(0.3)
    assert "0.0% of the 10.0% that people can review is used" in policy.sentence
    assert "has 30.0%" in policy.sentence
    document = policy.to_dict()
    assert (document["capacity"], document["next_group"]) == (0.1, policy.next_group)
    for enough in (
        lwcal.decide(calibrator, scores, capacity=0.1),
        lwcal.decide(calibrator, tied, capacity=1.0),
        lwcal.decide(calibrator, tied),
    ):
        assert enough.next_group is None
        assert "people can review" not in enough.sentence


def test_percents_are_decided_as_they_are_calibrated(fitted):
    """Also as texts: "5%" is 0.05, on the scale of probabilities as on that of percents."""
    calibrator, scores, labels, _ = fitted
    policy = lwcal.decide(calibrator, scores, labels, cost_false_negative=5.0)
    texts = [f"{100 * score:.6f}%" for score in scores[:200]]
    rounded = np.array([float(text[:-1]) / 100 for text in texts])
    assert policy.decide(texts).tolist() == policy.decide(rounded).tolist()
    percents = lwcal.NoiseAware().fit(100 * scores, labels, scale="percent")
    policy = lwcal.decide(percents, 100 * scores, labels, cost_false_negative=5.0)
    assert policy.decide(texts).tolist() == policy.decide(100 * rounded).tolist()
    assert set(policy.decide(texts)) > {"positive"}
