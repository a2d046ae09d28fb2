"""
The booster you already have
============================

A team has trained its model with the native interface of LightGBM or XGBoost, not with that of
scikit-learn. :class:`lwcal.CalibratedClassifier` takes such a booster as it is, and calibrates its
raw margins.
"""

# %%
# Two boosters, trained on noisy labels
# -------------------------------------
# Fictional claims. One label in six is wrong. Both boosters have learned to be too sure.

import lightgbm
import numpy as np
import xgboost

import lwcal

rng = np.random.default_rng(0)
X = rng.normal(size=(9000, 5))
logit = 1.6 * X[:, 0] - X[:, 1] + X[:, 2] * X[:, 3]
y = (rng.random(len(X)) < 1 / (1 + np.exp(-1.5 * logit))).astype(int)
noisy = lwcal.noise.flip_labels(y, rate=1 / 6, random_state=rng).labels
train, held_out, test = np.split(np.arange(len(X)), [3000, 6000])

trees = lightgbm.train(
    {"objective": "binary", "learning_rate": 0.1, "num_threads": 1, "verbose": -1},
    lightgbm.Dataset(X[train], noisy[train]),
    num_boost_round=150,
)
others = xgboost.train(
    {"objective": "binary:logistic", "eta": 0.1, "nthread": 1},
    xgboost.DMatrix(X[train], noisy[train]),
    num_boost_round=150,
)

# %%
# Calibrate them as they are
# --------------------------
# A ``FrozenEstimator`` says that the model is not fitted again. The rows are others than those it
# was trained on; their labels are just as noisy.

from sklearn.frozen import FrozenEstimator

calibrated = {
    name: lwcal.CalibratedClassifier(FrozenEstimator(booster)).fit(X[held_out], noisy[held_out])
    for name, booster in {"LightGBM": trees, "XGBoost": others}.items()
}
raw = {
    "LightGBM": trees.predict(X[test]),
    "XGBoost": others.predict(xgboost.DMatrix(X[test])),
}

# %%
# Against the true labels, which only a made-up example has:

import matplotlib.pyplot as plt

figure, axes = plt.subplots(1, 2, figsize=(9, 4.5), sharey=True, layout="constrained")
for ax, (name, classifier) in zip(axes, calibrated.items(), strict=True):
    p = classifier.predict_proba(X[test])[:, 1]
    for label, values in {f"{name}, raw": raw[name], "calibrated": p}.items():
        print(f"{name:9} {label:14} log loss {lwcal.metrics.nll(y[test], values):.3f}")
        lwcal.plots.ReliabilityDisplay.from_predictions(y[test], values, name=label, ax=ax)
plt.show()

# %%
# What production needs
# ---------------------
# The calibrator knows that its scores are margins, and its file says so too. Beside the booster,
# one small file is all that is deployed.

calibrator = calibrated["LightGBM"].calibrated_classifiers_[0].calibrators[0]
margins = trees.predict(X[test], raw_score=True)
print("scale of the scores:", calibrator.scale_)
print(
    "largest difference:",
    abs(calibrator.predict(margins) - calibrated["LightGBM"].predict_proba(X[test])[:, 1]).max(),
)

# %%
# Explain it
# ----------
# ``estimator_`` is the booster itself. Its SHAP values add up to the margin, and the probability
# grows with the margin.

shares = calibrated["LightGBM"].estimator_.predict(X[test], pred_contrib=True)[:, :-1]
print("mean share of each feature:", np.abs(shares).mean(axis=0).round(2))
