"""
Another base rate
=================

A model of loan defaults was calibrated on old loans, of which a third defaulted. Reviewers labelled
them, and a tenth of the labels is wrong. Now the bank lends more carefully, and defaults are rare.
There are no labels yet: nobody defaults in the first month. Can the calibrator be used?
"""

# %%
# Old loans with labels, new loans without
# ----------------------------------------

import numpy as np
from sklearn.linear_model import LogisticRegression

import lwcal

rng = np.random.default_rng(3)


def loans(n, base_rate):
    """Features of loans, and who defaults."""
    default = rng.random(n) < base_rate
    return rng.normal(size=(n, 4)) + np.outer(default, [1.2, 0.9, 0.6, 0.0]), default


model = LogisticRegression().fit(*loans(5000, 0.33))
X, default = loans(6000, 0.33)
scores = model.predict_proba(X)[:, 1]
labels = default ^ (rng.random(6000) < 0.1)  # a tenth is wrong
calibrator = lwcal.NoiseAware().fit(scores, labels)

X_new, default_new = loans(6000, 0.04)  # nobody knows who defaults
new_scores = model.predict_proba(X_new)[:, 1]
expected = calibrator.predict(new_scores).sum()
print(f"{expected:.0f} defaults expected, {default_new.sum()} will happen")

# %%
# Adapt it to the new scores
# --------------------------
# The new scores are a mixture of those of old loans with either label. Its share, and the share of
# wrong labels, give the base rate.

found = lwcal.shift.adapt(calibrator, new_scores)
print(found.sentence)

# %%
# A calibrator that trusts its labels cannot be adapted: there are fewer defaults among the new
# loans than right labels would allow.

print(lwcal.shift.adapt(lwcal.Platt().fit(scores, labels), new_scores).sentence)

# %%
# Check some old labels
# ---------------------
# The interval is wide, because labels alone hardly tell how many of them are wrong. Somebody checks
# 200 of the old loans. Nothing new has to be labelled.

plan = lwcal.plan_audit(scores, labels, budget=200)
checked = np.full(6000, np.nan)
checked[plan.rows] = default[plan.rows]
audited = lwcal.Audited().fit(scores, labels, y_audited=checked)
surer = lwcal.shift.adapt(audited, new_scores)
print(surer.sentence)

# %%
# When it is refused
# ------------------
# Suppose that the scores moved for another reason: a feature is measured in another way. Then no
# base rate explains them.

X_moved = X_new + np.array([0.0, 0.5, 0.0, 0.0])
print(lwcal.shift.adapt(calibrator, model.predict_proba(X_moved)[:, 1]).sentence)

# %%
# A year later
# ------------
# Now it is known who defaulted:

import matplotlib.pyplot as plt

fitted = {
    "not adapted": calibrator,
    "adapted": found.calibrator,
    "labels checked, adapted": surer.calibrator,
}
figure, axis = plt.subplots(figsize=(5, 4.4), layout="constrained")
for name, one in fitted.items():
    p = one.predict(new_scores)
    loss = lwcal.metrics.nll(default_new, p)
    print(f"{name:>23}: {p.sum():.0f} of {default_new.sum()} defaults, log loss {loss:.3f}")
    lwcal.plots.ReliabilityDisplay.from_predictions(default_new, p, n_bins=15, name=name, ax=axis)
axis.set_title("new loans, judged by what happened")
plt.show()
