"""Calibrators of several classes on rows they did not see."""

from dataclasses import replace

import numpy as np
import pytest

import lwcal
from lwcal import ClassRows
from lwcal.diagnosis.class_comparison import compare_classes
from lwcal.errors import ParameterError
from lwcal.metrics import class_nll
from tests.class_frames import NAMES, class_frame, scores_of

METHODS = ["identity", "temperature", "matrix-scaling"]


@pytest.fixture
def rows():
    """Overconfident scores."""
    frame = class_frame(600)
    return ClassRows.from_arrays(scores_of(frame), frame["label"], classes=NAMES)


def by_method(found):
    """Candidates by their names."""
    return {one.method: one for one in found.candidates}


def test_the_raw_score_is_the_yardstick(rows):
    """It changes nothing; those that flatten the scores do better on other rows."""
    steps = []
    found = compare_classes(rows, METHODS, on_progress=lambda: steps.append(1))
    assert len(steps) == 3
    one = by_method(found)
    assert one["identity"].labelled_change == (0.0, 0.0, 0.0)
    assert one["temperature"].labelled_change.high < 0.0
    raw, flat = (one[name].labelled["nll"] for name in ("identity", "temperature"))
    assert flat - raw == pytest.approx(one["temperature"].labelled_change.value)
    losses = [candidate.corrected["nll"].value for candidate in found.candidates]
    assert losses == sorted(losses)


def test_rows_are_judged_by_fits_to_others():
    """Random labels: a matrix that saw the rows seems to be better than it is."""
    rng = np.random.default_rng(0)
    scores, labels = rng.dirichlet(np.ones(6), 120), rng.integers(0, 6, 120)
    seen = class_nll(labels, lwcal.MatrixScaling().fit(scores, labels).predict(scores))
    found = compare_classes(ClassRows.from_arrays(scores, labels), ["matrix-scaling"])
    assert found.candidates[0].labelled["nll"] > seen + 0.01


def test_fractional_weights_and_few_rows(rows):
    """Every row is judged once."""
    weighted = replace(rows, weights=rows.weights / 3)
    assert by_method(compare_classes(weighted, METHODS))["identity"].labelled_change.value == 0.0
    few = ClassRows.from_arrays([[0.6, 0.2, 0.2], [0.2, 0.2, 0.6]], [0, 2])
    assert compare_classes(few, ["temperature"]).n == 2


def test_calibrators_of_one_column_are_refused(rows):
    """By name."""
    with pytest.raises(ParameterError, match=r"several classes .*, got 'platt'"):
        compare_classes(rows, ["platt"])


def test_the_public_call_takes_columns_and_a_known_matrix():
    """As the rows do; and refuses what belongs to one column."""
    frame = class_frame(300)
    scores = scores_of(frame)
    noise = 0.9 * np.eye(len(NAMES)) + 0.1 / len(NAMES)
    found = lwcal.compare(
        scores, frame["label"], classes=NAMES, methods=METHODS, noise_matrix=noise, n_resamples=20
    )
    np.testing.assert_allclose(found.noise_matrix, noise)
    assert {candidate.method for candidate in found.candidates} == set(METHODS)
    with pytest.raises(ParameterError, match="noise_matrix with several columns"):
        lwcal.compare(scores, frame["label"], classes=NAMES, noise_rates=(0.1, 0.1))
    with pytest.raises(ParameterError, match="noise_rates with one column"):
        lwcal.compare([0.2, 0.8], [0, 1], noise_matrix=np.eye(2))
