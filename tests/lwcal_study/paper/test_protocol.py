"""The evaluated protocol, from a quick run and from the committed cells."""

import numpy as np
import pytest

from lwcal_study.paper import protocol
from lwcal_study.paper.results import read_results
from tests.lwcal_study.paper.conftest import COMMITTED


def test_every_noisy_cell_has_a_level(results):
    """The levels partition the cells, and the tables count each of them once."""
    cells = protocol.cells_with_levels(results)
    assert set(cells["level"]) <= set(protocol.LEVELS)
    levels = protocol.by_level(results)
    assert levels.loc[[name for name in levels.index if name.endswith("all")], "cells"].sum() == 72
    shares = protocol.disagreement(results)
    assert shares["cells"].sum() == 72
    assert (shares[list(protocol.RANGES.values())].sum(axis=1) == shares["cells"]).all()


def test_the_levels_are_those_of_the_gate(results):
    """rho is 0 below 0.29, and 1 from 0.41 on: one decision."""
    cells = protocol.cells_with_levels(results)
    assert (cells.loc[cells["level"] == "calibrate", "rho"] == 0).all()
    assert (cells.loc[cells["level"] == "audit", "rho"] == 1).all()
    assert cells.loc[cells["level"] == "gate", "rho"].between(0, 1).all()


def test_flipped_labels_follow_the_rate(results):
    """By about the stated share under symmetric noise, by less under asymmetric noise."""
    shares = protocol.disagreement(results)["flipped"]
    assert shares["40% symmetric"] == pytest.approx(0.4, abs=0.05)
    assert shares["40% asymmetric"] < 0.36
    assert (results.scalars.loc[results.scalars["rate"] == 0, "flipped"] == 0).all()


def test_methods_are_averaged_within_their_level(results):
    """By hand, for one level, kind and method."""
    cells = protocol.cells_with_levels(results)
    chosen = cells[(cells["level"] == "calibrate") & (cells["kind"] == "symmetric")]
    keys = set(zip(chosen["dataset"], chosen["rate"], strict=True))
    frame = results.main_results
    frame = frame[(frame["kind"] == "symmetric") & (frame["method"] == "LWCal")]
    there = [key in keys for key in zip(frame["dataset"], frame["rate"], strict=True)]
    found = protocol.by_level(results).loc["d < 0.29, symmetric", "ece LWCal"]
    assert found == pytest.approx(frame["ece"][there].mean())


def test_rate_and_kind_are_crossed(results):
    """Four rates of two kinds; their mean is the mean over the noisy cells."""
    crossed = protocol.rate_by_kind(results)
    assert len(crossed) == 8
    frame = results.main_results
    raw = frame[(frame["rate"] > 0) & (frame["method"] == "Raw")]
    assert np.mean(crossed["ece Raw"]) == pytest.approx(raw["ece"].mean())


def test_the_committed_findings():
    """LWCal beats the raw score where d is high and noise symmetric; the alarm misses the rest."""
    results = read_results(COMMITTED / "data")
    sentences = " ".join(protocol.findings(results))
    assert "47 of 54 symmetric cells and 3 of 54 asymmetric cells" in sentences
    levels = protocol.by_level(results)
    high = levels.loc["d ≥ 0.41, symmetric"]
    assert high["nll LWCal"] < high["nll Raw"]
    assert high["nll Raw"] == pytest.approx(high["nll Gated-LWCal"])
