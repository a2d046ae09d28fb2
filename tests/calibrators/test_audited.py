"""Audited: NoiseAware without checked rows, as good as any with all of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lwcal
from lwcal import Audited, NoiseAware, Platt
from lwcal.errors import InputError
from lwcal.metrics import nll
from tests.noise.simulated import sample
from tests.strategies import rows

FINE = np.linspace(0, 1, 10_001)


def some(checked, truth):
    """Truth of the checked rows, NaN elsewhere."""
    return np.where(checked, truth, np.nan)


@settings(max_examples=20)
@given(data=rows())
def test_without_checked_rows_it_is_noise_aware(data):
    """The very same map, whether nothing is given or nothing but NaN."""
    expected = NoiseAware().fit(*data).predict(FINE)
    np.testing.assert_array_equal(Audited().fit(*data).predict(FINE), expected)
    nothing = np.full(len(data[0]), np.nan)
    np.testing.assert_array_equal(Audited().fit(*data, y_audited=nothing).predict(FINE), expected)


@settings(max_examples=25)
@given(data=rows(), seed=st.integers(0, 99))
def test_any_checked_rows_give_a_strictly_increasing_map(data, seed):
    """One, some or all of them, true or not."""
    scores, noisy = data
    rng = np.random.default_rng(seed)
    checked = rng.random(len(scores)) < rng.choice([0.1, 0.5, 1.0])
    fitted = Audited().fit(scores, noisy, y_audited=some(checked, rng.integers(0, 2, len(scores))))
    values = fitted.predict(FINE)
    assert (np.diff(values) > 0).all()
    assert ((values > 0) & (values < 1)).all()
    assert all(np.isfinite(value) for value in fitted.diagnostics_.values())
    assert set(fitted.diagnostics_) == set(Audited.diagnostic_meanings)


@pytest.mark.parametrize("seed", range(3))
def test_with_every_row_checked_it_is_as_good_as_platt_on_the_truth(seed):
    """Within a thousandth, on fresh rows, under noise that depends on the score."""
    rng = np.random.default_rng(seed)
    drawn = sample(rng, 3000, line=(rng.uniform(0.5, 2), rng.normal(0, 0.5)), shape=(1, 1))
    noisy = np.where(rng.random(3000) < 0.4 * drawn.scores, 1 - drawn.clean, drawn.clean)
    fit, fresh = slice(0, 1500), slice(1500, 3000)
    audited = Audited().fit(drawn.scores[fit], noisy[fit], y_audited=drawn.clean[fit].astype(float))
    platt = Platt().fit(drawn.scores[fit], drawn.clean[fit])
    losses = [nll(drawn.clean[fresh], c.predict(drawn.scores[fresh])) for c in (audited, platt)]
    assert losses[0] <= losses[1] + 0.001


def test_fifty_checked_rows_undo_noise_that_nothing_else_can():
    """Positives are missed where the score is low: half of the lost NLL and more comes back."""
    rng = np.random.default_rng(7)
    drawn = sample(rng, 8000, line=(1.0, 1.0), shape=(1, 1))
    noisy = drawn.clean * (rng.random(8000) < 0.3 + 0.6 * drawn.scores)
    fit, fresh = slice(0, 2000), slice(2000, 8000)
    truth = some(np.isin(np.arange(2000), rng.permutation(2000)[:50]), drawn.clean[fit])

    def loss(calibrator, **audit):
        fitted = calibrator.fit(drawn.scores[fit], noisy[fit], **audit)
        return nll(drawn.clean[fresh], fitted.predict(drawn.scores[fresh]))

    best = nll(drawn.clean[fresh], drawn.posterior[fresh])
    audited, unaware = loss(Audited(), y_audited=truth), loss(Platt())
    assert audited - best < 0.25 * (unaware - best)


def test_tables_give_the_same_as_rows():
    """Pooled counts of both kinds of rows carry all of it."""
    from lwcal.noise.checked.checked_rows import split_checked
    from lwcal.rows import as_checked_labels

    drawn = sample(np.random.default_rng(0), 400, rates=(0.1, 0.1))
    truth = some(np.arange(400) < 40, drawn.clean)
    a = Audited().fit(drawn.scores, drawn.noisy, y_audited=truth)
    parts = split_checked(drawn.scores, as_checked_labels(drawn.noisy, truth))
    b = Audited().fit_table(*parts)
    np.testing.assert_array_equal(a.predict(FINE), b.predict(FINE))
    assert a.n_ == b.n_ == 400
    assert a.diagnostics_["audited"] == 40


def test_weights_are_frequencies():
    """Rows of weight 2, checked or not, equal these rows twice."""
    drawn = sample(np.random.default_rng(1), 200, rates=(0.1, 0.1))
    truth = some(np.arange(200) % 4 == 0, drawn.clean)
    times = np.tile([1, 2], 100)
    a = Audited().fit(drawn.scores, drawn.noisy, times, y_audited=truth)
    repeated = [np.repeat(column, times) for column in (drawn.scores, drawn.noisy, truth)]
    b = Audited().fit(*repeated[:2], y_audited=repeated[2])
    np.testing.assert_allclose(a.predict(FINE), b.predict(FINE), atol=1e-12)


def test_labels_may_be_words_and_checks_of_one_class():
    """What was checked is coded like the labels, even if it holds one class only."""
    scores = np.linspace(0, 1, 40)
    words = np.where(scores > 0.5, "yes", "no")
    checked = np.full(40, None, dtype=object)
    checked[[3, 30]] = "yes"
    named = Audited().fit(scores, words, y_audited=checked)
    codes = np.full(40, np.nan)
    codes[[3, 30]] = 1
    coded = Audited().fit(scores, (scores > 0.5).astype(int), y_audited=codes)
    np.testing.assert_allclose(named.predict(FINE), coded.predict(FINE), rtol=1e-12)


@pytest.mark.parametrize(
    ("audit", "expected"),
    [
        ({"y_audited": [1.0, np.nan]}, "4 labels but 2 audited labels"),
        ({"y_audited": [2.0, np.nan, np.nan, np.nan]}, "1 of 4 .* not 0 or 1"),
        ({"audit_probability": [0.0, 0.1, 0.1, 0.1]}, "audit_probability: 1 of"),
        ({"audit_probability": [0.5, 0.1]}, "4 rows but 2"),
        ({"audit_probability": ["often", 0.1, 0.1, 0.1]}, "audit_probability: 1 of"),
    ],
)
def test_columns_that_do_not_fit_are_refused(audit, expected):
    """With what was expected, and the first offending row."""
    given_audit = {"y_audited": [1.0, np.nan, np.nan, np.nan], **audit}
    with pytest.raises(InputError, match=expected):
        Audited().fit([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1], **given_audit)


def test_labels_of_another_length_are_refused():
    """As in every calibrator."""
    with pytest.raises(InputError, match="3 scores but 2 labels"):
        Audited().fit([0.1, 0.4, 0.6], [0, 1], y_audited=[1.0, np.nan])


def test_equal_chances_change_nothing():
    """And the checked rows are counted as they are."""
    drawn = sample(np.random.default_rng(0), 400, rates=(0.1, 0.1))
    truth = some(np.arange(400) < 37, drawn.clean)
    plain = Audited().fit(drawn.scores, drawn.noisy, y_audited=truth)
    chance = np.full(400, 37 / 400)
    equal = Audited().fit(drawn.scores, drawn.noisy, y_audited=truth, audit_probability=chance)
    np.testing.assert_allclose(plain.predict(FINE), equal.predict(FINE), rtol=1e-12)
    assert equal.diagnostics_ == pytest.approx(plain.diagnostics_, rel=1e-12)
    assert equal.diagnostics_["audited"] == 37


def test_it_is_saved_and_loaded(tmp_path):
    """With all that the audit taught."""
    drawn = sample(np.random.default_rng(0), 300, rates=(0.1, 0.1))
    fitted = Audited().fit(
        drawn.scores, drawn.noisy, y_audited=some(np.arange(300) < 30, drawn.clean)
    )
    lwcal.save(fitted, tmp_path / "audited.json")
    loaded = lwcal.load(tmp_path / "audited.json")
    np.testing.assert_array_equal(loaded.predict(FINE), fitted.predict(FINE))
    assert loaded.diagnostics_ == fitted.diagnostics_
    assert loaded.noise_.to_dict() == fitted.noise_.to_dict()


def test_the_noise_estimate_is_what_the_audit_shows():
    """Rates and intervals of the diagnostics; ten checked rows identify them."""
    drawn = sample(np.random.default_rng(0), 600, rates=(0.1, 0.2), shape=(2, 2))
    for checked, identified in ((0, False), (9, False), (60, True)):
        truth = some(np.arange(600) < checked, drawn.clean)
        fitted = Audited().fit(drawn.scores, drawn.noisy, y_audited=truth)
        noise, diagnosed = fitted.noise_, fitted.diagnostics_
        assert noise.identified == identified
        assert (noise.negative.low, noise.negative.high) == (
            diagnosed["r0_low"],
            diagnosed["r0_high"],
        )
        if identified:
            assert noise.rates == pytest.approx((diagnosed["r0"], diagnosed["r1"]))
            assert noise.probability_clean < 0.01
            assert noise.rates_posterior.mean() == pytest.approx(tuple(noise.rates), abs=0.01)


def test_a_table_without_checked_rows_is_accepted():
    """In the place of scores and labels; columns of an audit need rows."""
    drawn = sample(np.random.default_rng(1), 200, rates=(0.1, 0.1))
    table = lwcal.ScoreTable.from_arrays(drawn.scores, drawn.noisy)
    expected = Audited().fit(drawn.scores, drawn.noisy).predict(FINE)
    np.testing.assert_array_equal(Audited().fit(table).predict(FINE), expected)
    with pytest.raises(InputError, match="y_audited"):
        Audited().fit(table, y_audited=drawn.clean)
