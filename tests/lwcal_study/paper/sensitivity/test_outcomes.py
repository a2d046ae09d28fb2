"""From stored cells to the table of claims by choice."""

import json

import numpy as np
import pandas as pd
import pytest

from lwcal.cli.app import run
from lwcal_study.cell_store import CellStore
from lwcal_study.paper.artifact import CELLS
from lwcal_study.paper.sensitivity import cells, choices, outcomes, report, settings
from lwcal_study.paper.sensitivity.settings import SETTINGS, Setting
from tests.lwcal_study.paper.conftest import RESAMPLES
from tests.once import built_once

TASKS = ("Iris Versicolor", "Synthetic Overlap")


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A run with two tasks, tiny forests and few choices; and its own key, for tests to change."""

    def build(folder):
        with pytest.MonkeyPatch.context() as patch:
            small(patch)
            command = ["reproduce", "--sensitivity", "--quick", "--jobs", "1", "--out", str(folder)]
            assert run(command) == 0

    return built_once(tmp_path_factory, "quick-sensitivity", build)


def small(patch):
    """Only the reference, one choice of models and one of calibrators."""
    kept = {name: choices.MODELS[name] for name in ("reference", "extra trees leaf 5")}
    few = [
        SETTINGS[0],
        Setting("extra trees leaf", "5", model="extra trees leaf 5"),
        Setting("keep", "90%", variant="keep 90%"),
        Setting("clip", "1e-06", clip=1e-6),
    ]
    for module in (choices, cells, outcomes):
        patch.setattr(module, "MODELS", kept)
    patch.setattr(outcomes, "SETTINGS", few)
    patch.setattr(cells, "QUICK_TASKS", TASKS)
    patch.setattr("lwcal_study.paper.grid.QUICK_TREES", 3)
    patch.setattr("lwcal_study.paper.tables.N_RESAMPLES", RESAMPLES)


def test_every_claim_is_tested_under_every_setting(finished):
    """One row for each pair."""
    found = pd.read_csv(finished / report.FOLDER / report.OUTCOMES_FILE)
    assert found["setting"].nunique() == 4
    assert (found.groupby("setting")["claim"].nunique() == found["claim"].nunique()).all()
    assert set(found["outcome"]) <= set(report.LETTERS)


def test_a_finished_run_fits_nothing_again(finished, monkeypatch, tmp_path, capsys):
    """The second run reads the stored cells, and says the same."""
    small(monkeypatch)
    monkeypatch.setattr(
        "lwcal_study.paper.sensitivity.cells.fit_and_score", lambda *_: pytest.fail("a fit")
    )
    command = ["reproduce", "--sensitivity", "--quick", "--jobs", "1", "--out", str(finished)]
    before = (finished / report.FOLDER / report.OUTCOMES_FILE).read_bytes()
    assert run(command) == 0
    assert (finished / report.FOLDER / report.OUTCOMES_FILE).read_bytes() == before
    assert "under every one of 4 settings" in " ".join(capsys.readouterr().out.split())


def test_a_setting_replaces_what_it_names(finished, monkeypatch):
    """The clip changes log loss only, the share kept changes hard trimming only."""
    small(monkeypatch)
    store = CellStore(finished / CELLS, cells.sensitivity_fingerprint())
    measured = outcomes.load_model(store, "reference", quick=True)
    base, kept, clipped = (
        outcomes.results_of(measured, setting)
        .main_results.set_index(["dataset", "kind", "rate", "method"])
        .sort_index()
        for setting in (
            SETTINGS[0],
            Setting("keep", "90%", variant="keep 90%"),
            Setting("clip", "1e-06", clip=1e-6),
        )
    )
    assert base.index.equals(kept.index)
    assert base.index.is_unique
    differs = (base["ece"] != kept["ece"]).groupby("method").any()
    assert set(differs[differs].index) <= {"TrimCal-Iso", "TrimCal-Beta"}
    assert differs.any()
    np.testing.assert_array_equal(base["ece"], clipped["ece"])
    np.testing.assert_array_equal(clipped["nll"], base["nll_strict"])


def test_cells_that_a_choice_does_not_change_are_the_references(finished, monkeypatch):
    """Random forests are the same under another leaf of extra trees."""
    small(monkeypatch)
    store = CellStore(finished / CELLS, cells.sensitivity_fingerprint())
    base, leaf = (
        outcomes.load_model(store, name, quick=True).results
        for name in ("reference", "extra trees leaf 5")
    )
    learner = base["learner"] == "Extra Trees"
    pd.testing.assert_series_equal(
        base.loc[base["learner"] == "Random Forest", "ece"].reset_index(drop=True),
        leaf.loc[leaf["learner"] == "Random Forest", "ece"].reset_index(drop=True),
    )
    kept = leaf[(leaf["learner"] == "Extra Trees") & (leaf["variant"] == "reference")]
    assert not np.allclose(base.loc[learner & (base["variant"] == "reference"), "ece"], kept["ece"])


def test_the_section_counts_and_marks(finished):
    """Headline, letters, daggers at fitted choices, date and machine."""
    section = report.read_section(finished)
    run_file = json.loads((finished / report.FOLDER / report.RUN_FILE).read_text())
    assert run_file["date"] in section.paragraphs[2]
    assert "QUICK RUN" in section.paragraphs[2]
    (grid,) = section.grids
    assert grid.header[3:] == ["extra trees leaf", "keep †", "clip †"]
    assert {letter for row in grid.rows for cell in row[2:] for letter in cell} <= set("HPN")


def test_without_a_run_there_is_no_section(tmp_path):
    """The report of the study does not need one."""
    assert report.read_section(tmp_path) is None


def test_the_settings_cover_every_choice_once():
    """Alone each, and in the pairs that matter."""
    names = [setting.name for setting in SETTINGS]
    assert len(set(names)) == len(names)
    alone = [s for s in SETTINGS if not s.choice.startswith("pairs")]
    assert {s.model for s in alone} == set(choices.MODELS)
    assert {s.variant for s in alone} == {choices.REFERENCE, *choices.VARIANTS}
    assert {s.clip for s in alone} == set(choices.CLIPS)
    assert {s.choice for s in alone} >= settings.FITTED_CHOICES
    assert {s.choice for s in SETTINGS} == set(settings.MEANINGS)
