"""Adapting to new scores: what they say, when they are refused, and what is written of it."""

import numpy as np
import pytest
from scipy.special import expit, logit

import lwcal
from lwcal.errors import InputError, ParameterError
from lwcal.shift import adapt
from tests.artifact.make_golden import opinions
from tests.shift.simulated import flipped, log_loss, rows


def fitted_to(calibrator, *, noise=(0.0, 0.0), n=4000, seed=0):
    """Fit a calibrator at a base rate of 30%."""
    rng = np.random.default_rng(seed)
    scores, truth = rows(rng, n, 0.3)
    return calibrator.fit(scores, flipped(rng, truth, *noise))


@pytest.mark.parametrize("known", [True, False], ids=["known noise", "estimated noise"])
@pytest.mark.parametrize("noise", [(0.0, 0.0), (0.1, 0.1), (0.2, 0.2)])
@pytest.mark.parametrize("base_rate", [0.03, 0.7])
def test_the_base_rate_is_found_through_noise(noise, base_rate, known):
    """Nearly as good as a fit to right labels of the new rows, and far better than before.

    If nobody knows how many labels are wrong, it goes most of the way.
    """
    calibrator = fitted_to(lwcal.NoiseAware(noise_rates=noise if known else None), noise=noise)
    rng = np.random.default_rng(1)
    new, truth = rows(rng, 4000, base_rate)
    found = adapt(calibrator, new)
    assert found.verdict == "adapted"
    assert found.base_rate.low <= base_rate <= found.base_rate.high
    later, outcome = rows(rng, 20_000, base_rate)
    best = log_loss(lwcal.Platt().fit(new, truth).predict(later), outcome)
    before = log_loss(calibrator.predict(later), outcome)
    after = log_loss(found.calibrator.predict(later), outcome)
    assert before > 1.15 * best
    assert after < (1.1 * best if known else best + 0.25 * (before - best))
    assert lwcal.monitor(found.calibrator, new).verdict == "cannot tell"  # without labels


def test_an_unchanged_base_rate_changes_nothing():
    """The calibrator itself is returned."""
    calibrator = fitted_to(lwcal.Auto(), noise=(0.1, 0.1))
    found = adapt(calibrator, rows(np.random.default_rng(2), 3000, 0.3)[0])
    assert found.verdict == "no change"
    assert found.calibrator is calibrator
    assert found.factor == 1.0
    assert "stays as it is" in found.sentence


@pytest.mark.parametrize("given", [None, 0.1])
def test_scores_that_moved_are_refused(given):
    """Even if the base rate is known: equal scores no longer mean the same."""
    calibrator = fitted_to(lwcal.Platt())
    found = adapt(
        calibrator, rows(np.random.default_rng(3), 4000, 0.1, moved=0.6)[0], base_rate=given
    )
    assert found.verdict == "scores moved"
    assert found.calibrator is None
    assert found.base_rate is None
    assert "fit a calibrator to them" in found.sentence


def test_wrong_labels_that_were_trusted_are_refused():
    """A base rate below 0 is no base rate; a calibrator with a noise model finds the real one."""
    rng = np.random.default_rng(4)
    new, _ = rows(rng, 4000, 0.03)
    found = adapt(fitted_to(lwcal.Isotonic(), noise=(0.2, 0.2)), new)
    assert found.verdict == "labels contradict"
    assert found.calibrator is None
    assert "NoiseAware" in found.sentence
    assert adapt(fitted_to(lwcal.NoiseAware(), noise=(0.2, 0.2)), new).verdict == "adapted"


def test_a_known_base_rate_is_used():
    """The scores are tested; where they suggest another rate, that is said."""
    calibrator = fitted_to(lwcal.Beta())
    new, _ = rows(np.random.default_rng(5), 4000, 0.05)
    found = adapt(calibrator, new, base_rate=0.05)
    assert (found.verdict, found.given) == ("adapted", 0.05)
    assert found.calibrator.predict(new).mean() == pytest.approx(0.05, abs=0.01)
    assert "suggest" not in found.sentence
    assert "suggest" in adapt(calibrator, new, base_rate=0.5).sentence


