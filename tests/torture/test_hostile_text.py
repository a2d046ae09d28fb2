"""Text of a source that tries to break what a person opens stays that text."""

import csv
import re

import numpy as np
import pytest

from lwcal.cli.audit.sheets import load_sheet
from tests.cli.helpers import call

HOSTILE = {
    "quotes": "\"a\" 'b' ,;\t",
    "lines": "one\ntwo\r\nthree",
    "nul": "a\0b",
    "formula": '=HYPERLINK("http://127.0.0.1")',
    "markup": "</script><script>alert(1)</script><img src=x onerror=alert(1)>&amp;",
    "long": "x" * (1 << 20),
    "direction": "\u202eleft\u2028line",
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_text_goes_through_every_output(kind, tmp_path, monkeypatch):
    """As an id: in rows with probabilities, in a sheet, and in a report."""
    monkeypatch.chdir(tmp_path)
    text = HOSTILE[kind]
    rng = np.random.default_rng(0)
    scores = rng.random(150)
    ids = [text, *(f"r{k}" for k in range(1, 150))]
    rows = [[name, float(p), int(rng.random() > p)] for name, p in zip(ids, scores, strict=True)]
    rows[0][1:] = [0.999, 0]  # the label that is most likely wrong, and so is listed
    with (tmp_path / "rows.csv").open("w", newline="", encoding="utf-8") as handle:
        csv.writer(handle).writerows([["id", "s", "y"], *rows])
    options = "rows.csv --score s --label y --id id"
    assert call("fit rows.csv --score s --label y --method platt --out c.json") == 0
    assert call("apply c.json rows.csv --score s --out out.csv") == 0
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as handle:
        usual = csv.field_size_limit(1 << 24)
        found = list(csv.reader(handle))
        csv.field_size_limit(usual)
    assert [row[0] for row in found[1:]] == ids
    assert call(f"audit plan {options} --budget 150 --out sheet.csv") == 0
    assert sorted(load_sheet(tmp_path / "sheet.csv").column("id")) == sorted(ids)
    cells = (tmp_path / "sheet.csv").read_text(encoding="utf-8-sig")
    assert not re.search(r'(^|[,"])[=@]', cells, flags=re.MULTILINE)
    assert call(f"report c.json {options} --out page.html") == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count("<script") == 2  # its own
    assert len(page) < 1 << 19
