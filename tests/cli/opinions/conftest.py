"""Files with opinions of several reviewers."""

import numpy as np
import pandas as pd
import pytest

WRONG = {"ann": 0.05, "bob": 0.2, "cem": 0.35}
"""How often each reviewer is wrong."""
WORDS = np.array(["fine", "fraud"])


def make_reviewed(n=600):
    """Draw items with scores, the truth, and what each of three reviewers says."""
    rng = np.random.default_rng(3)
    scores = rng.beta(0.6, 0.6, n).round(6)
    truth = (rng.random(n) < scores).astype(int)
    said = {
        name: WORDS[np.where(rng.random(n) < rate, 1 - truth, truth)]
        for name, rate in WRONG.items()
    }
    case = [f"{k:04d}" for k in range(n)]  # leading zeros, which must stay
    frame = pd.DataFrame({"case": case, "amount": rng.integers(1, 999, n), "p": scores})
    for name, labels in said.items():
        frame[f"label_{name}"] = np.where(rng.random(n) < 0.3, None, labels)
    return frame.assign(truth=WORDS[truth])


def as_long(wide):
    """The same opinions, one in each row, in the order of reviewers."""
    parts = [
        wide[["case", "p"]].assign(who=name, label=wide[f"label_{name}"]).dropna() for name in WRONG
    ]
    return pd.concat(parts, ignore_index=True)


@pytest.fixture
def wide():
    """Opinions with a column for each reviewer."""
    return make_reviewed()


@pytest.fixture
def reviewed(tmp_path, monkeypatch, wide):
    """A folder with the same opinions in wide and in long form, and with one label a row."""
    monkeypatch.chdir(tmp_path)
    wide.to_csv("wide.csv", index=False)
    wide.to_parquet("wide.parquet")
    long = as_long(wide)
    long.to_csv("long.csv", index=False)
    long.to_parquet("long.parquet")
    once = long.drop_duplicates("case").sort_values("case")
    once.to_csv("once.csv", index=False)
    return tmp_path


@pytest.fixture
def no_verdict(monkeypatch):
    """Leave out what takes most of a fit, where only the form of the file differs.

    Whether a verdict is right is tested in test_verdict.py.
    """
    monkeypatch.setattr("lwcal.cli.opinions.fit._advice", lambda found, reviews: "no verdict")
