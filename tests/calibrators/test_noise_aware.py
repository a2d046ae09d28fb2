"""NoiseAware: a strict order, no certainty, noise undone, and no harm where there is none."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lwcal
from lwcal import LWCal, NoiseAware, Platt, ScoreTable
from lwcal.errors import ParameterError
from lwcal.metrics import auc, brier, nll
from tests.noise.simulated import sample
from tests.strategies import rows, scores_of_any_kind

MILLION = 10**6
millionths = st.one_of(
    st.integers(0, MILLION), st.sampled_from([0, 1, 2, MILLION - 1, MILLION])
).map(lambda k: k / MILLION)
FINE = np.linspace(0, 1, 100_001)
GRID = np.linspace(0, 1, 501)


@settings(max_examples=25)
@given(data=rows(elements=millionths))
def test_the_map_strictly_increases(data):
    """On a grid of 100,001 scores, for any rows: two scores never get one probability."""
    values = NoiseAware().fit(*data).predict(FINE)
    assert (np.diff(values) > 0).all()
    assert ((values > 0) & (values < 1)).all()


@settings(max_examples=25)
@given(data=rows(elements=millionths))
def test_the_auc_is_exactly_that_of_the_scores(data):
    """Scores a millionth apart keep their order and their ties, so not a bit of it changes."""
    scores, labels = data
    assert auc(labels, NoiseAware().fit(scores, labels).predict(scores)) == auc(labels, scores)


@settings(max_examples=25)
@given(data=rows(elements=scores_of_any_kind))
def test_scores_closer_than_a_double_can_tell_stay_in_order(data):
    """Denormals next to 0 may become equal, as no double lies between their probabilities."""
    scores, labels = data
    values = NoiseAware().fit(scores, labels).predict(np.sort(scores))
    assert (np.diff(values) >= 0).all()
    assert ((values > 0) & (values < 1)).all()


@pytest.mark.parametrize("n", [1, 500, 500_000])
def test_separable_labels_give_no_certainty(n):
    """A million rows in perfect order: still neither 0 nor 1, but the more rows the closer."""
    table = ScoreTable.from_counts([0.0, 0.2, 0.9, 1.0], [n, n, 0, 0], [0, 0, n, n])
    values = NoiseAware().fit_table(table).predict([0.0, 0.2, 0.9, 1.0])
    assert ((values > 0) & (values < 1)).all()
    assert values[0] < 0.5 < values[-1]
    if n == 500_000:
        assert values[0] < 1e-4
        assert values[-1] > 1 - 1e-4


def test_the_order_survives_where_doubles_run_out():
    """A million separable rows saturate every world near 0 and 1; the order stays strict."""
    n = MILLION / 2
    table = ScoreTable.from_counts([0.4, 0.6], [n, 0], [0, n])
    values = NoiseAware().fit_table(table).predict(FINE)
    assert (np.diff(values) > 0).all()
    assert ((values > 0) & (values < 1)).all()


@pytest.mark.parametrize("weight", [1e-12, 1e6, 1e13, 1e14])
def test_weights_of_any_size_give_a_map_that_can_be_saved(tmp_path, weight):
    """Exposure in cents, or a whole economy: as with every other calibrator."""
    fitted = NoiseAware().fit([0.0, 0.3, 0.6, 1.0], [0, 1, 0, 1], [weight] * 4)
    lwcal.save(fitted, tmp_path / "it.json")
    values = lwcal.load(tmp_path / "it.json").predict(GRID)
    assert (np.diff(values) >= 0).all()
    assert ((values > 0) & (values < 1)).all()


@pytest.mark.parametrize("weight", [1e3, 1e4, 1e6])
def test_rounding_does_not_make_the_map_fall(backend, tmp_path, weight):
    """Half a million rows and more, the truth far steeper than the scores: the ends are flat."""
    rng = np.random.default_rng(0)
    scores = rng.beta(0.5, 0.5, 500)
    labels = rng.random(500) < 1 / (1 + ((1 - scores) / scores) ** 6)
    fitted = NoiseAware().fit(scores, labels, np.full(500, weight))
    lwcal.save(fitted, tmp_path / "it.json")
    np.testing.assert_array_equal(
        lwcal.load(tmp_path / "it.json").predict(FINE), fitted.predict(FINE)
    )


def test_known_rates_undo_the_noise():
    """Brier score and NLL against true labels, next to those of the true posterior.

    Six tasks of 4000 rows with rates up to 0.3; measured: at most 1.016 times the best possible
    Brier score, and 0.02 of the increase that Platt suffers.
    """
    rng = np.random.default_rng(0)
    for _ in range(6):
        line, rates = (rng.uniform(1, 2), rng.normal(0, 0.3)), tuple(rng.uniform(0.05, 0.3, 2))
        train = sample(rng, 4000, line=line, rates=rates, shape=(0.4, 0.4))
        test = sample(rng, 20_000, line=line, shape=(0.4, 0.4))
        fitted = NoiseAware(noise_rates=rates).fit(train.scores, train.noisy)
        ignoring = Platt().fit(train.scores, train.noisy)
        best, found, wrong = (
            brier(test.clean, probabilities)
            for probabilities in (
                test.posterior,
                fitted.predict(test.scores),
                ignoring.predict(test.scores),
            )
        )
        assert found < 1.02 * best
        assert found - best < 0.2 * (wrong - best)
        diagnosed = fitted.diagnostics_
        assert (diagnosed["r0"], diagnosed["r1"]) == pytest.approx(rates)


def test_it_beats_what_ignores_the_noise():
    """NLL against true labels over 12 tasks of 4000 rows with rates of 0.05 to 0.3.

    Measured means: 0.259 for NoiseAware, 0.249 for the true posterior, 0.289 for LWCal, 0.420
    for Platt; on single tasks at most 0.83 of Platt's and 1.03 of LWCal's.
    """
    rng = np.random.default_rng(0)
    losses = []
    for _ in range(12):
        line, rates = (rng.uniform(1, 2), rng.normal(0, 0.3)), rng.uniform(0.05, 0.3, 2)
        train = sample(rng, 4000, line=line, rates=rates, shape=(0.4, 0.4))
        test = sample(rng, 20_000, line=line, shape=(0.4, 0.4))
        fits = [method().fit(train.scores, train.noisy) for method in (NoiseAware, LWCal, Platt)]
        probabilities = [test.posterior, *(fit.predict(test.scores) for fit in fits)]
        losses.append([nll(test.clean, one) for one in probabilities])
    best, aware, weighted, platt = np.array(losses).T
    assert (aware < platt).all()
    assert (aware < 1.05 * weighted).all()
    assert aware.mean() < 0.92 * weighted.mean()
    assert aware.mean() < 0.75 * platt.mean()
    assert aware.mean() < 1.05 * best.mean()


def test_on_right_labels_it_is_as_good_as_platt():
    """NLL over 12 tasks of 2000 rows without noise; measured: 0.9994 to 1.0004 of Platt's."""
    rng = np.random.default_rng(1)
    for _ in range(12):
        line = (rng.uniform(0.7, 1.5), rng.normal(0, 0.3))
        train = sample(rng, 2000, line=line, shape=(0.5, 0.5))
        test = sample(rng, 20_000, line=line, shape=(0.5, 0.5))
        aware, platt = (
            nll(test.clean, method().fit(train.scores, train.noisy).predict(test.scores))
            for method in (NoiseAware, Platt)
        )
        assert aware < 1.03 * platt


