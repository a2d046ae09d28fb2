"""Columns that are found because only one can be meant."""

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

from lwcal.cli.usual_columns import LABELS, SCORES, find_label, find_score, has_label
from lwcal.errors import InputError
from tests.cli.helpers import call


@pytest.mark.parametrize("name", SCORES)
def test_every_usual_name_of_a_score_is_found(name):
    """As numbers, as whole numbers, and as text of numbers."""
    for values in ([0.1, 0.9], [0, 1], ["0.1", "1"]):
        assert find_score(pa.table({"x": [0.5, 0.5], name: values}), "f") == name


@pytest.mark.parametrize("name", LABELS)
def test_every_usual_name_of_a_label_is_found(name):
    """Any two values are classes."""
    for values in ([0, 1, None], ["good", "bad", "bad"], [True, False, True]):
        assert find_label(pa.table({name: values}), "f") == name


@pytest.mark.parametrize("name", ["Score", " score", "fraud_score", "Fraud Probability"])
def test_capitals_blanks_and_longer_names_do_not_matter(name):
    """As they come from spreadsheets and warehouses; the name is given back as it is."""
    table = pa.table({"credit_score": [300, 700], name: [0.1, 0.9], "Reviewed_Label": ["a", "b"]})
    assert find_score(table, "f") == name
    assert find_label(table, "f") == "Reviewed_Label"


def test_a_usual_name_comes_before_a_longer_one():
    """Several long names are for the user to choose from."""
    table = pa.table({"old_score": [0.1, 0.9], "score": [0.2, 0.8], "a_label": [0, 1]})
    assert find_score(table, "f") == "score"
    with pytest.raises(InputError, match="'old_score' and 'new_score' among"):
        find_score(pa.table({"old_score": [0.1, 0.9], "new_score": [0.2, 0.8]}), "f")


def test_values_in_place_of_names_are_noticed():
    """A file without a header; columns that somebody numbered beside others are names."""
    with pytest.raises(InputError, match="add a line of names if the first line holds values"):
        find_score(pa.table({"0.6370": [0.1, 0.9], "1": [0, 1]}), "f")
    with pytest.raises(InputError, match=r"2 \(double\); name it with --score"):
        find_score(pa.table({"id": [7, 8], "2": [0.1, 0.9]}), "f")


@pytest.mark.parametrize("ending", ["_y", "_p", "_class", "_pred"])
def test_an_ending_that_may_mean_anything_is_not_obvious(ending):
    """Joins end names in _y; most classes are no labels."""
    table = pa.table({f"vehicle{ending}": [0, 1]})
    assert not has_label(table)
    with pytest.raises(InputError, match="no column among"):
        find_score(table, "f")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("score,label\n10,1\n97,0\n", 'percentages: read them with scale="percent"'),
        ("score,label\n10%,1\n0.97,0\n", "mixes texts with a percent sign (the first in row 0"),
        ("score,label\n0.1,1\n,0\n", "1 of 2 values is missing, the first in row 1"),
        ("score,label\n0.1,a\n0.2,b\n0.3,c\n", "3 distinct values ('a', 'b', 'c')"),
        ("score,label\n0.1,1\n0.2,1\n", "no negative label in 2 rows"),
        (" score,klass\n0.1,1\n0.2,1\n", "the columns ' score', klass;"),
    ],
)
def test_what_is_wrong_with_the_only_column_of_its_name_is_told(
    tmp_path, capsys, content, expected
):
    """Rather than that no column was found, with its name in the list."""
    path = tmp_path / "rows.csv"
    path.write_text(content)
    assert call(f"diagnose {path}") == 2
    assert expected in capsys.readouterr().err


def test_two_that_do_not_fit_are_for_the_user_to_choose_from():
    """Neither is more obvious than the other."""
    with pytest.raises(InputError, match="'score' and 'p' among"):
        find_score(pa.table({"score": [10.0, 90.0], "p": ["a", "b"]}), "f")


@pytest.mark.parametrize("values", [[0, 1, 2], [0, 0, 0], [[1], [2], [1]], [None, None, None]])
def test_a_name_alone_does_not_make_labels_for_monitoring(values):
    """Two classes, no more and no fewer; without labels there is something to monitor still."""
    assert not has_label(pa.table({"label": values}))


def test_columns_are_listed_with_their_types_where_they_have_any(here, capsys):
    """Those of CSV are text."""
    call("fit scores.csv --out c.json --method platt")
    Path("w.csv").write_text("who,rating\n1,0.1\n2,0.2\n")
    assert call("apply c.json w.csv --out o.csv") == 2
    assert "no column among the columns who, rating;" in capsys.readouterr().err
    pd.read_csv("w.csv").to_parquet("w.parquet")
    assert call("apply c.json w.parquet --out o.csv") == 2
    assert "the columns who (BIGINT), rating (DOUBLE);" in capsys.readouterr().err
    assert call("apply c.json w.parquet --score risk --out o.csv") == 2
    assert "the columns who (BIGINT), rating (DOUBLE)" in capsys.readouterr().err


def test_one_of_two_is_found_when_only_one_fits():
    """Percentages are no scores here."""
    assert find_score(pa.table({"p": [10.0, 90.0], "score": [0.1, 0.9]}), "f") == "score"


def test_what_was_found_is_said_on_the_side(here, capsys):
    """On standard error, so that output stays for programs; nothing when all was named."""
    assert call("fit scores.csv --out c.json --method platt --json") == 0
    shown = capsys.readouterr()
    assert shown.err == "score column: score\nlabel column: label\n"
    assert shown.out.startswith("{")
    assert call("fit scores.csv --score score --label label --out d.json --method platt") == 0
    assert capsys.readouterr().err == ""


def test_ids_that_occur_once_are_fine(here):
    """Of numbers and of words."""
    assert call("fit scores.csv --id id --out c.json --method platt") == 0
    Path("w.csv").write_text("who,score\na,0.1\nb,0.2\n")
    assert call("apply c.json w.csv --id who --out o.csv") == 0


def test_types_are_not_listed_where_all_is_text(here, capsys):
    """They would tell nothing."""
    call("fit scores.csv --out c.json --method platt")
    Path("w.csv").write_text("who,rating\na,high\nb,low\n")
    assert call("apply c.json w.csv --out o.csv") == 2
    assert "no column among the columns who, rating;" in capsys.readouterr().err
