"""
Inside a scikit-learn pipeline
==============================

A model is often more than an estimator: columns are scaled, filled in and encoded first.
:class:`lwcal.CalibratedClassifier` takes the whole pipeline as its model, calibrates it on folds
that it was not trained on, and is itself an estimator that scikit-learn can search over, clone and
score.
"""

# %%
# A table with words, numbers and gaps
# ------------------------------------
# Made up: employees who left within a year, as their managers remember it. One label in seven is
# wrong.

import numpy as np
import pandas as pd

import lwcal

rng = np.random.default_rng(0)
n = 3000
X = pd.DataFrame(
    {
        "team": rng.choice(["sales", "support", "research"], n),
        "years": rng.gamma(2.0, 2.0, n).round(1),
        "overtime": rng.poisson(6, n).astype(float),
    }
)
logit = 2.5 * (X["team"] == "support") + 0.45 * (X["overtime"] - 6) - 0.7 * (X["years"] - 4) - 1.5
y = (rng.random(n) < 1 / (1 + np.exp(-1.5 * logit))).astype(int)
X.loc[rng.random(n) < 0.1, "overtime"] = np.nan
y_noisy = lwcal.noise.flip_labels(y, rate=1 / 7, random_state=rng).labels

# %%
# The pipeline, calibrated
# ------------------------
# With ``cv=5`` five copies of the pipeline are trained, each on four fifths of the rows, and their
# scores of the last fifth calibrate. ``ensemble=False`` then fits one model to all rows; it is that
# model's probabilities that come out, calibrated.

from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

pipeline = make_pipeline(
    make_column_transformer((OneHotEncoder(), ["team"]), (SimpleImputer(), ["years", "overtime"])),
    RandomForestClassifier(50, min_samples_leaf=5, random_state=0),
)
X_train, X_test, noisy_train, _, _, y_test = train_test_split(X, y_noisy, y, random_state=0)
calibrated = lwcal.CalibratedClassifier(pipeline, lwcal.Auto(), cv=5, ensemble=False)
calibrated.fit(X_train, noisy_train)
raw = pipeline.fit(X_train, noisy_train).predict_proba(X_test)[:, 1]
p = calibrated.predict_proba(X_test)[:, 1]

# %%
# By true labels, which nobody has in practice:

for name, probabilities in {"raw": raw, "calibrated": p}.items():
    found = lwcal.metrics.evaluate(y_test, probabilities)
    print(f"{name:>10}: NLL {found['nll']:.3f}, ECE {found['ece']:.3f}, AUC {found['auc']:.3f}")

# %%
import matplotlib.pyplot as plt

figure, ax = plt.subplots(figsize=(5, 5), layout="constrained")
for name, probabilities in {"raw": raw, "calibrated": p}.items():
    lwcal.plots.ReliabilityDisplay.from_predictions(y_test, probabilities, name=name, ax=ax)
ax.set_title("by true labels")
plt.show()

# %%
# As an estimator
# ---------------
# Parameters of the pipeline and of the calibrator have names that a search can set. Let it compare
# AUC: where flips depend on the class only, noisy labels shrink the AUC of every candidate towards
# 1/2 alike, and keep their order. (NLL by noisy labels would favour candidates that repeat the
# noise.)

from sklearn.model_selection import GridSearchCV

search = GridSearchCV(
    lwcal.CalibratedClassifier(pipeline, lwcal.Auto(), cv=2, ensemble=False),
    {"estimator__randomforestclassifier__min_samples_leaf": [2, 20]},
    scoring="roc_auc",
    cv=2,
)
search.fit(X_train, noisy_train)
print(search.best_params_)
