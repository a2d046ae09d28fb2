"""
Fraud: positives that nobody noticed
====================================

A payment is labelled a fraud when somebody complains. Four frauds in ten are never noticed, so they
are labelled honest; hardly ever is an honest payment labelled a fraud. A model that is trained and
calibrated on such labels promises too little, and a review team that plans by its probabilities is
too small.
"""

# %%
# Payments, made up
# -----------------

import numpy as np
from scipy.special import expit
from sklearn.ensemble import HistGradientBoostingClassifier

import lwcal

rng = np.random.default_rng(1)
n = 40_000
X = rng.normal(size=(n, 6))
signal = 2.2 * X[:, 0] + 1.8 * X[:, 1] * (X[:, 2] > 0) + 1.2 * X[:, 3] - 0.8 * X[:, 4] ** 2
fraud = (rng.random(n) < expit(2 * (signal - 4.0))).astype(int)
noticed = lwcal.noise.flip_labels(
    fraud, kind="asymmetric", negative_rate=0.0, positive_rate=0.4, random_state=rng
).labels
train, calibration, test = slice(0, 20_000), slice(20_000, 30_000), slice(30_000, n)
model = HistGradientBoostingClassifier(max_iter=50, random_state=0)
scores = model.fit(X[train], noticed[train]).predict_proba(X)[:, 1]
print(f"frauds {fraud.mean():.1%}, noticed {noticed.mean():.1%}")

# %%
# How many are missed?
# --------------------
# Some payments look so much like frauds that an honest label must be wrong. The interval of the
# missed share holds the 40%. But such payments are few, so the estimate is not called certain, and
# the verdict is careful:

diagnosis = lwcal.diagnose(scores[calibration], noticed[calibration])
print(diagnosis.noise)
print(diagnosis.recommendation.sentence)

# %%
# Say what is known
# -----------------
# :class:`lwcal.Auto` holds back in case every label is right. Here nobody believes that: some
# frauds are never noticed. :class:`lwcal.NoiseAware` with ``prior_clean=0`` says so, and leaves it
# to the labels how many.

fitted = {
    "raw score": lwcal.Identity(),
    "isotonic": lwcal.Isotonic(),
    "Auto": lwcal.Auto(),
    "NoiseAware": lwcal.NoiseAware(prior_clean=0.0),
}
probabilities = {
    name: calibrator.fit(scores[calibration], noticed[calibration]).predict(scores[test])
    for name, calibrator in fitted.items()
}
for name, p in probabilities.items():
    print(f"{name:>10}: NLL {lwcal.metrics.nll(fraud[test], p):.4f}, {p.sum():.0f} frauds expected")
print(f"there are {fraud[test].sum()}")

# %%
# What it means for the team
# --------------------------
# Losses and the size of the team are planned by the number of frauds that are expected.

import matplotlib.pyplot as plt

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
for name, p in probabilities.items():
    lwcal.plots.ReliabilityDisplay.from_predictions(fraud[test], p, n_bins=25, name=name, ax=left)
left.set_title("by true labels")
expected = [p.sum() for p in probabilities.values()]
right.barh(list(probabilities), expected, color=["#0072b2", "#d55e00", "#009e73", "#cc79a7"])
right.axvline(fraud[test].sum(), color="0.2", ls="--", label="there are")
right.axvline(noticed[test].sum(), color="0.6", ls=":", label="will be noticed")
right.set(xlabel="frauds expected among 10,000 payments", xlim=(0, 700))
right.legend(loc="upper right")
right.invert_yaxis()
plt.show()
