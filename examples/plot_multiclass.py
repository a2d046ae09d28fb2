"""
Several classes
===============

A model of ten classes is already fitted, and one label in five is wrong. The example asks which
labels are wrong, gets a verdict, and calibrates all classes together. It uses handwritten digits.
"""

# %%
# A fitted model, and labels of which some are wrong
# --------------------------------------------------
# Every fifth label is another digit: a 3 is often taken for an 8, and a 1 for a 7. The others go
# anywhere. The model was trained on such labels too.

import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import train_test_split

import lwcal

X, y = load_digits(return_X_y=True)
rng = np.random.default_rng(0)
goal = (y + rng.integers(1, 10, len(y))) % 10
goal = np.where(y == 3, 8, np.where(y == 1, 7, goal))
y_noisy = np.where(rng.random(len(y)) < 0.2, goal, y)
train, rest = train_test_split(np.arange(len(y)), test_size=0.6, stratify=y, random_state=0)
held_out, test = train_test_split(rest, test_size=0.5, stratify=y[rest], random_state=0)
model = ExtraTreesClassifier(200, min_samples_leaf=2, random_state=0).fit(X[train], y_noisy[train])
scores, labels = model.predict_proba(X[held_out]), y_noisy[held_out]

# %%
# Which labels are wrong?
# -----------------------
# Wrong labels go to classes that the model excludes. So the matrix of labels by true class can be
# estimated, with intervals. Pairs of classes where wrong labels pile up are named.

noise = lwcal.estimate_noise(scores, labels)
print(noise)
print(f"truly wrong: {np.mean(labels != y[held_out]):.0%}")

# %%
# The verdict
# -----------
# It reads the labels in two ways: if every label is right, and if the noise estimate holds.

diagnosis = lwcal.diagnose(scores, labels)
print(diagnosis.recommendation.sentence)

# %%
# Calibrate all classes together
# ------------------------------
# One calibrator takes the probabilities of all classes. The test labels are right.

shown = {"raw": model.predict_proba(X[test])}
for name, calibrator in {
    "trusting the labels": lwcal.MatrixScaling(),
    "Auto": lwcal.Auto(),
    "NoiseAware": lwcal.NoiseAware(),
}.items():
    calibrated = lwcal.CalibratedClassifier(FrozenEstimator(model), calibrator, ensemble=False)
    shown[name] = calibrated.fit(X[held_out], labels).predict_proba(X[test])
for name, p in shown.items():
    found = lwcal.metrics.class_evaluate(y[test], p)
    print(f"{name:>20}: log loss {found['nll']:.3f}, ECE {found['top_label_ece']:.3f}")

# %%
# Confidence and accuracy
# -----------------------
# With 20% wrong labels, a model is underconfident, and so is a calibrator that trusts them: by
# the noisy labels, no prediction is right more than about 80% of the time.

import matplotlib.pyplot as plt

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.8), layout="constrained")
left.plot([0, 1], [0, 1], "--", color="0.6")
for (name, p), marker in zip(shown.items(), "Dsov", strict=True):
    table = lwcal.metrics.top_label(y[test], p)
    curve = lwcal.metrics.reliability_curve(table, n_bins=6, strategy="quantile")
    left.plot(curve.predicted, curve.observed, marker=marker, label=name)
left.set(
    xlabel="highest probability",
    ylabel="share of correct predictions",
    xlim=(0.2, 1.02),
    ylim=(0.2, 1.02),
)
left.legend(frameon=False)
right.imshow(noise.matrix, vmin=0.0, vmax=0.3, cmap="Blues")
right.set(title="estimated noise", xlabel="label", ylabel="true digit")
right.set(xticks=range(10), yticks=range(10))
plt.show()
