"""One action with its reason, from what was decided about the map."""

import numpy as np
import pytest

from lwcal import Auto
from lwcal.diagnosis import deployment_protocol
from lwcal.diagnosis.recommendation import AUDIT_COST, recommend
from tests.noise.simulated import sample

AGREE = deployment_protocol(0.2)


@pytest.fixture(scope="module")
def fitted():
    """A calibrator that corrects for noise."""
    drawn = sample(np.random.default_rng(0), 1000, line=(2.0, 0.0), rates=(0.2, 0.2))
    return Auto().fit(drawn.scores, drawn.noisy)


@pytest.fixture(scope="module")
def corrected(fitted):
    """Its decision, to be varied."""
    assert fitted.decision_.choice == "noise-aware"
    return fitted.decision_


@pytest.fixture(scope="module")
def noise(fitted):
    """Its noise estimate."""
    return fitted.noise_


def test_the_raw_score_is_kept_when_nothing_is_gained(corrected, noise):
    """By the name that the command line knows."""
    found = recommend(corrected._replace(choice="raw"), noise, AGREE)
    assert (found.action, found.calibrator) == ("keep raw", "identity")
    assert found.sentence.startswith("Keep the raw score. ")
    assert "0.5%" in found.reason


@pytest.mark.parametrize("choice", ["recalibrated", "bounded", "noise-aware"])
@pytest.mark.parametrize(("cost", "words"), [(0.04, "rises by 4%"), (-0.12, "falls by 12%")])
def test_a_map_is_deployed_with_its_gain_and_its_risk(corrected, noise, choice, cost, words):
    """What it is expected to gain, and what it costs if every label is right."""
    decision = corrected._replace(
        choice=choice, cost_if_right=cost, cost_unbounded=0.05, expected_gain=0.23
    )
    found = recommend(decision, noise, AGREE)
    assert (found.action, found.calibrator) == ("deploy", "auto")
    assert found.sentence.startswith("Deploy auto. ")
    assert "log loss falls by 23%" in found.reason
    assert f"If every label is right, it {words}." in found.reason


def test_every_choice_has_words_of_its_own(corrected, noise):
    """So that a reader knows what is done to the labels."""
    choices = ("recalibrated", "bounded", "noise-aware")
    decisions = [corrected._replace(choice=choice, cost_unbounded=0.0) for choice in choices]
    assert len({recommend(one, noise, AGREE).reason for one in decisions}) == 3


def test_no_cost_at_all_has_no_sign(corrected, noise):
    """Neither a rise nor a fall of zero percent."""
    found = recommend(corrected._replace(cost_if_right=-0.001), noise, AGREE)
    assert "by 0%" not in found.sentence
    assert "stays the same" in found.sentence


@pytest.mark.parametrize(
    ("cost", "action"), [(AUDIT_COST - 1e-9, "deploy"), (AUDIT_COST, "audit"), (2.0, "audit")]
)
def test_a_correction_that_would_cost_much_calls_for_an_audit(corrected, noise, cost, action):
    """At the border and beyond; the sentence names the stake."""
    decision = corrected._replace(choice="bounded", cost_unbounded=cost, cost_if_right=0.01)
    found = recommend(decision, noise, AGREE)
    assert found.action == action
    assert found.calibrator == "auto"
    if action == "audit":
        assert found.sentence.startswith("Audit labels first; until then, use auto. ")
        assert f"raises log loss by {cost:.0%}" in found.reason
        assert "raises log loss by 1%" in found.reason


def test_only_a_correction_that_was_held_back_is_at_stake(corrected, noise):
    """Where noise is identified, its cost without noise is no reason to wait."""
    assert recommend(corrected._replace(cost_unbounded=2.0), noise, AGREE).action == "deploy"


@pytest.mark.parametrize("choice", ["raw", "recalibrated", "bounded", "noise-aware"])
@pytest.mark.parametrize("d", [0.0, 0.2, 0.405, 0.41, 0.6, 1.0])
def test_labels_that_contradict_the_model_are_audited_whatever_was_decided(
    corrected, noise, choice, d
):
    """The paper's protocol has the last word, from its upper threshold on."""
    protocol = deployment_protocol(d)
    found = recommend(corrected._replace(choice=choice, cost_unbounded=0.0), noise, protocol)
    assert (found.action == "audit") == (protocol.level == "audit")
    if found.action == "audit":
        assert found.reason.startswith(f"Model and labels disagree on {d:.0%} of the rows.")
