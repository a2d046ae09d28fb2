"""What a user knows decides which hypotheses compete, and with which weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwcal.errors import ParameterError
from lwcal.kernels.rate_priors import FixedRates, FreeRates
from lwcal.noise.hypotheses import (
    CALIBRATED,
    CALIBRATED_NOISY,
    CLASS_CONDITIONAL,
    CLEAN_SHARES,
    FLEXIBLE,
    KNOWN,
    NO_NOISE,
    NOISELESS,
    OVERCONFIDENT,
    PRIOR_CLEAN,
    SYMMETRIC,
    hypotheses,
    with_calibrated_score,
)

rate = st.floats(0, 0.49)


def by_name(**knowledge):
    """Hypotheses by their names."""
    return {hypothesis.name: hypothesis for hypothesis in hypotheses(**knowledge)}


def test_without_knowledge_six_hypotheses_compete():
    """Four noiseless ones share the prior of clean labels, both noisy ones the rest."""
    found = by_name()
    assert set(found) == {*NOISELESS, SYMMETRIC, CLASS_CONDITIONAL}
    for name, hypothesis in found.items():
        share = CLEAN_SHARES[name] * PRIOR_CLEAN if name in NOISELESS else (1 - PRIOR_CLEAN) / 2
        assert hypothesis.weight == pytest.approx(share)
        assert hypothesis.is_point == (name == CALIBRATED)
        assert hypothesis.flexible == (name == FLEXIBLE)
        assert (hypothesis.rates == FixedRates()) == (name in NOISELESS)
        assert (hypothesis.inherited == 0) == (name in NOISELESS)
        assert (hypothesis.steepening == 0) == (name in NOISELESS)
        assert hypothesis.slope_from_labels == (name not in NOISELESS)
    assert found[OVERCONFIDENT].softness > found[NO_NOISE].softness == 0


@given(r0=rate, r1=rate)
def test_known_rates_leave_one_hypothesis(r0, r1):
    """Whatever was believed of clean labels; known to be 0 they are believed like clean ones."""
    for prior_clean in (0.0, 0.5, 1.0):
        (known,) = hypotheses(noise_rates=(r0, r1), prior_clean=prior_clean)
        assert (known.name, known.rates) == (KNOWN, FixedRates(r0, r1))
        assert known.weight > 0
        assert (known.inherited == 0) == (r0 == r1 == 0)


@given(prior_clean=st.floats(0, 1))
def test_weights_add_up_to_one(prior_clean):
    """They are probabilities, and none is without weight."""
    found = hypotheses(prior_clean=prior_clean)
    assert sum(hypothesis.weight for hypothesis in found) == pytest.approx(1)
    clean = sum(hypothesis.weight for hypothesis in found if hypothesis.name in NOISELESS)
    assert clean == pytest.approx(prior_clean)
    assert all(hypothesis.weight > 0 for hypothesis in found)


@pytest.mark.parametrize(
    ("prior_clean", "left"),
    [(0, {SYMMETRIC, CLASS_CONDITIONAL}), (1, set(NOISELESS))],
)
def test_certainty_drops_what_it_excludes(prior_clean, left):
    """A hypothesis of weight 0 is not even drawn."""
    assert set(by_name(prior_clean=prior_clean)) == left


@given(r0=rate, r1=rate, strength=st.floats(0.1, 1000))
def test_expected_rates_are_the_mean_of_the_dirichlet(r0, r1, strength):
    """As strong as that many labels, but no share knows less than half a label."""
    found = by_name(prior_rates=(r0, r1), prior_strength=strength)
    assert set(found) == {*NOISELESS, CLASS_CONDITIONAL}
    family = found[CLASS_CONDITIONAL].rates
    assert isinstance(family, FreeRates)
    parts = [family.negative, family.positive, family.kept]
    expected = strength * np.array([r0, r1, 1 - r0 - r1])
    assert parts == pytest.approx(np.maximum(expected, 0.5).tolist())
    assert found[CLASS_CONDITIONAL].weight == pytest.approx(1 - PRIOR_CLEAN)


def test_known_and_expected_rates_exclude_each_other():
    """Rates are one or the other."""
    with pytest.raises(ParameterError, match="noise_rates or prior_rates, got both"):
        hypotheses(noise_rates=(0.1, 0.1), prior_rates=(0.1, 0.1))


@pytest.mark.parametrize(
    ("knowledge", "says"),
    [
        ({"prior_clean": -0.1}, "prior_clean to be a number from 0 to 1, got -0.1"),
        ({"prior_clean": 1.5}, "prior_clean to be a number from 0 to 1, got 1.5"),
        ({"prior_clean": None}, "prior_clean to be a number from 0 to 1, got None"),
        ({"prior_clean": np.nan}, "prior_clean to be a number from 0 to 1, got nan"),
        ({"prior_strength": 0}, "prior_strength to be a number above 0, got 0"),
        ({"prior_strength": np.inf}, "prior_strength to be a number above 0, got inf"),
        ({"prior_strength": "ten"}, "prior_strength to be a number above 0, got 'ten'"),
        ({"noise_rates": 0.2}, r"flip rates to be a pair \(r0, r1\), got 0.2"),
        ({"noise_rates": (0.6, 0.4)}, "flip rates that add up to less than 1"),
        ({"prior_rates": (0.1, -0.2)}, "the flip rate of positives to be a number from 0 to 1"),
        ({"prior_rates": (0.5, 0.5)}, "flip rates that add up to less than 1"),
        ({"noise_rates": (0.1, 0.1), "prior_clean": 2}, "prior_clean to be a number"),
    ],
)
def test_bad_knowledge_is_refused(knowledge, says):
    """In our words, also where other knowledge makes it idle."""
    with pytest.raises(ParameterError, match=says):
        hypotheses(**knowledge)


@given(share=st.floats(0, 1), prior_clean=st.floats(0, 0.99))
def test_a_calibrated_score_beside_noise_takes_its_share_of_the_noise(share, prior_clean):
    """What is said of right labels stays."""
    given = hypotheses(prior_clean=prior_clean)
    *others, calibrated = with_calibrated_score(given, share)
    assert [other.name for other in others] == [one.name for one in given]
    assert calibrated.name == CALIBRATED_NOISY
    assert calibrated.weight == pytest.approx(share * (1 - prior_clean))
    assert calibrated.inherited == calibrated.steepening == 0
    assert isinstance(calibrated.rates, FreeRates)
    assert sum(one.weight for one in (*others, calibrated)) == pytest.approx(1)
    for one, other in zip(given, others, strict=True):
        assert other.weight == pytest.approx(
            one.weight * (1 if one.name in NOISELESS else 1 - share)
        )


@pytest.mark.parametrize("knowledge", [{"noise_rates": (0.1, 0.2)}, {"prior_clean": 1.0}])
def test_known_rates_and_right_labels_need_no_such_hypothesis(knowledge):
    """Nothing is added."""
    given = hypotheses(**knowledge)
    assert with_calibrated_score(given, 0.5) == given
