"""
Credit: provisions from labels that miss defaults
=================================================

A bank wants to know how much of a portfolio will default. Its labels come from a ledger in which
three defaults in ten were settled quietly and never booked as such, and one good loan in twenty was
booked wrongly. The task is hard: no applicant is a certain default. So this is a case in which
labels alone cannot tell how noisy they are, and in which it pays to say what is known.

The data are 1,000 applications of the *German credit* table (from the package ``dmba``); the noise
is injected, so that the truth is known here.
"""

# %%
# Scores and labels
# -----------------
# The forest is trained on noisy labels as well, five times on four fifths of the rows, and scores
# the last fifth.

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
# What the labels say of themselves
# ---------------------------------
# Hardly any row is certain, so wrong labels and an unpredictable task look the same.
# :func:`lwcal.diagnose` says so, instead of guessing:

print(lwcal.diagnose(scores, y_noisy))

# %%
# Say what is known
# -----------------
# The recovery department has reviewed old files and knows both rates. With them,
# :class:`lwcal.NoiseAware` can correct. (If only fifty files were reviewed, pass them as
# ``prior_rates`` with ``prior_strength=50``.) :class:`lwcal.LWCal` is here as a warning: it takes
# every label that the model did not expect for a mistake, and on a hard task most of these are
# right.

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
    print(f"{name:>24}: NLL {nll:.3f}, ECE {ece:.3f}, expected defaults {p.mean():.1%}")

# %%
# The portfolio
# -------------
# Provisions are set for grades, here fifths of the score. Who believes the ledger provides for too
# little in the grades that matter most.

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