def test_checked_and_known_rates_narrow_the_interval():
    """Rates that were estimated from labels alone may be too high."""
    rng = np.random.default_rng(6)
    scores, truth = rows(rng, 4000, 0.3)
    labels = flipped(rng, truth, 0.2, 0.2)
    new, _ = rows(rng, 4000, 0.1)
    known = adapt(lwcal.NoiseAware(noise_rates=(0.2, 0.2)).fit(scores, labels), new).base_rate
    estimated = adapt(lwcal.NoiseAware().fit(scores, labels), new).base_rate
    assert known.high - known.low < 0.8 * (estimated.high - estimated.low)
    matrix = lwcal.NoiseAware(noise_matrix=[[0.8, 0.2], [0.2, 0.8]]).fit(scores, labels)
    assert adapt(matrix, new).base_rate == pytest.approx(known)
    checks = np.where(rng.random(len(truth)) < 0.05, truth.astype(float), np.nan)
    audited = lwcal.Audited().fit(scores, labels, y_audited=checks)
    checked = adapt(audited, new).base_rate
    assert checked.low <= 0.1 <= checked.high


def test_few_new_rows_change_nothing():
    """A handful of scores says nothing about a base rate."""
    rare = lwcal.Platt().fit(*rows(np.random.default_rng(0), 5000, 0.005))
    for seed in range(20):
        few, _ = rows(np.random.default_rng(seed), 5, 0.5)
        found = adapt(rare, few)
        assert found.verdict == "no change"
        assert found.n == 5
        assert "5 new rows are too few" in found.sentence
        assert "as before" not in found.sentence  # the interval may say the opposite


def test_weights_and_tables_count_as_rows():
    """A row of weight 2 equals that row twice."""
    calibrator = fitted_to(lwcal.Platt())
    new, _ = rows(np.random.default_rng(7), 1000, 0.05)
    twice = adapt(calibrator, np.repeat(new, 2))
    weighted = adapt(calibrator, new, np.full(1000, 2.0))
    assert weighted.base_rate == pytest.approx(twice.base_rate)
    table = lwcal.ScoreTable.from_arrays(np.repeat(new, 2), np.zeros(2000), pos_label=1)
    assert adapt(calibrator, table).base_rate == pytest.approx(twice.base_rate)
    with pytest.raises(InputError, match="pass it alone"):
        adapt(calibrator, table, scale="percent")


def test_scores_have_the_scale_of_the_fit():
    """Percents stay percents."""
    rng = np.random.default_rng(8)
    scores, truth = rows(rng, 2000, 0.3)
    new, _ = rows(rng, 2000, 0.05)
    as_percent = adapt(lwcal.Platt().fit(100 * scores, truth, scale="percent"), 100 * new)
    assert as_percent.base_rate == pytest.approx(
        adapt(lwcal.Platt().fit(scores, truth), new).base_rate
    )


def test_what_cannot_be_compared_is_refused():
    """Several opinions a row, and base rates that are none."""
    rng = np.random.default_rng(9)
    scores, truth = rows(rng, 400, 0.3)
    reviewed = lwcal.Reviewed().fit(scores, opinions(truth.astype(int), 3))
    with pytest.raises(InputError, match="several opinions"):
        adapt(reviewed, scores)
    with pytest.raises(ParameterError, match="base_rate"):
        adapt(lwcal.Platt().fit(scores, truth), scores, base_rate=1.5)


def test_the_result_as_json():
    """Numbers, and the sentence."""
    found = adapt(
        fitted_to(lwcal.Platt()), rows(np.random.default_rng(10), 2000, 0.05)[0]
    ).to_dict()
    assert found["verdict"] == "adapted"
    assert set(found["base_rate"]) == {"value", "low", "high"}
    assert found["sentence"].startswith("The base rate was 30%")
    assert "calibrator" not in found


