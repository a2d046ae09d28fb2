"""Argilla's records."""

import pyarrow as pa
import pytest
from pyarrow import parquet

import lwcal
from lwcal.errors import InputError
from tests.reviews.exports.layouts import read, saved, triples

ANN, BOB, EVE = (f"00000000-0000-0000-0000-00000000000{k}" for k in range(3))


def flat(item, values, users, status, question="mood"):
    """A record of ``to_list(flatten=True)``: answers in three lists."""
    name = f"{question}.responses"
    return {
        "id": item,
        "_server_id": f"server-{item}",
        "text": f"text {item}",
        name: values,
        f"{name}.users": users,
        f"{name}.status": status,
        f"{question}.suggestion": "good",
        f"{question}.suggestion.score": None,
    }


def nested(item, *responses):
    """A record of ``to_json``, which is ``to_list(flatten=False)``: answers without a status."""
    return {
        "id": item,
        "fields": {"text": f"text {item}"},
        "metadata": {"case": 7},
        "suggestions": {},
        "responses": {"mood": [{"value": v, "user_id": u} for v, u in responses]},
        "vectors": {},
        "_server_id": f"server-{item}",
    }


FLAT = [
    flat("a", ["good", "bad", "bad"], [ANN, BOB, EVE], ["submitted", "draft", "discarded"]),
    flat("b", ["bad"], [ANN], ["submitted"]),
    flat("c", None, None, None),
]
TRIPLES = [("a", ANN, "good"), ("b", ANN, "bad")]


@pytest.mark.parametrize("name", ["records.json", "records.jsonl"])
def test_flat_records(tmp_path, name):
    """``GenericIO._record_to_dict(flatten=True)`` of argilla 2; suggestions are no answers."""
    found = read(tmp_path / name, FLAT, keep="text")
    assert triples(found) == TRIPLES
    assert found.left_out == {"draft": 1, "discarded": 1}
    assert (found.format, found.question, found.notes) == ("argilla", "mood", ())


def test_columns_and_records_by_id(tmp_path):
    """``to_dict``, with ``orient="names"`` and ``orient="index"``."""
    columns = {name: [record[name] for record in FLAT] for name in FLAT[0]}
    by_id = {record["id"]: record for record in FLAT}
    by_id["c"] = {"id": "c", "_server_id": "server-c", "text": "text c"}
    for content in (columns, by_id):
        assert triples(read(tmp_path / "records.json", content)) == TRIPLES
    columns["text"].pop()
    with pytest.raises(InputError, match=r"columns of one length in .*, got columns of 2 to 3"):
        read(tmp_path / "records.json", columns)


def test_datasets(tmp_path):
    """``to_datasets().to_parquet()``: the flat records as Parquet."""
    path = tmp_path / "records.parquet"
    parquet.write_table(pa.Table.from_pylist(FLAT), path)
    assert triples(lwcal.read_opinions(path)) == TRIPLES


def test_nested_records_have_no_status(tmp_path):
    """``RecordResponses.to_dict`` drops it, so a draft looks like an answer: the reader is told."""
    records = [nested("a", ("good", ANN), ("bad", BOB)), nested("b")]
    found = read(tmp_path / "records.json", records, keep=["text", "case"])
    assert triples(found) == [("a", ANN, "good"), ("a", BOB, "bad")]
    assert "drop the status" in found.notes[0]
    assert found.kept["case"].tolist() == [7, 7]


def test_a_field_may_be_called_responses(tmp_path):
    """A flat record has its fields beside its answers."""
    records = [{**record, "responses": "a text"} for record in FLAT]
    assert triples(read(tmp_path / "records.json", records)) == TRIPLES


def test_questions_with_several_answers(tmp_path):
    """A multi-label question has a list as value; one label in it is one choice."""
    records = [flat("a", [["x"], ["x", "y"], []], [ANN, BOB, EVE], ["submitted"] * 3)]
    with pytest.raises(InputError, match="1 of 3 answers with several"):
        read(tmp_path / "records.json", records)
    found = read(tmp_path / "records.json", records, drop_several=True)
    assert (triples(found), found.left_out) == (
        [("a", ANN, "x")],
        {"several choices": 1, "empty": 1},
    )


def test_ratings_are_numbers(tmp_path):
    """A rating question has whole numbers as values; as labels they are their text."""
    records = [flat("a", [4, 5.0], [ANN, BOB], ["submitted"] * 2)]
    assert read(tmp_path / "records.json", records).label.tolist() == ["4", "5"]


def test_several_questions(tmp_path):
    """One must be chosen."""
    records = [{**FLAT[1], **flat("b", ["x"], [BOB], ["submitted"], question="topic")}]
    with pytest.raises(InputError, match="got 2: 'mood', 'topic'"):
        read(tmp_path / "records.json", records)
    assert triples(read(tmp_path / "records.json", records, question="topic")) == [("b", BOB, "x")]


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (flat("a", ["x"], ["None"], ["submitted"]), "1 of 1 without, .*--reviewer"),
        (flat("a", ["x"], [ANN], ["maybe"]), "a status among submitted, draft, discarded"),
        (flat("a", ["x"], [ANN, BOB], ["submitted"]), "1 values of mood.responses.users"),
        (flat("a", [[{"start": 0}]], [ANN], ["submitted"]), "text or a number in .*, got dict"),
        (flat("a", "x", [ANN], ["submitted"]), "a list in mood.responses of record 0"),
        ({**FLAT[1], **nested("a", ("x", ANN))}, "flat or nested answers, got 'responses' and"),
    ],
    ids=["unknown user", "status", "lengths", "spans", "no list", "both layouts"],
)
def test_refusals(tmp_path, record, reason):
    """Argilla writes the text None for a user that it does not know."""
    with pytest.raises(InputError, match=reason):
        lwcal.read_opinions(saved(tmp_path / "records.json", [record]))
