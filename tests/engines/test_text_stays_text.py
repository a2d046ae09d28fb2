"""Columns that lwcal does not compute leave as they came, from every format to every other."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lwcal
from lwcal.cli.app import run
from lwcal.engines.duckdb import apply
from lwcal.engines.duckdb.source import Source
from tests.engines.text_files import (
    LIKE_TYPES,
    LOOKS_LIKE_SOMETHING_ELSE,
    SOURCES,
    TARGETS,
    TEXTS,
    examples,
    read,
    write,
)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("source", SOURCES)
@settings(max_examples=examples(2))
@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=9))
def test_text_stays_text(source, target, rows):
    """Character for character, empty or missing; and so does the score beside its probability."""
    rows += [(text, text) for text in LOOKS_LIKE_SOMETHING_ELSE]
    ids, notes = (list(column) for column in zip(*rows, strict=True))
    scores = [f"0.{k:02}0" for k in range(len(rows))]
    columns = {"id": ids, "score": scores, "note": notes}
    columns |= {name: [text] * len(rows) for name, text in LIKE_TYPES.items()}
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder, source), columns)
        out = Path(folder, target)
        assert apply(path, lwcal.maps.IdentityMap(), "score", out) == len(rows)
        found = read(out)
    probabilities = found.pop("p_calibrated")
    assert found == columns
    assert [float(p) for p in probabilities] == [float(score) for score in scores]


def test_texts_inside_nested_values_stay_text(tmp_path):
    """In JSON lines, also in fields named like a type."""
    row = {"score": 0.5, "about": {"UUID": LIKE_TYPES["uuid"].lower(), "at": [LIKE_TYPES["time"]]}}
    row["about"]["date"] = LIKE_TYPES["moment"]
    (tmp_path / "a.jsonl").write_text(json.dumps(row))
    apply(tmp_path / "a.jsonl", lwcal.maps.IdentityMap(), "score", tmp_path / "o.jsonl")
    assert json.loads((tmp_path / "o.jsonl").read_text()) == {**row, "p_calibrated": 0.5}


def test_a_wide_file_is_carried_and_not_interpreted(tmp_path, monkeypatch):
    """Only the column of scores is tested for what it holds."""
    tested = []
    found = Source._types
    monkeypatch.setattr(
        Source, "_types", lambda self, names: tested.extend(names) or found(self, names)
    )
    names = [f"c{k}" for k in range(500)]
    path = write(tmp_path / "comma.csv", {"score": ["0.5"], **{name: ["01"] for name in names}})
    lwcal.save(lwcal.Platt().fit([0.2, 0.4, 0.6, 0.9], [0, 1, 0, 1]), tmp_path / "c.json")
    line = ["apply", str(tmp_path / "c.json"), str(path), "--out", str(tmp_path / "o.parquet")]
    assert run(line) == 0
    assert tested == ["score"]
    assert read(tmp_path / "o.parquet")["c499"] == ["01"]