def test_expected_rates_pull_the_estimate():
    """The more labels the expectation is worth, the harder."""
    drawn = sample(np.random.default_rng(0), 500, line=(1.5, 0.0), rates=(0.2, 0.05))
    found = [
        NoiseAware(prior_rates=(0.02, 0.3), prior_strength=strength, prior_clean=0)
        .fit(drawn.scores, drawn.noisy)
        .diagnostics_
        for strength in (1, 30, 10_000)
    ]
    assert found[0]["r0"] > found[1]["r0"] > found[2]["r0"]
    assert found[0]["r1"] < found[1]["r1"] < found[2]["r1"]
    assert (found[2]["r0"], found[2]["r1"]) == pytest.approx((0.02, 0.3), abs=0.01)


def test_trust_in_the_labels_decides_how_steep_the_map_is():
    """Labels that level off at 0.8: noise to the doubting, the truth to the trusting."""
    drawn = sample(np.random.default_rng(0), 5000, line=(1.5, 0.0), rates=(0.2, 0.2))
    trusting, doubting = (
        NoiseAware(prior_clean=p).fit(drawn.scores, drawn.noisy) for p in (1.0, 0.0)
    )
    assert doubting.predict([0.99])[0] > 0.97
    assert trusting.predict([0.99])[0] < 0.9
    beliefs = [fit.diagnostics_["p_clean"] for fit in (trusting, doubting)]
    assert beliefs == pytest.approx([1.0, 0.0])
    assert trusting.diagnostics_["r0"] == trusting.diagnostics_["r1"] == 0.0


