"""Label Studio's CSV and JSON_MIN."""

import json

import pytest

from lwcal.errors import InputError
from tests.reviews.exports.layouts import read, triples

TIMES = {
    "created_at": "2021-03-09T22:16:08Z",
    "updated_at": "2021-03-09T22:16:08Z",
    "lead_time": 4.2,
}


def row(item, by, number, mood, **others):
    """A record of JSON_MIN: data, answers, and what ``convert_to_json_min`` adds."""
    own = {"id": item, "annotator": by, "annotation_id": number, **TIMES}
    return {"text": f"text {item}", "mood": mood, **own, **others}


ROWS = [row(1, 10, 1, "good"), row(1, 20, 2, "bad"), row(2, 10, 3, "bad")]
TRIPLES = [("1", "10", "good"), ("1", "20", "bad"), ("2", "10", "bad")]


def test_json_min(tmp_path):
    """``convert_to_json_min`` of label-studio-sdk: one choice is written as text."""
    found = read(tmp_path / "min.json", ROWS, question="mood", keep="text")
    assert triples(found) == TRIPLES
    assert found.format == "label-studio-rows"
    assert "checked labels (ground truth)" in found.notes[0]
    assert found.kept["text"].tolist() == ["text 1", "text 1", "text 2"]


@pytest.mark.parametrize("separator", [",", "\t"], ids=["CSV", "TSV"])
def test_csv(tmp_path, separator):
    """``csv2.convert`` of label-studio-sdk: sorted columns, text in quotes, numbers without."""
    names = sorted(ROWS[0])
    lines = [names, *([row[name] for name in names] for row in ROWS)]
    text = "\n".join(separator.join(map(json.dumps, line)) for line in lines)
    assert triples(read(tmp_path / "export.csv", text, question="mood")) == TRIPLES


def test_the_question_must_be_named(tmp_path):
    """Columns of data and of answers look the same; where reviewers differ is a hint."""
    with pytest.raises(InputError, match=r"--question \(question=\); reviewers differ in 'mood'"):
        read(tmp_path / "min.json", ROWS)
    with pytest.raises(InputError, match=r"with --question \(question=\)\.$"):
        read(tmp_path / "min.json", ROWS[1:])
    with pytest.raises(InputError, match=r"a question 'id' in .*got 'text', 'mood'"):
        read(tmp_path / "min.json", ROWS, question="id")


@pytest.mark.parametrize("several", [{"choices": ["a", "b"]}, [{"choices": ["a"]}, "b"]])
def test_several_choices(tmp_path, several):
    """``prettify_result`` writes them as an object; in CSV, as its JSON."""
    for cell in (several, json.dumps(several)):
        rows = [*ROWS, row(3, 10, 4, cell)]
        found = read(tmp_path / "min.json", rows, question="mood", drop_several=True)
        assert found.left_out == {"several choices": 1}


def test_a_choice_may_begin_with_a_bracket(tmp_path):
    """Text in, the same text out."""
    names = ["[other]", "{x}", "[1]", "[0, 1]", '["a"]']
    rows = [row(1, k, k, name) for k, name in enumerate(names)]
    assert read(tmp_path / "min.json", rows, question="mood").label.tolist() == names


def test_other_types_of_answers(tmp_path):
    """``prettify_result`` writes those of ratings and regions as lists of objects."""
    for cell in ([{"rating": 4}], '[{"rating": 4}]'):
        with pytest.raises(InputError, match=r"text or a number in record 0 of .*, got dict"):
            read(tmp_path / "min.json", [row(1, 10, 1, cell)], question="mood")


def test_tasks_without_an_answer(tmp_path):
    """Export of "All tasks": a task without annotation has a row with empty cells."""
    rows = [*ROWS, {"text": "c", "id": 3, "annotator": None, "annotation_id": None}]
    assert read(tmp_path / "min.json", rows, question="mood").left_out == {"empty": 1}
