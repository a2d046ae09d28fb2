"""The verdict on several opinions: it helps where they show noise, and harms nowhere."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, softmax

import lwcal
from lwcal.diagnosis import OpinionDiagnosis, Recommendation, opinion_diagnosis
from lwcal.diagnosis.opinion_recommendation import advise_by_opinions
from lwcal.diagnosis.readings import LEAST_LOSS
from lwcal.engines import duckdb
from lwcal.errors import InputError, ParameterError
from lwcal.estimates import Estimate

N = 800
DEPLOY = Recommendation("deploy", "reviewed", "")


def rated(seed=0, rates=(0.15, 0.25), flat=True, n=N):
    """Scores of two classes, true probabilities, truths, and opinions with these rates."""
    rng = np.random.default_rng(seed)
    clean = rng.beta(0.5, 0.5, n)
    truth = rng.random(n) < clean
    said = np.stack([truth ^ (rng.random(n) < rate) for rate in rates], axis=1)
    odds = clean / (1.0 - clean)
    root = np.sqrt(odds) if flat else odds
    return root / (1.0 + root), clean, truth, said.astype(int)


def test_opinions_that_differ_earn_a_correction():
    """A flat model beside noisy labels; one label a row would not decide."""
    scores, clean, _, said = rated(n=1500)
    found = lwcal.diagnose(scores, said)
    assert isinstance(found, OpinionDiagnosis)
    assert found.recommendation.action == "deploy"
    assert found.recommendation.calibrator == "reviewed"
    assert "cannot exclude" in found.recommendation.reason
    right, noisy = found.readings.labels_right, found.readings.noise_holds
    assert right.gain.value < 0 < noisy.gain.value
    assert noisy.likely_gain >= 0.95
    mapped = lwcal.Reviewed().fit(scores, said).predict(scores)
    assert np.abs(mapped - clean).mean() < np.abs(scores - clean).mean()
    assert lwcal.diagnose(scores, said[:, 0], methods=()).recommendation.calibrator != "reviewed"


@pytest.mark.parametrize("seed", range(3))
def test_calibrated_scores_stay_as_they_are(seed):
    """However noisy the labels are."""
    scores, _, _, said = rated(seed, flat=False)
    found = lwcal.diagnose(scores, said).recommendation
    assert found.action in ("keep raw", "audit")
    assert found.calibrator == "identity"


def test_few_opinions_say_too_little():
    """Second opinions on more rows are asked for."""
    scores, _, _, said = rated()
    labels = said.astype(object)
    labels[15:, 1] = None
    found = lwcal.diagnose(scores, labels).recommendation
    assert (found.action, found.checks, found.second_opinions) == ("audit", 25, 50)
    assert "15 rows with several opinions say too little" in found.reason


def test_a_copied_column_decides_nothing():
    """Copies agree on every mistake."""
    scores, _, _, said = rated()
    found = lwcal.diagnose(scores, said[:, [0, 0]]).recommendation
    assert found.action == "audit"
    assert "copy" in found.reason
    assert found.second_opinions is None  # every row has two


def test_copies_of_most_labels_count_as_one_opinion():
    """They are named; before, the map that they gave was deployed, and worse than the raw score."""
    rng = np.random.default_rng(1)
    z = 1.5 * rng.normal(size=2000)
    scores, truth = 1 / (1 + np.exp(-z)), rng.random(2000) < 1 / (1 + np.exp(-1.3 * z))
    ann, bob, cem = truth ^ (rng.random((3, 2000)) < 0.2)
    bob = np.where(rng.random(2000) < 0.85, ann, bob)
    labels = np.stack([ann, bob, cem], axis=1)
    found = lwcal.diagnose(scores, labels)
    assert "0 and 1 make the same mistakes" in found.recommendation.reason
    assert found.several == 2000.0
    apart = lwcal.diagnose(scores, labels[:, [0, 2]])
    gains = [one.readings.noise_holds.gain.value for one in (found, apart)]
    assert gains[0] == pytest.approx(gains[1], abs=0.03)


def test_columns_of_classes_are_no_reviewers():
    """Exactly one 1 in each row is one label in two columns."""
    scores, _, truth, _ = rated()
    one_hot = np.stack([~truth, truth], axis=1).astype(int)
    for call in (lwcal.diagnose, lwcal.Reviewed().fit):
        with pytest.raises(InputError, match="exactly one 1 in each of 800 rows"):
            call(scores, one_hot)


def test_checked_labels_count_beside_opinions():
    """They are named in the reason."""
    scores, _, truth, said = rated()
    checked = np.where(np.arange(N) < 40, truth.astype(float), np.nan)
    found = lwcal.diagnose(scores, said, y_audited=checked)
    assert found.checked == 40
    assert "800 rows with several opinions and 40 checked labels" in found.recommendation.reason


def test_several_classes():
    """A flat model of four classes, and three reviewers."""
    rng = np.random.default_rng(0)
    clean = rng.dirichlet(np.full(4, 0.4), 600)
    truth = (rng.random((600, 1)) > clean.cumsum(axis=1)).sum(axis=1).clip(0, 3)
    scores = np.sqrt(clean) / np.sqrt(clean).sum(axis=1, keepdims=True)
    wrong = rng.random((600, 3)) < 0.2
    said = np.where(wrong, rng.integers(0, 4, (600, 3)), truth[:, None])
    found = lwcal.diagnose(scores, said)
    assert found.recommendation.action == "deploy"
    assert found.classes == (0, 1, 2, 3)
    assert found.noise.wrong.low <= 0.15 <= found.noise.wrong.high
    assert found.to_dict()["readings"]["noise_holds"]["gain"]["low"] > 0


def test_a_weight_is_a_row_that_often_in_any_order():
    """The verdict has the same numbers."""
    scores, _, _, said = rated(n=300)
    rng = np.random.default_rng(0)
    weights = rng.integers(1, 3, 300)
    order = rng.permutation(int(weights.sum()))
    repeated = lwcal.diagnose(
        np.repeat(scores, weights)[order], np.repeat(said, weights, axis=0)[order]
    )
    weighted = lwcal.diagnose(scores, said, weights)
    for one in ("n", "several", "contradicted"):
        assert getattr(weighted, one) == getattr(repeated, one)
    gains = [found.readings.noise_holds.gain for found in (weighted, repeated)]
    assert gains[0] == pytest.approx(gains[1], abs=1e-6)


def test_what_does_not_go_with_opinions_is_refused():
    """In one line."""
    scores, _, _, said = rated()
    with pytest.raises(ParameterError, match="no calibrator with several opinions"):
        lwcal.diagnose(scores, said, calibrator=lwcal.Auto())
    with pytest.raises(ParameterError, match="no methods with several opinions"):
        lwcal.diagnose(scores, said, methods=["platt"])
    with pytest.raises(InputError, match="a row with several opinions, got none"):
        lwcal.diagnose(scores, said[:, 0], reviewers=["a", "b"] * (N // 2))
    with pytest.raises(InputError, match="beside their opinions, got a ScoreTable"):
        lwcal.diagnose(lwcal.ScoreTable.from_arrays(scores, said[:, 0]), said)


def test_counts_of_one_label_and_checks():
    """As the rows in memory; without a check or a second opinion, they are refused."""
    scores, _, truth, said = rated(n=600)
    frame = pd.DataFrame({"p": scores.round(3), "label": said[:, 0]})
    frame["checked"] = np.where(np.arange(600) < 60, truth.astype(float), np.nan)
    counts = duckdb.reduce_opinions(frame, "p", "label", trusted="checked")
    found = lwcal.diagnose(counts)
    expected = lwcal.diagnose(frame["p"], frame["label"], y_audited=frame["checked"], methods=[])
    assert found.recommendation == expected.recommendation
    assert (found.n, found.checked) == (600, 60)
    with pytest.raises(InputError, match="or one label a row and checked labels, got neither"):
        lwcal.diagnose(duckdb.reduce_opinions(frame, "p", "label"))


def two_reviewers(rates, copied=0.0, seed=101):
    """Scores that are straight, and what two say."""
    rng = np.random.default_rng(seed)
    z = 1.5 * rng.normal(size=2000) + rng.choice([-1.0, 1.0], 2000)
    truth = rng.random(2000) < 1 / (1 + np.exp(0.4 - 1.3 * z))
    said = truth[:, None] ^ (rng.random((2000, 2)) < rates)
    repeats = rng.random(2000) < copied
    said[repeats, 1] = said[repeats, 0]
    return 1 / (1 + np.exp(-z)), said


def test_two_who_seldom_differ_may_be_one_opinion():
    """Before, the map was deployed, with more log loss than the raw score."""
    scores, said = two_reviewers(0.25, copied=0.85)
    found = lwcal.diagnose(scores, said).recommendation
    assert found.action == "audit"
    assert "two reviewers may make the same mistakes" in found.reason


def test_two_who_seldom_differ_on_several_classes():
    """The same, where the map is a matrix."""
    rng = np.random.default_rng(0)
    clean = rng.dirichlet(np.full(3, 0.4), 1500).clip(1e-4)
    clean /= clean.sum(axis=1, keepdims=True)
    truth = (rng.random((1500, 1)) > clean.cumsum(axis=1)).sum(axis=1).clip(0, 2)
    wrong = rng.random((1500, 2)) < 0.3
    said = np.where(wrong, (truth[:, None] + rng.integers(1, 3, (1500, 2))) % 3, truth[:, None])
    said[:, 1] = np.where(rng.random(1500) < 0.9, said[:, 0], said[:, 1])
    scores = clean**0.8 / (clean**0.8).sum(axis=1, keepdims=True)
    assert lwcal.diagnose(scores, said).recommendation.action != "deploy"


@pytest.mark.parametrize("copied", [0.0, 0.6])
def test_checks_tell_whether_two_share_their_mistakes(copied):
    """They count with the opinions."""
    scores, said = two_reviewers(0.05 if copied == 0.0 else 0.25, copied, seed=7)
    truth = two_reviewers(0.0, seed=7)[1][:, 0]
    checks = np.where(np.arange(2000) % 20 == 0, truth.astype(float), np.nan)
    found = lwcal.diagnose(scores, said.astype(int), y_audited=checks).recommendation
    assert (found.action == "deploy") == (copied == 0.0)


def test_a_third_reviewer_shows_whether_two_copy():
    """On some of the rows: then the reading that right scores are behind shared mistakes goes."""
    scores, said = two_reviewers(0.25, copied=0.85)
    truth = two_reviewers(0.0)[1][:, 0]
    rng = np.random.default_rng(1)
    third = np.where(rng.random(2000) < 0.2, truth ^ (rng.random(2000) < 0.2), np.nan)
    found = lwcal.diagnose(scores, np.column_stack([said, third]))
    assert found.reviews.near_copies
    assert found.readings.scores_right is not None  # of the two who are left, one could copy


def test_two_who_are_nearly_always_right_need_no_third():
    """If they made the same mistakes, they would seldom differ and scores would say less."""
    scores, said = two_reviewers(0.03)
    assert lwcal.diagnose(scores, said).recommendation.action == "deploy"


def test_labels_that_mean_the_opposite_judge_no_map():
    """With them, labels say next to nothing on average, and corrected losses are anything."""
    scores, _, _, said = rated(rates=(0.1, 0.05))
    said[:, 1] = 1 - said[:, 1]
    found = lwcal.diagnose(scores, pd.DataFrame(said, columns=["Ann", "Opp"]))
    gain = found.readings.noise_holds.gain
    assert -0.5 < gain.low < gain.high < 0.5
    assert "'Opp'" in found.reviews.warning


def test_corrected_losses_allow_for_good_reviewers_who_work_alone():
    """Their labels weigh as much as a row, and those on rows with several opinions less."""
    errors = []
    for seed in range(3):
        scores, _, truth, said = rated(seed, rates=(0.05, 0.3, 0.3), flat=False, n=2000)
        said = said.astype(float)
        said[500:, 1:] = np.nan
        loss = lwcal.diagnose(scores, said).readings.noise_holds.raw_loss
        true = -np.log(np.where(truth, scores, 1.0 - scores)).mean()
        errors.append(loss - true)
    assert np.abs(np.mean(errors)) < 0.03


@pytest.mark.parametrize("n_classes", [2, 3])
def test_labels_that_all_reviewers_miss_are_checked_first(n_classes):
    """Their agreement says nothing about mistakes of all, but the scores do."""
    rng = np.random.default_rng(1)
    centres = 1.5 * rng.normal(size=(n_classes, 3))
    truth = rng.integers(0, n_classes, 500)
    x = centres[truth] + rng.normal(size=(500, 3))
    scores = softmax(x @ centres.T - (centres**2).sum(axis=1) / 2, axis=1)
    missed = (truth == n_classes - 1) & (rng.random(500) < 0.7)
    for seen, action in ((truth, "keep raw"), (np.where(missed, 0, truth), "audit")):
        wrong = rng.random((500, 3)) < 0.08
        said = np.where(wrong, rng.integers(0, n_classes, (500, 3)), seen[:, None])
        opinions = np.where(rng.random((500, 3)) < 0.3, np.nan, said)
        found = lwcal.diagnose(scores, opinions, classes=range(n_classes)).recommendation
        assert found.action == action
        assert (f"rows of {n_classes - 1} are labelled so" in found.reason) == (action == "audit")


def test_a_reviewer_who_answers_as_the_model_does_is_noticed():
    """A language model often does; then the corrected loss of the scores is about 0."""
    rng = np.random.default_rng(5)
    logits = rng.normal(0.0, 2.0, 1500)
    scores = expit(logits)
    truth = rng.random(1500) < expit(logits)
    person = truth ^ (rng.random(1500) < 0.15)
    as_model = (scores > 0.5) ^ (rng.random(1500) < 0.05)
    found = lwcal.diagnose(scores, np.column_stack([person, as_model]).astype(int))
    assert found.readings.noise_holds.calibrated_loss == LEAST_LOSS
    assert found.recommendation.action == "audit"
    assert "as the model is" in found.recommendation.reason
    assert "%" not in found.recommendation.reason


def test_a_fall_of_all_of_the_log_loss_is_not_deployed_on(monkeypatch):
    """No score has a loss of 0, so the opinions do not mean what they seem to."""
    kept = []
    monkeypatch.setattr(
        opinion_diagnosis, "advise_by_opinions", lambda found: kept.append(found) or DEPLOY
    )
    scores, _, _, said = rated(n=1500)
    lwcal.diagnose(scores, said)
    (found,) = kept
    assert advise_by_opinions(found).action == "deploy"
    noisy = replace(found.readings.noise_holds, gain=Estimate(0.6, 0.3, 1.0))
    readings = replace(found.readings, noise_holds=noisy)
    advised = advise_by_opinions(found._replace(readings=readings))
    assert (advised.action, advised.checks) == ("audit", 25)
