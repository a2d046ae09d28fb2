"""Signs that rows or labels are not what they are taken for."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB

import lwcal
from lwcal import ScoreTable
from lwcal.diagnosis.table_faults import NO_FAULTS, TableFaults, find_class_faults, find_faults
from lwcal.multiclass.class_rows import ClassRows
from tests.multiclass.simulated import even_noise, noisy_rows


def honest(seed, n=1500, *, shift=-1.5, slope=1.0, digits=None, noise=(0.0, 0.0)):
    """Scores of a model that may be overconfident, and labels that may be wrong."""
    rng = np.random.default_rng(seed)
    z = rng.normal(shift, 2.0, n)
    true = rng.random(n) < expit(z)
    flipped = rng.random(n) < np.where(true, noise[1], noise[0])
    scores = expit(slope * z)
    return scores if digits is None else scores.round(digits), true ^ flipped, rng


def faults(scores, labels):
    """Of the table of these rows."""
    return find_faults(ScoreTable.from_arrays(scores, labels))


def test_honest_tables_show_no_sign():
    """180 tables: models of three shapes, two base rates, wrong labels, rounded scores.

    Measured: one sign in 180.
    """
    found = [
        faults(*honest(seed, n, shift=shift, slope=slope, digits=digits, noise=noise)[:2])
        for seed in range(5)
        for n in (200, 2000)
        for shift in (0.0, -3.0)
        for slope in (0.6, 1.0, 2.0)
        for digits, noise in ((None, (0.0, 0.0)), (None, (0.1, 0.3)), (2, (0.0, 0.0)))
    ]
    assert sum(one != NO_FAULTS for one in found) <= 2


@pytest.mark.parametrize("model", [GaussianNB(), RandomForestClassifier(30, random_state=0)])
def test_models_of_scikit_learn_show_no_sign(model):
    """Naive Bayes gives many scores of 0 and 1, a small forest few different ones."""
    for seed in range(3):
        x, y = make_classification(3000, 10, weights=[0.8], flip_y=0.05, random_state=seed)
        scores = model.fit(x[:1000], y[:1000]).predict_proba(x[1000:])[:, 1]
        assert faults(scores, y[1000:]) == NO_FAULTS


def test_repeated_rows_are_noticed():
    """Copies of all rows, or of the positives alone; frequent scores alone are no copies."""
    scores, labels, _ = honest(0, 300)
    for times in (5, np.where(labels, 6, 1)):
        (told,) = faults(scores.repeat(times), labels.repeat(times)).rows
        assert "Rows seem to be repeated" in told
    weights = np.random.default_rng(1).integers(1, 9, 300).astype(float)
    (told,) = find_faults(ScoreTable.from_arrays(scores, labels, weights)).rows
    assert "Divide weights by their average" in told
    table = ScoreTable.from_arrays(scores, labels, weights / weights.mean())
    assert find_faults(table) == NO_FAULTS  # such weights are no copies


def test_a_default_score_is_noticed():
    """A tenth of the rows has no score but 0."""
    scores, labels, rng = honest(1)
    missing = rng.random(1500) < 0.1
    (told,) = faults(np.where(missing, 0.0, scores), labels).rows
    assert f"{missing.sum():,} rows have the score 0" in told


@pytest.mark.parametrize("turned", [False, True])
def test_scores_that_pile_up_at_an_end_stand_for_nothing_else(turned):
    """A sharp model in single precision: its ones are purer than a curve through the rest says."""
    rng = np.random.default_rng(0)
    z = 3.0 * rng.normal(size=5000)
    labels = rng.random(5000) < expit(z)
    scores = expit((6.0 * z).astype(np.float32)).astype(float)
    if turned:
        scores, labels = 1.0 - scores, ~labels
    assert (scores == float(not turned)).sum() > 500
    assert faults(scores, labels).rows == ()


def test_balanced_rows_are_noticed():
    """As many negatives as positives, though the scores are those of rare positives."""
    scores, labels, rng = honest(2, 4000, shift=-3.0)
    negatives = rng.choice(np.flatnonzero(~labels), labels.sum(), replace=False)
    rows = np.concatenate([np.flatnonzero(labels), negatives])
    (told,) = faults(scores[rows], labels[rows]).rows
    assert "sampled by their labels" in told


@pytest.mark.parametrize("cut", [0.3, 0.5])
def test_rows_that_nobody_looked_at_are_noticed(cut):
    """Low scores are labelled 0 without a look; or high ones 1."""
    scores, labels, _ = honest(3, 2000)
    told = faults(scores, labels & (scores >= cut)).labels[0]
    assert "Has anybody looked" in told
    assert "is labelled positive" in told
    told = faults(1.0 - scores, ~labels | (scores < cut)).labels[0]
    assert "is labelled negative" in told


def test_labels_that_follow_the_model_are_noticed():
    """Of most rows, the label is the decision of the model."""
    scores, labels, rng = honest(4, 3000, shift=-0.5)
    followed = np.where(rng.random(3000) < 0.7, scores >= 0.5, labels)
    (told,) = faults(scores, followed).labels
    assert "jump where the score reaches 0.5" in told
    assert find_faults(ScoreTable.from_arrays(scores, followed), threshold=0.2).labels == ()


def test_nothing_is_deployed_on_faulty_rows():
    """Rows are to be mended, and labels that nobody gave are checked first."""
    scores, labels, _ = honest(0, 400, slope=2.0)
    copies = lwcal.diagnose(scores.repeat(5), labels.repeat(5), methods=[]).recommendation
    assert (copies.action, copies.calibrator) == ("check scores", "identity")
    assert "Keep each row once." in copies.reason
    scores, labels, _ = honest(3, 2000)
    unseen = lwcal.diagnose(scores, labels & (scores >= 0.3), methods=[]).recommendation
    assert (unseen.action, unseen.calibrator) == ("audit", "identity")
    # 3% of the labels seem to be wrong: 25 checks would mostly show none of them
    assert unseen.checks > 60
    assert unseen.reason.endswith(f"{unseen.checks} checked labels often tell.")


def test_several_classes_show_copies_and_unseen_rows():
    """Honest ones show neither, with wrong labels or without."""
    for seed, noise in enumerate((np.eye(4), even_noise(4, 0.2))):
        scores, _, labels = noisy_rows(1500, noise, seed)
        assert find_class_faults(ClassRows.from_arrays(scores, labels)) == NO_FAULTS
    twice = ClassRows.from_arrays(scores.repeat(3, axis=0), labels.repeat(3))
    assert "repeated" in find_class_faults(twice).rows[0]
    scores, true, _ = noisy_rows(2000, np.eye(3), 5, clarity=1.0)
    found = find_class_faults(ClassRows.from_arrays(scores, np.where(scores[:, 0] > 0.3, 0, true)))
    assert isinstance(found, TableFaults)
    assert "Has anybody looked" in found.labels[0]
