"""Calibrators are judged on later rows than they were fitted to."""

import numpy as np
import pytest

import lwcal
from lwcal.errors import InputError, ParameterError
from lwcal.metrics import nll

METHODS = ["identity", "platt"]


@pytest.fixture(scope="module")
def rows():
    """Scores that are too extreme, until they are right: 100 days of 10 rows, in random order."""
    rng = np.random.default_rng(0)
    days = rng.permutation(np.repeat(np.arange(100), 10))
    scores = rng.beta(0.5, 0.5, 1000)
    truth = np.where(days < 80, 0.25 + scores / 2, scores)
    return scores, rng.random(1000) < truth, np.datetime64("2024-01-01") + days


def compared(rows, **options):
    """Compare two calibrators by time, with labels taken as right."""
    scores, labels, times = rows
    settings = {"methods": METHODS, "noise_rates": (0, 0), "n_resamples": 20} | options
    return lwcal.compare(scores, labels, times=times, **settings)


def test_the_numbers_are_those_of_a_fit_to_earlier_rows(rows):
    """Judged on the others, and on nothing else."""
    scores, labels, times = rows
    found = compared(rows, split_at="2024-03-01")
    earlier = times < np.datetime64("2024-03-01")
    fitted = lwcal.Platt().fit(scores[earlier], labels[earlier])
    expected = nll(labels[~earlier], fitted.predict(scores[~earlier]))
    platt = next(one for one in found.candidates if one.method == "platt")
    assert platt.labelled["nll"] == pytest.approx(expected)
    assert (found.n, found.split.n_fitted) == ((~earlier).sum(), earlier.sum())
    assert found.split.sentence == (
        "fitted to 600 rows before 2024-03-01, judged on those since then"
    )


def test_rows_that_changed_do_not_praise_a_fit_to_those_before(rows):
    """Cross-fitting mixes both, and does not see it."""
    scores, labels, _ = rows
    crossed = lwcal.compare(scores, labels, methods=METHODS, noise_rates=(0, 0), n_resamples=20)
    assert crossed.candidates[0].method == "platt"
    assert crossed.split is None
    assert compared(rows, split_at="2024-03-21").candidates[0].method == "identity"


def test_the_latest_rows_judge_by_default_and_young_labels_are_left_out(rows):
    """About 30% of those whose labels count; whole days stay together."""
    assert compared(rows).split.at == "2024-03-11"
    found = compared(rows, label_matures=20)
    assert (found.split.young, found.n + found.split.n_fitted) == (200, 800)
    assert found.n == pytest.approx(0.3 * 800, abs=10)


def test_splits_that_cannot_work_are_refused(rows):
    """With the reason, and what to do."""
    scores, labels, times = rows
    table = lwcal.ScoreTable.from_arrays(scores, labels)
    with pytest.raises(ParameterError, match="times with one column of scores, got a ScoreTable"):
        lwcal.compare(table, times=times)
    with pytest.raises(ParameterError, match="split_at needs the time of each row"):
        lwcal.compare(scores, labels, split_at="2024-01-01")
    with pytest.raises(InputError, match=r"since 2024-04-01 have 0 negative and 0 positive"):
        compared(rows, split_at="2024-04-01", label_matures=30)


@pytest.mark.parametrize("n_fitted", [14, 30])
def test_a_loss_of_few_rows_is_not_negative_and_says_that_they_are_few(n_fitted):
    """Flip rates that are estimated from so few rows correct more than there is."""
    below = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        truth = rng.random(n_fitted + 1000) < 0.1
        truth[:2] = [True, False]
        z = np.where(truth, 1.0, -1.0) + rng.normal(size=len(truth))
        times = np.datetime64("2025-01-01") + (np.arange(len(truth)) >= n_fitted)
        scores = 1.0 / (1.0 + np.exp(-1.6 * z))
        options = {"times": times, "split_at": "2025-01-02", "methods": ["platt"]}
        found = lwcal.compare(scores, truth.astype(int), n_resamples=50, **options)
        for one in found.candidates:
            loss = one.corrected["nll"]
            assert 0.0 <= loss.low <= loss.value <= loss.high
            below += loss.low == 0.0
        assert f"estimated from {n_fitted}" in found.warning
        assert found.to_dict()["warning"] == found.warning
        known = lwcal.compare(scores, truth.astype(int), noise_rates=(0.0, 0.0), **options)
        assert known.warning == ""
    assert below > 0  # the bound was needed
