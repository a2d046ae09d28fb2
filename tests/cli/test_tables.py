"""Tables that fit into the terminals that people have."""

import pytest

import lwcal
from tests.cli.helpers import call, done

LINES = (
    "diagnose scores.csv",
    "compare scores.csv --method platt,gated,noise-aware",
    "evaluate scores.csv c.json --noise-rates 0.2,0.2",
    "monitor c.json scores.csv",
    "fit scores.csv --out new.json",
)


@pytest.fixture
def calibrator(here, noisy_rows):
    """A file for the commands that need one."""
    lwcal.save(lwcal.NoiseAware().fit(*noisy_rows), "c.json")


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("columns", [60, 80])
def test_nothing_is_cut_or_runs_over(calibrator, monkeypatch, capsys, line, columns):
    """In narrow terminals intervals break; in usual ones each stands on its line."""
    monkeypatch.setenv("COLUMNS", str(columns))
    assert done(line)
    shown = capsys.readouterr().out.splitlines()
    assert max(len(text.rstrip()) for text in shown) <= columns
    assert not any("\u2026" in text for text in shown)
    if columns == 80:
        assert all(text.count("[") == text.count("]") for text in shown)


def test_what_a_fit_learned_is_explained(calibrator, monkeypatch, capsys):
    """Each number on a line with what it means."""
    monkeypatch.setenv("COLUMNS", "120")
    assert call("fit scores.csv --out new.json") == 0
    shown = capsys.readouterr().out
    for name in lwcal.load("new.json").diagnostics_:
        meaning = lwcal.Auto.diagnostic_meanings[name]
        assert any(name in line and meaning in line for line in shown.splitlines()), name