def adapted_without_checks(calibrator, noise, before, now, seed):
    """The result of adapting, and the log loss of later rows relative to not adapting."""
    rng = np.random.default_rng(seed)
    scores, truth = rows(rng, 4000, before)
    fitted = calibrator.fit(scores, flipped(rng, truth, *noise))
    found = adapt(fitted, rows(rng, 4000, now)[0])
    later, outcome = rows(rng, 20_000, now)
    used = fitted if found.calibrator is None else found.calibrator
    unchanged = log_loss(fitted.predict(later), outcome)
    return found, log_loss(used.predict(later), outcome) / unchanged


@pytest.mark.parametrize("calibrator", [lwcal.Platt(), lwcal.Auto()], ids=["Platt", "Auto"])
@pytest.mark.parametrize(
    ("noise", "before", "now"),
    [
        ((0.05, 0.05), 0.03, 0.1),
        ((0.2, 0.2), 0.1, 0.3),
        ((0.05, 0.2), 0.3, 0.13),
        ((0.02, 0.2), 0.1, 0.05),
    ],
)
def test_wrong_labels_do_not_let_the_base_rate_run_away(calibrator, noise, before, now):
    """Trusted labels would give 27% where 10% are positive: every reading of them is considered."""
    found, ratio = adapted_without_checks(calibrator, noise, before, now, seed=7)
    assert ratio < 1.1
    if found.base_rate is not None:
        assert found.base_rate.low <= now <= found.base_rate.high


def test_right_labels_of_a_good_model_are_adapted_nearly_completely():
    """Hardly any label can be wrong where hardly any row of low score is positive."""
    for before, now, limit in ((0.03, 0.1, 0.9), (0.1, 0.3, 0.9), (0.3, 0.03, 0.55)):
        _, ratio = adapted_without_checks(lwcal.Platt(), (0.0, 0.0), before, now, seed=8)
        assert ratio < limit


def test_what_is_used_is_said():
    """A part of the change, where the whole of it could do harm; or nothing."""
    partly, _ = adapted_without_checks(lwcal.Platt(), (0.05, 0.05), 0.1, 0.3, seed=7)
    assert partly.verdict == "adapted"
    assert partly.before < partly.used < partly.base_rate.value
    assert f"adapted to {partly.used:.0%} only" in partly.sentence
    assert partly.calibrator.adjustments_[-1].after[1] == partly.used
    doubtful, _ = adapted_without_checks(lwcal.Platt(), (0.2, 0.2), 0.03, 0.1, seed=7)
    assert (doubtful.verdict, doubtful.calibrator, doubtful.used) == ("cannot tell", None, None)
    assert "lwcal audit" in doubtful.sentence
    assert doubtful.to_dict()["base_rate"]["low"] < 0.1


def test_checked_labels_are_not_doubted():
    """Their flip rates come from outside, so the whole change is made."""
    rng = np.random.default_rng(9)
    scores, truth = rows(rng, 4000, 0.1)
    labels = flipped(rng, truth, 0.05, 0.05)
    checked = np.where(np.arange(4000) < 400, truth, np.nan)
    calibrator = lwcal.Audited().fit(scores, labels, y_audited=checked)
    found = adapt(calibrator, rows(rng, 4000, 0.3)[0])
    assert found.used == found.base_rate.value
    assert found.base_rate.low <= 0.3 <= found.base_rate.high


@pytest.mark.parametrize("seed", range(4))
def test_few_new_rows_cannot_tell_a_base_rate_from_scores_that_moved(seed):
    """Scores moved by half a logit; so few rows do not show it, and the sentence says how many."""
    rng = np.random.default_rng(seed)
    calibrator = lwcal.Platt().fit(*rows(rng, 5000, 0.1))
    moved = expit(logit(rows(rng, 3000, 0.1)[0]) + 0.7)
    found = adapt(calibrator, moved[:200])
    assert found.verdict in ("cannot tell", "no change", "scores moved")
    if found.verdict == "cannot tell":
        assert "200 new rows are too few to tell; about" in found.sentence
    assert adapt(calibrator, moved).verdict == "scores moved"


