"""The verdict for several classes: what earns a deployment, and which rows are refused."""

import json

import numpy as np
import pytest

import lwcal
from lwcal.diagnosis import ClassDiagnosis, Diagnosis
from lwcal.errors import InputError, ParameterError
from lwcal.metrics import class_nll
from tests.multiclass.simulated import even_noise, next_noise, noisy_rows


def verdict(scores, labels, **options):
    """Without comparing calibrators."""
    return lwcal.diagnose(scores, labels, methods=(), **options)


def test_good_scores_are_kept():
    """Nothing to gain, with right labels."""
    scores, _, labels = noisy_rows(2000, np.eye(4))
    found = verdict(scores, labels)
    assert isinstance(found, ClassDiagnosis)
    assert found.recommendation.action == "keep raw"


@pytest.mark.parametrize("slope", [0.5, 2.0], ids=["overconfident", "underconfident"])
def test_scores_that_right_labels_correct_are_deployed(slope):
    """Both readings agree, and the truth does too."""
    scores, true, labels = noisy_rows(2000, np.eye(4), slope=slope)
    found = verdict(scores, labels)
    assert found.recommendation.headline == "Deploy auto"
    assert found.readings.labels_right.gain.low > 0.0
    calibrated = lwcal.Auto().fit(scores, labels).predict(scores)
    assert class_nll(true, calibrated) < class_nll(true, scores)


@pytest.mark.parametrize("n", [300, 2000])
@pytest.mark.parametrize("noise", [even_noise(4, 0.3), next_noise(4, 0.3)], ids=["even", "next"])
@pytest.mark.parametrize("slope", [0.5, 1.0, 1.5])
def test_what_is_deployed_does_not_harm(n, noise, slope):
    """Whatever the labels hide: at most 2% by the true classes."""
    scores, true, labels = noisy_rows(n, noise, seed=n, slope=slope)
    recommendation = verdict(scores, labels).recommendation
    made = {"auto": lwcal.Auto, "noise-aware": lwcal.NoiseAware}
    if recommendation.action == "deploy":
        used = made[recommendation.calibrator]().fit(scores, labels).predict(scores)
        assert class_nll(true, used) < 1.02 * class_nll(true, scores)


def test_columns_in_another_order_are_noticed():
    """The most frequent mistake with several columns."""
    scores, _, labels = noisy_rows(500, even_noise(4, 0.1), clarity=0.1)
    found = verdict(scores[:, [1, 2, 3, 0]], np.array(list("abcd"))[labels])
    assert found.recommendation.action == "check scores"
    assert "'b', 'c', 'd', 'a'" in found.recommendation.reason
    assert str(found) == found.recommendation.sentence


def test_rows_that_cannot_be_judged():
    """Too few, all the same, at random, or too good to be true."""
    scores, _, labels = noisy_rows(600, np.eye(3))
    few = verdict(scores[:60], labels[:60]).recommendation
    assert few.refuses_rows
    assert "60 rows" in few.reason
    same = verdict(np.tile([0.5, 0.3, 0.2], (600, 1)), labels).recommendation
    assert "the same scores" in same.reason
    rng = np.random.default_rng(0)
    random = verdict(scores, rng.permutation(labels)).recommendation
    assert random.action == "check scores"
    perfect = verdict(scores, scores.argmax(axis=1)).recommendation
    assert "trained on" in perfect.reason


def test_labels_of_other_rows_are_never_deployed_on():
    """Few rows or many: such labels ask for a map that is constant."""
    for seed, n in enumerate((120, 400, 2000)):
        scores, _, labels = noisy_rows(n, np.eye(4), seed, clarity=0.1)
        mixed_up = np.random.default_rng(seed).permutation(labels)
        found = lwcal.diagnose(scores, mixed_up, methods=[]).recommendation
        assert found.calibrator == "identity"
        assert "nothing about these labels" in found.reason or found.action == "check scores"
        assert lwcal.diagnose(scores, labels, methods=[]).recommendation.action != "check scores"


def test_a_known_matrix_decides():
    """It is evidence from outside the rows."""
    noise = even_noise(3, 0.3)
    scores, _, labels = noisy_rows(3000, noise, slope=2.0)
    found = verdict(scores, labels, calibrator=lwcal.NoiseAware(noise_matrix=noise))
    assert found.evidence == "known rates"
    assert found.recommendation.headline == "Deploy noise-aware"
    assert "By the known rates" in found.recommendation.reason


def test_calibrators_are_compared_by_labels_and_corrected():
    """Trust in wrong labels looks good by labels only."""
    noise = even_noise(4, 0.3)
    scores, true, labels = noisy_rows(1500, noise, slope=1.5)
    found = lwcal.diagnose(scores, labels, methods=["identity", "matrix-scaling", "noise-aware"])
    one = {candidate.method: candidate for candidate in found.candidates}
    assert one["matrix-scaling"].labelled["nll"] < one["noise-aware"].labelled["nll"]
    assert one["matrix-scaling"].corrected["nll"].value > one["noise-aware"].corrected["nll"].value
    assert one["identity"].corrected_change == (0.0, 0.0, 0.0)
    raw = one["identity"].corrected["nll"]
    assert raw.low < class_nll(true, scores) < raw.high
    json.dumps(found.to_dict())


def test_the_calibrator_at_hand_takes_the_place_of_its_kind():
    """With its own parameters."""
    scores, _, labels = noisy_rows(300, np.eye(3), slope=2.0)
    stiff = lwcal.VectorScaling(intercept_sd=1e-6, diagonal_sd=1e-6)
    methods = ["temperature", "vector-scaling"]
    found = lwcal.diagnose(scores, labels, calibrator=stiff, methods=methods).candidates
    usual = lwcal.diagnose(scores, labels, methods=methods).candidates
    assert found[1].labelled["nll"] == pytest.approx(found[0].labelled["nll"], abs=1e-6)
    assert usual[1].labelled["nll"] != pytest.approx(usual[0].labelled["nll"], abs=1e-6)


def test_readings_hold_what_the_truth_says():
    """Shares of classes and losses, corrected for noise."""
    noise = next_noise(4, 0.2)
    scores, true, labels = noisy_rows(5000, noise, clarity=0.1)
    reading = verdict(scores, labels).readings.noise_holds
    np.testing.assert_allclose(reading.shares, np.bincount(true) / 5000, atol=0.03)
    assert reading.raw_loss == pytest.approx(class_nll(true, scores), rel=0.3)
    assert reading.raw_errors == pytest.approx((scores.argmax(axis=1) != true).mean(), abs=0.04)


def test_two_columns_are_two_classes():
    """They get the diagnosis of one column."""
    scores, _, labels = noisy_rows(600, even_noise(2, 0.1))
    both = verdict(scores, labels)
    assert isinstance(both, Diagnosis)
    assert str(both) == str(verdict(scores[:, 1], labels))


def test_what_does_not_go_together_is_refused():
    """Before anything is computed."""
    scores, _, labels = noisy_rows(200, np.eye(3))
    with pytest.raises(InputError, match=r"row 3 \('nobody'\)"):
        verdict(scores, labels, y_audited=[None] * 3 + ["nobody"] + [None] * 196)
    with pytest.raises(InputError, match="takes several classes"):
        verdict(scores, labels, calibrator=lwcal.LWCal())
    with pytest.raises(ParameterError, match="several classes"):
        lwcal.diagnose(scores, labels, methods=["isotonic"])
    with pytest.raises(ParameterError, match="a column of scores for each class"):
        verdict(scores[:, 0], labels == 0, classes=[0, 1])
