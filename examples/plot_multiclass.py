"""
Several classes
===============

:class:`lwcal.CalibratedClassifier` gives every class a calibrator of its own (that class against
the rest), and divides each row by its sum. Here are handwritten digits of which one label in five
is replaced by another digit at random.
"""

# %%
# Digits with wrong labels
# ------------------------

import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

import lwcal

X, y = load_digits(return_X_y=True)
rng = np.random.default_rng(0)
wrong = rng.random(len(y)) < 0.2
y_noisy = np.where(wrong, (y + rng.integers(1, 10, len(y))) % 10, y)
X_train, X_test, noisy_train, _, _, y_test = train_test_split(X, y_noisy, y, random_state=0)

# %%
# Calibrated on the folds that each model did not see
# ---------------------------------------------------

trees = ExtraTreesClassifier(100, min_samples_leaf=2, random_state=0)
raw = trees.fit(X_train, noisy_train).predict_proba(X_test)
calibrated = {
    name: lwcal.CalibratedClassifier(trees, calibrator, cv=5, ensemble=False)
    .fit(X_train, noisy_train)
    .predict_proba(X_test)
    for name, calibrator in {"isotonic": lwcal.Isotonic(), "Auto": lwcal.Auto()}.items()
}
shown = {"raw": raw, **calibrated}
for name, p in shown.items():
    accuracy = np.mean(p.argmax(axis=1) == y_test)
    print(f"{name:>9}: NLL {log_loss(y_test, p):.3f}, accuracy {accuracy:.1%}")

# %%
# How sure is it, and how sure may it be?
# ---------------------------------------
# The highest probability of each row, against how often that class is the true one. Labels of which
# a fifth is wrong teach a model, and a calibrator that believes them, to be modest: they never let
# it be more than 80% sure.

import matplotlib.pyplot as plt

figure, ax = plt.subplots(figsize=(5.5, 5.5), layout="constrained")
ax.plot([0, 1], [0, 1], "--", color="0.6")
for (name, p), marker in zip(shown.items(), "Dso", strict=True):
    right = p.argmax(axis=1) == y_test
    curve = lwcal.metrics.reliability_curve(right, p.max(axis=1), n_bins=6, strategy="quantile")
    ax.plot(curve.predicted, curve.observed, marker=marker, label=name)
ax.set(
    xlabel="highest probability", ylabel="share that is right", xlim=(0.2, 1.02), ylim=(0.2, 1.02)
)
ax.legend(frameon=False)
plt.show()
