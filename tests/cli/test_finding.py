"""Columns that are found because only one can be meant."""

from pathlib import Path

import pyarrow as pa
import pytest

from lwcal.cli.finding import LABELS, SCORES, find_label, find_score, has_label
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


@pytest.mark.parametrize(
    "values", [[0.1, 7.0], ["a", "b"], [True, False], [None, None], [[1], [2]]]
)
def test_a_name_alone_does_not_make_a_score(values):
    """The values must fit too."""
    with pytest.raises(InputError, match="no column among the columns score"):
        find_score(pa.table({"score": values}), "f")


@pytest.mark.parametrize("values", [[0, 1, 2], [0, 0, 0], [[1], [2], [1]]])
def test_a_name_alone_does_not_make_a_label(values):
    """Two classes, no more and no fewer."""
    table = pa.table({"label": values})
    assert not has_label(table)
    with pytest.raises(InputError, match="no column among the columns label"):
        find_label(table, "f")


def test_one_of_two_is_found_when_only_one_fits():
    """Percentages are no scores here."""
    assert find_score(pa.table({"p": [10.0, 90.0], "score": [0.1, 0.9]}), "f") == "score"


def test_what_was_found_is_said_on_the_side(here, capsys):
    """On standard error, so that output stays for programs; nothing when all was named."""
    assert call("fit scores.csv --out c.json --method platt --json") == 0
    shown = capsys.readouterr()
    assert shown.err == "using column 'score' as the score\nusing column 'label' as the label\n"
    assert shown.out.startswith("{")
    assert call("fit scores.csv --score score --label label --out d.json --method platt") == 0
    assert capsys.readouterr().err == ""


def test_ids_that_occur_once_are_fine(here):
    """Of numbers and of words."""
    assert call("fit scores.csv --id id --out c.json --method platt") == 0
    Path("w.csv").write_text("who,score\na,0.1\nb,0.2\n")
    assert call("apply c.json w.csv --id who --out o.csv") == 0
