"""Small native boosters of every library, and what each says itself about a row."""

from typing import Any, NamedTuple

import catboost
import lightgbm
import numpy as np
import xgboost


class Library(NamedTuple):
    """A library of boosted trees."""

    name: str
    train: Any
    """From the objective, features and numbers of classes to a booster."""
    two: str
    several: str
    one_vs_rest: str | None
    regression: str
    ranking: str | None
    margins: Any
    probabilities: Any
    saved: Any
    """From a booster to the same one, written to a file and read."""


def train_lightgbm(objective, X, y, **parameters):
    """Train a LightGBM booster."""
    parameters = {"objective": objective, "verbose": -1, "num_threads": 1, **parameters}
    if objective.startswith("multi"):
        parameters |= {"num_class": len(set(y))}
    group = [len(y)] if objective == "lambdarank" else None
    return lightgbm.train(parameters, lightgbm.Dataset(X, y, group=group), 8)


def train_xgboost(objective, X, y, **parameters):
    """Train an XGBoost booster."""
    parameters = {"objective": objective, "nthread": 1, "max_depth": 3, **parameters}
    if objective.startswith("multi"):
        parameters |= {"num_class": len(set(y))}
    return xgboost.train(parameters, xgboost.DMatrix(X, y), 8)


def train_catboost(objective, X, y, **parameters):
    """Train a CatBoost model."""
    parameters = {"loss_function": objective, "iterations": 8, "thread_count": 1, **parameters}
    settings = {"verbose": 0, "allow_writing_files": False, "random_seed": 0}
    group = {"group_id": np.zeros(len(y), dtype=int)} if objective == "YetiRank" else {}
    return catboost.CatBoost({**parameters, **settings}).fit(X, y, **group)


def saved_lightgbm(booster, path):
    """Write and read."""
    booster.save_model(path)
    return lightgbm.Booster(model_file=path)


def saved_xgboost(booster, path):
    """Write and read."""
    booster.save_model(path.with_suffix(".ubj"))
    return xgboost.Booster(model_file=path.with_suffix(".ubj"))


def saved_catboost(model, path):
    """Write and read."""
    model.save_model(str(path))
    return catboost.CatBoost().load_model(str(path))


LIGHTGBM = Library(
    name="LightGBM",
    train=train_lightgbm,
    two="binary",
    several="multiclass",
    one_vs_rest="multiclassova",
    regression="regression",
    ranking="lambdarank",
    margins=lambda booster, X: booster.predict(X, raw_score=True),
    probabilities=lambda booster, X: booster.predict(X),
    saved=saved_lightgbm,
)
XGBOOST = Library(
    name="XGBoost",
    train=train_xgboost,
    two="binary:logistic",
    several="multi:softprob",
    one_vs_rest=None,
    regression="reg:squarederror",
    ranking="rank:ndcg",
    margins=lambda booster, X: booster.predict(xgboost.DMatrix(X), output_margin=True),
    probabilities=lambda booster, X: booster.predict(xgboost.DMatrix(X)),
    saved=saved_xgboost,
)
CATBOOST = Library(
    name="CatBoost",
    train=train_catboost,
    two="Logloss",
    several="MultiClass",
    one_vs_rest="MultiClassOneVsAll",
    regression="RMSE",
    ranking="YetiRank",
    margins=lambda model, X: model.predict(X, prediction_type="RawFormulaVal"),
    probabilities=lambda model, X: model.predict(X, prediction_type="Probability"),
    saved=saved_catboost,
)
LIBRARIES = (LIGHTGBM, XGBOOST, CATBOOST)
