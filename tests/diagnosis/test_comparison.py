"""Comparison: judged on rows they did not see, by labels as they are and corrected."""

import json

import numpy as np
import pytest

from lwcal import NoiseAware, Platt, ScoreTable
from lwcal.calibrators import CALIBRATORS
from lwcal.calibrators.crossfit import cross_fit
from lwcal.diagnosis import DEFAULT_METHODS, compare
from lwcal.errors import InputError, ParameterError
from lwcal.metrics import brier, ece, nll
from lwcal.noise import RatePosterior
from lwcal.noise.logit_counts import pool_by_logit
from tests.noise.simulated import sample

NO_NOISE = RatePosterior.known((0.0, 0.0))
METHODS = ("identity", "platt", "isotonic")


def compared(table, rates, methods, **options):
    """Candidates in the order asked for."""
    found = compare(table, methods=methods, noise_rates=rates, **options).candidates
    return tuple(sorted(found, key=lambda candidate: methods.index(candidate.method)))


def test_the_raw_score_is_judged_by_the_ordinary_metrics(noisy_rows):
    """Nothing is fitted, so cross-fitting changes nothing."""
    scores, labels = noisy_rows
    table = ScoreTable.from_arrays(scores, labels)
    (raw,) = compared(table, NO_NOISE, ("identity",), n_resamples=5)
    for name, metric in (("brier", brier), ("nll", nll), ("ece", ece)):
        assert raw.labelled[name] == pytest.approx(metric(labels, scores))


def test_candidates_are_judged_by_folds(noisy_rows):
    """As by hand, from the cross-fitted table."""
    table = ScoreTable.from_arrays(*noisy_rows)
    (platt,) = compared(table, NO_NOISE, ("platt",), n_resamples=5)
    assert platt.labelled["nll"] == pytest.approx(nll(cross_fit(Platt, table)))


def test_without_noise_nothing_is_corrected(noisy_rows):
    """Values equal those of labels as they are, inside their intervals."""
    table = ScoreTable.from_arrays(*noisy_rows)
    for candidate in compared(table, NO_NOISE, ("identity", "lwcal"), n_resamples=20):
        for name in ("brier", "nll"):
            found = candidate.corrected[name]
            assert found.value == pytest.approx(candidate.labelled[name])
            assert found.low < found.value < found.high


def test_corrected_scores_find_the_better_map():
    """With the true rates, 5000 rows: labels favour Platt, the truth NoiseAware."""
    drawn = sample(
        np.random.default_rng(0), 5000, line=(1.5, 0.0), rates=(0.2, 0.2), shape=(0.4, 0.4)
    )
    table = ScoreTable.from_arrays(drawn.scores, drawn.noisy)
    rates = RatePosterior.known((0.2, 0.2))
    platt, aware = compared(table, rates, ("platt", "noise-aware"), n_resamples=20)
    assert platt.labelled["nll"] < aware.labelled["nll"]
    assert platt.corrected["nll"].value > aware.corrected["nll"].value
    truth = nll(drawn.clean, drawn.posterior)
    assert aware.corrected["nll"].low - 0.03 < truth < aware.corrected["nll"].high + 0.03


def test_a_wider_belief_gives_a_wider_interval():
    """The interval carries what is not known of the rates."""
    drawn = sample(np.random.default_rng(0), 2000, rates=(0.2, 0.2), shape=(0.4, 0.4))
    table = ScoreTable.from_arrays(drawn.scores, drawn.noisy)
    rate = np.linspace(0.1, 0.3, 21)
    unsure = RatePosterior(np.column_stack([rate, rate]), np.full(21, 1 / 21))
    widths = []
    for belief in (RatePosterior.known((0.2, 0.2)), unsure):
        found = compared(table, belief, ("identity",), n_resamples=60)[0].corrected["brier"]
        widths.append(found.high - found.low)
    assert widths[1] > 2 * widths[0]


def test_every_candidate_has_a_name_that_can_be_fitted(noisy_rows):
    """The raw score is the first default, and all of it is JSON, the same every time."""
    table = ScoreTable.from_arrays(*(column[:150] for column in noisy_rows))
    found = compared(table, NO_NOISE, DEFAULT_METHODS, n_resamples=3)
    assert tuple(candidate.method for candidate in found) == DEFAULT_METHODS
    assert DEFAULT_METHODS[0] == "identity"
    assert set(DEFAULT_METHODS) <= set(CALIBRATORS)
    documents = [candidate.to_dict() for candidate in found]
    assert json.loads(json.dumps(documents)) == documents
    again = compared(table, NO_NOISE, DEFAULT_METHODS, n_resamples=3)
    assert [candidate.to_dict() for candidate in again] == documents


