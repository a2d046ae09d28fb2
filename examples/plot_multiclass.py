"""
Several classes
===============

:class:`lwcal.CalibratedClassifier` fits one calibrator per class (that class against the rest), and
divides the probabilities of each row by their sum. The example uses handwritten digits. One label
in five is replaced by another digit at random.
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
# Calibrate on folds that the models did not see
# ----------------------------------------------

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
    print(f"{name:>9}: log loss {log_loss(y_test, p):.3f}, accuracy {accuracy:.1%}")

# %%
# Confidence and accuracy
# -----------------------
# The figure compares the highest probability of each row with the share of rows where that class is
# the true one. With 20% wrong labels, a model is underconfident, and so is a calibrator that trusts
# the labels: by the noisy labels, no prediction is right more than about 80% of the time.

import matplotlib.pyplot as plt

figure, ax = plt.subplots(figsize=(5.5, 5.5), layout="constrained")
ax.plot([0, 1], [0, 1], "--", color="0.6")
for (name, p), marker in zip(shown.items(), "Dso", strict=True):
    right = p.argmax(axis=1) == y_test
    curve = lwcal.metrics.reliability_curve(right, p.max(axis=1), n_bins=6, strategy="quantile")
    ax.plot(curve.predicted, curve.observed, marker=marker, label=name)
ax.set(
    xlabel="highest probability",
    ylabel="share of correct predictions",
    xlim=(0.2, 1.02),
    ylim=(0.2, 1.02),
)
ax.legend(frameon=False)
plt.show()
