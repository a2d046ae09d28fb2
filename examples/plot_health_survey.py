"""
Health survey: self-reported labels
===================================

Who has high blood sugar? A national health survey (2017-2018, from the package ``nhanes``) asked
adults whether a doctor had ever diagnosed diabetes or prediabetes. A laboratory then measured their
blood sugar. The answers are the labels that are usually available. The measurement is the truth:
nearly half of the people with high blood sugar had no diagnosis.

This noise is real. It depends on age, income and visits to a doctor, so flip rates are not
constant. No method that sees only the answers can correct it. Sixty blood tests can.
"""

# %%
# A model of the answers
# ----------------------

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

import lwcal
from lwcal_study.real.tasks import load_real_task

X, measured, told = load_real_task("nhanes_dysglycemia")
print(f"{len(told):,} adults: {told.mean():.0%} diagnosed, {measured.mean():.0%} measured")
print(f"not diagnosed among those measured: {1 - told[measured == 1].mean():.0%}")
train, rest = train_test_split(np.arange(len(told)), test_size=0.5, random_state=0, stratify=told)
calibration, test = train_test_split(rest, test_size=0.5, random_state=0, stratify=told[rest])
forest = RandomForestClassifier(100, min_samples_leaf=5, random_state=0)
scores = forest.fit(X[train], told[train]).predict_proba(X)[:, 1]

# %%
# What the labels show
# --------------------
# Clear cases are rare, so missed diagnoses look like cases that are hard to predict. The labels
# alone do not identify the noise.

noise = lwcal.estimate_noise(scores[calibration], told[calibration])
print(noise)

# %%
# Sixty blood tests
# -----------------
# :func:`lwcal.plan_audit` picks the people to test. :class:`lwcal.Audited` learns from the results
# how reliable the answers of the other 1,200 are. The interval of r1, the missed share, contains
# the true value.

plan = lwcal.plan_audit(scores[calibration], told[calibration], budget=60)
tested = np.full(len(calibration), np.nan)
tested[plan.rows] = measured[calibration][plan.rows]
audited = lwcal.Audited().fit(scores[calibration], told[calibration], y_audited=tested)
low, high = audited.diagnostics_["r1_low"], audited.diagnostics_["r1_high"]
print(f"missed: {low:.0%} to {high:.0%}")

# %%
# Evaluation with laboratory values
# ---------------------------------
# The test rows are people that no model has seen.

fitted = {
    "raw score": lwcal.Identity(),
    "Platt": lwcal.Platt(),
    "Auto": lwcal.Auto(),
}
for calibrator in fitted.values():
    calibrator.fit(scores[calibration], told[calibration])
fitted["Audited, 60 tests"] = audited
probabilities = {name: c.predict(scores[test]) for name, c in fitted.items()}
for name, p in probabilities.items():
    nll, ece = lwcal.metrics.nll(measured[test], p), lwcal.metrics.ece(measured[test], p)
    print(f"{name:>17}: log loss {nll:.3f}, ECE {ece:.3f}, expected prevalence {p.mean():.0%}")

# %%
import matplotlib.pyplot as plt

figure, ax = plt.subplots(figsize=(5.5, 5.5), layout="constrained")
for name in ("raw score", "Auto", "Audited, 60 tests"):
    p = probabilities[name]
    lwcal.plots.ReliabilityDisplay.from_predictions(measured[test], p, name=name, ax=ax)
ax.set(xlabel="predicted probability of high blood sugar", ylabel="measured share")
plt.show()

# %%
# Without the laboratory
# ----------------------
# In practice, there are no laboratory values of the test rows. :func:`lwcal.audit.evaluate_audited`
# uses the sixty tests only, and gives no advantage to a calibrator that has seen them. A change
# below 0 is an improvement. Sixty tests are enough to correct a map, but hardly enough to prove the
# improvement: more tests give a narrower interval.

judged = lwcal.audit.evaluate_audited(audited, scores[calibration], told[calibration], tested)
change = judged.nll_less_raw
print(f"change in log loss: {change.value:+.3f} ({change.low:+.3f} to {change.high:+.3f})")
