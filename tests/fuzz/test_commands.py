"""Whatever a file holds and whatever is typed, a command ends with a result or one plain line."""

import os
import shlex

import numpy as np
import pandas as pd
import pytest

import lwcal
from lwcal.audit.sheet import ANSWER
from lwcal.cli.app import run
from tests.cli.helpers import call
from tests.once import built_once
from tests.reviews.exports.layouts import annotation, choice, options, saved, task

COUNT = int(os.environ.get("LWCAL_FUZZ_COMMANDS", "120"))
"""Commands over all tests of this file; ``make fuzz`` asks for more."""
ROWS = 60
NAMES = "--score s --label y"
COMMANDS = {
    "rows.csv": f"evaluate FILE {NAMES}",
    "semicolon.csv": "apply c.json FILE --score s --out new.csv --force",
    "rows.jsonl": "apply c.json FILE --score s --out new.parquet --force",
    "rows.parquet": f"table reduce FILE {NAMES} --out new.parquet --force",
    "rows.arrow": f"fit FILE {NAMES} --method platt --out new.json --force",
    "rows.csv.gz": f"fit FILE {NAMES} --method lwcal --out new.json --force",
    "table.parquet": "fit FILE --method isotonic --out new.json --force",
    "rows.duckdb": f"evaluate FILE {NAMES}",
    "sheet.csv": f"audit merge rows.csv FILE {NAMES} --id id --out new.json --force",
    "sheet.jsonl": f"audit merge rows.csv FILE {NAMES} --id id --out new.json --force",
    "c.json": "apply FILE rows.csv --score s --out new.csv --force",
    "tasks.json": "opinions read FILE --keep text,score --out new.parquet --force",
    "lines.jsonl": "opinions read FILE --out new.csv --force",
    "wide.csv": "fit FILE --score s --label y,z --out new.json --force",
    "long.csv": "fit FILE --score s --item id --reviewer who --label y --out new.json --force",
    "second.csv": f"opinions merge rows.csv FILE {NAMES} --id id --out new.parquet --force",
}
"""A file of every format that is read, and a command that reads it."""
WORDS = [
    *("fit", "apply", "evaluate", "diagnose", "monitor", "export", "table", "reduce", "audit"),
    *("plan", "merge", "rows.csv", "c.json", "table.parquet", "sheet.csv", "nothing.csv", "."),
    *("--score", "s", "--label", "y", "--weight", "id", "--out", "new.json", "new.csv", "--force"),
    *("--method", "platt", "auto", "--to", "sql", "python", "--pos-label", "1", "yes", "--format"),
    *("csv", "--table", "--json", "--drop-invalid", "--score-scale", "percent", "--budget", "5"),
    *("-1", "nan", "", " ", "\0", "é", "*", "--", "-", "--noise-rates", "0.1,0.2", "0.9,0.9"),
    *("--confidence", "2", "--threshold", "0.5", "--column", "s", "--id", "--allow-drop-share"),
    *("opinions", "read", "tasks.json", "lines.jsonl", "--question", "--reviewers", "--keep"),
    *("report", "wide.csv", "y,z", "--item", "--reviewer", "--trusted", "z", "--for", "--n"),
]
"""What is typed, in any order."""
INSERTED = (b"\0", b'"', b"\n", b",", b"\xff", b"NaN", b"1e999", b"{")


@pytest.fixture(scope="session")
def originals(tmp_path_factory):
    """A file of every format."""
    return built_once(tmp_path_factory, "fuzzed-files", _write)


