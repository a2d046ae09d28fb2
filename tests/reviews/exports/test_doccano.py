"""doccano's JSON lines."""

import io
import json
import zipfile

import pytest

import lwcal
from lwcal.errors import InputError
from tests.reviews.exports.layouts import read, saved, triples

ANN = [
    {"id": 1, "text": "a", "label": ["good"], "Comments": []},
    {"id": 2, "text": "b", "label": []},
]
BOB = [{"id": 1, "text": "a", "label": ["bad"]}, {"id": 2, "text": "b", "label": ["good"]}]
TRIPLES = [("1", "ann", "good"), ("1", "bob", "bad"), ("2", "bob", "good")]


def archive(files, compression=zipfile.ZIP_DEFLATED):
    """A ZIP archive of JSON lines."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", compression) as made:
        for name, records in files.items():
            made.writestr(name, "\n".join(map(json.dumps, records)))
    return content.getvalue()


def test_an_archive_with_a_file_for_each_member(tmp_path):
    """``create_individual_dataset``: username.jsonl; ``label`` is empty where they chose none."""
    found = read(tmp_path / "x.zip", archive({"ann.jsonl": ANN, "bob.jsonl": BOB}), keep="text")
    assert (triples(found), found.left_out) == (TRIPLES, {"empty": 1})
    assert found.format == "doccano"


def test_a_folder_of_these_files(tmp_path):
    """The unpacked archive; a member without any label has an empty file."""
    for name, records in {"ann": ANN, "bob": BOB, "eve": []}.items():
        saved(tmp_path / f"{name}.jsonl", records)
    (tmp_path / ".hidden").write_text("x")
    assert triples(lwcal.read_opinions(tmp_path)) == TRIPLES


def test_one_file_does_not_name_its_reviewer(tmp_path):
    """It may have any name, so the reader must tell."""
    with pytest.raises(InputError, match="--reviewer"):
        read(tmp_path / "ann.jsonl", ANN)
    assert triples(read(tmp_path / "ann.jsonl", ANN, reviewer="ann")) == TRIPLES[:1]


def test_shared_labels_are_refused(tmp_path):
    """``create_collaborative_dataset``: all.jsonl does not tell who chose which label."""
    with pytest.raises(InputError, match="a file for each reviewer, got 'all'"):
        read(tmp_path / "x.zip", archive({"all.jsonl": BOB}))


def test_annotations_with_users(tmp_path):
    """Earlier versions: numbers of labels and users."""
    annotations = [{"label": 10, "user": 1}, {"label": 13, "user": 2}, {"label": 14, "user": 2}]
    record = {"id": 2, "text": "a", "annotations": annotations, "meta": {}}
    record["annotation_approver"] = None
    found = read(tmp_path / "file.json1", json.dumps(record), drop_several=True)
    assert (triples(found), found.left_out) == ([("2", "1", "10")], {"several choices": 1})


def test_lines_with_a_username(tmp_path):
    """The first versions: a line for each document and user."""
    lines = [{"doc_id": 20, "text": "a", "labels": ["x"], "username": name} for name in "ab"]
    assert triples(read(tmp_path / "a.jsonl", lines)) == [("20", "a", "x"), ("20", "b", "x")]


def test_csv_is_refused(tmp_path):
    """``JoinedCategoryFormatter`` writes two labels as LabelA#LabelB, which could be one."""
    with pytest.raises(InputError, match=r"a list as label of row 0 .*, got text; export JSONL"):
        read(tmp_path / "ann.csv", "id,text,label\n1,a,LabelA#LabelB\n", reviewer="ann")


@pytest.mark.parametrize(
    "record",
    [
        {"id": 1, "text": "a b", "label": [[0, 1, "ORG"]]},
        {"id": 1, "text": "a", "annotations": [{"label": 7, "start_offset": 0, "user": 1}]},
    ],
)
def test_spans_are_refused(tmp_path, record):
    """Sequence labelling has no class of the whole text."""
    with pytest.raises(InputError, match="labels of whole texts or images, got spans"):
        read(tmp_path / "a.jsonl", [record], reviewer="a")
