"""
Health survey: labels that people give of themselves
====================================================

Who has high blood sugar? In a national health survey (2017-2018, from the package ``nhanes``)
adults were asked whether a doctor ever told them of diabetes or its beginnings. A laboratory then
measured it. The answers are the labels that one usually has; the measurement is the truth, and
nearly half of those with high blood sugar had never been told.

This noise was not made for an example. It depends on age, income and who sees a doctor, so the
assumption of constant flip rates does not hold, and no method that sees only the answers can repair
it. Sixty blood tests can.
"""

# %%
# A model of what people say
# --------------------------

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

import lwcal
from lwcal_study.real.tasks import load_real_task

X, measured, told = load_real_task("nhanes_dysglycemia")
print(f"{len(told):,} adults: {told.mean():.0%} were told, {measured.mean():.0%} have it")
print(f"missed among those who have it: {1 - told[measured == 1].mean():.0%}")
train, rest = train_test_split(np.arange(len(told)), test_size=0.5, random_state=0, stratify=told)
calibration, test = train_test_split(rest, test_size=0.5, random_state=0, stratify=told[rest])
forest = RandomForestClassifier(100, min_samples_leaf=5, random_state=0)
scores = forest.fit(X[train], told[train]).predict_proba(X)[:, 1]

# %%
# What the labels say of themselves
# ---------------------------------
# Too little: certain cases are rare, so what was missed cannot be told from what is hard to
# predict.

noise = lwcal.estimate_noise(scores[calibration], told[calibration])
print(noise)

# %%
# Sixty blood tests
# -----------------
# :func:`lwcal.plan_audit` picks whom to test, :class:`lwcal.Audited` learns from the results what
# the answers of the other 1,200 are worth. The interval of r1, the share that was missed, holds the
# true one.

plan = lwcal.plan_audit(scores[calibration], told[calibration], budget=60)
tested = np.full(len(calibration), np.nan)
tested[plan.rows] = measured[calibration][plan.rows]
audited = lwcal.Audited().fit(scores[calibration], told[calibration], y_audited=tested)
low, high = audited.diagnostics_["r1_low"], audited.diagnostics_["r1_high"]
print(f"missed: {low:.0%} to {high:.0%}")

# %%
# Judged by the laboratory
# ------------------------
# On people that no model has seen.

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
    print(f"{name:>17}: NLL {nll:.3f}, ECE {ece:.3f}, expected prevalence {p.mean():.0%}")

# %%
import matplotlib.pyplot as plt

figure, ax = plt.subplots(figsize=(5.5, 5.5), layout="constrained")
for name in ("raw score", "Auto", "Audited, 60 tests"):
    p = probabilities[name]
    lwcal.plots.ReliabilityDisplay.from_predictions(measured[test], p, name=name, ax=ax)
ax.set(xlabel="predicted probability of high blood sugar", ylabel="share by the laboratory")
plt.show()

# %%
# Without the laboratory
# ----------------------
# In practice nobody has measured the test rows. :func:`lwcal.audit.evaluate_audited` judges by the
# sixty tests alone, without rewarding a calibrator for having seen them; below 0 it helps. Sixty
# tests correct a map, but hardly prove that they did: for a narrower interval, test more.

judged = lwcal.audit.evaluate_audited(audited, scores[calibration], told[calibration], tested)
change = judged.nll_less_raw
print(f"change of the NLL: {change.value:+.3f} ({change.low:+.3f} to {change.high:+.3f})")
