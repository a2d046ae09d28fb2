"""The deployment protocol says what the paper's table says."""

import pytest

from lwcal.diagnosis import deployment_protocol
from lwcal.errors import ParameterError


@pytest.mark.parametrize(
    ("d", "level", "score", "action"),
    [
        (0.0, "calibrate", "LWCal", "Use calibrated thresholds."),
        (0.2899, "calibrate", "LWCal", "Use calibrated thresholds."),
        (0.29, "gate", "GatedLWCal", "Log the gate, monitor drift."),
        (0.4099, "gate", "GatedLWCal", "Log the gate, monitor drift."),
        (0.41, "audit", "the raw score or GatedLWCal", "Audit labels before setting new thr"),
        (1.0, "audit", "the raw score or GatedLWCal", "Audit labels before setting new thr"),
    ],
)
def test_the_table_of_the_paper(d, level, score, action):
    """Every row of it, at both ends."""
    verdict = deployment_protocol(d)
    assert (verdict.level, verdict.recommended_score, verdict.d) == (level, score, d)
    assert verdict.operator_action.startswith(action)
    assert verdict.thresholds == (0.29, pytest.approx(0.41))


def test_the_sentence_is_plain_and_says_what_d_is_not():
    """A risk committee reads this."""
    sentence = deployment_protocol(0.35).sentence
    assert sentence.startswith("35.0% of the labels contradict the model's decision (29% to 41%)")
    assert "Use GatedLWCal." in sentence
    assert "not an estimate of label noise" in sentence


def test_bad_calls_are_refused():
    """Shares outside [0, 1], thresholds out of order."""
    with pytest.raises(ParameterError, match=r"\bd\b.*1\.2"):
        deployment_protocol(1.2)
    with pytest.raises(ParameterError, match="lower <= upper"):
        deployment_protocol(0.3, lower=0.5, upper=0.4)
