"""Fixtures of the command line's tests."""

import gc

import numpy as np
import pandas as pd
import pytest

from tests.conftest import keep_from_collection


@pytest.fixture(autouse=True)
def _quick(few_resamples):
    """Commands are tested for what they pass on, and Python's functions for their numbers."""


@pytest.fixture(autouse=True)
def _usual_collection():
    """A process that ends collects no garbage; the process of the tests goes on."""
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)
    if not gc.isenabled():
        gc.enable()
        gc.unfreeze()
        keep_from_collection()


@pytest.fixture
def here(tmp_path, monkeypatch, noisy_rows):
    """A working folder with the same rows as CSV and Parquet."""
    monkeypatch.chdir(tmp_path)
    scores, labels = noisy_rows
    frame = pd.DataFrame({"id": np.arange(800), "score": scores, "label": labels, "w": 2})
    frame["name"] = np.where(labels == 1, "bad", "good")
    frame.to_csv("scores.csv", index=False)
    frame.to_parquet("scores.parquet")
    return tmp_path


@pytest.fixture
def standard_input(monkeypatch):
    """What comes through a pipe."""

    def feed(data):
        import io

        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))

    return feed
