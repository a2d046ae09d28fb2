"""Wide tables."""

import pytest

from lwcal.errors import InputError, ParameterError
from tests.reviews.exports.layouts import read, triples

TEXT = "case,annotator_1,annotator_2,other\nx,0,,5\ny,1,0,6\nz,nan,,7\n"
"""cleanlab.multiannotator: a column for each annotator, NaN where they gave no label."""


def test_reviewers_by_pattern(tmp_path):
    """A missing cell is no answer; rows count from 0, as in pandas."""
    found = read(tmp_path / "a.csv", TEXT, reviewers="annotator_*", keep=["case"])
    one, two = "annotator_1", "annotator_2"
    assert triples(found) == [("0", one, "0"), ("1", one, "1"), ("1", two, "0")]
    assert (found.format, found.n_answers, found.left_out) == ("cleanlab", 3, {})
    assert found.kept["case"].tolist() == ["x", "y", "y"]


def test_reviewers_by_name_and_items_by_column(tmp_path):
    """In the order of the file."""
    found = read(tmp_path / "a.csv", TEXT, reviewers=["other", "annotator_2"], item="case")
    assert found.item.tolist() == ["x", "y", "y", "z"]


def test_repeated_items(tmp_path):
    """Two rows about one item would make a reviewer contradict themselves."""
    text = TEXT.replace("y,1", "x,1")
    with pytest.raises(InputError, match="different 'case' for each item"):
        read(tmp_path / "a.csv", text, reviewers="annotator_*", item="case")


def test_columns_must_be_named(tmp_path):
    """Any table could be one of this layout, so it is never guessed."""
    with pytest.raises(InputError, match="name them with --reviewers"):
        read(tmp_path / "a.csv", TEXT)
    with pytest.raises(ParameterError, match="the columns of the reviewers, got none"):
        read(tmp_path / "a.csv", TEXT, "cleanlab")
    with pytest.raises(InputError, match=r"a column 'rater_.' in .*, got 'case', 'annotator_1'"):
        read(tmp_path / "a.csv", TEXT, reviewers="rater_*")
    with pytest.raises(ParameterError, match="no --reviewers"):
        read(tmp_path / "a.csv", "task,worker,label\n1,a,x\n", "crowd-kit", reviewers="a*")
