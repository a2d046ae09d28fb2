"""One action with its reason, from what was decided about the map."""

import numpy as np
import pytest

from lwcal import ScoreTable
from lwcal.calibrators.auto import decide
from lwcal.diagnosis.protocol import deployment_protocol
from lwcal.diagnosis.recommendation import AUDIT_COST, recommend
from tests.noise.simulated import sample


@pytest.fixture(scope="module")
def corrected():
    """A decision to correct for noise, to be varied."""
    drawn = sample(np.random.default_rng(0), 1000, line=(2.0, 0.0), rates=(0.2, 0.2))
    decision = decide(ScoreTable.from_arrays(drawn.scores, drawn.noisy))
    assert decision.choice == "noise-aware"
    return decision


def test_the_raw_score_is_kept_when_nothing_is_gained(corrected):
    """By the name that the command line knows."""
    found = recommend(corrected._replace(choice="raw"), 0.2)
    assert (found.action, found.calibrator) == ("keep raw", "identity")
    assert found.sentence.startswith("Keep the raw score: no map is expected to lower its loss")
    assert found.sentence.endswith(".")


@pytest.mark.parametrize(
    ("choice", "says"),
    [
        ("recalibrated", "trusting the labels"),
        ("bounded", "correcting for probable noise as far as is safe"),
        ("noise-aware", "correcting for noise as far as it is probable"),
    ],
)
@pytest.mark.parametrize(("cost", "words"), [(0.04, "raise it by 4%"), (-0.12, "lower it by 12%")])
def test_a_map_is_deployed_with_its_gain_and_its_risk(corrected, choice, says, cost, words):
    """What is done, what it is expected to bring, and what it costs if labels are right."""
    decision = corrected._replace(
        choice=choice, cost_if_right=cost, cost_unbounded=0.05, expected_gain=0.23
    )
    found = recommend(decision, 0.2)
    assert (found.action, found.calibrator) == ("deploy", "auto")
    assert found.sentence.startswith(f"Deploy auto: {says}, ")
    assert "expected to lower the NLL of the raw score by 23%" in found.reason
    assert f"would {words}" in found.reason


def test_no_cost_at_all_has_no_sign(corrected):
    """Zero percent, not minus zero."""
    assert "-0%" not in recommend(corrected._replace(cost_if_right=0.0), 0.2).sentence


@pytest.mark.parametrize(
    ("cost", "action"), [(AUDIT_COST - 1e-9, "deploy"), (AUDIT_COST, "audit"), (2.0, "audit")]
)
def test_a_correction_that_would_cost_much_calls_for_an_audit(corrected, cost, action):
    """At the border and beyond; the sentence names the stake."""
    decision = corrected._replace(choice="bounded", cost_unbounded=cost, cost_if_right=0.01)
    found = recommend(decision, 0.2)
    assert found.action == action
    assert found.calibrator == "auto"
    if action == "audit":
        assert found.sentence.startswith("Audit labels first; until then use auto: the labels look")
        assert f"raise the NLL by {cost:.0%}" in found.reason
        assert "a few checked labels can tell" in found.reason


def test_only_a_correction_that_was_held_back_is_at_stake(corrected):
    """Where noise can be told, its cost in a world without noise is no reason to wait."""
    assert recommend(corrected._replace(cost_unbounded=2.0), 0.2).action == "deploy"


@pytest.mark.parametrize("choice", ["raw", "recalibrated", "bounded", "noise-aware"])
@pytest.mark.parametrize("d", [0.0, 0.2, 0.405, 0.41, 0.6, 1.0])
def test_labels_that_contradict_the_model_are_audited_whatever_was_decided(corrected, choice, d):
    """The paper's protocol has the last word, from its upper threshold on."""
    found = recommend(corrected._replace(choice=choice, cost_unbounded=0.0), d)
    assert (found.action == "audit") == (deployment_protocol(d).level == "audit")
    if found.action == "audit":
        assert found.reason.startswith(f"{d:.0%} of the labels contradict the model's decision")
