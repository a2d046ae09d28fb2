"""Whatever the rows hold, every call on Spark ends as it does in memory."""

import os

import numpy as np
import pyarrow as pa
import pytest

import lwcal
from lwcal import engines
from lwcal.engines.spark import ScoreCalibrator, apply, reduce, reduce_groups
from lwcal.engines.spark.pipeline import METHODS
from lwcal.engines.spark.session import explained
from lwcal.errors import LwcalError
from lwcal.table import ScoreTable
from tests.fuzz import hostile

pytestmark = pytest.mark.usefixtures("spark")
TABLES = int(os.environ.get("LWCAL_FUZZ_SPARK", "8"))
"""Hostile tables for each call, of which some are none of Arrow's, or none of Spark's."""
GROUPS = ("", " ", "a", "A", "ä", "a\n", "\0", "NA", "1", "2" * 200, None)


def frames(spark):
    """Hostile tables, in memory and on Spark; ``g`` names a group."""
    for seed in range(TABLES):
        rng = np.random.default_rng(seed)
        scores, labels, weights = hostile.columns(rng)
        groups = [GROUPS[k] for k in rng.integers(len(GROUPS), size=len(labels))]
        columns = {"p": scores, "y": labels, "w": weights, "g": pa.array(groups, pa.string())}
        try:
            table = pa.table({name: given for name, given in columns.items() if given is not None})
            yield rng, table, spark.createDataFrame(table), None if weights is None else "w"
        except (pa.ArrowException, ValueError, TypeError):
            continue


def agree(expected, found, same):
    """Both refuse with an exception of ours, or both give the same; whether they were refused."""
    try:
        wanted = expected()
    except LwcalError:
        with pytest.raises(LwcalError):
            found()
        return True
    same(found(), wanted)
    return False


def same_table(found, expected):
    """Equal scores, and counts up to the order in which workers add up weights."""
    np.testing.assert_array_equal(found.scores, expected.scores)
    for name in ("negatives", "positives"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-12)


def same_groups(found, expected):
    """Equal groups with equal tables."""
    assert found.keys() == expected.keys()
    for group, table in expected.items():
        same_table(found[group], table)


def test_reduce(spark):
    """Some tables are refused in both places, the others give the same counts."""
    refused = [
        agree(
            lambda table=table, w=w: ScoreTable.from_frame(table, "p", "y", w),
            lambda frame=frame, w=w: reduce(frame, "p", "y", w),
            same_table,
        )
        for _, table, frame, w in frames(spark)
    ]
    assert 0 < sum(refused) < len(refused)


def test_reduce_groups(spark):
    """By columns of any text, with empty and missing ones."""
    refused = [
        agree(
            lambda table=table, w=w: engines.duckdb.reduce_groups(table, "g", "p", "y", w),
            lambda frame=frame, w=w: reduce_groups(frame, "g", "p", "y", w),
            same_groups,
        )
        for _, table, frame, w in frames(spark)
    ]
    assert 0 < sum(refused) < len(refused)


def test_apply(spark, noisy_rows):
    """Scores on every scale, by maps of every kind."""
    kinds = list(lwcal.calibrators.CALIBRATORS.values())
    refused = []
    for rng, table, frame, _ in frames(spark):
        if not table.num_rows:  # a DataFrame without rows is one that nobody reads
            continue
        scale = str(rng.choice(["probability", "percent", "logit"]))
        fitted = kinds[rng.integers(len(kinds))]().fit(*noisy_rows)

        def applied(frame=frame, fitted=fitted, scale=scale):
            with explained("the DataFrame"):  # errors of workers, translated as commands do it
                return apply(frame, fitted, "p", scale=scale).toArrow()["p_calibrated"].to_numpy()

        refused.append(
            agree(
                lambda table=table, fitted=fitted, scale=scale: fitted.predict(
                    table["p"].to_numpy(), scale=scale
                ),
                applied,
                np.testing.assert_array_equal,
            )
        )
    assert 0 < sum(refused) < len(refused)


def test_score_calibrator(spark):
    """Fitted on Spark and applied there, by every method."""
    refused = []
    for rng, table, frame, w in frames(spark):
        method = METHODS[rng.integers(len(METHODS))]

        def in_memory(table=table, w=w, method=method):
            counts = ScoreTable.from_frame(table, "p", "y", w)
            fitted = lwcal.calibrators.CALIBRATORS[method]().fit_table(counts)
            return fitted.predict(table["p"].to_numpy())

        def on_spark(frame=frame, w=w, method=method):
            stage = ScoreCalibrator(scoreCol="p", labelCol="y", method=method)
            stage = stage if w is None else stage.setWeightCol(w)
            with explained("the DataFrame"):
                return stage.fit(frame).transform(frame).toArrow()["p_calibrated"].to_numpy()

        refused.append(agree(in_memory, on_spark, _close))
    assert 0 < sum(refused) < len(refused)


def _close(found, expected):
    """Weights added up in another order change the last bits of a map."""
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)