def test_a_large_change_needs_few_new_rows():
    """No move of all scores looks like it."""
    rng = np.random.default_rng(0)
    calibrator = lwcal.Platt().fit(*rows(rng, 5000, 0.5))
    assert adapt(calibrator, rows(rng, 300, 0.03)[0]).verdict == "adapted"


def test_a_small_fit_is_named_as_the_reason():
    """More new rows would not help."""
    rng = np.random.default_rng(0)
    verdicts = []
    for _ in range(5):
        calibrator = lwcal.Platt().fit(*rows(rng, 300, 0.2, separation=1.0))
        found = adapt(calibrator, rows(rng, 5000, 0.4, separation=1.0)[0])
        verdicts.append(found.verdict)
        if found.doubt is not None:
            assert "only 300 rows in the fit, more would not help" in found.sentence
    assert "cannot tell" in verdicts


@pytest.mark.parametrize("calibrator", [lwcal.Temperature(), lwcal.Identity()], ids=str)
@pytest.mark.parametrize("given", [None, 0.3])
def test_a_calibrator_off_its_own_rows_is_refused(calibrator, given):
    """It expects far more positives than there are labels; 9% to 30% would look like no change."""
    rng = np.random.default_rng(1)
    scores, truth = rows(rng, 5000, 0.09)
    found = adapt(calibrator.fit(np.sqrt(scores), truth), np.sqrt(rows(rng, 5000, 0.3)[0]))
    assert (found.verdict, found.calibrator, found.base_rate) == ("labels contradict", None, None)
    assert "are labelled so. So no base rate can be changed" in found.sentence
    assert found.to_dict()["doubt"] == found.sentence


@pytest.mark.parametrize(
    ("n", "noise", "before", "now"),
    [(5000, (0.02, 0.2), 0.01, 0.1), (10_000, (0.02, 0.05), 0.01, 0.1)],
)
@pytest.mark.parametrize("seed", range(3))
def test_few_true_positives_are_doubted(n, noise, before, now, seed):
    """Most labelled positives are none, and how many there are is chance, too."""
    rng = np.random.default_rng(seed)
    scores, truth = rows(rng, n, before)
    calibrator = lwcal.Auto().fit(scores, flipped(rng, truth, *noise))
    new, outcome = rows(rng, 5000, now)
    found = adapt(calibrator, new)
    if found.verdict == "adapted":
        assert found.base_rate.low <= now <= found.base_rate.high
        worse = log_loss(found.calibrator.predict(new), outcome)
        assert worse < 1.05 * log_loss(calibrator.predict(new), outcome)


@pytest.mark.parametrize("seed", range(3))
def test_few_checked_positives_are_doubted(seed):
    """A hundred checks at 1% find one or two, which say little about how many labels are wrong."""
    rng = np.random.default_rng(seed)
    scores, truth = rows(rng, 5000, 0.01)
    labels = flipped(rng, truth, 0.1, 0.1)
    checked = np.full(len(truth), np.nan)
    plan = lwcal.plan_audit(scores, labels, budget=100, random_state=seed)
    checked[plan.rows] = truth[plan.rows]
    calibrator = lwcal.Audited().fit(scores, labels, y_audited=checked)
    new, outcome = rows(rng, 5000, 0.1)
    found = adapt(calibrator, new)
    if found.verdict == "adapted":
        after, before = (
            log_loss(one.predict(new), outcome) for one in (found.calibrator, calibrator)
        )
        assert after < 1.05 * before


@pytest.mark.parametrize("seed", range(3))
def test_the_base_rates_of_all_readings_are_told_where_nothing_changes(seed):
    """By the labels as they are, 70% positives of which a fifth are missed look like 57%."""
    rng = np.random.default_rng(seed)
    scores, truth = rows(rng, 3000, 0.7)
    new, _ = rows(rng, 2000, 0.7)
    found = adapt(lwcal.Platt().fit(scores, flipped(rng, truth, 0.0, 0.2)), new)
    assert found.verdict == "no change"
    assert found.base_rate.low < 0.56 < 0.7 < found.base_rate.high
