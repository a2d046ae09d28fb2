"""Prodigy's JSON lines."""

import pytest

from lwcal.errors import InputError
from tests.reviews.exports.layouts import options, prodigy, read, triples


@pytest.fixture
def path(tmp_path):
    """Where the export is."""
    return tmp_path / "annotations.jsonl"


def test_choices(path):
    """Prodigy's "Annotation interfaces", choice: ``accept`` lists the ids of chosen options.

    Sessions are named by data set and reviewer ("Multi-user sessions": ner_person-alex).
    """
    lines = [
        options(1, "moods-alex", "good"),
        options(1, "moods-sam", "bad"),
        options(2, "moods-sam", answer="ignore"),
        options(2, "moods-alex", answer="reject"),
        options(3, "moods-alex"),
    ]
    found = read(path, lines, keep=["text"])
    assert triples(found) == [("1", "moods-alex", "good"), ("1", "moods-sam", "bad")]
    assert found.left_out == {"ignored": 1, "rejected": 1, "empty": 1}
    assert (found.format, found.created[0]) == ("prodigy", "1650000001")


def test_accept_or_reject_a_label(path):
    """Prodigy's interface "classification": two classes, accept and reject."""
    lines = [prodigy(1, "a", label="SPAM"), prodigy(1, "b", "reject", label="SPAM")]
    found = read(path, lines)
    assert triples(found) == [("1", "a", "accept"), ("1", "b", "reject")]
    assert found.question == "SPAM"


def test_accept_or_reject_without_a_label(path):
    """Prodigy's interface "text"."""
    assert read(path, [prodigy(1, "a")]).label.tolist() == ["accept"]


def test_several_labels_are_several_questions(path):
    """Accept means another thing for each; the other answers are counted."""
    lines = [prodigy(1, "a", label="SPAM"), prodigy(1, "a", "reject", label="NEWS")]
    with pytest.raises(InputError, match=r"one question .*got 2: 'SPAM', 'NEWS'"):
        read(path, lines)
    found = read(path, lines, question="NEWS")
    assert (triples(found), found.left_out) == ([("1", "a", "reject")], {"another question": 1})


def test_several_options(path):
    """``choice_style`` multiple."""
    with pytest.raises(InputError, match="1 of 1 answers with several"):
        read(path, [options(1, "a", "good", "bad")])


def test_the_last_answer_counts(path):
    """By ``_timestamp``, which Prodigy adds since version 1.11; without it, by the line."""
    lines = [options(1, "a", "bad", _timestamp=20), options(1, "a", "good", _timestamp=10)]
    assert read(path, lines).label.tolist() == ["bad"]
    for line in lines:
        del line["_timestamp"]
    found = read(path, lines)
    assert (found.label.tolist(), found.left_out) == (["good"], {"replaced": 1})


@pytest.mark.parametrize("session", [None, "2023-09-20_16-08-10", "moods-2023-09-20_16-08-10"])
def test_sessions_without_a_name(path, session):
    """They are named by the start of the server: two starts are not two reviewers."""
    lines = [options(1, session, "good")]
    with pytest.raises(InputError, match=r"1 of 1 without, .*--reviewer"):
        read(path, lines)
    assert read(path, lines, reviewer="alex").reviewer.tolist() == ["alex"]


@pytest.mark.parametrize(
    "line",
    [
        prodigy(1, "a", spans=[{"start": 0, "end": 4, "label": "ORG"}]),
        prodigy(1, "a", _view_id="ner_manual"),
        prodigy(1, "a", label="SPAM", versions=[{"sessions": ["a", "b"]}]),
    ],
    ids=["spans", "interface", "review"],
)
def test_answers_about_something_else_are_refused(path, line):
    """Parts of a text, or the answers of others (the recipe "review")."""
    with pytest.raises(InputError, match="answers about whole items, got line 2"):
        read(path, [options(1, "a", "good"), line])


def test_unknown_answers_are_refused(path):
    """Prodigy documents three."""
    with pytest.raises(InputError, match=r"accept, reject or ignore in .*, got 'maybe'"):
        read(path, [prodigy(1, "a", "maybe")])


def test_fields_of_meta_can_be_kept(path):
    """Prodigy shows ``meta`` to reviewers; ids of one's own are often there."""
    line = options(1, "a", "good", meta={"case": 7}, label=None)
    assert read(path, [line], keep=["case"]).kept["case"].tolist() == [7]
    assert read(path, [line], item="case").item.tolist() == ["7"]
