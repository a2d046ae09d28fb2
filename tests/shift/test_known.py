"""Known changes of the base rate are offsets of the log-odds, for every calibrator."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit

import lwcal
from lwcal.artifact import from_document, to_document
from lwcal.calibrators import CALIBRATORS
from lwcal.class_maps import ScalingMap
from lwcal.errors import BaseRateWarning, InputError, ParameterError
from lwcal.shift import to_base_rate, undo_sampling
from tests.artifact.make_golden import class_rows, opinions
from tests.shift.simulated import flipped, log_loss, odds, rows

POINTS = np.linspace(0.02, 0.98, 25)


@pytest.fixture(scope="module", params=CALIBRATORS)
def fitted(request):
    """Every calibrator of two classes."""
    rng = np.random.default_rng(5)
    scores, truth = rows(rng, 600, 0.4)
    labels = flipped(rng, truth, 0.1, 0.1).astype(int)
    given = opinions(labels, 3) if request.param == "reviewed" else labels
    return CALIBRATORS[request.param]().fit(scores, given)


@pytest.mark.filterwarnings("ignore::lwcal.errors.BaseRateWarning")
def test_the_odds_of_every_score_change_by_one_factor(fitted):
    """And the mean probability of the rows of the fit tells the base rate."""
    before = fitted.predict(POINTS)
    adapted = to_base_rate(fitted, 0.05)
    after = adapted.predict(POINTS)
    inside = (before > 1e-6) & (before < 1.0 - 1e-6)
    change = adapted.adjustments_[0]
    assert change.after == (0.95, 0.05)
    ratio = odds(after[inside]) / odds(before[inside])
    np.testing.assert_allclose(ratio, change.factor, rtol=1e-7)
    np.testing.assert_array_equal(after[before == 0.0], 0.0)
    np.testing.assert_array_equal(after[before == 1.0], 1.0)
    assert fitted.adjustments_ == ()
    np.testing.assert_array_equal(fitted.predict(POINTS), before)


@pytest.mark.filterwarnings("ignore::lwcal.errors.BaseRateWarning")
def test_there_and_back(fitted):
    """The way back leads to the same probabilities."""
    before = lwcal.shift.adjusting.base_rates_of(fitted)[1]
    again = to_base_rate(to_base_rate(fitted, 0.05), before)
    np.testing.assert_allclose(again.predict(POINTS), fitted.predict(POINTS), rtol=1e-3)
    assert len(again.adjustments_) == 2


@pytest.mark.filterwarnings("ignore::lwcal.errors.BaseRateWarning")
def test_an_adjusted_calibrator_is_saved_whole(fitted):
    """With what was changed, and to the same bits."""
    adapted = undo_sampling(fitted, 0.2)
    loaded = from_document(to_document(adapted))
    assert loaded.adjustments_ == adapted.adjustments_
    np.testing.assert_array_equal(loaded.predict(POINTS), adapted.predict(POINTS))


def test_a_new_fit_forgets_the_adjustment():
    """As it forgets everything else."""
    rng = np.random.default_rng(0)
    adapted = undo_sampling(lwcal.Platt().fit(*rows(rng, 200, 0.4)), 0.5)
    assert adapted.fit(*rows(rng, 200, 0.4)).adjustments_ == ()


@given(kept=st.floats(1e-3, 1.0), also=st.floats(1e-3, 1.0))
def test_only_the_ratio_of_what_was_kept_matters(kept, also):
    """So class weights are given in the same way."""
    fitted = lwcal.Isotonic().fit([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1])
    one = undo_sampling(fitted, [kept, also]).predict(POINTS)
    ratio = undo_sampling(fitted, [kept / also, 1.0]).predict(POINTS)
    np.testing.assert_allclose(ratio, one, rtol=1e-9)
    if kept <= also:
        np.testing.assert_array_equal(undo_sampling(fitted, kept / also).predict(POINTS), ratio)
    by_label = undo_sampling(fitted, {0: kept, 1: also}).predict(POINTS)
    np.testing.assert_array_equal(by_label, one)


def test_right_labels_need_the_share_that_was_kept():
    """The textbook formula."""
    rng = np.random.default_rng(1)
    scores, truth = rows(rng, 20_000, 0.05)
    kept = truth | (rng.random(len(truth)) < 0.1)
    adapted = undo_sampling(lwcal.Platt().fit(scores[kept], truth[kept]), 0.1)
    assert adapted.adjustments_[0].factor == pytest.approx(0.1)
    new, outcome = rows(rng, 20_000, 0.05)
    best = log_loss(lwcal.Platt().fit(scores, truth).predict(new), outcome)
    assert log_loss(adapted.predict(new), outcome) < 1.01 * best


def test_wrong_labels_change_the_factor():
    """True positives that were labelled negative were dropped, too."""
    rng = np.random.default_rng(2)
    scores, truth = rows(rng, 60_000, 0.05)
    labels = flipped(rng, truth, 0.02, 0.2)
    kept = labels | (rng.random(len(truth)) < 0.1)
    given = flip_rates_among(labels[kept], truth[kept])
    fitted = lwcal.NoiseAware(noise_rates=given).fit(scores[kept], labels[kept])
    adapted = undo_sampling(fitted, 0.1)
    negatives, positives = kept[~truth].mean(), kept[truth].mean()
    assert adapted.adjustments_[0].factor == pytest.approx(negatives / positives, rel=0.02)
    r0, r1 = adapted.noise_.rates_posterior.mean()
    assert (r0, r1) == pytest.approx(flip_rates_among(labels, truth), abs=0.01)


@pytest.mark.parametrize(
    ("n", "base_rate", "share", "r0", "r1"),
    [(150_000, 0.004, 0.004, 0.001, 0.1), (40_000, 0.02, 0.05, 0.0, 0.0)],
    ids=["few frauds, 1 to 1", "right labels"],
)
@pytest.mark.parametrize("method", ["auto", "noise-aware"])
def test_estimated_flip_rates_do_no_harm_where_few_rows_were_kept(
    method, n, base_rate, share, r0, r1
):
    """A small rate, multiplied by what was dropped, would make many positives of few."""
    rng = np.random.default_rng(4)
    scores, truth = rows(rng, n, base_rate, separation=1.5)
    labels = flipped(rng, truth, r0, r1)
    kept = labels | (rng.random(n) < share)
    trusted = undo_sampling(lwcal.Platt().fit(scores[kept], labels[kept]), share)
    adapted = undo_sampling(CALIBRATORS[method]().fit(scores[kept], labels[kept]), share)
    losses = [log_loss(one.predict(scores), truth) for one in (trusted, adapted)]
    assert losses[1] < 1.05 * losses[0]
    change = adapted.adjustments_[0]
    assert change.interval[0] <= change.after[1] <= change.interval[1]
    assert change.interval[0] < 1.1 * base_rate < 1.1 * change.interval[1]
    assert "by how many labels are wrong" in change.sentence
    assert "by how many" not in trusted.adjustments_[0].sentence
    assert from_document(to_document(adapted)).adjustments_ == adapted.adjustments_


def test_many_checked_labels_tell_how_many_positives_were_dropped():
    """They are followed nearly the whole way."""
    rng = np.random.default_rng(2)
    scores, truth = rows(rng, 60_000, 0.05)
    labels = flipped(rng, truth, 0.02, 0.2)
    kept = np.flatnonzero(labels | (rng.random(len(truth)) < 0.1))
    checked = np.where(np.arange(len(kept)) < 2000, truth[kept], np.nan)
    fitted = lwcal.Audited().fit(scores[kept], labels[kept], y_audited=checked)
    change = undo_sampling(fitted, 0.1).adjustments_[0]
    assert change.after[1] == pytest.approx(0.05, rel=0.2)
    assert change.interval[0] <= 0.05 <= change.interval[1]
    assert change.interval[1] < 1.5 * change.interval[0]


@pytest.mark.parametrize("seed", range(3))
def test_few_checked_labels_are_doubted_where_few_rows_were_kept(seed):
    """A hundred checks do not tell a flip rate of 1% from none, and here that is most positives."""
    rng = np.random.default_rng(seed)
    scores, truth = rows(rng, 100_000, 0.004, separation=1.5)
    labels = flipped(rng, truth, 0.001, 0.1)
    kept = labels | (rng.random(len(truth)) < 0.004)
    given = scores[kept], labels[kept]
    plan = lwcal.plan_audit(*given, budget=100, random_state=seed)
    checked = np.full(len(given[0]), np.nan)
    checked[plan.rows] = truth[kept][plan.rows]
    adapted = undo_sampling(lwcal.Audited().fit(*given, y_audited=checked), 0.004)
    trusted = undo_sampling(lwcal.Platt().fit(*given), 0.004)
    losses = [log_loss(one.predict(scores), truth) for one in (trusted, adapted)]
    assert losses[1] < 1.25 * losses[0]


def flip_rates_among(labels, truth):
    """Shares of wrong labels of each true class."""
    return float(labels[~truth].mean()), float(1.0 - labels[truth].mean())


def test_monitoring_compares_with_the_rows_before_sampling():
    """A calibrator fitted to sampled rows would find another base rate in deployment."""
    rng = np.random.default_rng(3)
    scores, truth = rows(rng, 30_000, 0.05)
    kept = truth | (rng.random(len(truth)) < 0.1)
    fitted = lwcal.LWCal().fit(scores[kept], truth[kept])
    new = rows(rng, 5000, 0.05)
    assert lwcal.monitor(fitted, *new).verdict == "refit"
    assert lwcal.monitor(undo_sampling(fitted, 0.1), *new).verdict == "no drift"


def test_monitoring_knows_how_many_positives_were_seen(monkeypatch):
    """Negatives that were left out hardly matter: a drift is found as with all rows of the fit.

    Nor is one found where there is none, and no more rows of the fit are asked for.
    """
    monkeypatch.setattr("lwcal.monitoring.new_tables._error", lambda table, calibrator: None)
    for seed in range(6):
        rng = np.random.default_rng(seed)
        scores, truth = rows(rng, 60_000, 0.01)
        kept = truth | (rng.random(len(truth)) < 0.02)
        undone = undo_sampling(lwcal.Platt().fit(scores[kept], truth[kept]), 0.02)
        calibrators = [lwcal.Platt().fit(scores, truth), from_document(to_document(undone))]
        new, labels = rows(rng, 20_000, 0.01)
        assert [lwcal.monitor(one, new, labels).verdict for one in calibrators] == ["no drift"] * 2
        labels |= rng.random(20_000) < 3.0 * calibrators[0].predict(new)
        found = [lwcal.monitor(one, new, labels) for one in calibrators]
        assert [one.verdict for one in found] == ["refit"] * 2
        assert "sampled by their labels" not in found[1].sentence
        sampled = lwcal.monitor(undone, scores[kept], truth[kept])
        assert "If they were sampled by their labels" in sampled.sentence


def test_chance_in_few_positives_that_were_seen_is_no_drift(monkeypatch):
    """Alarms are as rare as with all rows: more than 7 of 100 at 1% are less than 1 in 100,000."""
    monkeypatch.setattr("lwcal.monitoring.new_tables._error", lambda table, calibrator: None)
    alarms = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        scores, truth = rows(rng, 20_000, 0.01)
        kept = truth | (rng.random(len(truth)) < 0.02)
        undone = undo_sampling(lwcal.Platt().fit(scores[kept], truth[kept]), 0.02)
        found = lwcal.monitor(undone, *rows(rng, 5000, 0.01))
        alarms += found.verdict not in ("no drift", "cannot tell")
    assert alarms <= 7


@pytest.mark.parametrize("method", ["identity", "matrix-scaling", "noise-aware"])
def test_several_classes_have_an_offset_each(method):
    """Softmax of the logs of the probabilities plus the logs of the ratios."""
    fitted = CALIBRATORS[method]().fit(*class_rows())
    points = class_rows()[0][:50]
    target = [0.1, 0.2, 0.3, 0.4]
    adapted = to_base_rate(fitted, dict(zip("abcd", target, strict=True)))
    assert isinstance(adapted.map_, ScalingMap)
    before = lwcal.shift.adjusting.base_rates_of(fitted)
    assert before == pytest.approx(fitted.predict(class_rows()[0]).mean(axis=0))
    expected = fitted.predict(points) * (np.array(target) / before)
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(adapted.predict(points), expected, rtol=1e-6, atol=1e-12)
    loaded = from_document(to_document(adapted))
    np.testing.assert_array_equal(loaded.predict(points), adapted.predict(points))
    with pytest.raises(InputError, match="before the adjustment"):
        lwcal.monitor(adapted, points)


def test_several_classes_that_were_sampled():
    """With the noise matrix if it is known, and else as the labels are."""
    fitted = lwcal.MatrixScaling().fit(*class_rows())
    adapted = undo_sampling(fitted, {"b": 0.25})
    ratios = np.array(adapted.adjustments_[0].ratios)
    np.testing.assert_allclose(ratios / ratios[0], [1.0, 4.0, 1.0, 1.0])
    estimated = undo_sampling(lwcal.NoiseAware().fit(*class_rows()), {"b": 0.25})
    ratios = np.array(estimated.adjustments_[0].ratios)
    np.testing.assert_allclose(ratios / ratios[0], [1.0, 4.0, 1.0, 1.0])
    matrix = 0.8 * np.eye(4) + 0.05
    known = undo_sampling(lwcal.NoiseAware(noise_matrix=matrix).fit(*class_rows()), {"b": 0.25})
    ratios = np.array(known.adjustments_[0].ratios)
    expected = matrix @ [1.0, 4.0, 1.0, 1.0]
    np.testing.assert_allclose(ratios / ratios[0], expected / expected[0])
    with pytest.warns(BaseRateWarning, match="corrected for sampling before"):
        undo_sampling(known, {"b": 0.5})


@pytest.mark.parametrize(
    "call",
    [
        lambda c: to_base_rate(c, 0.0),
        lambda c: to_base_rate(c, 1.0),
        lambda c: to_base_rate(c, "0.1"),
        lambda c: to_base_rate(c, [0.2, 0.9]),
        lambda c: to_base_rate(c, {0: 0.5}),
        lambda c: to_base_rate(c, {0: 0.5, "x": 0.5}),
        lambda c: to_base_rate(c, 1e-12),
        lambda c: undo_sampling(c, 0.0),
        lambda c: undo_sampling(c, 10),
        lambda c: undo_sampling(c, float("nan")),
        lambda c: undo_sampling(c, [0.1]),
        lambda c: undo_sampling(c, {7: 0.1}),
        lambda c: undo_sampling(c, True),
    ],
)
def test_impossible_changes_are_refused(call):
    """With what was expected."""
    fitted = lwcal.Isotonic().fit([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1])
    with pytest.raises(ParameterError, match=r"expected|base_rate|kept"):
        call(fitted)


def test_several_classes_need_a_number_each():
    """One number says nothing about four classes."""
    fitted = lwcal.MatrixScaling().fit(*class_rows())
    for call in (lambda: undo_sampling(fitted, 0.1), lambda: to_base_rate(fitted, 0.1)):
        with pytest.raises(ParameterError, match="class"):
            call()


def test_files_without_base_rates_are_refused():
    """A version that stored none saved them."""
    fitted = lwcal.MatrixScaling().fit(*class_rows())
    document = to_document(fitted)
    del document["reference"]["base_rates"]
    with pytest.raises(InputError, match="Fit the calibrator again"):
        to_base_rate(from_document(document), [0.1, 0.2, 0.3, 0.4])


def test_a_calibrator_off_its_own_rows_warns():
    """Its mean probability will be another one than was given."""
    rng = np.random.default_rng(6)
    scores, truth = rows(rng, 5000, 0.1)
    skewed = np.sqrt(scores)  # of a model that expects far more positives
    for fitted in (lwcal.Temperature(), lwcal.Identity()):
        with pytest.warns(BaseRateWarning, match=r"expects \d+% positive .* 9.9% are labelled so"):
            to_base_rate(fitted.fit(skewed, truth), 0.3)
    for fitted in (lwcal.Platt(), lwcal.Auto(), lwcal.Isotonic()):
        adapted = to_base_rate(fitted.fit(skewed, truth), 0.3)
        to_base_rate(adapted, 0.2)


@pytest.mark.parametrize("method", ["identity", "temperature", "trimmed-beta", "lwcal"])
def test_sampling_is_doubted_beside_a_model_of_all_rows(method):
    """Its raw score holds for all rows already. The labels tell the base rate."""
    rng = np.random.default_rng(7)
    scores, truth = rows(rng, 60_000, 0.02, separation=1.5)
    scores = expit(logit(scores) - 0.3 + logit(0.02))  # of a model that knows the base rate
    kept = truth | (rng.random(len(truth)) < 0.1)
    fitted = CALIBRATORS[method]().fit(scores[kept], truth[kept])
    with pytest.warns(
        BaseRateWarning, match=r"expects .* positive .* trained on all rows need none.*Platt"
    ):
        adapted = undo_sampling(fitted, 0.1)
    change = adapted.adjustments_[0]
    assert change.before[1] == pytest.approx(truth[kept].mean())
    assert change.after[1] == pytest.approx(truth.mean(), rel=0.05)
    assert change.factor == pytest.approx(0.1)
    for right in (lwcal.Platt(), lwcal.Auto(), lwcal.Isotonic()):
        undo_sampling(right.fit(scores[kept], truth[kept]), 0.1)


def test_the_raw_score_of_a_model_of_the_sampled_rows_is_corrected():
    """It is calibrated to them, and the correction makes it so to all rows."""
    rng = np.random.default_rng(7)
    scores, truth = rows(rng, 60_000, 0.02, separation=1.5)
    kept = truth | (rng.random(len(truth)) < 0.1)
    scores = expit(logit(scores) - 0.3 + logit(0.02))
    of_sampled = expit(logit(scores) - np.log(0.1))
    adapted = undo_sampling(lwcal.Identity().fit(of_sampled[kept], truth[kept]), 0.1)
    np.testing.assert_allclose(adapted.predict(of_sampled), scores, rtol=1e-6)


def test_sampled_classes_of_a_calibrator_off_its_rows_warn():
    """With the base rates of the labels, class by class."""
    rng = np.random.default_rng(8)
    truth = rng.choice(3, 40_000, p=[0.9, 0.08, 0.02])
    weights = np.exp(rng.normal(size=(40_000, 3)) + 2.0 * np.eye(3)[truth]) * [0.9, 0.08, 0.02]
    scores = weights / weights.sum(axis=1, keepdims=True)
    kept = rng.random(40_000) < np.array([0.1, 0.5, 1.0])[truth]
    share = {0: 0.1, 1: 0.5}
    with pytest.warns(
        BaseRateWarning, match=r"right only if these labels are wrong.*VectorScaling"
    ):
        adapted = undo_sampling(lwcal.Temperature().fit(scores[kept], truth[kept]), share)
    labelled = np.bincount(truth[kept]) / kept.sum()
    assert adapted.adjustments_[0].before == pytest.approx(labelled)
    undo_sampling(lwcal.VectorScaling().fit(scores[kept], truth[kept]), share)
