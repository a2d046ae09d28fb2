"""``lwcal opinions report`` on a calibrator and on rows."""

import json

import numpy as np
import pandas as pd
import pytest

import lwcal
from tests.cli.helpers import call

WIDE = "wide.csv --score p --label label_* --pos-label fraud"


def test_a_calibrator_and_its_rows_say_the_same(reviewed, capsys):
    """Agreement, reviewers, and how often each class is mistaken."""
    call(f"fit {WIDE} --out c.json")
    capsys.readouterr()
    assert call("opinions report c.json") == 0
    of_file = capsys.readouterr().out
    assert call(f"opinions report {WIDE}") == 0
    assert capsys.readouterr().out == of_file
    shown = " ".join(of_file.split())
    assert "Krippendorff's alpha" in shown
    assert "true fine true fraud reviewer labelled fraud labelled fine" in shown
    for name in ("label_ann", "label_bob", "label_cem"):
        assert shown.count(name) == 2


def test_json(reviewed, capsys):
    """Everything about the reviewers, also their matrices."""
    call(f"fit {WIDE} --out c.json")
    capsys.readouterr()
    assert call("opinions report c.json --json") == 0
    told = json.loads(capsys.readouterr().out)
    summary = lwcal.load("c.json").reviews_
    assert told["agreement"]["alpha"] == summary.agreement.alpha
    assert [one["name"] for one in told["reviewers"]] == [one.name for one in summary.reviewers]
    assert told["warning"] == summary.warning
    np.testing.assert_allclose(np.sum(told["confusion"], axis=1), 1.0)
    weights = [one.labels for one in summary.reviewers]
    average = np.average([one.matrix for one in summary.reviewers], axis=0, weights=weights)
    np.testing.assert_allclose(told["confusion"], average)


@pytest.mark.parametrize("k", [3, 12])
def test_several_classes(tmp_path, monkeypatch, capsys, k):
    """Few classes as a matrix, many as the commonest confusions; brackets are no styles."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    P = rng.dirichlet(np.full(k, 0.3), 300)
    truth = np.array([rng.choice(k, p=row) for row in P])
    words = np.array([f"[c{number}]" for number in range(k)])
    frame = pd.DataFrame(P, columns=[f"p_{word}" for word in words])
    for name in ("a", "b"):
        frame[name] = words[np.where(rng.random(300) < 0.2, (truth + 1) % k, truth)]
    frame.to_csv("rows.csv", index=False)
    assert call("opinions report rows.csv --score p_* --label a,b") == 0
    shown = capsys.readouterr().out
    assert "[c1]" in shown
    assert ("the commonest confusions" in shown) == (k == 12)
    assert ("probability of each label" in shown) == (k == 3)


MISTAKES = {
    "no opinions": ("opinions report plain.json", "a calibrator of several opinions, got Platt"),
    "one label": (
        "opinions report once.csv --score p --label label --pos-label fraud",
        "several opinions or reviewers, got one label a row",
    ),
    "options": ("opinions report plain.json --label x", "--label works with rows"),
    "no file": ("opinions report no.json", "no.json"),
}


@pytest.mark.parametrize(("line", "said"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes(reviewed, capsys, line, said):
    """One line."""
    lwcal.save(lwcal.Platt().fit([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1]), "plain.json")
    assert call(line) == 2
    assert said in capsys.readouterr().err
