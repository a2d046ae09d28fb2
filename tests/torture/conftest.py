"""Folders in which every command has something to read, and an older result to replace."""

import numpy as np
import pandas as pd
import pytest

import lwcal
from lwcal.audit.sheet import ANSWER
from tests.cli.helpers import call
from tests.once import built_once
from tests.torture.victim import Victim

ROWS = 20_000


@pytest.fixture(scope="session")
def inputs(tmp_path_factory):
    """Rows, a calibrator, and an answered sheet."""
    return built_once(tmp_path_factory, "torture-inputs", _write)


@pytest.fixture(scope="session")
def victim():
    """One process that forks for every command."""
    started = Victim()
    yield started
    started.close()


def _write(folder):
    rng = np.random.default_rng(0)
    scores = rng.random(ROWS)
    labels = (rng.random(ROWS) < scores).astype(int)
    frame = pd.DataFrame({"id": np.arange(ROWS), "s": scores, "y": labels, "text": "x" * 40})
    frame.to_csv(folder / "rows.csv", index=False)
    frame.head(300).to_csv(folder / "few.csv", index=False)
    lwcal.save(lwcal.LWCal().fit(scores, labels), folder / "c.json")
    names = "--score s --label y --id id"
    planned = f"audit plan {folder}/few.csv {names} --budget 30 --out {folder}/answered.csv"
    assert call(planned) == 0
    sheet = pd.read_csv(folder / "answered.csv", dtype=str, encoding="utf-8-sig")
    sheet[ANSWER] = labels[sheet["id"].astype(int)].astype(str)
    sheet.to_csv(folder / "answered.csv", index=False, encoding="utf-8-sig")
