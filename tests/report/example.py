"""Example rows for a report: disputes with ids, noisy labels, and some trusted labels."""

from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np
from scipy.special import expit

import lwcal

CREATED = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
HOSTILE = "</script><script>alert(1)</script>&\"'\u2028<b>"


class Example(NamedTuple):
    """Columns, and a calibrator fitted to them."""

    calibrator: lwcal.Auto
    scores: np.ndarray
    labels: np.ndarray
    ids: np.ndarray
    trusted: np.ndarray
    truth: np.ndarray


def make_example(n=3000):
    """Make rows: 10% of negatives and 20% of positives have wrong labels; 20% are checked."""
    rng = np.random.default_rng(4)
    logit = rng.normal(-0.3, 3.0, n)
    truth = rng.random(n) < expit(logit)
    flipped = rng.random(n) < np.where(truth, 0.2, 0.1)
    labels = np.where(flipped, ~truth, truth).astype(int)
    scores = expit(0.5 * logit + rng.normal(0.0, 0.2, n))  # a model that is too timid
    ids = np.array([f"case-{number:05d}" for number in range(n)])
    trusted = np.where(rng.random(n) < 0.2, truth.astype(float), np.nan)
    return Example(lwcal.Auto().fit(scores, labels), scores, labels, ids, trusted, truth)


def write_example(path, title="Card disputes: calibration report", *, audited=True):
    """Write the page of the example, after an audit or before it."""
    calibrator, scores, labels, ids, trusted, _ = make_example()
    return lwcal.report.write_report(
        calibrator,
        scores,
        labels,
        path=path,
        title=title,
        identities=ids,
        identity_name="case",
        trusted=trusted if audited else None,
        created=CREATED,
    )
