"""``lwcal diagnose`` with a column of scores for each class."""

import json

import numpy as np
import pandas as pd
import pytest

from tests.cli.helpers import call
from tests.multiclass.simulated import even_noise, next_noise, noisy_rows

NAMES = np.array(["cat", "dog", "fox", "owl"])


def write(path, noise, n=800, **how):
    """A file of rows; columns are named after the classes."""
    scores, _, labels = noisy_rows(n, noise, **how)
    names = NAMES[: len(noise)]
    frame = pd.DataFrame(scores, columns=[f"p_{name}" for name in names])
    frame.assign(label=names[labels]).to_csv(path, index=False)
    return path


@pytest.fixture(autouse=True)
def _in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def diagnosed(capsys, options=""):
    """Exit code and output of the command on the file of rows."""
    code = call(f"diagnose rows.csv --score p_* --label label {options}")
    return code, capsys.readouterr()


def test_the_verdict_and_the_classes(capsys):
    """Both readings, the rate of each class, and the calibrators."""
    write("rows.csv", np.eye(4), slope=2.0)
    code, shown = diagnosed(capsys)
    assert code == 0
    assert shown.out.startswith("Deploy auto.")
    for text in ("if every", "top class wrong", "fox", "matrix-scaling", "ECE of the top label"):
        assert text in shown.out


def test_as_json(capsys):
    """Everything, with the names of the columns."""
    write("rows.csv", next_noise(4, 0.3), n=400)
    code, shown = diagnosed(capsys, "--json")
    found = json.loads(shown.out)
    assert found["classes"] == NAMES.tolist()
    assert found["score_columns"] == [f"p_{name}" for name in NAMES]
    assert len(found["noise"]["matrix"]) == 4
    assert (code == 0) == (found["recommendation"]["action"] in ("deploy", "keep raw"))


def test_columns_in_another_order_end_with_1(capsys):
    """Names that belong to other columns."""
    write("rows.csv", even_noise(3, 0.05), clarity=0.1)
    frame = pd.read_csv("rows.csv")
    frame.columns = ["p_dog", "p_fox", "p_cat", "label"]
    frame.to_csv("rows.csv", index=False)
    code, shown = diagnosed(capsys)
    assert code == 1
    assert "another order" in shown.out


def test_two_columns_are_two_classes(capsys):
    """The second class is the positive one."""
    write("rows.csv", even_noise(2, 0.1))
    assert "Positive class: dog" in diagnosed(capsys)[1].out


@pytest.mark.parametrize("option", ["--paper", "--trusted label"])
def test_options_of_one_column(capsys, option):
    """They are refused by name."""
    write("rows.csv", np.eye(3), n=60)
    code, shown = diagnosed(capsys, option)
    assert code == 2
    assert f"{option.split()[0]} needs one column of scores" in shown.err
