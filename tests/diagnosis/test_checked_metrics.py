"""After an audit, calibrators are judged by what it says of the truth."""

import numpy as np
import pytest

import lwcal
from lwcal import metrics
from tests.noise.simulated import sample

METHODS = ("identity", "platt", "noise-aware")


def diagnosed(rows, checked, **options):
    """A diagnosis after the first rows were checked."""
    y_audited = np.where(np.arange(len(rows.scores)) < checked, rows.clean, np.nan)
    return lwcal.diagnose(rows.scores, rows.noisy, y_audited=y_audited, methods=METHODS, **options)


@pytest.fixture(scope="module")
def rows():
    """Labels of which a fifth is wrong."""
    return sample(np.random.default_rng(1), 1500, rates=(0.2, 0.2))


def test_the_raw_score_has_one_loss_by_the_checks(rows):
    """In the table of calibrators and in the reading by the checked labels."""
    found = diagnosed(rows, 40)
    identity = found.candidates[0]
    assert identity.method == "identity"
    assert identity.corrected["nll"].value == pytest.approx(
        found.readings.noise_holds.raw_loss,
        rel=1e-3,  # which pools scores more coarsely
    )
    assert identity.corrected_change == (0.0, 0.0, 0.0)
    for candidate in found.candidates:
        for estimate in candidate.corrected.values():
            assert 0.0 <= estimate.low <= estimate.value <= estimate.high


def test_many_checks_give_the_metrics_of_the_truth(rows):
    """For calibrators that were fitted to the noisy labels."""
    found = {one.method: one for one in diagnosed(rows, len(rows.scores)).candidates}
    truth = lwcal.ScoreTable.from_arrays(rows.scores, rows.clean)
    raw = found["identity"].corrected
    for name, metric in (("brier", metrics.brier), ("nll", metrics.nll)):
        assert raw[name].value == pytest.approx(metric(truth), rel=0.05)
    calibrated = lwcal.Platt().fit(rows.scores, rows.noisy).predict(rows.scores)
    change = metrics.nll(rows.clean, calibrated) - metrics.nll(rows.clean, rows.scores)
    assert found["platt"].corrected_change.value == pytest.approx(change, abs=0.01)
    assert found["platt"].corrected["ece"].value == pytest.approx(
        metrics.ece(rows.clean, calibrated), abs=0.03
    )


def test_labels_as_they_are_do_not_change(rows):
    """Checks say nothing about them."""
    audited, plain = diagnosed(rows, 40), lwcal.diagnose(rows.scores, rows.noisy, methods=METHODS)
    for with_checks, without in zip(audited.candidates, plain.candidates, strict=True):
        assert with_checks.labelled == without.labelled
        assert with_checks.labelled_change == without.labelled_change


def test_intervals_have_the_level_that_is_asked_for(rows):
    """A higher one makes them wider."""
    wide, narrow = (
        diagnosed(rows, 40, confidence=level).candidates[1].corrected["nll"]
        for level in (0.99, 0.5)
    )
    assert wide.low < narrow.low < narrow.high < wide.high
