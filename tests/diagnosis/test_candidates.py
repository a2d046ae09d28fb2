"""Candidates: judged on rows they did not see, with labels as they are and corrected."""

import json

import numpy as np
import pytest
from lwcal.diagnosis.candidates import CANDIDATES, compare

from lwcal import Platt, ScoreTable
from lwcal.calibrators import CALIBRATORS
from lwcal.calibrators.crossfit import cross_fit
from lwcal.metrics import brier, ece, nll
from lwcal.metrics.proper import nll_of
from lwcal.noise import RatePosterior
from lwcal.noise.logit_counts import pooled
from tests.noise.simulated import sample

NO_NOISE = RatePosterior.known((0.0, 0.0))


def test_the_raw_score_is_judged_by_the_ordinary_metrics(noisy_rows):
    """Nothing is fitted, so cross-fitting changes nothing."""
    scores, labels = noisy_rows
    table = ScoreTable.from_arrays(scores, labels)
    (raw,) = compare(table, NO_NOISE, ("identity",), n_resamples=5)
    for name, metric in (("brier", brier), ("nll", nll), ("ece", ece)):
        assert raw.labelled[name] == pytest.approx(metric(labels, scores))


def test_candidates_are_judged_by_folds(noisy_rows):
    """As by hand, from the cross-fitted table."""
    table = ScoreTable.from_arrays(*noisy_rows)
    (platt,) = compare(table, NO_NOISE, ("platt",), n_resamples=5)
    assert platt.labelled["nll"] == pytest.approx(nll_of(cross_fit(Platt, table)))


def test_without_noise_nothing_is_corrected(noisy_rows):
    """Values equal those of labels as they are, inside their intervals."""
    table = ScoreTable.from_arrays(*noisy_rows)
    for candidate in compare(table, NO_NOISE, ("identity", "lwcal"), n_resamples=20):
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
    platt, aware = compare(table, rates, ("platt", "noise-aware"), n_resamples=20)
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
        found = compare(table, belief, ("identity",), n_resamples=60)[0].corrected["brier"]
        widths.append(found.high - found.low)
    assert widths[1] > 2 * widths[0]


def test_every_candidate_has_a_name_that_can_be_fitted(noisy_rows):
    """In the order asked, the raw score first, and all of it JSON, the same every time."""
    table = ScoreTable.from_arrays(*(column[:150] for column in noisy_rows))
    found = compare(table, NO_NOISE, n_resamples=3)
    assert tuple(candidate.method for candidate in found) == CANDIDATES
    assert CANDIDATES[0] == "identity"
    assert set(CANDIDATES) <= set(CALIBRATORS)
    documents = [candidate.to_dict() for candidate in found]
    assert json.loads(json.dumps(documents)) == documents
    again = compare(table, NO_NOISE, n_resamples=3)
    assert [candidate.to_dict() for candidate in again] == documents


def test_large_tables_are_pooled_first():
    """Evidence, not the fit: 30,000 distinct scores change a loss by less than 0.1%."""
    drawn = sample(np.random.default_rng(0), 30_000, shape=(1, 1))
    table = ScoreTable.from_arrays(drawn.scores, drawn.noisy)
    assert len(table) > 20_000
    (raw,) = compare(table, NO_NOISE, ("identity",), n_resamples=2)
    assert raw.labelled["nll"] == nll_of(pooled(table))
    assert raw.labelled["nll"] == pytest.approx(nll(drawn.noisy, drawn.scores), rel=1e-3)
