"""A diagnosis: one typed result, one action, and no harm on average."""

import json

import numpy as np
import pytest

import lwcal
from lwcal import ScoreTable
from lwcal.diagnosis import (
    DEFAULT_METHODS,
    Candidate,
    Diagnosis,
    Ranking,
    Readings,
    Recommendation,
    Verdict,
    judgement,
)
from lwcal.diagnosis.judgement import judge
from lwcal.errors import InputError, ParameterError
from lwcal.metrics import nll
from lwcal.noise.estimate import NoiseEstimate
from tests.noise.simulated import sample


@pytest.fixture(scope="module")
def few_rows():
    """Enough rows for a diagnosis, few enough to be quick."""
    drawn = sample(np.random.default_rng(1), 250, line=(1.5, 0.0), rates=(0.1, 0.2))
    return np.round(drawn.scores, 3), drawn.noisy


@pytest.fixture(scope="module")
def diagnosis(few_rows):
    """Their diagnosis."""
    return lwcal.diagnose(*few_rows)


def test_it_agrees_with_the_fit(few_rows, diagnosis):
    """Same m, s, d and rho as Gated-LWCal, same base rate and number of rows."""
    found = {name: getattr(diagnosis, name) for name in ("m", "s", "d", "rho")}
    assert found == lwcal.GatedLWCal().fit(*few_rows).diagnostics_
    assert diagnosis.n == 250
    assert diagnosis.base_rate == pytest.approx(few_rows[1].mean())
    assert diagnosis.protocol.d == diagnosis.d


def test_every_part_has_its_type(few_rows, diagnosis):
    """And says the same as the function that makes it alone."""
    assert isinstance(diagnosis, Diagnosis)
    assert isinstance(diagnosis.protocol, Verdict)
    assert isinstance(diagnosis.noise, NoiseEstimate)
    assert isinstance(diagnosis.recommendation, Recommendation)
    assert isinstance(diagnosis.readings, Readings)
    assert isinstance(diagnosis.ranking, Ranking)
    assert all(isinstance(candidate, Candidate) for candidate in diagnosis.candidates)
    assert tuple(candidate.method for candidate in diagnosis.candidates) == DEFAULT_METHODS
    alone = lwcal.estimate_noise(*few_rows)
    assert diagnosis.noise.sentence == alone.sentence
    assert diagnosis.noise.probability_clean == pytest.approx(alone.probability_clean)
    assert diagnosis.noise.rates == pytest.approx(alone.rates)
    fitted = lwcal.Auto().fit(*few_rows)
    assert diagnosis.decision == fitted.decision_
    judged = judge(ScoreTable.from_arrays(*few_rows), lwcal.Auto())
    assert diagnosis.recommendation == judged.recommendation
    assert diagnosis.readings == judged.readings


def test_the_document_reads_back(diagnosis):
    """Types that JSON knows, every sentence in it."""
    document = diagnosis.to_dict()
    assert json.loads(json.dumps(document)) == document
    assert document["recommendation"]["sentence"] == diagnosis.recommendation.sentence
    assert document["protocol"]["sentence"] == diagnosis.protocol.sentence
    assert document["noise"]["sentence"] == diagnosis.noise.sentence
    assert len(document["candidates"]) == len(DEFAULT_METHODS)


def test_in_words_it_says_what_to_do_first(diagnosis):
    """The action and its reason, then how many labels are wrong."""
    assert str(diagnosis) == f"{diagnosis.recommendation.sentence} {diagnosis.noise.sentence}"
    assert str(diagnosis).startswith(f"{diagnosis.recommendation.headline}.")
    assert "The probability that no label is wrong is" in str(diagnosis)