def test_exchanging_the_classes_mirrors_the_map():
    """1 - s and 1 - y give 1 - p, but for the fixed points, which have no mirror image.

    Measured over these 15 tables of 30 to 3000 rows: at most 0.016 apart, with known rates 0.028.
    """
    rng = np.random.default_rng(0)
    for n in (30, 300, 3000):
        for _ in range(5):
            r0, r1 = rng.uniform(0, 0.3, 2)
            drawn = sample(rng, n, line=(rng.uniform(0.7, 2), rng.normal(0, 0.3)), rates=(r0, r1))
            for rates, mirrored in ((None, None), ((r0, r1), (r1, r0))):
                there = NoiseAware(noise_rates=rates).fit(drawn.scores, drawn.noisy)
                back = NoiseAware(noise_rates=mirrored).fit(1 - drawn.scores, 1 - drawn.noisy)
                assert 1 - back.predict(1 - GRID) == pytest.approx(there.predict(GRID), abs=0.04)


@pytest.mark.parametrize(
    "parameters",
    [{}, {"noise_rates": (0.1, 0.2)}, {"prior_rates": (0.1, 0.2), "prior_strength": 50}],
)
def test_saved_and_loaded_it_is_the_same(tmp_path, noisy_rows, parameters):
    """Predictions bit for bit, and the pairs of rates."""
    fitted = NoiseAware(**parameters).fit(*noisy_rows)
    lwcal.save(fitted, tmp_path / "it.json")
    loaded = lwcal.load(tmp_path / "it.json")
    np.testing.assert_array_equal(loaded.predict(GRID), fitted.predict(GRID))
    assert loaded.diagnostics_ == fitted.diagnostics_
    for name in ("noise_rates", "prior_rates"):
        expected = parameters.get(name)
        found = getattr(loaded, name)
        assert (found if found is None else tuple(found)) == expected
    again = loaded.fit(*noisy_rows)  # and what was loaded can be fitted again
    np.testing.assert_array_equal(again.predict(GRID), fitted.predict(GRID))


def test_the_same_rows_give_the_same_bits(noisy_rows):
    """No random state, and no trace of the order of rows or of parts."""
    scores, labels = noisy_rows
    first = NoiseAware().fit(scores, labels)
    order = np.random.default_rng(0).permutation(len(scores))
    parts = [ScoreTable.from_arrays(scores[a::3], labels[a::3]) for a in (2, 0, 1)]
    for again in (
        NoiseAware().fit(scores, labels),
        NoiseAware().fit(scores[order], labels[order]),
        NoiseAware().fit_table(ScoreTable.merge(parts)),
    ):
        np.testing.assert_array_equal(again.predict(GRID), first.predict(GRID))
        assert again.diagnostics_ == first.diagnostics_


def test_bad_parameters_are_refused(noisy_rows):
    """When it is fitted, in our words."""
    with pytest.raises(ParameterError, match="noise_rates or prior_rates, got both"):
        NoiseAware(noise_rates=(0.1, 0.1), prior_rates=(0.1, 0.1)).fit(*noisy_rows)
    with pytest.raises(ParameterError, match="flip rates that add up to less than 1"):
        NoiseAware(noise_rates=(0.5, 0.6)).fit(*noisy_rows)
    with pytest.raises(ParameterError, match="prior_clean to be a number from 0 to 1"):
        NoiseAware(prior_clean=1.1).fit(*noisy_rows)
