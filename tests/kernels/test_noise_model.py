"""The noise model, compiled and in numpy: the same modes, the same draws."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lwcal.kernels import pure
from lwcal.kernels.importance import standard_points
from lwcal.kernels.noise_model import Evidence, NoisePrior, log_posterior
from lwcal.kernels.rate_priors import FixedRates, FreeRates, SymmetricRates

compiled = pytest.importorskip("lwcal.kernels.compiled")

CLIP = 1e-12
families = st.sampled_from(
    [
        FixedRates(),
        FixedRates(0.2, 0.1),
        SymmetricRates(2.0, 3.0),
        SymmetricRates(1.5, 1.5),
        FreeRates(2.0, 2.0, 8.0),
        FreeRates(0.5, 3.0, 6.5),
    ]
)
priors = st.builds(
    NoisePrior,
    st.floats(-1, 1),
    st.floats(0.05, 1),
    st.floats(0.05, 1),
    st.sampled_from([0.0, 0.75, 1.0]),
    st.sampled_from([0.0, 1.5]),
    families,
)


def evidence_of(seed, size, checked, weight=1.0):
    """Labels at points, some of them wrong; points whose truths and labels were checked."""
    rng = np.random.default_rng(seed)
    z, checked_z = (np.sort(2.5 * rng.normal(size=n)) for n in (size, checked))
    chance = 0.1 + 0.7 / (1 + np.exp(-z))
    total = weight * rng.uniform(0, 3, size)
    truths = (rng.random(checked) < 1 / (1 + np.exp(-checked_z))).astype(float)
    labels = rng.poisson(checked * np.array([0.4, 0.4, 0.1, 0.1])).astype(float)
    return Evidence(z, total * (1 - chance), total * chance, checked_z, 1 - truths, truths, labels)


cases = st.builds(
    evidence_of,
    st.integers(0, 99),
    st.sampled_from([0, 1, 7, 8, 9, 300, 511, 513]),
    st.sampled_from([0, 0, 1, 50]),
    st.sampled_from([1.0, 30.0]),
)


@settings(max_examples=150)
@given(prior=priors, evidence=cases)
def test_both_find_the_same_mode(prior, evidence):
    """And the same information there, but for the last digits."""
    expected, found = (
        backend.noise_mode(prior.numbers, CLIP, *evidence) for backend in (pure, compiled)
    )
    assert [part.shape for part in found] == [part.shape for part in expected]
    np.testing.assert_allclose(found[0], expected[0], atol=1e-7)
    scale = np.abs(expected[1]).max()
    np.testing.assert_allclose(found[1] / scale, expected[1] / scale, atol=1e-7)


@settings(max_examples=100)
@given(prior=priors, evidence=cases)
def test_both_draw_the_same(prior, evidence):
    """Lines, rates and weights; the weights as far as they matter."""
    mode = pure.noise_mode(prior.numbers, CLIP, *evidence)
    standard = standard_points(prior.size)
    expected, found = (
        backend.noise_draws([(prior.numbers, *mode, *standard, CLIP, *evidence)])[0]
        for backend in (pure, compiled)
    )
    for one, other in zip(found, expected, strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("weight", [1e3, 1e6, 1e9])
@pytest.mark.parametrize("family", [FixedRates(0.2, 0.1), FreeRates(2.0, 2.0, 8.0)])
def test_extreme_weights_lead_to_equal_heights(weight, family):
    """A start far from the mode, where rounding decides which step is taken."""
    prior = NoisePrior(3.0, 0.5, 0.8, 0.75, 1.5, family)
    evidence = evidence_of(5, 200, 20, weight)
    heights = [
        log_posterior(
            prior, CLIP, evidence, backend.noise_mode(prior.numbers, CLIP, *evidence)[0][None]
        )[0]
        for backend in (pure, compiled)
    ]
    assert heights[1] == pytest.approx(heights[0], rel=1e-9)


@pytest.mark.parametrize("backend_of", [pure, compiled])
@pytest.mark.parametrize(("weight", "fault"), [(np.inf, "not finite"), (np.nan, "not finite")])
def test_weights_that_are_no_numbers_are_refused(backend_of, weight, fault):
    """By both, in the same words."""
    prior = NoisePrior(0.0, 0.5, 0.8, 0.75, 1.5, SymmetricRates(2.0, 3.0))
    evidence = evidence_of(1, 20, 0)._replace(negatives=np.full(20, weight))
    with np.errstate(all="ignore"), pytest.raises(ValueError, match=fault):
        backend_of.noise_mode(prior.numbers, CLIP, *evidence)


@pytest.mark.parametrize("backend_of", [pure, compiled])
def test_a_width_below_zero_is_refused(backend_of):
    """No proposal can have it."""
    prior = NoisePrior(0.0, 0.5, 0.8, 0.0, 0.0, FixedRates())
    width = np.diag([-1.0, 1.0])
    given = (prior.numbers, np.zeros(2), width, *standard_points(2), CLIP, *evidence_of(1, 9, 0))
    with pytest.raises(ValueError, match=r"not positive definite|[Nn]ot positive definite"):
        backend_of.noise_draws([given])


@given(prior=priors, evidence=cases)
def test_the_mode_is_a_maximum(prior, evidence):
    """Half a standard deviation away in any direction, nothing is higher."""
    mode, information = compiled.noise_mode(prior.numbers, CLIP, *evidence)
    assume(np.linalg.eigvalsh(information).min() > 1.0)
    steps = 0.5 * np.linalg.inv(np.linalg.cholesky(information))
    here = log_posterior(prior, CLIP, evidence, mode[None])[0]
    around = np.concatenate([mode + steps, mode - steps])
    assert (log_posterior(prior, CLIP, evidence, around) <= here + 1e-5 + 1e-9 * abs(here)).all()