@pytest.mark.parametrize(
    ("action", "task"),
    [
        ("keep raw", {"shape": (1, 1)}),
        ("deploy", {"line": (0.5, 0.0), "shape": (1, 1)}),
        ("audit", {"line": (2.0, 0.0), "rates": (0.2, 0.2), "shape": (1, 1)}),
        ("check scores", {"line": (-1.0, 0.0), "shape": (1, 1)}),
    ],
)
def test_every_action_has_its_situation(action, task):
    """Calibrated scores; an overconfident model; labels with two readings; reversed scores."""
    drawn = sample(np.random.default_rng(0), 4000, **task)
    found = lwcal.diagnose(np.round(drawn.scores, 2), drawn.noisy)
    assert found.recommendation.action == action


def test_weights_count(few_rows, diagnosis):
    """Twice every row is a weight of 2, and not the same as once."""
    scores, labels = few_rows
    twice = lwcal.diagnose(scores, labels, [2] * 250)
    assert (twice.n, twice.d, twice.m) == (500, diagnosis.d, diagnosis.m)
    repeated = lwcal.diagnose(ScoreTable.from_arrays(np.tile(scores, 2), np.tile(labels, 2)))
    assert twice.to_dict() == repeated.to_dict()
    assert twice.noise.probability_clean != diagnosis.noise.probability_clean


def test_all_intervals_have_the_level_asked_for(few_rows):
    """Of the rates and of the corrected metrics; a level out of range is refused."""
    found = lwcal.diagnose(*few_rows, confidence=0.5)
    assert found.noise.confidence == 0.5
    wide = lwcal.diagnose(*few_rows, confidence=0.95)
    for one, other in zip(found.candidates, wide.candidates, strict=True):
        for name in ("brier", "nll"):
            narrow, broad = one.corrected[name], other.corrected[name]
            assert broad.low < narrow.low <= narrow.value <= narrow.high < broad.high
    assert found.decision == wide.decision
    with pytest.raises(ParameterError, match="confidence"):
        lwcal.diagnose(*few_rows, confidence=1.0)


@pytest.mark.parametrize(
    ("scores", "labels"),
    [
        ([0.1, 0.2], [0, 1]),
        ([0.5, 0.5], [0, 1]),
        ([0.0, 1.0] * 10, [0, 1] * 10),
        ([0.0, 1.0] * 10, [1, 0] * 10),
        ([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7], [0, 0, 0, 0, 0, 0, 1]),
    ],
)
def test_little_data_is_diagnosed_too(scores, labels):
    """One row of a class, equal scores, perfect and perfectly wrong scores."""
    found = lwcal.diagnose(scores, labels)
    assert found.n == len(scores)
    assert json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.parametrize("n", [120, 400, 1500])
def test_labels_of_other_rows_are_never_deployed_on(n):
    """Few rows or many: such labels ask for a map that is constant."""
    rng = np.random.default_rng(n)
    scores = rng.beta(0.4, 0.8, n)
    labels = rng.random(n) < scores
    found = lwcal.diagnose(scores, rng.permutation(labels), methods=[]).recommendation
    assert found.calibrator == "identity"
    assert "nothing about these labels" in found.reason or found.action == "check scores"
    assert lwcal.diagnose(scores, labels, methods=[]).recommendation.action != "check scores"


def test_one_class_is_refused():
    """Nothing can be said."""
    with pytest.raises(InputError, match="both classes"):
        lwcal.diagnose([0.2, 0.4], [1, 1])


