"""
Inside a scikit-learn pipeline
==============================

A model is often a pipeline that scales, imputes and encodes columns first.
:class:`lwcal.CalibratedClassifier` accepts the whole pipeline as its model, and calibrates it on
folds that it was not trained on. The result is an estimator of scikit-learn: it can be cloned,
scored and tuned.
"""

# %%
# A table with text, numbers and missing values
# ---------------------------------------------
# Fictional employees who left within a year, according to their managers. One label in seven is
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
# Calibrate the pipeline
# ----------------------
# With ``cv=5``, five copies of the pipeline are trained, each on four fifths of the rows. Their
# scores of the remaining fifths are used for calibration. With ``ensemble=False``, one more model
# is fitted to all rows, and its probabilities are calibrated.

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
# Evaluation with true labels, which are unknown in practice:

for name, probabilities in {"raw": raw, "calibrated": p}.items():
    found = lwcal.metrics.evaluate(y_test, probabilities)
    print(
        f"{name:>10}: log loss {found['nll']:.3f}, ECE {found['ece']:.3f}, AUC {found['auc']:.3f}"
    )

# %%
import matplotlib.pyplot as plt

figure, ax = plt.subplots(figsize=(5, 5), layout="constrained")
for name, probabilities in {"raw": raw, "calibrated": p}.items():
    lwcal.plots.ReliabilityDisplay.from_predictions(y_test, probabilities, name=name, ax=ax)
ax.set_title("true labels")
plt.show()

# %%
# Tune the pipeline
# -----------------
# A search can set the parameters of the pipeline and of the calibrator by name. Use AUC to compare
# candidates: if flips depend on the class only, noisy labels shrink the AUC of every candidate
# towards 1/2 by the same factor, and keep the order. (Log loss with noisy labels would favour
# candidates that reproduce the noise.)

from sklearn.model_selection import GridSearchCV

search = GridSearchCV(
    lwcal.CalibratedClassifier(pipeline, lwcal.Auto(), cv=2, ensemble=False),
    {"estimator__randomforestclassifier__min_samples_leaf": [2, 20]},
    scoring="roc_auc",
    cv=2,
)
search.fit(X_train, noisy_train)
print(search.best_params_)
