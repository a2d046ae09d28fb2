"""Rows with opinions, wide and long, for both engines."""

import numpy as np
import pandas as pd

import lwcal

WORDS = ("no", "yes")
REVIEWERS = ("ann", "bob", "cem")
ANIMALS = ("cat", "dog", "owl")


def two_classes(n=400, digits=2, words=WORDS):
    """A column for each reviewer, some of them missing; checked labels; weights that add up."""
    rng = np.random.default_rng(11)
    p = rng.beta(0.6, 0.6, n).round(digits)
    truth = (rng.random(n) < p).astype(int)
    frame = pd.DataFrame({"case": [f"{k:04d}" for k in range(n)], "p": p})
    for name, rate in zip(REVIEWERS, (0.05, 0.2, 0.3), strict=True):
        said = np.where(rng.random(n) < rate, 1 - truth, truth)
        labels = np.array(words, dtype=object)[said]
        labels[rng.random(n) < 0.4] = None
        frame[f"label_{name}"] = labels
    checked = np.array(words, dtype=object)[truth]
    checked[rng.random(n) < 0.9] = None
    return frame.assign(t=checked, w=rng.integers(0, 5, n) / 2)


def three_classes(n=300):
    """The same with a column of scores for each of three classes."""
    rng = np.random.default_rng(12)
    p = rng.dirichlet(np.full(3, 0.5), n).round(1)
    p[:, 0] = 1 - p[:, 1:].sum(axis=1)
    p = p.clip(0) / p.clip(0).sum(axis=1, keepdims=True)
    truth = (rng.random((n, 1)) > p.cumsum(axis=1)).sum(axis=1).clip(0, 2)
    frame = pd.DataFrame(p, columns=[f"p_{name}" for name in ANIMALS])
    frame.insert(0, "case", [f"{k:04d}" for k in range(n)])
    for name in REVIEWERS[:2]:
        said = np.where(rng.random(n) < 0.2, rng.integers(0, 3, n), truth)
        labels = np.array(ANIMALS, dtype=object)[said]
        labels[rng.random(n) < 0.3] = None
        frame[f"label_{name}"] = labels
    return frame


def as_long(wide, extra=("p", "t", "w")):
    """One answer in each row, in no order; an item without any opinion has a row without one."""
    kept = ["case", *extra]
    names = [name for name in wide.columns if name.startswith("label_")]
    parts = [
        wide[kept].assign(who=name.removeprefix("label_"), label=wide[name]).dropna(subset="label")
        for name in names
    ]
    alone = wide[wide[names].isna().all(axis=1)][kept]
    return pd.concat([*parts, alone], ignore_index=True).sample(frac=1.0, random_state=1)


def in_memory(wide, **options):
    """The fit of the same rows without any engine."""
    labels = wide[[name for name in wide.columns if name.startswith("label_")]]
    scores = wide["p"] if "p" in wide else wide[[f"p_{name}" for name in ANIMALS]].to_numpy()
    return lwcal.Reviewed().fit(scores, labels, **options)


def same_fit(found, expected):
    """Whether two calibrators are equal, to the last bit."""
    shape = (7, 3) if hasattr(expected, "classes_") else 9
    new = np.random.default_rng(0).dirichlet([1, 1, 1], 7) if shape == (7, 3) else None
    new = np.linspace(0.01, 0.99, 9) if new is None else new
    return (
        np.array_equal(found.predict(new), expected.predict(new))
        and found.diagnostics_ == expected.diagnostics_
        and [one.wrong for one in found.reviews_.reviewers]
        == [one.wrong for one in expected.reviews_.reviewers]
    )