def test_what_is_recommended_does_no_harm_on_average():
    """NLL against true labels of the recommended map and of the raw score, on 120 small tasks.

    Tasks of 200 to 1000 rows, scores from near-certain to hard, slopes of 0.5 to 2; every other
    one with flip rates of 0.05 to 0.3 for each class. Measured: 0.446 against 0.455 on average;
    without noise 0.963 of the raw loss on average and 1.00 at worst, with noise 1.005 and 1.36.
    Of the 32 maps that were to be deployed, one was worse than the raw score by over 2%, by 12%.
    """
    rng = np.random.default_rng(0)
    noisy = np.tile([False, True], 60)
    ratios, losses, deployed = [], [], []
    for task in range(120):
        line, shape = (rng.uniform(0.5, 2), rng.normal(0, 0.3)), [(0.3, 0.3), (1, 1), (2, 3)]
        rates = rng.uniform(0.05, 0.3, 2) if noisy[task] else (0.0, 0.0)
        n = int(rng.choice([200, 500, 1000]))
        train = sample(rng, n, line=line, rates=rates, shape=shape[task % 3])
        test = sample(rng, 5000, line=line, shape=shape[task % 3])
        table = ScoreTable.from_arrays(train.scores, train.noisy)
        found = judge(table, lwcal.Auto()).recommendation
        deployed.append(found.action == "deploy")
        method = lwcal.NoiseAware if found.calibrator == "noise-aware" else lwcal.Auto
        fitted = method().fit(table)
        pair = [nll(test.clean, fitted.predict(test.scores)), nll(test.clean, test.scores)]
        losses.append(pair)
        ratios.append(pair[0] / pair[1])
    recommended, raw = np.mean(losses, axis=0)
    assert recommended < raw
    relative = np.array(ratios)
    assert relative[~noisy].max() < 1.05
    assert relative[noisy].mean() < 1.03
    assert np.mean(relative > 1.15) < 0.05
    earned = np.array(deployed)
    assert earned.sum() >= 10
    assert np.mean(relative[earned] > 1.02) < 0.1
    assert relative[earned].max() < 1.2


def test_it_carries_the_posterior_that_all_rests_on(few_rows, diagnosis):
    """So that nothing is inferred again; it is no part of the document."""
    assert diagnosis.posterior.probability_clean == diagnosis.noise.probability_clean
    assert "posterior" not in diagnosis.to_dict()
    wrong = diagnosis.posterior.truth_given_label(np.array([0.01, 0.99]), 0)
    assert 0 <= wrong[0] < wrong[1] <= 1


def test_rows_are_inferred_once(few_rows, monkeypatch):
    """Apart from the calibrators that are compared."""
    calls = []
    original = judgement.infer
    monkeypatch.setattr(judgement, "infer", lambda *given: calls.append(1) or original(*given))
    lwcal.diagnose(*few_rows)
    assert len(calls) == 1


def test_what_the_calibrator_knows_is_used(few_rows):
    """Known rates, expected ones, thresholds, the gate and the bound."""
    rates = lwcal.NoiseAware(noise_rates=(0.1, 0.2)).fit(*few_rows)
    known = lwcal.diagnose(*few_rows, calibrator=rates)
    assert known.noise.rates == pytest.approx((0.1, 0.2))
    assert known.noise.rates_posterior.mean() == pytest.approx((0.1, 0.2))
    expected = lwcal.NoiseAware(prior_rates=(0.02, 0.02), prior_strength=1e6, prior_clean=0.0)
    found = lwcal.diagnose(*few_rows, calibrator=expected.fit(*few_rows))
    assert found.noise.probability_clean == 0.0
    assert found.noise.rates_posterior.mean() == pytest.approx((0.02, 0.02), abs=0.001)
    gated = lwcal.GatedLWCal(threshold=0.3, gate_center=0.05, gate_width=0.2).fit(*few_rows)
    other = lwcal.diagnose(*few_rows, calibrator=gated)
    assert (other.d, other.rho) == (gated.diagnostics_["d"], gated.diagnostics_["rho"])
    assert other.protocol.thresholds == pytest.approx((0.05, 0.25))
    bold = lwcal.Auto(max_cost=1e9).fit(*few_rows)
    assert lwcal.diagnose(*few_rows, calibrator=bold).decision == bold.decision_


def test_a_calibrator_is_compared_as_it_is_set(few_rows, diagnosis):
    """In the place of its kind; the others keep their defaults."""
    flat = lwcal.LWCal(floor=0.5).fit(*few_rows)
    found = lwcal.diagnose(*few_rows, calibrator=flat)
    same = {one.method: one for one in diagnosis.candidates}
    changed = [one.method for one in found.candidates if one != same[one.method]]
    assert changed == ["lwcal"]


