"""Auto: what is chosen when, and that it costs little if every label is right."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import lwcal
from lwcal import Auto, NoiseAware, ScoreTable
from lwcal.calibrators import from_posterior
from lwcal.calibrators.decision import (
    LEAST_GAIN,
    MAX_COST,
    RECALIBRATED_FROM,
    decide,
    decided_map,
)
from lwcal.errors import ParameterError
from lwcal.maps import IdentityMap
from lwcal.metrics import nll
from lwcal.noise.estimate import estimate_from
from lwcal.noise.hypotheses import hypotheses
from lwcal.noise.inference import infer
from lwcal.noise.logit_counts import pool_by_logit
from tests.noise.simulated import sample
from tests.strategies import rows

GRID = np.linspace(0, 1, 501)
SITUATIONS = {
    "raw": {"n": 4000, "shape": (1, 1)},
    "recalibrated": {"n": 1000, "shape": (1, 1), "line": (2.0, 0.0)},
    "bounded": {"n": 4000, "shape": (1, 1), "line": (2.0, 0.0), "rates": (0.2, 0.2)},
    "noise-aware": {"n": 4000, "shape": (1, 1), "line": (0.7, 0.0), "rates": (0.2, 0.2)},
}
FEW = settings(max_examples=30, suppress_health_check=[HealthCheck.filter_too_much])
bounds = st.sampled_from([0.0, 0.01, 0.05, 0.2])


def simulated(choice, seed=0):
    """Rows for which this is the choice."""
    return sample(np.random.default_rng(seed), **SITUATIONS[choice])


def posterior_of(scores, labels):
    """The pooled table, its posterior and the noise estimate, as Auto infers them."""
    table = pool_by_logit(ScoreTable.from_arrays(scores, labels))
    posterior = infer(table, hypotheses())
    return table, posterior, estimate_from(posterior, table)


def decision_for(scores, labels, **bound):
    """The decision from rows, with the noise estimate behind it."""
    table, posterior, noise = posterior_of(scores, labels)
    return decide(posterior, table, **bound), noise


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("choice", SITUATIONS)
def test_every_choice_has_its_situation(choice, seed):
    """Calibrated; steeper, labels right; steeper, and noise that shows; flatter and noisy."""
    drawn = simulated(choice, seed)
    assert Auto().fit(drawn.scores, drawn.noisy).decision_.choice == choice


def test_calibrated_scores_are_kept_as_they_are():
    """Bit for bit, with nothing gained or lost."""
    drawn = simulated("raw")
    fitted = Auto().fit(drawn.scores, drawn.noisy)
    assert fitted.map_ == IdentityMap()
    np.testing.assert_array_equal(fitted.predict(drawn.scores), drawn.scores)
    assert fitted.diagnostics_["cost_if_right"] == fitted.diagnostics_["expected_gain"] == 0.0


@FEW
@given(data=rows(), max_cost=bounds)
@example(data=(np.array([0.01, 0.02, 0.98]), np.array([0, 0, 1])), max_cost=0.01)
def test_the_bound_holds(data, max_cost):
    """For any rows: what is accepted in case every label is right."""
    decision, _ = decision_for(*data, max_cost=max_cost)
    assert decision.cost_if_right <= max_cost + 1e-6


@pytest.mark.parametrize("scores", [(0.0, 1.0), (0.001, 0.999)])
def test_the_bound_holds_for_a_model_that_is_always_right(scores):
    """No map can do better than these scores on these labels; they are kept."""
    fitted = Auto().fit(np.repeat(scores, 50), np.repeat([0, 1], 50))
    assert fitted.diagnostics_["cost_if_right"] <= MAX_COST + 1e-6


@FEW
@given(data=rows(elements=st.floats(0.02, 0.98)), max_cost=bounds)
def test_it_never_loses_more_than_the_bound_on_labels_as_they_are(data, max_cost):
    """Measured by the metric itself, on the predictions; knots cost a thousandth at most."""
    scores, labels = data
    fitted = Auto(max_cost=max_cost).fit(scores, labels)
    before, after = nll(labels, scores), nll(labels, fitted.predict(scores))
    assert after <= (1 + max_cost + 1e-3) * before


@pytest.mark.parametrize("rates", [(0.2, 0.2), (0.05, 0.4)])
def test_no_evidence_in_the_table_lifts_the_bound(rates):
    """However many rows and however sure the noise: 20,000 rows, against the better of two maps.

    The bound is over the raw score and over trust in the labels; knots cost a thousandth.
    """
    drawn = sample(np.random.default_rng(0), 20_000, line=(2.0, 0.0), rates=rates, shape=(1, 1))
    for max_cost in (0.0, 0.02, MAX_COST):
        fitted = Auto(max_cost=max_cost).fit(drawn.scores, drawn.noisy)
        losses = [
            nll(drawn.noisy, one.fit(drawn.scores, drawn.noisy).predict(drawn.scores))
            for one in (lwcal.Identity(), NoiseAware(prior_clean=1.0))
        ]
        after = nll(drawn.noisy, fitted.predict(drawn.scores))
        kept = fitted.decision_.choice == "raw"  # nothing is changed, so nothing is harmed
        assert kept or after <= (1 + max_cost + 1e-3) * min(losses)


def test_a_misshapen_model_does_not_look_like_noise():
    """Right labels, a linear model of a step: 0.1.0 raised log loss from 0.534 to 0.603.

    Twelve tables of 3,000 rows, judged by the probabilities that drew the labels. Measured: at
    most 1.06 times the raw loss, on average 1.01 (0.1.0: 1.13).
    """
    ratios = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        x = rng.uniform(0, 24, 3000)
        truth = np.where(x > 12, 0.4, 0.1)
        labels = rng.random(3000) < truth
        scores = lwcal.Platt().fit(x / 24, labels).predict(x / 24)
        fitted = Auto().fit(scores, labels).predict(scores)
        raw, new = (
            -(truth @ np.log(p) + (1 - truth) @ np.log1p(-p)) / 3000 for p in (scores, fitted)
        )
        ratios.append(new / raw)
    assert max(ratios) < 1.1
    assert np.mean(ratios) < 1.03


@pytest.mark.parametrize("max_cost", [0.0, 0.01, 0.05])
@pytest.mark.parametrize("seed", range(3))
def test_a_bound_that_binds_is_used_up(max_cost, seed):
    """The correction is held back no more than needed."""
    drawn = simulated("bounded", seed)
    decision, noise = decision_for(drawn.scores, drawn.noisy, max_cost=max_cost)
    if decision.choice == "bounded":
        assert decision.p_clean_used > noise.probability_clean
        bolder, _ = decision_for(drawn.scores, drawn.noisy, max_cost=max_cost + 0.001)
        assert bolder.p_clean_used < decision.p_clean_used
        assert bolder.cost_if_right > decision.cost_if_right
    else:
        gains_nothing = decision.choice == "raw"
        assert gains_nothing or decision.cost_if_right <= max_cost


@pytest.mark.parametrize("choice", ["bounded", "noise-aware"])
def test_without_a_bound_it_is_noise_aware(choice):
    """The same map, but for rounding."""
    drawn = simulated(choice)
    unbounded = Auto(max_cost=1e9).fit(drawn.scores, drawn.noisy)
    even = NoiseAware().fit(drawn.scores, drawn.noisy)
    np.testing.assert_allclose(unbounded.predict(GRID), even.predict(GRID), atol=1e-8)
    used = even.diagnostics_["p_clean_used"]
    assert unbounded.diagnostics_["p_clean_used"] == pytest.approx(used, abs=1e-8)


@pytest.mark.parametrize("choice", ["recalibrated", "bounded", "noise-aware"])
def test_it_says_of_noise_what_noise_aware_says(choice):
    """The bound is how it acts, not what the labels say."""
    drawn = simulated(choice)
    cautious = Auto().fit(drawn.scores, drawn.noisy).diagnostics_
    bold = NoiseAware().fit(drawn.scores, drawn.noisy).diagnostics_
    assert cautious["p_clean_used"] >= bold["p_clean_used"]
    for name in bold.keys() - {"p_clean_used"}:
        assert cautious[name] == pytest.approx(bold[name], abs=1e-8)


def test_a_lower_bound_keeps_closer_to_the_labels():
    """More trust, less cost, less expected gain."""
    drawn = simulated("bounded", seed=1)
    tight, loose = (
        decision_for(drawn.scores, drawn.noisy, max_cost=bound)[0] for bound in (0.04, 0.08)
    )
    assert tight.p_clean_used > loose.p_clean_used
    assert tight.cost_if_right < loose.cost_if_right
    assert tight.expected_gain < loose.expected_gain
    assert tight.cost_unbounded == loose.cost_unbounded


def test_known_rates_lift_the_bound():
    """They come from outside the table: even a bound of 0 does not stop the correction."""
    drawn = simulated("noise-aware")
    table = pool_by_logit(ScoreTable.from_arrays(drawn.scores, drawn.noisy))
    posterior = infer(table, hypotheses(noise_rates=(0.2, 0.2)))
    decision = decide(posterior, table, max_cost=0.0)
    assert (decision.choice, decision.p_clean_used) == ("noise-aware", 0.0)
    fitted = decided_map(decision, posterior)
    test = sample(np.random.default_rng(9), 5000, line=(0.7, 0.0), shape=(1, 1))
    assert nll(test.clean, fitted(test.scores)) < nll(test.clean, test.scores)


@FEW
@given(data=rows())
def test_decision_and_diagnostics_agree(data):
    """One story in three places, for any rows."""
    fitted = Auto().fit(*data)
    decision, diagnosed, noise = fitted.decision_, fitted.diagnostics_, fitted.noise_
    for name in ("p_clean_used", "cost_if_right", "expected_gain"):
        assert diagnosed[name] == getattr(decision, name)
    assert diagnosed["p_clean"] == noise.probability_clean
    assert ("r0" in diagnosed) == ("r1" in diagnosed) == noise.fits
    if noise.fits:
        rates = noise.rates_posterior.mean()
        assert (diagnosed["r0"], diagnosed["r1"]) == pytest.approx(tuple(rates), abs=1e-12)
    assert noise.probability_clean <= decision.p_clean_used <= 1.0
    _, posterior, full = posterior_of(*data)
    assert full.to_dict() == noise.to_dict()
    expected = decided_map(decision, posterior)
    np.testing.assert_array_equal(fitted.predict(GRID), expected(GRID))
    if decision.choice == "raw":
        assert (fitted.map_, decision.expected_gain) == (IdentityMap(), 0.0)
    else:
        assert decision.expected_gain >= LEAST_GAIN
        recalibrated = decision.p_clean_used >= RECALIBRATED_FROM
        assert (decision.choice == "recalibrated") == recalibrated
    if decision.choice == "noise-aware":
        assert decision.p_clean_used == posterior.believed.probability_clean


@pytest.mark.parametrize("choice", SITUATIONS)
def test_saved_and_loaded_it_is_the_same(tmp_path, choice):
    """Predictions bit for bit, the decision, and all other fitted attributes."""
    drawn = simulated(choice)
    fitted = Auto(max_cost=0.02).fit(drawn.scores, drawn.noisy)
    lwcal.save(fitted, tmp_path / "it.json")
    loaded = lwcal.load(tmp_path / "it.json")
    np.testing.assert_array_equal(loaded.predict(GRID), fitted.predict(GRID))
    assert (loaded.max_cost, loaded.diagnostics_) == (0.02, fitted.diagnostics_)
    assert loaded.decision_ == fitted.decision_
    assert loaded.noise_.to_dict() == fitted.noise_.to_dict()


def test_rows_are_pooled_and_inferred_once(monkeypatch):
    """One posterior serves the decision, the estimate and the map."""
    calls = Counter()

    def counted(function):
        def call(*given):
            calls[function.__name__] += 1
            return function(*given)

        return call

    for function in (pool_by_logit, infer):
        monkeypatch.setattr(from_posterior, function.__name__, counted(function))
    drawn = simulated("noise-aware")
    Auto().fit(drawn.scores, drawn.noisy)
    assert calls == {"pool_by_logit": 1, "infer": 1}


@pytest.mark.parametrize("max_cost", [-0.1, np.inf, np.nan, None, "low"])
def test_bad_bounds_are_refused(max_cost):
    """A finite number of at least 0."""
    with pytest.raises(ParameterError, match="max_cost to be a number of at least 0"):
        Auto(max_cost=max_cost).fit([0.2, 0.8], [0, 1])
