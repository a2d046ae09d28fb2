"""Reviewed: one model, three doors, and what it says about reviewers."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import lwcal
from lwcal.errors import InputError, ParameterError
from lwcal.metrics import class_nll, nll

NAMES = ["Ann", "Bob", "Cem"]


def rated(n=600, seed=0, rates=(0.1, 0.2, 0.3), power=0.6):
    """Scores that are too flat, their truth, and what three reviewers say."""
    rng = np.random.default_rng(seed)
    clean = rng.beta(0.5, 0.5, n)
    truth = (rng.random(n) < clean).astype(int)
    scores = clean**power / (clean**power + (1 - clean) ** power)
    said = np.stack([truth ^ (rng.random(n) < rate) for rate in rates], axis=1)
    return scores, truth, said


def rated_classes(n=500, seed=0, rates=(0.1, 0.2, 0.3)):
    """The same with four classes, named by letters."""
    rng = np.random.default_rng(seed)
    clean = rng.dirichlet([0.3] * 4, n)
    truth = (rng.random((n, 1)) > clean.cumsum(axis=1)).sum(axis=1)
    scores = (clean + 1e-3) ** 0.6
    scores /= scores.sum(axis=1, keepdims=True)
    said = [np.where(rng.random(n) < rate, rng.integers(0, 4, n), truth) for rate in rates]
    names = np.array(list("abcd"))
    return scores, truth, names[np.stack(said, axis=1)]


def test_one_label_a_row_is_noise_aware():
    """To the last bit, as a column and as a table of one column."""
    scores, _, said = rated()
    found, expected = lwcal.Reviewed(), lwcal.NoiseAware()
    for labels in (said[:, 0], said[:, :1]):
        fitted = found.fit(scores, labels)
        assert np.array_equal(
            fitted.predict(scores), expected.fit(scores, said[:, 0]).predict(scores)
        )
        assert fitted.reviews_ is None
        assert fitted.diagnostics_ == expected.diagnostics_


def test_one_label_a_row_of_several_classes_is_noise_aware():
    """The same door for any number of classes."""
    scores, _, said = rated_classes()
    found = lwcal.Reviewed().fit(scores, said[:, 0]).predict(scores)
    assert np.array_equal(found, lwcal.NoiseAware().fit(scores, said[:, 0]).predict(scores))


@pytest.mark.parametrize("make", [rated, rated_classes])
def test_one_label_a_row_and_truths_is_audited(make):
    """Truths beside single labels are an audit."""
    scores, truth, said = make()
    names = np.unique(said)
    checked = np.where(np.arange(len(truth)) < 50, names[truth], None)
    found = lwcal.Reviewed().fit(scores, said[:, 0], y_audited=checked)
    expected = lwcal.Audited().fit(scores, said[:, 0], y_audited=checked)
    assert np.array_equal(found.predict(scores), expected.predict(scores))
    assert found.diagnostics_ == expected.diagnostics_
    assert lwcal.artifact.from_document(lwcal.artifact.to_document(found)).reviews_ is None


def test_two_columns_of_scores_are_one():
    """As for every calibrator."""
    scores, _, said = rated()
    one = lwcal.Reviewed().fit(scores, said)
    two = lwcal.Reviewed().fit(np.stack([1 - scores, scores], axis=1), said)
    assert two.predict(np.stack([1 - scores, scores], axis=1))[:, 1] == pytest.approx(
        one.predict(scores), abs=1e-6
    )
    assert two.classes_.tolist() == [0, 1]


@pytest.mark.parametrize("make", [rated, rated_classes])
def test_the_order_of_rows_and_of_reviewers_does_not_matter(make):
    """Rows to the last bit; reviewers up to where a search ends."""
    scores, _, said = make()
    order = np.random.default_rng(0).permutation(len(scores))
    one = lwcal.Reviewed().fit(scores, said, reviewers=NAMES)
    other = lwcal.Reviewed().fit(scores[order], said[order], reviewers=NAMES)
    assert np.array_equal(one.predict(scores), other.predict(scores))
    turned = lwcal.Reviewed().fit(scores, said[:, ::-1], reviewers=NAMES[::-1])
    assert turned.predict(scores) == pytest.approx(one.predict(scores), abs=2e-3)
    rates = {one.name: one.wrong.value for one in turned.reviews_.reviewers}
    for reviewer in one.reviews_.reviewers:
        assert rates[reviewer.name] == pytest.approx(reviewer.wrong.value, abs=0.02)


@pytest.mark.parametrize("make", [rated, rated_classes])
def test_a_weight_is_a_row_that_often(make):
    """Also a weight of 0."""
    scores, _, said = make()
    weights = np.random.default_rng(0).integers(0, 3, len(scores))
    weighted = lwcal.Reviewed().fit(scores, said, weights)
    repeated = lwcal.Reviewed().fit(
        np.repeat(scores, weights, axis=0), np.repeat(said, weights, axis=0)
    )
    assert weighted.predict(scores) == pytest.approx(repeated.predict(scores), abs=1e-9)
    assert weighted.n_ == repeated.n_


def test_long_wide_and_frames_are_the_same():
    """However the opinions are handed over."""
    scores, _, said = rated(200)
    wide = lwcal.Reviewed().fit(scores, said, reviewers=NAMES).predict(scores)
    frame = pd.DataFrame(said, columns=NAMES)
    rows, who = np.indices(said.shape)
    long = lwcal.opinions(rows.ravel(), np.array(NAMES)[who.ravel()], said.ravel())
    for labels in (frame, long):
        assert np.array_equal(lwcal.Reviewed().fit(scores, labels).predict(scores), wide)


def test_rows_without_opinions_change_nothing():
    """They have scores, and nobody was asked."""
    scores, _, said = rated(200)
    more = np.concatenate([scores, [0.5, 0.1]])
    labels = np.concatenate([said.astype(object), [[None] * 3] * 2])
    found = lwcal.Reviewed().fit(more, labels)
    assert np.array_equal(found.predict(scores), lwcal.Reviewed().fit(scores, said).predict(scores))
    assert found.n_ == 200


def test_better_than_the_majority_and_than_one_label():
    """On rows that no fit has seen."""
    scores, _, said = rated(1500)
    new, truth, _ = rated(4000, seed=1)
    reviewed = lwcal.Reviewed().fit(scores, said)
    majority = lwcal.Platt().fit(scores, said.sum(axis=1) > 1)
    single = lwcal.NoiseAware().fit(scores, said[:, 2])
    losses = [nll(truth, one.predict(new)) for one in (reviewed, majority, single)]
    assert losses[0] < min(losses[1:])


def test_better_than_the_majority_with_several_classes():
    """On rows that no fit has seen."""
    scores, _, said = rated_classes(1000)
    new, truth, _ = rated_classes(3000, seed=1)
    votes = np.stack([(said == name).sum(axis=1) for name in "abcd"], axis=1)
    majority = lwcal.MatrixScaling().fit(scores, np.array(list("abcd"))[votes.argmax(axis=1)])
    reviewed = lwcal.Reviewed().fit(scores, said)
    losses = [
        class_nll(np.array(list("abcd"))[truth], one.predict(new)) for one in (reviewed, majority)
    ]
    assert losses[0] < losses[1]


@pytest.mark.parametrize("make", [rated, rated_classes])
def test_consensus_is_right_more_often_than_the_majority(make):
    """It knows the scores, and who is right how often."""
    scores, truth, said = make(1500)
    names = np.unique(said)
    fitted = lwcal.Reviewed().fit(scores, said, reviewers=NAMES)
    found = fitted.consensus(scores, said, reviewers=NAMES)
    votes = np.stack([(said == name).sum(axis=1) for name in names], axis=1)
    assert (found.labels == names[truth]).mean() > (votes.argmax(axis=1) == truth).mean()
    assert found.probabilities.sum(axis=1) == pytest.approx(1.0)
    assert (found.gain_of_another >= 0.0).all()
    sure, unsure = found.probability > 0.99, found.probability < 0.8
    assert found.gain_of_another[sure].mean() < found.gain_of_another[unsure].mean()
    # probabilities of the consensus are themselves calibrated
    assert found.probability.mean() == pytest.approx(
        (found.labels == names[truth]).mean(), abs=0.03
    )


def test_consensus_has_a_row_for_every_row_and_takes_new_reviewers():
    """Those are taken for average ones."""
    scores, _, said = rated(300)
    fitted = lwcal.Reviewed().fit(scores, said, reviewers=NAMES)
    found = fitted.consensus(
        [0.2, 0.9, 0.5], [[1, None], [None, None], [0, 1]], reviewers=["Dee", "Ann"]
    )
    assert found.probability.shape == (3,)
    assert found.labels[1] == 1


def test_text_comes_out_as_the_same_text():
    """Labels of the consensus are written as they came in."""
    scores, _, said = rated(300)
    words = np.where(said == 1, "Yes", "no")
    found = lwcal.Reviewed().fit(scores, words).consensus(scores, words)
    assert set(found.labels) == {"Yes", "no"}


def test_consensus_needs_reviewers():
    """Nothing is known of them after a fit to one label a row."""
    scores, _, said = rated(100)
    with pytest.raises(InputError, match="a fit to several reviewers, got one label a row"):
        lwcal.Reviewed().fit(scores, said[:, 0]).consensus(scores, said[:, 0])


def test_checked_rows_help_where_everybody_errs():
    """Two reviewers who both miss half of the positives, and 150 truths."""
    rng = np.random.default_rng(0)
    scores, truth, _ = rated(2000)
    missed = (rng.random(2000) < 0.5) & (truth == 1)
    said = np.stack([np.where(missed, 0, truth)] * 2, axis=1)
    checked = np.where(np.arange(2000) < 150, truth, None)
    alone = lwcal.Reviewed().fit(scores, said)
    helped = lwcal.Reviewed().fit(scores, said, y_audited=checked)
    new, expected, _ = rated(4000, seed=1)
    assert nll(expected, helped.predict(new)) < nll(expected, alone.predict(new))
    assert helped.diagnostics_["audited"] == 150


@pytest.mark.parametrize("make", [rated, rated_classes])
def test_saved_and_loaded(make, tmp_path):
    """What was learned about reviewers is in the file."""
    scores, _, said = make(200)
    fitted = lwcal.Reviewed().fit(scores, said, reviewers=NAMES)
    lwcal.save(fitted, tmp_path / "c.json")
    loaded = lwcal.load(tmp_path / "c.json")
    assert str(loaded.reviews_) == str(fitted.reviews_)
    one, other = (
        each.consensus(scores, said, reviewers=NAMES).probability for each in (fitted, loaded)
    )
    assert np.array_equal(one, other)


def test_tiny_tables():
    """Too few rows for anything; the map stays near the scores."""
    fitted = lwcal.Reviewed().fit([0.1, 0.4, 0.8], [[0, 0], [0, 1], [1, 1]])
    assert fitted.predict([0.1, 0.8]) == pytest.approx([0.1, 0.8], abs=0.15)


def test_a_copy_is_not_fitted():
    """As scikit-learn expects."""
    scores, _, said = rated(100)
    assert not hasattr(clone(lwcal.Reviewed().fit(scores, said)), "reviews_")


@pytest.mark.parametrize(
    ("labels", "options", "problem"),
    [
        ([[0, 1]] * 4, {}, "3 scores but opinions on 4 items"),
        ([[0, 0]] * 3, {}, "labels of two classes, got one"),
        ([[0, 1], [1, 2], [0, 0]], {}, "2"),
        ([[0, 1]] * 3, {"reviewers": ["a"]}, "reviewers of shape"),
    ],
)
def test_what_cannot_be_fitted(labels, options, problem):
    """The message says what was expected."""
    with pytest.raises(InputError, match=problem):
        lwcal.Reviewed().fit([0.1, 0.5, 0.9], labels, **options)


def test_classes_are_those_of_columns():
    """One column of scores has a positive class instead."""
    with pytest.raises(ParameterError, match="a column of scores for each class"):
        lwcal.Reviewed().fit([0.1, 0.5, 0.9], [[0, 1]] * 3, classes=[0, 1])