def test_progress_is_reported_for_every_calibrator(few_rows):
    """And the positive class is that of the calibrator."""
    scores, labels = few_rows
    named = np.where(labels == 1, "bad", "good")
    calls = []
    fitted = lwcal.Platt(pos_label="bad").fit(scores, named)
    found = lwcal.diagnose(scores, named, calibrator=fitted, on_progress=lambda: calls.append(1))
    assert len(calls) == len(DEFAULT_METHODS)
    assert found.base_rate == pytest.approx(labels.mean())


def test_with_checked_labels_the_verdict_rests_on_them():
    """Of rows that have two readings: 40 checked labels decide, with an interval for the gain."""
    drawn = sample(np.random.default_rng(0), 4000, line=(2.0, 0.0), rates=(0.2, 0.2), shape=(1, 1))
    alone = lwcal.diagnose(drawn.scores, drawn.noisy)
    assert (alone.evidence, alone.checked, alone.recommendation.action) == ("labels", 0, "audit")
    checked = np.where(np.arange(4000) < 40, drawn.clean, np.nan)
    found = lwcal.diagnose(drawn.scores, drawn.noisy, y_audited=checked)
    assert (found.evidence, found.checked, found.n) == ("checked labels", 40, 4000)
    assert (found.recommendation.action, found.recommendation.calibrator) == ("deploy", "audited")
    gain = found.readings.noise_holds.gain
    assert gain.low < gain.value < gain.high
    assert "40 checked labels" in found.recommendation.reason
    assert found.decision == alone.decision  # of Auto, from the labels alone
    fitted = lwcal.Audited().fit(drawn.scores, drawn.noisy, y_audited=checked)
    assert found.noise.rates == pytest.approx(fitted.noise_.rates)
    assert json.loads(json.dumps(found.to_dict())) == found.to_dict()


def test_checked_labels_need_rows():
    """A table does not say which of its rows were checked."""
    table = ScoreTable.from_arrays([0.2, 0.8], [0, 1])
    with pytest.raises(InputError, match="y_audited"):
        lwcal.diagnose(table, y_audited=[0, 1])


def test_known_rates_decide_alone():
    """They are evidence from outside the table."""
    drawn = sample(np.random.default_rng(1), 1000, line=(1.5, 0.0), rates=(0.1, 0.2))
    known = lwcal.NoiseAware(noise_rates=(0.1, 0.2))
    found = lwcal.diagnose(drawn.scores, drawn.noisy, calibrator=known, methods=[])
    assert found.evidence == "known rates"
    assert found.recommendation.action in ("deploy", "keep raw")
    assert "known rates" in found.recommendation.reason


def test_labels_are_needed():
    """Also beside checked ones: they say which rows were checked, not how all are labelled."""
    with pytest.raises(InputError, match="y is missing"):
        lwcal.diagnose([0.2, 0.8])
    with pytest.raises(InputError, match="y_audited without y"):
        lwcal.diagnose([0.2, 0.8], y_audited=[0, 1])


@pytest.mark.parametrize("prior_clean", [0.0, 0.2])
def test_a_noise_aware_calibrator_is_judged_as_it_is(prior_clean):
    """With its own prior and without a bound; a prior is no evidence from outside."""
    drawn = sample(np.random.default_rng(0), 2000, line=(0.7, 0.0), rates=(0.1, 0.1), shape=(1, 1))
    rows = drawn.scores, drawn.noisy
    model = lwcal.NoiseAware(prior_clean=prior_clean)
    found = lwcal.diagnose(*rows, calibrator=model, methods=())
    assert found.evidence == "labels"
    assert found.recommendation.calibrator in ("noise-aware", "identity")
    average = model.fit(*rows).predict(drawn.scores).mean()
    assert found.readings.calibrated_average == pytest.approx(average, abs=1e-9)
