"""
Fraud: missed positives
=======================

A payment is labelled as fraud if a customer complains. Four frauds in ten go unnoticed and are
labelled as honest. Honest payments are never labelled as fraud. A model that is trained and
calibrated on such labels underestimates fraud. A review team that plans with its probabilities is
too small.
"""

# %%
# Fictional payments
# ------------------

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
# How many frauds are missed?
# ---------------------------
# The labels do not show it. A model that is a little misshapen would make right labels look like
# these, and explains them better. So no share is reported, and the raw score is kept. This is no
# proof that the labels are right, and the sentence says so:

diagnosis = lwcal.diagnose(scores[calibration], noticed[calibration])
print(diagnosis.noise)
print(diagnosis.recommendation.sentence)

# %%
# Use what is known
# -----------------
# :class:`lwcal.Auto` corrects nothing, because every label could be right. Here that is impossible:
# some frauds certainly go unnoticed. :class:`lwcal.NoiseAware` with ``prior_clean=0`` excludes
# clean labels, and estimates from the labels how many frauds are missed.

fitted = {
    "raw score": lwcal.Identity(),
    "isotonic": lwcal.Isotonic(),
    "Auto": lwcal.Auto(),
    "NoiseAware": lwcal.NoiseAware(prior_clean=0.0),
}
for calibrator in fitted.values():
    calibrator.fit(scores[calibration], noticed[calibration])

# %%
# Or check some payments
# ----------------------
# :func:`lwcal.plan_audit` picks 150 payments, and somebody finds out the truth. With these labels,
# the recommendation is a different one:

plan = lwcal.plan_audit(scores[calibration], noticed[calibration], budget=150)
checked = np.full(10_000, np.nan)
checked[plan.rows] = fraud[calibration][plan.rows]
print(lwcal.diagnose(scores[calibration], noticed[calibration], y_audited=checked))
fitted["Audited"] = lwcal.Audited().fit(
    scores[calibration], noticed[calibration], y_audited=checked
)

# %%
# Judged by the truth
# -------------------

probabilities = {name: calibrator.predict(scores[test]) for name, calibrator in fitted.items()}
for name, p in probabilities.items():
    nll = lwcal.metrics.nll(fraud[test], p)
    print(f"{name:>10}: log loss {nll:.4f}, {p.sum():.0f} frauds expected")
print(f"true number of frauds: {fraud[test].sum()}")

# %%
# Consequences for the team
# -------------------------
# The expected number of frauds determines the size of the team and the expected losses.

import matplotlib.pyplot as plt

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
for name, p in probabilities.items():
    lwcal.plots.ReliabilityDisplay.from_predictions(fraud[test], p, n_bins=25, name=name, ax=left)
left.set_title("true labels")
expected = [p.sum() for p in probabilities.values()]
right.barh(
    list(probabilities), expected, color=["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00"]
)
right.axvline(fraud[test].sum(), color="0.2", ls="--", label="true frauds")
right.axvline(noticed[test].sum(), color="0.6", ls=":", label="noticed frauds")
right.set(xlabel="frauds expected among 10,000 payments", xlim=(0, 700))
right.legend(loc="upper right")
right.invert_yaxis()
plt.show()
