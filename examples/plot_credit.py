"""
Credit: provisions from labels that miss defaults
=================================================

A bank wants to know which share of a portfolio will default. Its labels come from a ledger. Three
defaults in ten were settled quietly and never booked, and one good loan in twenty was booked as a
default by mistake. The task is hard: no applicant is certain to default. In such a case, labels
alone do not show how noisy they are. It pays to state what is known.

The data are 1,000 applications from the *German credit* table of the package ``dmba``. The noise is
injected, so the truth is known here.
"""

# %%
# Scores and labels
# -----------------
# The forest is trained on the noisy labels too. With five-fold cross-validation, each row gets a
# score from a forest that did not see it.

from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_predict

import lwcal
from lwcal_study.real.tasks import load_real_task

X, y, _ = load_real_task("dmba_german_credit")
y_noisy = lwcal.noise.flip_labels(
    y, kind="asymmetric", negative_rate=0.05, positive_rate=0.3, random_state=0
).labels
forest = RandomForestClassifier(200, min_samples_leaf=5, random_state=0)
scores = cross_val_predict(forest, X, y_noisy, cv=5, method="predict_proba")[:, 1]
print(f"true defaults {y.mean():.1%}, booked defaults {y_noisy.mean():.1%}")

# %%
# What the labels show
# --------------------
# Hardly any row is certain, so wrong labels look like a task that is hard to predict.
# :func:`lwcal.diagnose` reports this instead of guessing:

print(lwcal.diagnose(scores, y_noisy))

# %%
# Use known flip rates
# --------------------
# The recovery department has reviewed old files and knows both flip rates. With them,
# :class:`lwcal.NoiseAware` can correct the scores. (With only fifty reviewed files, pass the rates
# as ``prior_rates`` with ``prior_strength=50``.) :class:`lwcal.LWCal` is included as a warning: it
# treats every label that contradicts the model as an error. On a hard task, most of these labels
# are right.

calibrators = {
    "raw score": lwcal.Identity(),
    "Platt": lwcal.Platt(),
    "LWCal": lwcal.LWCal(),
    "Auto": lwcal.Auto(),
    "NoiseAware, rates known": lwcal.NoiseAware(noise_rates=(0.05, 0.3)),
}
probabilities = {
    name: calibrator.fit(scores, y_noisy).predict(scores)
    for name, calibrator in calibrators.items()
}
for name, p in probabilities.items():
    nll, ece = lwcal.metrics.nll(y, p), lwcal.metrics.ece(y, p)
    print(f"{name:>24}: log loss {nll:.3f}, ECE {ece:.3f}, expected defaults {p.mean():.1%}")

# %%
# The portfolio
# -------------
# The bank sets provisions by grade; here, a grade is a fifth of the scores. With the ledger's
# labels, provisions are too low in the grades that matter most.

import matplotlib.pyplot as plt
import numpy as np

grade = np.searchsorted(np.quantile(scores, [0.2, 0.4, 0.6, 0.8]), scores)
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.bar(range(5), [y[grade == g].mean() for g in range(5)], color="0.85", label="true defaults")
for name, marker in (("raw score", "D"), ("LWCal", "^"), ("NoiseAware, rates known", "o")):
    expected = [probabilities[name][grade == g].mean() for g in range(5)]
    ax.plot(range(5), expected, marker, ms=9, label=name)
ax.set(xticks=range(5), xticklabels=list("ABCDE"), xlabel="grade", ylabel="share of defaults")
ax.legend(frameon=False)
plt.show()
