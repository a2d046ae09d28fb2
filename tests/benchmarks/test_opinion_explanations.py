"""The benchmarks that explain missed aims of several opinions fill their page."""

import numpy as np
import pytest

from benchmarks import lost_consensus, ratings
from lwcal_study.leaderboard.opinions.methods import THRICE
from lwcal_study.opinions.cells import OpinionScores
from lwcal_study.opinions.reviewers import drawn_matrices, drawn_opinions


def simulated(cell):
    """Scores that are right, and three reviewers."""
    rng = np.random.default_rng(len(cell.learner))
    scores = rng.uniform(0.05, 0.95, 300)
    y = (rng.random(300) < scores).astype(int)
    both = np.stack([1.0 - scores, scores], axis=1)
    matrices = drawn_matrices(2, rng)
    opinions = drawn_opinions(matrices, y, rng)
    order = np.tile(np.arange(3), (300, 1))
    return OpinionScores(both, y, opinions, order, np.arange(300), both, y, matrices)


def page_with(marks, folder):
    """A page with room for a table."""
    page = folder / "page.md"
    page.write_text("\n".join(["before", *marks, ""]))
    return page


def test_lost_consensus(tmp_path, monkeypatch):
    """With all known, most labels are right."""
    page = page_with(lost_consensus.MARKS, tmp_path)
    monkeypatch.setattr(lost_consensus, "lost", lambda folder: [("made_up", THRICE)])
    monkeypatch.setattr(lost_consensus, "fit_and_score", simulated)
    # crowd-kit is optional
    rival = lost_consensus.voted(THRICE)._replace(way="another")
    monkeypatch.setattr(lost_consensus, "consensus", lambda asked: rival)
    lost_consensus.main(["--page", str(page)])
    row = next(line for line in page.read_text().splitlines() if "made_up" in line)
    _, task, rows, best, _, known, only, _ = map(str.strip, row.split("|"))
    assert (task, rows) == ("made_up, every row three times", "900")
    assert int(known) >= int(best) - 10
    assert " and " in only


def test_lost_tasks_are_those_of_the_results():
    """The page names tasks on which a rival has more right labels."""
    found = list(lost_consensus.lost(lost_consensus.RESULTS))
    assert len(set(found)) == len(found)
    assert {asked.title for _, asked in found} <= {"every row twice", "every row three times"}


def test_slopes_of_ratings(tmp_path, monkeypatch):
    """A map of clean labels needs no other slope."""
    page = page_with(ratings.MARKS, tmp_path)
    first = type("Task", (), {"name": "made_up"})
    monkeypatch.setattr(ratings, "rated_tasks", lambda: [first])
    monkeypatch.setattr(ratings, "fit_and_score", simulated)
    ratings.main(["--page", str(page)])
    row = next(line for line in page.read_text().splitlines() if "made_up" in line)
    assert float(row.split("|")[4]) == pytest.approx(0.0, abs=0.01)
    assert float(row.split("|")[7]) == pytest.approx(1.0, abs=0.05)
