"""The paper against itself."""

import re

from lwcal_study.paper import reported
from lwcal_study.paper.inconsistencies import INCONSISTENCIES, agreements, contradictions


def test_the_counts_of_data_sets_come_from_the_papers_table():
    """Eight and seven, where the text says seven and six."""
    found = contradictions()[0]
    assert found.lines == "558-559"
    assert "ECE falls on 8 (all but Synthetic Sparse)" in found.tables_say
    assert "log loss on 7" in found.tables_say


def test_every_inconsistency_has_lines_a_table_and_a_finding():
    """So that a reader can look it up."""
    found = contradictions()
    assert len(found) == len(INCONSISTENCIES) >= 15
    for item in found:
        assert re.fullmatch(r"\d+(-\d+)?(, \d+(-\d+)?)*", item.lines), item.lines
        assert item.table
        assert item.says
        assert item.tables_say


def test_the_findings_follow_the_papers_numbers(monkeypatch):
    """Change a number of a table, and the sentence changes with it."""
    changed = {
        **reported.NOISE_KIND,
        "Asymmetric": dict.fromkeys(reported.NOISE_KIND["Symmetric"], 9),
    }
    monkeypatch.setattr(reported, "NOISE_KIND", changed)
    harder = next(c for c in contradictions() if c.lines == "432-433")
    assert harder.tables_say.startswith("0 of 8 values are lower")


def test_the_papers_tables_agree_with_each_other():
    """Means over rates, kinds and data sets are the main table's, to rounding."""
    largest = float(re.search(r"at most (0\.\d+)", agreements())[1])
    assert largest <= 5.1e-4
    assert agreements().startswith("The paper's tables agree")
