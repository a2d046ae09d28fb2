"""Tables that fit into the terminals that people have."""

import pytest

import lwcal
from lwcal.calibrators import CALIBRATORS
from lwcal.cli.fit import MEANINGS
from lwcal.cli.methods import METHODS
from tests.cli.helpers import call

LINES = (
    "diagnose scores.csv",
    "compare scores.csv --method platt,gated,noise-aware",
    "evaluate scores.csv c.json --noise 0.2,0.2",
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
    assert call(line) == 0
    shown = capsys.readouterr().out.splitlines()
    assert max(len(text.rstrip()) for text in shown) <= columns
    assert not any("\u2026" in text for text in shown)
    if columns == 80:
        assert all(text.count("[") == text.count("]") for text in shown)


def test_what_a_fit_learned_is_explained():
    """Every name of every calibrator that it fits, and no other."""
    names = {name for method in METHODS for name in CALIBRATORS[method].diagnostic_names}
    assert set(MEANINGS) == names
