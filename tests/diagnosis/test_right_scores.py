"""Scores that are right beside labels that are not, of any number of classes."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.metrics import log_loss

from lwcal import Audited, ScoreTable, diagnose
from lwcal.diagnosis.right_scores import CheckedRows, Explained, by_class, right_scores
from lwcal.noise.checked.table import CheckedTable

SWAPPED = np.array([[1.0, 0.0, 0.0], [0.3, 0.7, 0.0], [0.0, 0.0, 1.0]])
"""Three in ten labels of the second class are those of the first."""


def sharp_rows(seed, n=1000, matrix=SWAPPED, power=1.0):
    """Scores of a sharp model, made sharper or flatter by a power; true classes and labels."""
    rng = np.random.default_rng(seed)
    truth_odds = np.exp(rng.normal(size=(n, 3)) * 4.0)
    clean = truth_odds / truth_odds.sum(axis=1, keepdims=True)
    truth = (clean.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)
    labels = (matrix[truth].cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)
    scores = clean**power
    return scores / scores.sum(axis=1, keepdims=True), truth, labels


def explained(scores, labels, predicted):
    """Rows of weight 1."""
    return Explained(scores, predicted, labels, np.ones(len(labels)))


def test_the_matrix_of_right_scores_is_found():
    """Where the calibrator, which trusts the labels, explains them no better."""
    scores, _, labels = sharp_rows(0, n=4000)
    trusting = scores @ SWAPPED
    found = right_scores(explained(scores, labels, trusting), np.eye(3))
    assert found is not None
    np.testing.assert_allclose(found.matrix, SWAPPED, atol=0.05)
    assert not found.is_better


def test_scores_that_are_too_flat_are_not_right():
    """Labels are right, and a calibrator that knows the truth explains them far better."""
    scores, _, labels = sharp_rows(1, matrix=np.eye(3), power=0.3)
    predicted = scores ** (1 / 0.3)
    predicted /= predicted.sum(axis=1, keepdims=True)
    assert right_scores(explained(scores, labels, predicted), np.eye(3)) is None
    turned = right_scores(explained(predicted, labels, scores), np.eye(3))
    assert turned is not None
    assert turned.is_better


def test_checked_rows_decide():
    """Fifty truths that the scores foresee, and a calibrator that does not."""
    scores, truth, labels = sharp_rows(2)
    trusting = scores @ SWAPPED
    rows = explained(scores, labels, trusting)
    few = slice(0, 200)
    truths = explained(scores[few], truth[few], trusting[few])
    counts = np.zeros((3, 3))
    np.add.at(counts, (truth[few], labels[few]), 1.0)
    found = right_scores(rows, np.eye(3), CheckedRows(truths, counts))
    assert found is not None
    assert found.is_better
    assert truths.gain(0.9).high < 0.0


def test_labels_that_follow_the_scores_do_not_outvote_the_checks():
    """A model that was trained on labels that are wrong at some scores explains such labels."""
    rng = np.random.default_rng(0)
    z = rng.normal(size=1500) * 2.0
    true, labelled = expit(z - 1.0), expit(2.0 * z)
    truth, labels = (rng.random(1500) < p for p in (true, labelled))
    checked = np.where(np.arange(1500) < 60, truth.astype(float), np.nan)
    rows, few = by_class(labelled)[:1500], slice(0, 60)
    mapped = by_class(true)[:1500]
    counts = np.zeros((2, 2))
    np.add.at(counts, (truth[few].astype(int), labels[few].astype(int)), 1.0)
    checks = CheckedRows(explained(rows[few], truth[few].astype(int), mapped[few]), counts)
    given = explained(rows, labels.astype(int), mapped), counts / counts.sum(axis=1, keepdims=True)
    outvoted = right_scores(*given, checks)
    assert outvoted is not None
    assert outvoted.is_better
    assert right_scores(*given, checks, rows) is None
    advised = diagnose(labelled, labels, y_audited=checked, methods=[]).recommendation
    assert advised.action == "deploy"


@given(
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 9), st.integers(0, 9)), min_size=1),
    st.floats(0.01, 0.99),
)
def test_any_table_gives_a_matrix_or_none(rows, predicted):
    """Rows of the matrix are probabilities, whatever the counts are."""
    counted = [row for row in rows if row[1] + row[2]]
    if not counted:
        return
    scores, negatives, positives = map(np.array, zip(*counted, strict=True))
    table = ScoreTable.from_counts(scores, negatives, positives)
    found = right_scores(
        Explained.of_table(table, np.full(len(table.scores), predicted)), np.eye(2)
    )
    if found is not None:
        np.testing.assert_allclose(found.matrix.sum(axis=1), 1.0, atol=1e-5)
        assert (found.matrix >= 0.0).all()


def test_a_large_table_is_thinned():
    """Every third row gives about the same matrix."""
    scores, _, labels = sharp_rows(3, n=3000)
    repeated, mapped = (np.tile(p, (120, 1)) for p in (scores, scores @ SWAPPED))
    many = Explained(repeated, mapped, np.tile(labels, 120), np.ones(360_000))
    found = right_scores(many, np.eye(3))
    assert found is not None
    np.testing.assert_allclose(found.matrix, SWAPPED, atol=0.06)


def test_two_classes_have_the_same_counts_as_their_tables():
    """Truths by score, and labels by truth."""
    checked = CheckedTable.from_codes(
        np.array([0.2, 0.7, 0.7]), np.array([0, 1, 1]), np.array([0, 0, 1])
    )
    found = CheckedRows.of_table(checked, np.array([0.3, 0.6]))
    assert found.counts.tolist() == [[1.0, 1.0], [0.0, 1.0]]
    assert found.truths.weights.tolist() == [1.0, 1.0, 0.0, 1.0]
    assert found.truths.predicted[:, 1].tolist() == [0.3, 0.6, 0.3, 0.6]


def test_right_scores_of_several_classes_are_not_changed():
    """One class is labelled as another. Without the reading, "deploy" doubled the log loss."""
    for seed in range(3):
        scores, _, labels = sharp_rows(seed)
        found = diagnose(scores, labels, methods=[])
        assert found.recommendation.action in ("audit", "keep raw")
        assert found.recommendation.calibrator == "identity"
        assert found.to_dict()["readings"]["missed"] == found.readings.missed


def test_what_is_deployed_after_checks_does_no_harm():
    """The same rows with 40 checked labels, judged by true classes of others."""
    new, truth_of_new, _ = sharp_rows(100, n=5000)
    for seed in range(3):
        scores, truth, labels = sharp_rows(seed)
        y_audited = np.where(np.arange(1000) < 40, truth, np.nan)
        found = diagnose(scores, labels, y_audited=y_audited, methods=[])
        assert found.readings.on_checked is not None
        if found.recommendation.action == "deploy":
            fitted = Audited().fit(scores, labels, y_audited=y_audited)
            losses = [log_loss(truth_of_new, p) for p in (fitted.predict(new), new)]
            assert losses[0] < 1.02 * losses[1]


def test_flat_scores_of_several_classes_are_still_calibrated():
    """With right labels, of which some are checked or none."""
    scores, truth, labels = sharp_rows(5, matrix=np.eye(3), power=0.3)
    y_audited = np.where(np.arange(1000) < 40, truth, np.nan)
    for known in ({}, {"y_audited": y_audited}):
        assert diagnose(scores, labels, methods=[], **known).recommendation.action == "deploy"


def test_labels_alone_rule_right_scores_out_only_if_they_are_very_sure():
    """Rows that are worth 20 to 1 do not rule out scores that are too flat; twice as many do."""
    scores, _, labels = sharp_rows(0, matrix=np.eye(3), power=0.5)
    mapped = scores**2 / (scores**2).sum(axis=1, keepdims=True)
    places = np.arange(len(labels))
    odds = np.log(mapped[places, labels] / scores[places, labels])
    n = int(np.argmax(np.cumsum(odds) / (1.0 + (places + 1.0) / 1000.0) > 3.0)) + 1
    few, twice = (explained(scores[:rows], labels[:rows], mapped[:rows]) for rows in (n, 2 * n))
    assert right_scores(few, np.eye(3)) is not None
    assert right_scores(twice, np.eye(3)) is None


def test_a_deployed_calibrator_of_several_classes_says_for_which_models():
    """Labels alone cannot know what the model was trained on; checked labels tell."""
    scores, truth, labels = sharp_rows(5, matrix=np.eye(3), power=0.3)
    y_audited = np.where(np.arange(1000) < 40, truth, np.nan)
    by_labels, by_checks = (
        diagnose(scores, labels, methods=[], **known).recommendation.reason
        for known in ({}, {"y_audited": y_audited})
    )
    assert "trained on labels like these" in by_labels
    assert "trained on labels like these" not in by_checks
