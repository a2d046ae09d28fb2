"""Segments are worked on in batches; what is found does not depend on them."""

import numpy as np
import pytest

from lwcal import Isotonic, ScoreTable
from lwcal.segments import evidence, offsets
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
    again = fit_offsets(counts, noise)
    for one, other in zip(kept[:4], again[:4], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)
    assert kept.spread == again.spread
