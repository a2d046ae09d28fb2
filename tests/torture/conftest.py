"""Folders in which every command has something to read, and an older result to replace."""

import numpy as np
import pandas as pd
import pytest

import lwcal
from lwcal.audit.sheet import ANSWER
from lwcal.audit.sheet_reviewers import columns_of
from tests.cli.helpers import call
from tests.once import built_once
from tests.torture.victim import Victim

ROWS = 20_000


@pytest.fixture(scope="session")
def inputs(tmp_path_factory):
    """Rows, a calibrator, opinions, and answered sheets."""
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
    answers = frame.rename(columns={"id": "task", "y": "label"}).assign(worker="ann")
    answers.to_csv(folder / "answers.csv", index=False)
    lwcal.save(lwcal.LWCal().fit(scores, labels), folder / "c.json")
    _answer(folder, "few.csv", "s", "answered.csv", labels)
    _answer(folder, "few.csv", "s", "reviewers.csv", labels, reviewers=("ann", "bob"))
    _answer(folder, "few.csv", "s", "opinions.csv", labels, "opinions plan", "--n", "opinion")
    scores = rng.dirichlet([0.3] * 3, 150)
    labels = scores.argmax(axis=1)
    frame = pd.DataFrame(scores, columns=["p_0", "p_1", "p_2"]).assign(id=range(150), y=labels)
    frame.loc[::9, "y"] = 0
    frame.to_csv(folder / "classes.csv", index=False)
    _answer(folder, "classes.csv", "p_*", "class_answers.csv", labels)


def _answer(
    folder,
    rows,
    score,
    out,
    truth,
    plan="audit plan",
    number="--budget",
    column=ANSWER,
    reviewers=(),
):
    """Plan a sheet, and answer all of it: in its own column, or as several reviewers."""
    line = f"{plan} {folder}/{rows} --score {score} --label y --id id {number} 30"
    assert call(f"{line} --out {folder}/{out}") == 0
    sheet = pd.read_csv(folder / out, dtype=str, encoding="utf-8-sig")
    for name in [columns_of(reviewer).answers for reviewer in reviewers] or [column]:
        sheet[name] = truth[sheet["id"].astype(int)].astype(str)
    sheet.to_csv(folder / out, index=False, encoding="utf-8-sig")
