"""Fictional card disputes, labelled in a hurry, so that many labels are wrong; and their scores."""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from lwcal.arrays import FloatArray, LabelArray
from lwcal.cli.progress import late_progress
from lwcal.noise import flip_labels

ROWS = 12_000
TRAIN, CALIBRATION, TEST = slice(0, 6_000), slice(6_000, 9_000), slice(9_000, ROWS)
BRANCH = slice(9_000, 9_600)
"""Disputes of one branch: too few to estimate the noise from their labels alone."""

COLUMNS = (
    "amount",
    "hour",
    "account_age_days",
    "distance_km",
    "new_device",
    "merchant_risk",
    "payments_last_hour",
    "earlier_disputes",
)
FRAUD = (
    "Cardholder reported the card stolen the day before.",
    "Delivered to an address that the cardholder does not know.",
    "Cardholder was in hospital at the time; the hospital confirmed it.",
    "The merchant's terminal was manipulated; the police confirmed it.",
)
HONEST = (
    "Cardholder recognised the payment after a call.",
    "A family member made the payment and confirmed it.",
    "The receipt has the cardholder's signature.",
    "A subscription that the cardholder had forgotten about.",
)
MISSED_FRAUD = 0.25
FALSE_ALARM = 0.10


class Disputes(NamedTuple):
    """Features, true labels, and the labels of the first reviewer."""

    features: FloatArray
    y_true: LabelArray
    y_noisy: LabelArray


class ScoredDisputes(NamedTuple):
    """The disputes with the scores of the model."""

    data: Disputes
    scores: FloatArray


def score_disputes() -> ScoredDisputes:
    """Generate the disputes, train a forest on some of them, and score all."""
    from sklearn.ensemble import RandomForestClassifier  # a slow import

    data = make_disputes(ROWS, random_state=0)
    model = RandomForestClassifier(160, min_samples_leaf=2, random_state=0, n_jobs=-1)
    with late_progress("training"):
        model.fit(data.features[TRAIN], data.y_noisy[TRAIN])
        model.n_jobs = 1  # threads add the trees in any order, which changes the last digit
        return ScoredDisputes(data, model.predict_proba(data.features)[:, 1])


def make_disputes(n: int, random_state: int) -> Disputes:
    """Draw disputes; a quarter of the frauds and a tenth of the others are labelled wrong."""
    rng = np.random.default_rng(random_state)
    amount = rng.lognormal(4.0, 1.0, n)
    hour = rng.integers(0, 24, n)
    account_age = rng.exponential(900.0, n)
    distance = rng.exponential(30.0, n)
    new_device = rng.random(n) < 0.15
    merchant_risk = rng.beta(2.0, 5.0, n)
    velocity = rng.poisson(1.5, n)
    earlier = rng.poisson(0.3, n)
    logit = (
        1.1 * (np.log(amount) - 4.0)
        + 0.9 * (hour < 6)
        - 0.0012 * (account_age - 900.0)
        + 0.03 * (distance - 30.0)
        + 1.6 * new_device
        + 3.2 * (merchant_risk - 0.3)
        + 0.55 * (velocity - 1.5)
        + 1.1 * earlier
        - 1.0
    )
    y_true = (rng.random(n) < expit(3.0 * logit)).astype(np.uint8)
    features = np.column_stack(
        [amount, hour, account_age, distance, new_device, merchant_risk, velocity, earlier]
    )
    flipped = flip_labels(
        y_true,
        kind="asymmetric",
        positive_rate=MISSED_FRAUD,
        negative_rate=FALSE_ALARM,
        random_state=rng,
    )
    return Disputes(features, y_true, flipped.labels)


def cases(data: Disputes, scores: FloatArray, rows: slice) -> dict[str, Any]:
    """Disputes as a person reads them, with evidence of the truth."""
    amount, hour, age, distance = data.features[rows, :4].T
    return {
        "case": [f"D-{number:04d}" for number in range(1, len(amount) + 1)],
        "amount": amount.round(2),
        "hour": hour.astype(int),
        "account_age_days": age.astype(int),
        "distance_km": distance.round(1),
        "evidence": evidence(data.y_true[rows], random_state=0),
        "score": scores[rows].round(4),
        "label": data.y_noisy[rows],
    }


def evidence(y_true: LabelArray, random_state: int) -> list[str]:
    """Evidence that a careful reviewer finds: enough to recognise every fraud.

    >>> evidence(np.array([0], dtype=np.uint8), random_state=0)[0] in HONEST
    True
    """
    drawn = np.random.default_rng(random_state).integers(0, len(FRAUD), len(y_true)).tolist()
    return [(FRAUD if y else HONEST)[k] for y, k in zip(y_true.tolist(), drawn, strict=True)]
