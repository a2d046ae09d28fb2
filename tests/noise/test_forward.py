"""The forward model: exact derivatives, modes that are maxima, posteriors that find the truth."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwcal import ScoreTable
from lwcal.kernels import noise_model
from lwcal.kernels.importance import normalise
from lwcal.kernels.rate_priors import FixedRates, FreeRates, SymmetricRates
from lwcal.noise.checked.table import CheckedTable
from lwcal.noise.forward import CLIP, Hypothesis, draw_each, mode_of
from lwcal.noise.logit_counts import LogitCounts, pool_by_logit
from tests.noise.simulated import sample

STEP = 1e-5
FAMILIES = {
    "none": FixedRates(),
    "known": FixedRates(0.2, 0.1),
    "symmetric": SymmetricRates(1.5, 1.5),
    "free": FreeRates(1.0, 1.0, 4.0),
}
every_family = pytest.mark.parametrize("name", FAMILIES)


def draw(hypothesis, counts):
    """Draws from one posterior."""
    return draw_each([(hypothesis, counts)])[0]


def hypothesis_of(name, *, inherited=0.75, steepening=1.5):
    """A belief with this family of rates."""
    belief = Hypothesis(name, 1.0, FAMILIES[name], 0.5, 0.8, 0.8, inherited)
    return replace(belief, steepening=steepening)


def counts_of(scores, labels):
    """Pooled log-odds of rows."""
    return LogitCounts.from_table(pool_by_logit(ScoreTable.from_arrays(scores, labels)))


def log_posterior(hypothesis, counts, parameters):
    """Log posterior at several points."""
    return noise_model.log_posterior(hypothesis.prior, CLIP, counts.evidence, parameters)


def local_posterior(hypothesis, counts, parameters):
    """The same at one point, with its derivatives."""
    return noise_model.local_posterior(hypothesis.prior, CLIP, counts.evidence, parameters)


@pytest.fixture(scope="module")
def some_counts():
    """Three hundred noisy rows."""
    rows = sample(np.random.default_rng(3), 300, line=(1.3, 0.2), rates=(0.1, 0.2), shape=(1, 1))
    return counts_of(rows.scores, rows.noisy)


@pytest.fixture(scope="module")
def partly_checked():
    """Three hundred noisy rows, eighty of them checked."""
    rows = sample(np.random.default_rng(3), 300, line=(1.3, 0.2), rates=(0.1, 0.2), shape=(1, 1))
    rest = pool_by_logit(ScoreTable.from_arrays(rows.scores[80:], rows.noisy[80:]))
    checked = CheckedTable.from_codes(rows.scores[:80], rows.noisy[:80], rows.clean[:80])
    return LogitCounts.from_table(rest, checked)


@every_family
@pytest.mark.parametrize("counts", ["some_counts", "partly_checked"])
@given(
    data=st.data(),
    inherited=st.sampled_from([0.0, 0.75, 1.0]),
    steepening=st.sampled_from([0.0, 1.5]),
)
def test_the_gradient_is_that_of_the_log_posterior(
    name, counts, request, data, inherited, steepening
):
    """Central differences by every parameter, where no probability is clipped."""
    some_counts = request.getfixturevalue(counts)
    believed = hypothesis_of(name, inherited=inherited, steepening=steepening)
    size = 2 + believed.rates.size
    values = data.draw(st.lists(st.floats(-1.5, 1.0), min_size=size, max_size=size))
    at = np.array(values)
    steps = STEP * np.eye(size)
    above, below = (log_posterior(believed, some_counts, at + sign * steps) for sign in (1, -1))
    expected = (above - below) / (2 * STEP)
    height, gradient, information = local_posterior(believed, some_counts, at)
    assert height == pytest.approx(log_posterior(believed, some_counts, at[None])[0], rel=1e-12)
    scale = 1.0 + np.abs(expected).max()
    np.testing.assert_allclose(gradient / scale, expected / scale, atol=1e-6)
    assert (np.linalg.eigvalsh(information) > 0).all()


def test_the_information_is_the_variance_of_the_gradient():
    """Fisher's identity: over labels drawn from the model, gradients spread like the information.

    With 4000 draws of the labels of 200 rows; entries agree within 10% of the largest.
    """
    rng = np.random.default_rng(0)
    rows = sample(rng, 200, shape=(1, 1))
    believed = replace(hypothesis_of("known"), slope_sd=1e6, intercept_sd=1e6)  # no prior to add
    counts = counts_of(rows.scores, rows.noisy)
    z, at = counts.z, np.array([0.2, -0.1])
    noisy = 0.2 + 0.7 / (1 + np.exp(-(np.exp(at[0]) * z + at[1])))
    gradients = []
    for _ in range(4000):
        positives = rng.binomial((counts.negatives + counts.positives).astype(int), noisy)
        drawn = replace(
            counts,
            positives=positives.astype(float),
            negatives=counts.negatives + counts.positives - positives,
        )
        gradients.append(local_posterior(believed, drawn, at).gradient)
    information = local_posterior(believed, counts, at).information
    assert np.cov(np.array(gradients).T) == pytest.approx(information, abs=0.1 * information.max())


@every_family
@pytest.mark.parametrize("seed", range(4))
def test_the_mode_is_a_maximum(name, seed):
    """No gradient is left, and no point around is higher; line, noise and size at random."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([20, 300, 5000]))
    line, rates = (rng.uniform(0.5, 2), rng.normal()), rng.uniform(0, 0.3, 2)
    rows = sample(rng, n, line=line, rates=rates)
    believed, counts = hypothesis_of(name), counts_of(rows.scores, rows.noisy)
    mode, information = mode_of(believed, counts)
    height = log_posterior(believed, counts, mode[None])[0]
    gradient = local_posterior(believed, counts, mode).gradient
    assert gradient @ np.linalg.solve(information, gradient) < 1e-6
    axes = np.linalg.cholesky(np.linalg.inv(information))
    around = mode + rng.normal(size=(500, len(mode))) @ axes.T
    assert (log_posterior(believed, counts, around) <= height + 1e-6).all()


