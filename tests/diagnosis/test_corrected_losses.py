"""What is said of losses that are corrected for noise."""

from dataclasses import replace

import numpy as np
import pytest

import lwcal
from lwcal.diagnosis.corrected_losses import about_corrected
from lwcal.noise.estimate import percent


@pytest.fixture(scope="module")
def noisy():
    """Scores, labels of which a fifth are wrong, and the truth."""
    rng = np.random.default_rng(0)
    p = rng.beta(0.4, 0.4, 2000)
    truth = rng.random(2000) < p
    return 0.2 + 0.6 * p, truth ^ (rng.random(2000) < 0.2), truth


def test_corrected_losses_are_told_from_those_of_the_second_reading(noisy):
    """They are averages over both, and the probability of the other case is said."""
    scores, labels, _ = noisy
    found = lwcal.diagnose(scores, labels, methods=["identity"])
    corrected, second = found.candidates[0].corrected["nll"].value, found.readings.noise_holds
    assert corrected != pytest.approx(second.raw_loss, abs=1e-3)
    said = about_corrected(found)
    assert percent(found.noise.probability_clean) in said
    assert '"if the noise estimate holds"' in said


def test_of_several_classes_the_same_is_said(noisy):
    """The words do not depend on the number of classes."""
    scores, labels, _ = noisy
    columns = np.column_stack([1 - scores, scores / 2, scores / 2])
    three = np.where(labels, 1 + (np.arange(2000) % 2), 0)
    found = lwcal.diagnose(columns, three, methods=["identity"])
    assert percent(found.noise.probability_clean) in about_corrected(found)


def test_nothing_is_said_where_there_is_one_reading(noisy):
    """Checked labels and known rates decide; noise that does not fit has no reading."""
    scores, labels, truth = noisy
    checked = np.where(np.arange(2000) < 300, truth.astype(float), np.nan)
    assert about_corrected(lwcal.diagnose(scores, labels, y_audited=checked, methods=[])) == ""
    found = lwcal.diagnose(scores, labels, methods=[])
    misfit = replace(found, readings=replace(found.readings, noise_holds=None))
    assert about_corrected(misfit) == ""
