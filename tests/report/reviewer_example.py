"""Example rows with opinions: disputes that four people label, and animals that nine label."""

from typing import NamedTuple

import numpy as np

import lwcal
from tests.report.example import CREATED
from tests.reviews.simulated import drawn

REVIEWERS = ("Ann", "Bob", "Cid", "Dora")
RATES = (0.08, 0.12, 0.12, 0.35)
ANIMALS = ("cat", "dog", "fox", "wolf")
TEAM = tuple(f"{name}@zoo.example" for name in "abcdefghi")


class ReviewedExample(NamedTuple):
    """Rows with one label each, and a calibrator that knows all opinions."""

    calibrator: lwcal.Reviewed
    scores: np.ndarray
    labels: np.ndarray


def make_disputes(reviewers=REVIEWERS, names=("fine", "fraud"), n=800):
    """Two opinions a row. Dora is wrong more often than the others."""
    rng = np.random.default_rng(5)
    scores = rng.beta(0.4, 0.4, n)
    truth = rng.random(n) < scores
    wrong = rng.random((n, 4)) < np.array(RATES)
    opinions = np.array(names, dtype=object)[(truth[:, None] ^ wrong).astype(int)]
    opinions[rng.random((n, 4)).argsort(axis=1) >= 2] = None
    return _fitted(lwcal.Reviewed(pos_label=names[1]), scores, opinions, reviewers)


def make_animals(n=1800):
    """Three opinions a row. The first reviewer takes many foxes for wolves."""
    rng = np.random.default_rng(1)
    scores = rng.dirichlet([0.3] * 4, n)
    truth = drawn(rng, scores)
    matrices = np.full((9, 4, 4), 0.1 / 3.0)
    matrices[:, np.arange(4), np.arange(4)] = 0.9
    matrices[0, 2] = [0.02, 0.02, 0.5, 0.46]
    said = np.stack([drawn(rng, matrices[who, truth]) for who in range(9)], axis=1)
    opinions = np.array(ANIMALS, dtype=object)[said]
    opinions[rng.random((n, 9)).argsort(axis=1) >= 3] = None
    return _fitted(lwcal.Reviewed(), scores, opinions, TEAM, classes=ANIMALS)


def _fitted(calibrator, scores, opinions, reviewers, **options):
    calibrator.fit(scores, opinions, reviewers=list(reviewers), **options)
    first = [next(label for label in row if label is not None) for row in opinions]
    return ReviewedExample(calibrator, scores, np.array(first))


def write_reviewed(example, path, **options):
    """Write the page from the saved calibrator and rows with one label."""
    file = path.with_suffix(".json")
    lwcal.save(example.calibrator, file)
    options |= {"path": path, "created": CREATED}
    return lwcal.report.write_report(lwcal.load(file), example.scores, example.labels, **options)