@pytest.mark.parametrize("labels", [[0, 1], [1, 0]])
@every_family
def test_two_rows_have_a_mode(name, labels):
    """Separable either way: the prior keeps it finite."""
    counts = counts_of(np.array([0.0, 1.0]), np.array(labels))
    mode, information = mode_of(hypothesis_of(name), counts)
    assert np.isfinite(mode).all()
    assert (np.linalg.eigvalsh(information) > 0).all()
    assert np.isfinite(draw(hypothesis_of(name), counts).log_weights).all()


@pytest.mark.parametrize(
    ("name", "rates"),
    [("none", (0, 0)), ("known", (0.2, 0.1)), ("symmetric", (0.15, 0.15)), ("free", (0.05, 0.25))],
)
def test_the_posterior_mean_finds_the_truth(name, rates):
    """50,000 rows from the model itself: slope, intercept and both rates.

    Over seeds 0 to 7 the line was at most 0.09 off, at most 3.2 of the posterior's own standard
    deviations (0.02 to 0.04), and the rates at most 0.008; with this seed 0.07, 1.6 and 0.008.
    """
    rows = sample(np.random.default_rng(5), 50_000, line=(1.4, -0.3), rates=rates)
    drawn = draw(hypothesis_of(name, inherited=0.0), counts_of(rows.scores, rows.noisy))
    weights = normalise(drawn.log_weights)
    for truth, values in ((1.4, drawn.slopes), (-0.3, drawn.intercepts)):
        mean = weights @ values
        spread = np.sqrt(weights @ (values - mean) ** 2)
        assert 0.01 < spread < 0.05
        assert abs(mean - truth) < 2.5 * spread
    assert weights @ drawn.rates == pytest.approx(rates, abs=0.012)


def test_the_evidence_prefers_the_family_that_made_the_labels():
    """Class-conditional noise far from symmetric: every other family is worse by e**5 or more."""
    rows = sample(np.random.default_rng(5), 10_000, line=(1.4, 0.0), rates=(0.02, 0.3))
    counts = counts_of(rows.scores, rows.noisy)
    evidence = {
        name: np.logaddexp.reduce(draw(hypothesis_of(name), counts).log_weights)
        for name in ("none", "symmetric", "free")
    }
    assert evidence["free"] > max(evidence["none"], evidence["symmetric"]) + 5


@every_family
def test_draws_are_the_same_every_time(name, some_counts):
    """No random state: bit for bit."""
    first, second = (draw(hypothesis_of(name), some_counts) for _ in range(2))
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)


@every_family
def test_draws_are_possible_worlds(name, some_counts):
    """Slopes above 0, rates that leave something of the labels."""
    drawn = draw(hypothesis_of(name), some_counts)
    assert (drawn.slopes > 0).all()
    assert (drawn.rates >= 0).all()
    assert (drawn.rates.sum(axis=1) <= 1).all()
    assert len(drawn.slopes) == len(drawn.intercepts) == len(drawn.log_weights)


def test_inherited_noise_moves_the_expected_intercept():
    """With hardly a label to go by, rates of (0.3, 0) call for a negative intercept."""
    believed = replace(hypothesis_of("known", inherited=1.0), rates=FixedRates(0.3, 0.0))
    counts = counts_of(np.array([0.5, 0.5]), np.array([0, 1]))
    inherited, ignored = (
        normalise(drawn.log_weights) @ drawn.intercepts
        for drawn in (draw(replace(believed, inherited=share), counts) for share in (1.0, 0.0))
    )
    assert inherited < ignored - 0.3


def test_a_relative_slope_is_counted_from_the_one_that_labels_show():
    """Once: what was seen from the labels is absolute."""
    absolute = hypothesis_of("symmetric")
    assert absolute.centred_on(-0.7) is absolute
    seen = replace(absolute, slope_from_labels=True).centred_on(-0.7)
    assert seen.slope_mean == pytest.approx(absolute.slope_mean - 0.7)
    assert seen.centred_on(-0.7) is seen


@pytest.mark.parametrize(("r0", "r1"), [(0.0, 0.0), (0.1, 0.2), (0.3, 0.3)])
def test_without_labels_the_slope_is_expected_steeper_by_what_noise_takes_away(r0, r1):
    """The mode of the prior: the mean of log(a), and 1.5 times -log(1 - r0 - r1)."""
    nothing = LogitCounts(np.zeros(1), np.zeros(1), np.zeros(1), 1e-3)
    believed = replace(hypothesis_of("known"), rates=FixedRates(r0, r1))
    mode, _ = mode_of(believed, nothing)
    assert mode[0] == pytest.approx(0.5 - 1.5 * np.log(1.0 - r0 - r1), abs=1e-3)
