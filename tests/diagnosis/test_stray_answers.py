"""Answers that belong to other rows, or to another question, deploy nothing."""

import numpy as np
import pytest
from scipy.special import expit

from lwcal import diagnose, plan_audit
from lwcal.diagnosis.unusable_rows import ASTRAY

KINDS = {
    "inverted": lambda truth, labels, rng: 1 - truth,
    "the same in every row": lambda truth, labels, rng: 0 * truth,
    "is the label right?": lambda truth, labels, rng: (truth == labels).astype(int),
    "of other rows": lambda truth, labels, rng: rng.permutation(truth),
}


def audited_rows(seed, n=2000, checks=60, middle=0.0):
    """Scores, labels of which 10 and 20% are wrong, and which rows are checked; the truth."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=n) * 1.8 + middle
    truth = (rng.random(n) < expit(z)).astype(int)
    labels = np.where(truth == 1, rng.random(n) >= 0.2, rng.random(n) < 0.1).astype(int)
    scores = expit(1.5 * z)
    return scores, labels, truth, plan_audit(scores, labels, budget=checks, random_state=seed).rows


def recommended(scores, labels, rows, answers):
    """What is recommended after these answers."""
    y_audited = np.full(len(labels), np.nan)
    y_audited[rows] = answers
    return diagnose(scores, labels, y_audited=y_audited, methods=[]).recommendation


@pytest.mark.parametrize("kind", KINDS)
def test_stray_answers_are_noticed(kind):
    """In two of three draws at least; and inverted or equal ones always."""
    noticed = 0
    for seed in range(3):
        scores, labels, truth, rows = audited_rows(seed)
        answers = KINDS[kind](truth[rows], labels[rows], np.random.default_rng(seed))
        found = recommended(scores, labels, rows, answers)
        noticed += found.reason == ASTRAY and found.action == "audit"
    assert noticed >= (3 if kind in ("inverted", "the same in every row") else 2)


def test_honest_answers_are_not():
    """Whatever the noise is: it makes labels disagree, and scores rank the truth better."""
    for seed in range(4):
        scores, labels, truth, rows = audited_rows(seed)
        noisy = np.where(np.random.default_rng(seed).random(len(labels)) < 0.3, 1 - labels, labels)
        for told, some in ((labels, rows), (noisy, rows), (labels, rows[:12])):
            assert recommended(scores, told, some, truth[some]).reason != ASTRAY
        scores, labels, truth, rows = audited_rows(seed, middle=-4.0)  # 4% are positive
        assert recommended(scores, labels, rows, truth[rows]).reason != ASTRAY


def test_stray_answers_of_several_classes_are_noticed():
    """By the most probable class, which labels share more often than such answers."""
    rng = np.random.default_rng(0)
    scores = rng.dirichlet(np.full(4, 0.3), 1500)
    truth = (scores.cumsum(axis=1) > rng.random((1500, 1))).argmax(axis=1)
    labels = np.where(rng.random(1500) < 0.2, rng.integers(0, 4, 1500), truth)
    rows = np.arange(80)
    assert recommended(scores, labels, rows, truth[rows]).reason != ASTRAY
    for answers in ((truth[rows] + 1) % 4, 0 * truth[rows], rng.permutation(truth[rows])):
        found = recommended(scores, labels, rows, answers)
        assert (found.action, found.reason) == ("audit", ASTRAY)
