"""Shares of wrong labels of several classes, from the checked rows alone."""

import json

import numpy as np
import pytest

from lwcal import plan_audit
from lwcal.audit import estimate_from_audit
from lwcal.audit.class_estimates import share_of_all
from lwcal.errors import InputError
from tests.multiclass.simulated import next_noise, noisy_rows

NAMES = np.array(["ant", "bee", "cat", "dog"], dtype=object)


def checked(truth, rows):
    """True classes of some rows."""
    found = np.full(len(truth), None, dtype=object)
    found[rows] = truth[rows]
    return found


def test_wrong_labels_are_counted_by_pairs():
    """The most frequent pair first, each with the checked rows of its true class."""
    labels = NAMES[[0, 1, 1, 2, 3, 3, 3, 0]]
    truth = NAMES[[0, 0, 0, 2, 2, 3, 3, 0]]
    scores = np.full((8, 4), 0.25)
    found = estimate_from_audit(scores, labels, checked(truth, slice(0, 7)))
    assert (found.checked, found.wrong) == (7, 3)
    pairs = [(pair.true, pair.label, pair.rows, pair.of) for pair in found.pairs]
    assert pairs == [("ant", "bee", 2, 3), ("cat", "dog", 1, 2)]
    assert found.pairs[0].share.value == pytest.approx(2 / 3)
    assert str(found).startswith("3 of 7 checked labels were wrong. Between ")
    sent = json.loads(json.dumps(found.to_dict()))
    assert sent["pairs"][1]["share"]["value"] == 0.5
    assert sent["sentence"] == found.sentence


def test_the_interval_holds_the_true_share():
    """In about nine of ten plans, though a model of noise would not fit these labels."""
    scores, truth, labels = noisy_rows(2000, next_noise(4, 0.0), clarity=0.5)
    hard = scores.max(axis=1) < 0.7
    labels = np.where(hard & (scores.argmax(axis=1) == truth), (truth + 1) % 4, labels)
    share = np.mean(labels != truth)
    held = []
    for seed in range(200):
        plan = plan_audit(scores, labels, 60, random_state=seed)
        y_audited = np.full(2000, np.nan)
        y_audited[plan.rows] = truth[plan.rows]
        found = estimate_from_audit(scores, labels, y_audited).wrong_share
        held.append(found.low <= share <= found.high)
    assert np.mean(held) > 0.88


def test_unequal_probabilities_are_corrected():
    """Rows that are checked more often count less, and the interval gets wider."""
    found = np.arange(100) < 50
    equal = share_of_all(np.arange(100) < 25, np.ones(100), 0.0)
    weights = np.where(found, 1.0, 3.0)
    weighted = share_of_all(found, weights, 0.0)
    assert weighted.value == pytest.approx(0.25)
    assert weighted.high - weighted.low > equal.high - equal.low
    scores, labels = np.full((100, 3), 1 / 3), np.zeros(100, dtype=int)
    labels[:2] = 1, 2
    truth = np.where(found, (labels + 1) % 3, labels)
    sample = estimate_from_audit(scores, labels, truth.astype(float), 1.0 / weights)
    assert sample.wrong_share.value == pytest.approx(0.25)


@pytest.mark.parametrize("hits", [0, 20])
def test_no_wrong_label_among_few_is_not_none_at_all(hits):
    """The interval begins at what was seen, and does not end there."""
    found = share_of_all(np.arange(20) < hits, np.ones(20), 0.01)
    assert found.value in (found.low, found.high)
    assert 0.05 < found.high - found.low < 0.2


def test_nothing_checked_and_unknown_classes_are_refused():
    """The latter with their number and the first row."""
    scores, labels = np.full((6, 3), 1 / 3), [0, 1, 2] * 2
    with pytest.raises(InputError, match="No label is checked"):
        estimate_from_audit(scores, labels, [None] * 6)
    expected = r"y_audited: 2 of 6 values are not among the classes .* the first in row 1 \('x'\)"
    with pytest.raises(InputError, match=expected):
        estimate_from_audit(scores, labels, [0, "x", None, None, 1, "y"])


def test_few_wrong_labels_of_several_classes_are_not_told_as_none():
    """One wrong label in 1,000 is 0.1%, and its interval begins above 0%."""
    labels = np.repeat(NAMES, 250)
    truth = labels.copy()
    truth[0] = "bee"
    found = estimate_from_audit(np.full((1000, 4), 0.25), labels, checked(truth, slice(None)))
    assert "Between 0.1% and 0.1% of all labels are wrong" in found.sentence
