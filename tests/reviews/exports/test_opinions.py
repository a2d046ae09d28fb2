"""What holds for every layout."""

import pytest

import lwcal
from lwcal.errors import InputError, ParameterError
from tests.reviews.exports.layouts import annotation, choice, options, read, saved, task

LONG = "task,worker,label,note\n1,a,x,n\n"


def test_nothing_but_drafts(tmp_path):
    """A table without opinions helps nobody."""
    with pytest.raises(InputError, match=r"one opinion in .*, got 2 answers \(left out: draft 2\)"):
        read(tmp_path / "a.json", [task(1, drafts=[{}, {}])])


@pytest.mark.parametrize("name", ["label", "item"])
def test_fields_that_the_table_needs_itself(tmp_path, name):
    """Two columns of one name would be one too many."""
    text = LONG.replace("note", "item")
    with pytest.raises(InputError, match=f"other fields to keep than item, .*got '{name}'"):
        read(tmp_path / "a.csv", text, keep=["worker", name])


def test_fields_that_are_not_there(tmp_path):
    """With those that are."""
    with pytest.raises(InputError, match=r"a field 'score' in .*, got 'task', 'worker', 'label'"):
        read(tmp_path / "a.csv", LONG, keep=["score"])
    with pytest.raises(InputError, match=r"other fields to keep .* each once, got 'note'"):
        read(tmp_path / "a.csv", LONG, keep=["note", "note"])


def test_reviewers_need_a_name(tmp_path):
    """Blanks are none."""
    with pytest.raises(ParameterError, match="a name as reviewer, got ' '"):
        read(tmp_path / "a.csv", LONG, reviewer=" ")


def test_names_of_reviewers(tmp_path):
    """Blanks around a name do not matter; names that are alike are told."""
    text = "task,worker,label\n1,ann,x\n1, ann ,y\n2,Ann,x\n"
    found = read(tmp_path / "a.csv", text)
    assert found.reviewer.tolist() == ["ann", "Ann"]
    assert found.label.tolist() == ["y", "x"]
    assert found.left_out == {"replaced": 1}
    assert found.notes == ("reviewers 'ann' and 'Ann' are counted as two",)


def test_labels_that_look_missing(tmp_path):
    """The choice "None" is an answer, and the reader is told what becomes of it."""
    found = read(tmp_path / "a.jsonl", [options(1, "a", "None"), options(2, "a", "NA")])
    assert found.label.tolist() == ["None", "NA"]
    assert "1 opinions have the label 'None'" in found.notes[0]


def test_lists_are_kept_as_json(tmp_path):
    """So are objects; half a character is refused here too."""
    path = tmp_path / "a.json"
    one = task(1, annotation(1, 10, choice("a")))
    one["data"]["tags"] = ["ä", 1]
    assert read(path, [one], keep="tags").kept["tags"].tolist() == ['["ä", 1]']
    one["data"]["tags"] = "\ud800"
    with pytest.raises(InputError, match="valid Unicode"):
        lwcal.read_opinions(saved(path, [one]), keep="tags")


def test_many_names_are_not_all_listed(tmp_path):
    """A message stays readable."""
    results = [choice("a", question=f"q{k}") for k in range(100)]
    with pytest.raises(InputError, match=r"got 100: 'q0', .* 'q19' and 80 others; choose one"):
        read(tmp_path / "a.json", [task(1, annotation(1, 10, *results))])
