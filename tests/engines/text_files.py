"""Files of text in every format, written and read without lwcal."""

import json
import os
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from hypothesis import strategies as st
from pyarrow import feather

LOOKS_LIKE_SOMETHING_ELSE = [
    *("", None, "01234", "1234567890123456789", "12345678901234567890123", "12E4", "1e400", "+7"),
    *("-0", "0x1F", "1_000", "1,5", "1.50", ".5", "50%", "TRUE", "false", "NaN", "-inf", "NULL"),
    *("null", "None", "NA", "n/a", "#N/A", "nan", " ", " padded ", "\t", "2026-01-02", "10:11:12"),
    *("2026-01-02T03:04:05Z", "2026-01-02 03:04", "550E8400-E29B-41D4-A716-446655440000"),
    *('"', '""', 'a "b"', "'", "a,b;c\td", "two\nlines", "two\r\nlines", "\r", "\n", "\\n", "\\"),
    *("=1+1", "@SUM(A1)", "-1+1", "'=x", "#comment", "{}", '{"a": 1}', "[1, 2]", "a=b", "é", "😀"),
    *("e\u0301", "\u200b", "\ufeff", "\u2028", "lwcal%j"),
]
"""What a reader that guesses would change."""
LIKE_TYPES = {
    "zip": "01234",
    "number": "12E4",
    "big": "1234567890123456789",
    "flag": "TRUE",
    "day": "2026-01-02",
    "time": "10:11:12",
    "moment": "2026-01-02T03:04:05Z",
    "uuid": "550E8400-E29B-41D4-A716-446655440000",
}
"""Columns of which every value looks like one of another type."""
TEXTS = st.one_of(
    st.none(),
    st.sampled_from(LOOKS_LIKE_SOMETHING_ELSE),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8),
)
TABLES = int(os.environ.get("LWCAL_TEXTS", "71"))
"""Tables over all pairs of formats; ``make fuzz`` asks for more."""
SEPARATORS = {"comma.csv": ",", "semicolon.csv": ";", "tab.csv": "\t", "bar.csv": "|"}
SOURCES = [*SEPARATORS, "rows.parquet", "rows.jsonl", "rows.arrow", "rows.duckdb"]
TARGETS = ["o.csv", "o.parquet", "o.jsonl", "o.arrow"]
SHEETS = ["s.csv", "s.csv.gz", "s.parquet", "s.jsonl", "s.arrow"]
SOURCES_OF_SHEETS = ["comma.csv", "rows.parquet", "rows.jsonl"]
PAIRS = len(SOURCES) * len(TARGETS) + len(SOURCES_OF_SHEETS) * len(SHEETS)


def examples(least: int) -> int:
    """How many tables each pair of formats gets."""
    return max(TABLES // PAIRS, least)


def write(path: Path, columns: dict[str, list[str | None]]) -> Path:
    """Write columns of text in the format of the name; a missing cell of CSV has no quotes."""
    table = pa.table({name: pa.array(cells, pa.string()) for name, cells in columns.items()})
    if path.name in SEPARATORS:
        lines = [table.column_names, *zip(*columns.values(), strict=True)]
        text = "".join(SEPARATORS[path.name].join(map(_cell, line)) + "\n" for line in lines)
        path.write_bytes(text.encode())
    elif path.suffix == ".parquet":
        pyarrow.parquet.write_table(table, path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    elif path.suffix == ".duckdb":
        with duckdb.connect(path) as database:
            database.register("columns", table)
            database.execute("CREATE TABLE rows AS FROM columns")
    else:
        feather.write_feather(table, path, compression="uncompressed")
    return path


def _cell(text: str | None) -> str:
    return "" if text is None else '"' + text.replace('"', '""') + '"'


def read(path: Path) -> dict[str, list]:
    """Read the columns of a file as they are."""
    if path.suffix in (".csv", ".gz"):
        kinds = pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(("id", "note", "score", "label", *LIKE_TYPES), pa.string()),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        )
        parse = pyarrow.csv.ParseOptions(newlines_in_values=True)
        return pyarrow.csv.read_csv(path, parse_options=parse, convert_options=kinds).to_pydict()
    if path.suffix == ".parquet":
        return pyarrow.parquet.read_table(path).to_pydict()
    if path.suffix == ".jsonl":
        rows = [json.loads(line) for line in path.read_bytes().splitlines()]
        return {name: [row[name] for row in rows] for name in rows[0]}
    return feather.read_table(path).to_pydict()
