"""Long tables."""

import pandas as pd
import pytest

import lwcal
from lwcal.errors import InputError, ParameterError
from tests.reviews.exports.layouts import read, triples


@pytest.mark.parametrize("reviewer", ["worker", "performer", "annotator"])
def test_documented_columns(tmp_path, reviewer):
    """crowd-kit's README: task, worker (formerly performer), label; cleanlab's: annotator."""
    text = f"task,{reviewer},label,golden\nt1,w1,007,x\nt1,w2,NA,y\nt2,w1, b,z\n"
    found = read(tmp_path / "a.csv", text, keep="golden")
    assert triples(found) == [("t1", "w1", "007"), ("t2", "w1", " b")]
    assert (found.format, found.left_out) == ("crowd-kit", {"empty": 1})
    assert found.kept["golden"].tolist() == ["x", "z"]


def test_numbers_of_parquet_become_their_text(tmp_path):
    """A column with missing numbers holds fractions, and 1.0 is still the label 1."""
    rows = pd.DataFrame({"task": [1, 1, 2], "worker": [7, 8, 7], "label": [1.0, None, 0.0]})
    rows.to_parquet(tmp_path / "a.parquet")
    found = lwcal.read_opinions(tmp_path / "a.parquet")
    assert triples(found) == [("1", "7", "1"), ("2", "7", "0")]


def test_the_last_row_counts(tmp_path):
    """The table has no times."""
    found = read(tmp_path / "a.csv", "task;worker;label\n1;a;x\n1;a;y\n")
    assert (triples(found), found.left_out) == ([("1", "a", "y")], {"replaced": 1})


def test_two_columns_of_reviewers(tmp_path):
    """Nobody can say which is meant."""
    with pytest.raises(InputError, match=r"one column of reviewers in .*'worker', 'annotator'"):
        read(tmp_path / "a.csv", "task,worker,annotator,label\n1,a,b,x\n")


def test_it_has_one_question(tmp_path):
    """An option that would be ignored is refused."""
    with pytest.raises(ParameterError, match="no --question"):
        read(tmp_path / "a.csv", "task,worker,label\n1,a,x\n", question="x")
