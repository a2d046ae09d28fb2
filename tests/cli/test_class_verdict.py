"""``lwcal diagnose`` with a column of scores for each class."""

import json
import re

import numpy as np
import pandas as pd
import pytest

import lwcal
from tests.cli.helpers import call
from tests.multiclass.simulated import even_noise, next_noise, noisy_rows
from tests.report.class_example import NOISE

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


def test_the_next_command_checks_labels(capsys):
    """That of the same rows, for the shell and for programs."""
    write("rows.csv", NOISE, n=1200, seed=3, clarity=0.1, slope=0.8)
    code, shown = diagnosed(capsys)
    assert code == 1
    checks = re.search(r"Check (\d+) labels first", shown.out)[1]
    options = f"--score 'p_*' --label label --budget {checks}"
    assert f"Next: lwcal audit serve rows.csv {options}\n" in shown.out
    found = json.loads(diagnosed(capsys, "--json")[1].out)
    assert found["next"] == f"lwcal audit serve rows.csv {options}"


def test_the_next_command_of_two_columns_names_one(capsys):
    """The audit of two classes takes the column of the positive one."""
    write("rows.csv", next_noise(2, 0.3), n=400)
    code, shown = diagnosed(capsys)
    assert code == 1
    assert "Next: lwcal audit serve rows.csv --score p_dog --label label --pos-label dog" in (
        shown.out
    )


def test_checked_labels_decide(capsys):
    """As in Python, also with the probabilities of an audit and with weights."""
    write("rows.csv", next_noise(4, 0.3), n=400)
    _, truth, labels = noisy_rows(400, next_noise(4, 0.3))
    checked = np.where(np.arange(400) % 5 == 0, NAMES[truth], None)
    chances, weights = np.where(np.arange(400) % 10, 0.1, 0.3), 1 + np.arange(400) % 2
    frame = pd.read_csv("rows.csv").assign(checked=checked, audit_probability=chances, w=weights)
    frame.to_csv("rows.csv", index=False)
    _, shown = diagnosed(capsys, "--trusted checked --weight w --json")
    found = json.loads(shown.out)
    expected = lwcal.diagnose(
        frame[[f"p_{name}" for name in NAMES]].to_numpy(),
        NAMES[labels],
        weights,
        y_audited=checked,
        audit_probability=chances,
        classes=NAMES,
    ).to_dict()
    assert found["evidence"] == "checked labels"
    assert {key: found[key] for key in expected} == json.loads(json.dumps(expected))
    assert "of them checked" in diagnosed(capsys, "--trusted checked")[1].out


def test_checked_labels_of_other_classes_are_refused(capsys):
    """With their number and the first row."""
    write("rows.csv", np.eye(3), n=60)
    checked = [None, "cat", "wolf", None, "wolf", *["dog"] * 55]
    pd.read_csv("rows.csv").assign(checked=checked).to_csv("rows.csv", index=False)
    code, shown = diagnosed(capsys, "--trusted checked")
    assert code == 2
    assert "column 'checked': 2 of 60 values are not among the classes" in shown.err
    assert "the first in row 2 ('wolf')" in shown.err


REFUSED = {
    "--paper": "--paper needs one column of scores",
    "--trusted label --drop-invalid": "--trusted needs single rows",
    "--trusted nothing": "a column 'nothing' in rows.csv",
}


@pytest.mark.parametrize(("options", "said"), REFUSED.items(), ids=REFUSED)
def test_options_that_do_not_fit(capsys, options, said):
    """They are refused by name."""
    write("rows.csv", np.eye(3), n=60)
    code, shown = diagnosed(capsys, options)
    assert code == 2
    assert said in shown.err


def test_checked_labels_of_two_columns_are_refused(capsys):
    """With the options that read them."""
    write("rows.csv", even_noise(2, 0.1), n=60)
    code, shown = diagnosed(capsys, "--trusted label")
    assert code == 2
    assert "--trusted takes one column of scores: --score p_dog --pos-label dog" in shown.err