def test_large_tables_are_pooled_first():
    """Evidence, not the fit: 30,000 distinct scores change a loss by less than 0.1%."""
    drawn = sample(np.random.default_rng(0), 30_000, shape=(1, 1))
    table = ScoreTable.from_arrays(drawn.scores, drawn.noisy)
    assert len(table) > 20_000
    (raw,) = compared(table, NO_NOISE, ("identity",), n_resamples=2)
    assert raw.labelled["nll"] == nll(pool_by_logit(table))
    assert raw.labelled["nll"] == pytest.approx(nll(drawn.noisy, drawn.scores), rel=1e-3)


def test_changes_are_those_of_the_metrics(noisy_rows):
    """Log loss less that of the raw score, by labels as they are and corrected."""
    table = ScoreTable.from_arrays(*noisy_rows)
    raw, *others = compared(table, RatePosterior.known((0.2, 0.2)), METHODS)
    for candidate in (raw, *others):
        labelled = candidate.labelled["nll"] - raw.labelled["nll"]
        corrected = candidate.corrected["nll"].value - raw.corrected["nll"].value
        assert candidate.labelled_change.value == pytest.approx(labelled, abs=1e-12)
        assert candidate.corrected_change.value == pytest.approx(corrected, abs=1e-12)
    assert raw.corrected_change == (0.0, 0.0, 0.0)


def test_pairing_makes_intervals_narrow():
    """The variation that both share cancels, so small differences show."""
    rng = np.random.default_rng(0)
    scores = rng.beta(2, 2, 800)
    table = ScoreTable.from_arrays(scores, rng.random(800) < scores)
    (one,) = compared(table, RatePosterior.known((0.1, 0.1)), ("platt",))
    alone, change = one.corrected["nll"], one.corrected_change
    assert change.low <= change.value <= change.high
    assert change.high - change.low < (alone.high - alone.low) / 2


def test_intervals_cover_the_difference_as_often_as_they_say():
    """Scores half as sharp as they should be: what Platt gains, over 40 samples, at 90%."""
    rng = np.random.default_rng(3)
    gains, intervals = [], []
    for _ in range(40):
        logit = rng.normal(0, 2, 600)
        p = 1 / (1 + np.exp(-logit))
        table = ScoreTable.from_arrays(1 / (1 + np.exp(-logit / 2)), rng.random(600) < p)
        (one,) = compared(table, NO_NOISE, ("platt",))
        gains.append(one.labelled_change.value)
        intervals.append((one.labelled_change.low, one.labelled_change.high))
    expected = np.mean(gains)
    covered = np.mean([low <= expected <= high for low, high in intervals])
    assert covered >= 0.75


def test_rows_and_tables_are_compared_alike(noisy_rows):
    """By estimated rates, the best first; rates may also come from a fitted calibrator."""
    scores, labels = (column[:200] for column in noisy_rows)
    advanced = []
    found = compare(
        scores, labels, methods=METHODS, n_resamples=5, on_progress=lambda: advanced.append(1)
    )
    assert len(advanced) == len(METHODS)
    losses = [candidate.corrected["nll"].value for candidate in found.candidates]
    assert losses == sorted(losses)
    assert (found.n, found.confidence) == (200, 0.9)
    table = ScoreTable.from_arrays(scores, labels)
    assert compare(table, methods=METHODS, n_resamples=5).to_dict() == found.to_dict()
    fitted = NoiseAware().fit(table)
    by_fit = compare(table, methods=METHODS, noise_rates=fitted, n_resamples=5)
    assert by_fit.noise_rates == pytest.approx(tuple(found.noise_rates), abs=1e-12)
    with pytest.raises(InputError, match="y"):
        compare(table, labels)


def test_bad_calls_are_refused(noisy_rows):
    """Unknown methods, levels out of range, labels of one class."""
    with pytest.raises(ParameterError, match="'magic'"):
        compare(*noisy_rows, methods=["platt", "magic"])
    with pytest.raises(ParameterError, match="confidence"):
        compare(*noisy_rows, confidence=90)
    with pytest.raises(InputError, match="both classes"):
        compare([0.2, 0.4], [1, 1])
