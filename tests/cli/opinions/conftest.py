"""Files with opinions of several reviewers."""

import shutil

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


@pytest.fixture(scope="session")
def opinion_files(tmp_path_factory):
    """A folder with the same opinions in wide and in long form, and with one label a row."""
    folder = tmp_path_factory.mktemp("opinions") / "files"
    folder.mkdir()
    wide = make_reviewed()
    long = as_long(wide)
    once = long.drop_duplicates("case").sort_values("case")
    for name, frame in {"wide": wide, "long": long}.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
        frame.to_parquet(folder / f"{name}.parquet")
    once.to_csv(folder / "once.csv", index=False)
    return folder


@pytest.fixture
def reviewed(tmp_path, monkeypatch, opinion_files):
    """A copy of it, to work in."""
    shutil.copytree(opinion_files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def no_verdict(monkeypatch):
    """Leave out what takes most of a fit, where only the form of the file differs.

    Whether a verdict is right is tested in test_verdict.py.
    """
    monkeypatch.setattr("lwcal.cli.opinions.fit._advice", lambda found, reviews: "no verdict")
