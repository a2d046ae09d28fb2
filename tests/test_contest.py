"""Paired comparison with the raw score: exact differences, honest intervals."""

import numpy as np
import pytest
from lwcal.diagnosis.candidates import compare
from lwcal.diagnosis.contest import contest

from lwcal.noise.rates import RatePosterior
from lwcal.table import ScoreTable

METHODS = ("identity", "platt", "isotonic")


def test_differences_are_those_of_the_candidates(noisy_rows):
    """Value for value, with labels as they are and corrected; and candidates are compare's."""
    table, rates = ScoreTable.from_arrays(*noisy_rows), RatePosterior.known((0.2, 0.2))
    found = {one.candidate.method: one for one in contest(table, rates, METHODS)}
    raw = found["identity"].candidate
    for candidate in compare(table, rates, METHODS):
        one = found[candidate.method]
        assert one.candidate == candidate
        labelled = candidate.labelled["nll"] - raw.labelled["nll"]
        corrected = candidate.corrected["nll"].value - raw.corrected["nll"].value
        assert one.labelled.value == pytest.approx(labelled, abs=1e-12)
        assert one.corrected.value == pytest.approx(corrected, abs=1e-12)


def test_pairing_makes_intervals_narrow():
    """The rows' common part drops out, so that small differences can be told."""
    rng = np.random.default_rng(0)
    scores = rng.beta(2, 2, 800)
    table = ScoreTable.from_arrays(scores, rng.random(800) < scores)
    (one,) = contest(table, RatePosterior.known((0.1, 0.1)), ("platt",))
    alone = one.candidate.corrected["nll"]
    assert one.corrected.low <= one.corrected.value <= one.corrected.high
    assert one.corrected.high - one.corrected.low < (alone.high - alone.low) / 2


def test_intervals_cover_the_difference_as_often_as_they_say():
    """Scores half as sharp as they should be: what Platt gains, over 40 samples, at 90%."""
    rng = np.random.default_rng(3)
    gains, intervals = [], []
    for _ in range(40):
        logit = rng.normal(0, 2, 600)
        p = 1 / (1 + np.exp(-logit))
        table = ScoreTable.from_arrays(1 / (1 + np.exp(-logit / 2)), rng.random(600) < p)
        one = contest(table, RatePosterior.known((0, 0)), ("platt",))[0]
        gains.append(one.labelled.value)
        intervals.append((one.labelled.low, one.labelled.high))
    expected = np.mean(gains)
    covered = np.mean([low <= expected <= high for low, high in intervals])
    assert covered >= 0.75
