"""The histogram of the rows of a fit: small, exact where it matters, checked when it is read."""

import json
import pickle

import numpy as np
import pytest
from hypothesis import given

import lwcal
from lwcal.artifact import from_document, to_document
from lwcal.errors import ArtifactError
from lwcal.reference import (
    BINS,
    CONDENSED,
    DECISION,
    FIELDS,
    KEPT,
    MOST_BINS,
    Reference,
    condensed,
    reference_from_dict,
)
from lwcal.table import ScoreTable
from tests.strategies import rows


@given(data=rows())
def test_what_follows_from_the_bins_is_what_the_rows_say(data):
    """Number of rows, share of positives and d are those of the rows, for any rows."""
    table = ScoreTable.from_arrays(*data)
    summary = Reference.of(table).table()
    assert len(summary) <= BINS + 1 <= MOST_BINS
    assert summary.n == pytest.approx(table.n)
    assert summary.base_rate == pytest.approx(table.base_rate)
    assert summary.disagreement() == pytest.approx(table.disagreement())


@given(data=rows())
def test_rows_fall_into_the_bins_they_made(data):
    """Counting the same rows again gives the same counts, also after JSON."""
    table = ScoreTable.from_arrays(*data)
    reference = Reference.of(table)
    again = reference_from_dict(json.loads(json.dumps(reference.to_dict())))
    for found in (reference, again):
        counted = found.counts(table.scores, table.positives)
        np.testing.assert_allclose(counted, reference.positives)
    for name in FIELDS:
        np.testing.assert_array_equal(getattr(again, name), getattr(reference, name))


@pytest.mark.parametrize("n", [KEPT + 1, 33 * CONDENSED + 1, 200_000])
@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (0.0, 0.4), (0.6, 1.0)])
def test_large_tables_are_condensed_without_a_loss(n, low, high):
    """Pieces are pooled at their mean score, and no piece crosses the decision at one half."""
    rng = np.random.default_rng(n)
    table = ScoreTable.from_arrays(
        low + (high - low) * rng.random(n), rng.integers(0, 2, n), rng.random(n)
    )
    small = condensed(table)
    assert len(small) <= CONDENSED + 1
    np.testing.assert_allclose(small.n, table.n)
    np.testing.assert_allclose(small.disagreement(), table.disagreement())
    size = -(-n // CONDENSED)
    piece = np.cumsum((np.arange(n) % size == 0) | (np.diff(table.scores >= DECISION, prepend=0)))
    weight = table.negatives + table.positives
    means = np.bincount(piece, weight * table.scores)[1:] / np.bincount(piece, weight)[1:]
    np.testing.assert_allclose(small.scores, means, rtol=1e-12)
    np.testing.assert_allclose(small.positives, np.bincount(piece, table.positives)[1:])


def test_a_pickle_holds_the_histogram_and_not_the_rows():
    """A fit keeps the rows for later, up to some number, but does not hand them on."""
    rng = np.random.default_rng(0)
    fitted = lwcal.Isotonic().fit(rng.random(20_000), rng.integers(0, 2, 20_000))
    assert len(pickle.dumps(fitted)) < 20_000
    again = pickle.loads(pickle.dumps(fitted))
    for name in FIELDS:
        found, expected = getattr(again.reference_, name), getattr(fitted.reference_, name)
        np.testing.assert_array_equal(found, expected)


def test_entries_without_weight_make_no_bin():
    """Counts from elsewhere may hold zeros."""
    table = ScoreTable.from_counts([0.1, 0.5, 0.9], negatives=[3, 0, 0], positives=[0, 0, 4])
    assert Reference.of(table).scores.tolist() == [0.1, 0.9]


def test_bins_share_the_rows_evenly(noisy_rows):
    """But for the bin that the decision at one half cuts in two."""
    reference = Reference.of(ScoreTable.from_arrays(*noisy_rows))
    sizes = np.sort(reference.negatives + reference.positives)
    assert sizes[2:].min() >= 15
    assert sizes.max() <= 17


def test_every_calibrator_keeps_one_and_files_carry_it(noisy_rows):
    """Through the artefact and back; what was written without one has none."""
    document = to_document(lwcal.Platt().fit(*noisy_rows))
    loaded = from_document(document)
    np.testing.assert_array_equal(loaded.reference_.edges, document["reference"]["edges"])
    old = {name: value for name, value in document.items() if name != "reference"}
    assert from_document(old).reference_ is None
    assert to_document(from_document(old)) == old


def test_labels_that_stand_for_others_are_as_uncertain_as_those_that_were_seen():
    """Over many samples, the odds of informative labels vary as much as those of sampled rows.

    The variance of the logarithm of odds is the sum of one over each count.
    """
    rng = np.random.default_rng(0)
    bins = np.array([0.2, 0.7])
    negatives, positives = np.array([900.0, 300.0]), np.array([100.0, 500.0])
    logs, expected = [], []
    for _ in range(400):
        a, b = rng.poisson(negatives) * 20.0, rng.poisson(positives) * 1.0
        found = Reference(np.array([0.5]), bins, a, b, seen=(a.sum() / 20.0, b.sum()))
        assert reference_from_dict(json.loads(json.dumps(found.to_dict()))).seen == found.seen
        fewer, more = found.informative_labels()
        np.testing.assert_allclose(more / fewer, b / a)
        logs.append(np.log(b / a))
        expected.append(1.0 / fewer + 1.0 / more)
        assert found.informative_rows().sum() <= sum(found.seen)
    np.testing.assert_allclose(np.var(logs, axis=0), np.mean(expected, axis=0), rtol=0.2)


def valid():
    """A reference to damage."""
    return Reference.of(ScoreTable.from_arrays([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1])).to_dict()


DAMAGES = {
    "not an object": (lambda r: [], "a JSON object, got list"),
    "no edges": (lambda r: {**r, "edges": None}, "numbers as edges"),
    "words": (lambda r: {**r, "scores": ["a", 1, 1, 1]}, "numbers as scores"),
    "not finite": (lambda r: {**r, "positives": [1e999, 1, 1, 1]}, "numbers as positives"),
    "lengths": (lambda r: {**r, "positives": [1, 1]}, "1 to 64 bins"),
    "too many": (
        lambda r: {
            "edges": np.linspace(0.01, 0.99, 80).tolist(),
            **{name: np.linspace(0, 1, 81).tolist() for name in FIELDS[1:]},
        },
        "1 to 64 bins",
    ),
    "order": (lambda r: {**r, "edges": r["edges"][::-1]}, "increase within"),
    "range": (lambda r: {**r, "scores": [-1, 0.4, 0.6, 0.9]}, "increase within"),
    "negative": (lambda r: {**r, "negatives": [-1, 1, 1, 1]}, "both labels"),
    "seen nothing": (lambda r: {**r, "seen": [0, 10]}, "two positive numbers as seen"),
    "seen once": (lambda r: {**r, "seen": [10]}, "two positive numbers as seen"),
    "one class": (lambda r: {**r, "positives": [0, 0, 0, 0]}, "both labels"),
}


@pytest.mark.parametrize(("damage", "expected"), DAMAGES.values(), ids=DAMAGES.keys())
def test_damaged_references_are_refused(damage, expected):
    """Each with an error about the field that is wrong."""
    with pytest.raises(ArtifactError, match=expected):
        reference_from_dict(damage(valid()))
