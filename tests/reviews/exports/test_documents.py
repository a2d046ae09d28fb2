"""Files that cannot be read, or not without loss."""

import json
import zipfile

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

import lwcal
from lwcal.errors import InputError, ParameterError
from tests.reviews.exports.layouts import annotation, choice, options, read, saved, task
from tests.reviews.exports.test_doccano import BOB, archive

LONG = "task,worker,label\n1,a,x\n"
REFUSED = {
    "nothing": ("a.json", "", "has no records"),
    "blanks": ("a.json", " \n", "has no records"),
    "no records": ("a.json", "[]", "has no records"),
    "only names": ("a.csv", "task,worker,label\n", "has no records"),
    "damaged list": ("a.json", "[{", "cannot be read: Expecting property name"),
    "damaged line": ("a.jsonl", '{"a": 1}\n{"a": \n', "line 2 of .* cannot be read"),
    "deep": ("a.json", "[" * 100_000, "cannot be read"),
    "long number": ("a.json", f"[{'1' * 5000}]", "cannot be read"),
    "a name twice": ("a.json", '[{"id": 1, "id": 2}]', "the name 'id' stands twice"),
    "no objects": ("a.json", "[1]", "an object in record 0 of .*, got int"),
    "no object": ("a.jsonl", '{"a": 1}\n[1]\n', "an object in line 2 of .*, got list"),
    "bytes": ("a.csv", b"task,worker,label\n1,a,\xff\n", "UTF-8 text in .*, got byte 22"),
    "columns twice": ("a.csv", "task,task,label\n1,a,x\n", "'task' twice"),
    "ragged": ("a.csv", LONG + "2,a\n", "3 cells in row 1 of .*, got 2"),
    "quotes": ("a.csv", LONG + '2,a,"x', "cannot be read: unexpected end of data"),
    "quoted names": ("a.csv", '"task', "cannot be read: unexpected end of data"),
    "damaged archive": ("a.zip", archive({"a.jsonl": BOB})[:60], "cannot be read"),
    "other files": ("a.zip", archive({"a.csv": BOB}), "only files ending in .*, got 'a.csv'"),
    "damaged Parquet": ("a.parquet", b"PAR1PAR1", "cannot be read"),
    "unknown": ("a.csv", "id,text\n1,a\n", "to be one of: Label Studio JSON, .*'id', 'text'"),
    "half a character": (
        "a.jsonl",
        '{"task": 1, "worker": "a", "label": "\\ud800"}',
        "valid Unicode in record 0",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(tmp_path, name):
    """In one line that names the file."""
    file, content, reason = REFUSED[name]
    with pytest.raises(InputError, match=reason):
        lwcal.read_opinions(saved(tmp_path / file, content))


def test_files_that_are_not_there(tmp_path):
    """The system's own words; a name that no system has is refused."""
    with pytest.raises(FileNotFoundError):
        lwcal.read_opinions(tmp_path / "none.json")
    with pytest.raises(InputError, match="the name of a file"):
        lwcal.read_opinions("a\0b")
    with pytest.raises(InputError, match=r"only files ending in .*, got none"):
        lwcal.read_opinions(tmp_path)


def test_what_spreadsheets_add(tmp_path):
    """A byte order mark, a line about the separator, empty lines, long cells."""
    text = f"\ufeffsep=;\ntask;worker;label\n1;a;{'x' * 200_000}\n\n2;a;y\n"
    assert len(read(tmp_path / "a.csv", text).item) == 2


def test_lines_may_contain_other_separators(tmp_path):
    """JSON allows U+2028 inside text, which ends a line for Python."""
    text = (
        '{"task": 1, "worker": "a", "label": "x\u2028y"}\n\n{"task": 2, "worker": "a", "label": 1}'
    )
    assert read(tmp_path / "a.jsonl", text).label.tolist() == ["x\u2028y", "1"]


@pytest.mark.parametrize("indent", [None, 2])
def test_json_on_one_line_or_many(tmp_path, indent):
    """A list, and an object alone."""
    one = task(1, annotation(1, 10, choice("a")))
    for content in (one, [one]):
        found = read(tmp_path / "a.json", json.dumps(content, indent=indent))
        assert found.label.tolist() == ["a"]


def test_records_of_two_layouts(tmp_path):
    """The answers of the second would be lost."""
    records = [options(1, "a", "good"), task(1, annotation(1, 10, choice("a")))]
    with pytest.raises(InputError, match="all records to be Prodigy JSON lines, got 1 of 2 that"):
        read(tmp_path / "a.jsonl", records)


def test_the_layout_can_be_named(tmp_path):
    """Then a file of another one is refused, and so is a layout that nobody knows."""
    assert read(tmp_path / "a.csv", LONG, "crowd-kit").format == "crowd-kit"
    with pytest.raises(InputError, match="all records to be Prodigy JSON lines, got 1 of 1"):
        read(tmp_path / "a.csv", LONG, "prodigy")
    with pytest.raises(ParameterError, match="'cleanlab', got 'excel'"):
        read(tmp_path / "a.csv", LONG, "excel")


def test_parquet_that_is_not_text(tmp_path):
    """Text that is not UTF-8, and columns of one name."""
    path = tmp_path / "a.parquet"
    bad = pa.array([b"\xff"]).view(pa.string())
    columns = {"task": pa.array([1]), "worker": pa.array(["a"]), "label": bad}
    parquet.write_table(pa.table(columns), path)
    with pytest.raises(InputError, match="cannot be read"):
        lwcal.read_opinions(path)
    names = ["task", "task", "label"]
    parquet.write_table(pa.Table.from_arrays([pa.array([1])] * 3, names=names), path)
    with pytest.raises(InputError, match="cannot be read: Multiple matches"):
        lwcal.read_opinions(path)


def test_an_archive_with_a_password(tmp_path):
    """The flag alone, because Python writes none."""
    content = bytearray(archive({"a.jsonl": BOB}, zipfile.ZIP_STORED))
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(mark) + place] |= 1
    with pytest.raises(InputError, match="password"):
        read(tmp_path / "a.zip", bytes(content))


def test_times_of_parquet(tmp_path):
    """Kept as they are."""
    frame = pd.DataFrame({"task": [1], "worker": ["a"], "label": ["x"]})
    frame["when"] = pd.Timestamp("2024-05-01")
    frame.to_parquet(tmp_path / "a.parquet")
    found = lwcal.read_opinions(tmp_path / "a.parquet", keep="when")
    assert str(found.kept["when"][0]) == "2024-05-01 00:00:00"
