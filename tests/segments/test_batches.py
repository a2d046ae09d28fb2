"""Segments are worked on in batches; what is found does not depend on them."""

import numpy as np
import pytest

from lwcal import Isotonic, LWCal, ScoreTable, fit_segments
from lwcal.segments import evidence, fitting, offsets
from lwcal.segments.borrowed_rows import BorrowedRows
from lwcal.segments.evidence import Evidence
from lwcal.segments.offsets import fit_offsets


@pytest.fixture(scope="module")
def tables():
    """Of 1 to 400 rows, in an order that is not that of their length."""
    rng = np.random.default_rng(0)
    sizes = [400, 1, 7, 150, 150, 2, 3, 90]
    scores = [rng.random(n) for n in sizes]
    return [ScoreTable.from_arrays(one, rng.random(len(one)) < one**2) for one in scores]


@pytest.mark.parametrize("batch", [1, 150, 10_000])
def test_scores_of_many_tables_are_calibrated_at_once(tables, monkeypatch, batch):
    """Each table finds its own among them."""
    monkeypatch.setattr(evidence, "BATCH", batch)
    pooled = Isotonic().fit(ScoreTable.merge(tables))
    found = Evidence.of_tables(pooled, tables)
    for place, table in enumerate(tables):
        assert found.negatives[place].sum() == pytest.approx(table.n_negative)
        alone = pooled.map_.apply_unchecked(table.scores)
        p = np.clip(alone, evidence.CLIP, 1.0 - evidence.CLIP)
        mean = (found.negatives + found.positives)[place] @ found.nodes / table.n
        assert mean == pytest.approx(np.log(p / (1.0 - p)).mean())


def test_offsets_of_many_segments_are_those_of_few(tables, monkeypatch):
    """Where likelihoods are kept, and where they are computed twice."""
    counts = Evidence.of_tables(Isotonic().fit(ScoreTable.merge(tables)), tables)
    noise = np.array([[0.9, 0.1], [0.05, 0.95]])
    kept = fit_offsets(counts, noise)
    monkeypatch.setattr(offsets, "CHUNK", 3)
    for kept_at_most in (len(tables), 0):
        monkeypatch.setattr(offsets, "KEPT", kept_at_most)
        again = fit_offsets(counts, noise)
        for one, other in zip(kept[:4], again[:4], strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
        assert kept.spread == again.spread


def test_nodes_without_rows_change_nothing(tables):
    """They are left out; where no segment has rows, one is kept."""
    found = Evidence.of_tables(Isotonic().fit(ScoreTable.merge(tables)), tables)
    none = np.zeros((len(tables), 3))
    wider = Evidence(
        np.append(found.nodes, found.nodes[-1] + 0.25 * np.arange(1, 4)),
        np.hstack([found.negatives, none]),
        np.hstack([found.positives, none]),
    )
    for one, other in zip(
        fit_offsets(found, np.eye(2)), fit_offsets(wider, np.eye(2)), strict=True
    ):
        np.testing.assert_array_equal(one, other)
    nothing = fit_offsets(Evidence(found.nodes[:3], none, none), np.eye(2))
    np.testing.assert_allclose(nothing.values, 0.0, atol=1e-12)
    assert not nothing.own_share.any()


@pytest.mark.parametrize(
    ("limit", "at_once"), [("AT_ONCE", 1), ("AT_ONCE", 3), ("SCORES_AT_ONCE", 200)]
)
def test_curves_do_not_depend_on_how_many_are_fitted_at_once(tables, monkeypatch, limit, at_once):
    """Bit for bit, with borrowed rows and without."""
    named = {place: table for place, table in enumerate(tables) if table.n > 50}
    for prior_rows in (0.0, 60.0):
        together = fit_segments(named, LWCal(), prior_rows=prior_rows).curves
        with monkeypatch.context() as patch:
            patch.setattr(fitting, limit, at_once)
            alone = fit_segments(named, LWCal(), prior_rows=prior_rows).curves
        assert len(together) == len(alone) == len(named)
        for name, curve in together.items():
            assert curve.map_.to_dict() == alone[name].map_.to_dict()


def test_borrowed_rows_are_added_as_tables_are(tables):
    """At once where all scores stay exact, else one by one: on the grid, or beyond the limit."""
    everything = ScoreTable.merge(tables)
    pooled = Isotonic().fit(everything)
    borrowed = BorrowedRows.of(everything, 50.0, pooled, np.eye(2))
    offsets = np.linspace(-1.0, 1.0, len(tables))
    exact = borrowed.added_to(tables, offsets)
    limited = [
        ScoreTable.unchecked(*table.columns, limit=10**6 if place % 2 else len(table) + 1)
        for place, table in enumerate(tables)
    ]
    for place, (found, rounded) in enumerate(
        zip(exact, borrowed.added_to(limited, offsets), strict=True)
    ):
        assert found.n == pytest.approx(tables[place].n + 50.0, rel=0.2)
        if place % 2:
            for one, other in zip(found.columns, rounded.columns, strict=True):
                np.testing.assert_array_equal(one, other)
        else:
            assert rounded.grid is not None
            assert rounded.n == pytest.approx(found.n)
