"""Label Studio's JSON."""

import pytest

from lwcal.errors import InputError
from tests.reviews.exports.layouts import annotation, choice, read, task, triples


@pytest.fixture
def path(tmp_path):
    """Where the export is."""
    return tmp_path / "project-1-at-2021.json"


def test_documented_layout(path):
    """Label Studio's guide, "Label Studio JSON format of annotated tasks", with Choices."""
    tasks = [
        task(1, annotation(11, 10, choice("good")), annotation(12, 20, choice("bad"))),
        task(2, annotation(13, 10, choice("bad"))),
    ]
    found = read(path, tasks, keep=["score", "text"])
    assert triples(found) == [("1", "10", "good"), ("1", "20", "bad"), ("2", "10", "bad")]
    assert (found.format, found.question, found.left_out) == ("label-studio", "mood", {})
    assert found.kept["score"].tolist() == [0.1, 0.1, 0.2]
    assert found.created[0] == "2021-03-09T22:16:11.728353Z"
    assert list(found.columns()) == ["item", "reviewer", "label", "created", "score", "text"]


def test_reviewers_with_profiles(path):
    """``completed_by`` as an object (CompletedBySerializer): the email, as in its CSV."""
    ann = {"id": 1, "email": "ann@example.com", "first_name": "Ann", "last_name": ""}
    tasks = [task(1, annotation(1, ann, choice("a")), annotation(2, {"id": 7}, choice("a")))]
    assert read(path, tasks).reviewer.tolist() == ["ann@example.com", "7"]


def test_what_is_no_opinion_is_counted(path):
    """Drafts and predictions of the task; cancelled and empty annotations."""
    one = task(
        1,
        annotation(1, 10, choice("good")),
        annotation(2, 20, was_cancelled=True),
        annotation(3, 30),
        annotation(4, 40, {**choice(), "value": None}),
        drafts=[{"result": [choice("bad")], "user": "ann"}],
        predictions=[{"model_version": "model 1", "result": [choice("bad")]}] * 2,
    )
    found = read(path, [one])
    assert triples(found) == [("1", "10", "good")]
    assert found.left_out == {"cancelled": 1, "empty": 2, "draft": 1, "prediction": 2}


def test_ground_truth_is_the_truth_of_the_item(path):
    """And no opinion; an item that has nothing else keeps its row."""
    tasks = [
        task(1, annotation(1, 10, choice("a")), annotation(2, 20, choice("b"), ground_truth=True)),
        task(2, annotation(3, None, choice("a"), ground_truth=True)),
        task(3, annotation(4, 10, choice("a"))),
    ]
    found = read(path, tasks)
    assert triples(found) == [("1", "10", "a"), ("3", "10", "a"), ("2", None, None)]
    assert found.trusted.tolist() == ["b", None, "a"]
    assert (found.n_opinions, found.n_trusted) == (2, 2)


def test_two_truths_are_refused(path):
    """Nobody can say which is right."""
    truths = [annotation(k, 1, choice(name), ground_truth=True) for k, name in enumerate("ab")]
    with pytest.raises(InputError, match=r"one checked label for each item.* 'a' and 'b' for item"):
        read(path, [task(1, *truths)])


def test_several_questions(path):
    """One must be chosen; annotations that do not answer it are empty."""
    both = annotation(1, 10, choice("good"), choice("news", question="topic"))
    tasks = [task(1, both, annotation(2, 20, choice("bad")))]
    with pytest.raises(InputError, match="got 2: 'mood', 'topic'; choose one with --question"):
        read(path, tasks)
    found = read(path, tasks, question="topic")
    assert (triples(found), found.left_out) == ([("1", "10", "news")], {"empty": 1})
    with pytest.raises(InputError, match=r"a question 'age' in .*, got 'mood', 'topic'"):
        read(path, tasks, question="age")


def test_several_choices(path):
    """Refused, because the question has no single class; or left out on request."""
    tasks = [task(1, annotation(1, 10, choice("a", "b")), annotation(2, 20, choice("a")))]
    with pytest.raises(
        InputError, match=r"1 of 2 answers with several, .*\('a', 'b'\); a question"
    ):
        read(path, tasks)
    found = read(path, tasks, drop_several=True)
    assert (triples(found), found.left_out) == ([("1", "20", "a")], {"several choices": 1})


def test_the_last_answer_counts(path):
    """By the time of the last change, not by the order of the file."""
    late = annotation(1, 10, choice("late"), updated_at="2021-03-10T00:00:00Z")
    found = read(path, [task(1, late, annotation(2, 10, choice("early")))])
    assert (triples(found), found.left_out) == ([("1", "10", "late")], {"replaced": 1})


def test_choices_about_a_part_of_the_item(path):
    """With perRegion, the value has the place of the region beside the choice."""
    part = annotation(1, 10, choice("a", start=0, end=4, text="text"))
    found = read(path, [task(1, part, annotation(2, 20, choice("a")))])
    assert (triples(found), found.left_out) == ([("1", "20", "a")], {"about a region": 1})


def test_other_types_of_answers(path):
    """The documented example has rectangles, which have no class of the whole item."""
    box = {"from_name": "tag", "type": "rectanglelabels", "value": {"rectanglelabels": ["Moon"]}}
    with pytest.raises(InputError, match=r"type 'choices' in .*, got only 'rectanglelabels'"):
        read(path, [task(1, annotation(1, 10, box))])


def test_reviewers_are_needed(path):
    """Or named, where one person gave all answers."""
    tasks = [task(1, annotation(1, None, choice("a")))]
    with pytest.raises(InputError, match=r"1 of 1 without, .*name them with --reviewer"):
        read(path, tasks)
    assert read(path, tasks, reviewer="ann").reviewer.tolist() == ["ann"]


def test_items_by_a_field_of_the_data(path):
    """For exports without ids, and for joins; a value that two tasks share is refused."""
    tasks = [task(k, annotation(k, 10, choice("a"))) for k in (1, 2)]
    assert read(path, tasks, item="text").item.tolist() == ["text 1", "text 2"]
    tasks[1]["data"]["text"] = "text 1"
    with pytest.raises(InputError, match=r"different 'text' for each item .*'text 1' in two"):
        read(path, tasks, item="text")
    del tasks[0]["id"]
    with pytest.raises(InputError, match=r"1 of 2 without, .*name a field with --item"):
        read(path, tasks)


def test_early_versions(path):
    """``completions`` and ``skipped``, which Label Studio's converter still reads."""
    old = task(1)
    old["completions"] = [annotation(1, 10, choice("a")), annotation(2, 20, skipped=True)]
    old["annotations"] = None
    found = read(path, [old])
    assert (triples(found), found.left_out) == ([("1", "10", "a")], {"cancelled": 1})
    old["annotations"] = []
    with pytest.raises(InputError, match="one list of annotations"):
        read(path, [old])


def test_flags_are_true_or_false(path):
    """Any other value could mean either."""
    with pytest.raises(InputError, match=r"true or false in record 0 .*, got 'no'"):
        read(path, [task(1, annotation(1, 10, choice("a"), was_cancelled="no"))])


def test_one_task_alone(path):
    """Label Studio's converter reads a file with one task as an object."""
    assert len(read(path, task(1, annotation(1, 10, choice("a")))).item) == 1