def _write(folder):
    rng = np.random.default_rng(0)
    scores = rng.random(ROWS).round(4)
    labels = (rng.random(ROWS) < scores).astype(int)
    frame = pd.DataFrame({"id": np.arange(ROWS), "s": scores, "y": labels, "note": 'a "b", c'})
    frame.to_csv(folder / "rows.csv", index=False)
    frame.to_csv(folder / "rows.csv.gz", index=False)
    frame.to_csv(folder / "semicolon.csv", index=False, sep=";", decimal=",")
    frame.to_json(folder / "rows.jsonl", orient="records", lines=True)
    frame.to_parquet(folder / "rows.parquet", index=False)
    frame.to_feather(folder / "rows.arrow", compression="uncompressed")
    wide = frame.assign(z=np.where(rng.random(ROWS) < 0.5, labels, None))
    wide.to_csv(folder / "wide.csv", index=False)
    long = pd.concat([frame.assign(who="a"), wide.assign(y=wide["z"], who="b")])
    long.to_csv(folder / "long.csv", index=False)
    import duckdb

    with duckdb.connect(folder / "rows.duckdb") as database:
        database.register("given", frame)
        database.execute("CREATE TABLE rows AS FROM given")
    marked = [annotation(k, 10, choice("good")) for k in range(3)]
    saved(folder / "tasks.json", [task(1, *marked), task(2, marked[0], drafts=[{}])])
    saved(folder / "lines.jsonl", [options(1, "a", "good"), options(1, "b", "bad")])
    lwcal.save(lwcal.LWCal().fit(scores, labels), folder / "c.json")
    rows = f"{folder}/rows.csv {NAMES}"
    assert call(f"table reduce {rows} --out {folder}/table.parquet") == 0
    for name in ("sheet.csv", "sheet.jsonl"):
        planned = f"audit plan {rows} --id id --budget 12 --out {folder}/{name}"
        assert call(planned) == 0
    sheet = pd.read_csv(folder / "sheet.csv", dtype=str, encoding="utf-8-sig")
    sheet[ANSWER] = "1"
    sheet.to_csv(folder / "sheet.csv", index=False, encoding="utf-8-sig")
    sheet.to_json(folder / "sheet.jsonl", orient="records", lines=True)
    assert call(f"opinions plan {rows} --id id --n 12 --out {folder}/second.csv") == 0
    second = pd.read_csv(folder / "second.csv", dtype=str, encoding="utf-8-sig")
    second.assign(opinion="1").to_csv(folder / "second.csv", index=False)


def words(rng, count):
    """Some words, by their places: an array of texts would lose the zero byte."""
    return [WORDS[place] for place in rng.integers(len(WORDS), size=count)]


def damaged(rng, content):
    """The same bytes with a few of them changed, left out, repeated or moved."""
    found = bytearray(content)
    for _ in range(1 + rng.integers(4)):
        at, other = sorted(rng.integers(len(found) + 1, size=2))
        kind = rng.integers(6)
        if kind == 0 and at < len(found):
            found[at] = rng.integers(256)
        elif kind == 1:
            del found[at : at + 1 + rng.integers(8)]
        elif kind == 2:
            found[at:at] = INSERTED[rng.integers(len(INSERTED))]
        elif kind == 3:
            found[at:at] = found[at : at + 40]
        elif kind == 4:
            found[at : at + 9] = found[at : at + 9][::-1]
        elif rng.random() < 0.3:
            del found[other:]
    return bytes(found)


def check(line, said):
    """Exit codes are ours, and nothing unexpected is reported."""
    code = run(line)
    out, err = said.readouterr()
    assert code in (0, 1, 2, 3), (line, code)
    for text in ("Traceback", "please report it"):
        assert text not in out + err, (line, err)
    return code


@pytest.fixture
def here(originals, tmp_path, monkeypatch):
    """A folder with all files, to work in."""
    for path in originals.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", COMMANDS)
def test_damaged_files(name, here, originals, capsys):
    """Read as far as that makes sense, or refused."""
    line = shlex.split(COMMANDS[name].replace("FILE", name))
    assert check(line, capsys) in (0, 1)
    content, codes = (originals / name).read_bytes(), []
    for seed in range(max(COUNT // (2 * len(COMMANDS)), 3)):
        rng = np.random.default_rng(seed)
        (here / name).write_bytes(damaged(rng, content))
        try:
            codes.append(check(line, capsys))
        except BaseException as error:
            error.add_note(f"{name}, damaged with the seed {seed}")
            raise
    assert len(codes) < 50 or 2 in codes  # some are refused


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_anything_typed(here, capsys):
    """Words of the language in any order; no file of the reader's is changed."""
    before = {path.name: path.read_bytes() for path in here.iterdir()}
    for seed in range(COUNT // 2):
        rng = np.random.default_rng(seed)
        line = words(rng, 1 + rng.integers(9))
        if rng.random() < 0.5:
            line = [*shlex.split(list(COMMANDS.values())[seed % 5].replace("FILE", "rows.csv"))]
            at = int(rng.integers(1, len(line) + 1))
            line[at : at + int(rng.integers(2))] = words(rng, 2)
        target = line[line.index("--out") + 1 : line.index("--out") + 2] if "--out" in line else []
        if target and target[0] in before:
            continue  # whoever names their own file with --force wants it replaced
        try:
            check(line, capsys)
        except BaseException as error:
            error.add_note(f"typed with the seed {seed}")
            raise
    for name, content in before.items():
        assert (here / name).read_bytes() == content, name
