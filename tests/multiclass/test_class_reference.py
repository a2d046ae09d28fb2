"""Histograms of rows of several classes: what the rows say, kept in files, checked when read."""

import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import lwcal
from lwcal.artifact import from_document, to_document
from lwcal.errors import ArtifactError
from lwcal.multiclass.class_reference import (
    CLASS_BINS,
    ClassReference,
    Judged,
    class_reference_from_dict,
)
from lwcal.multiclass.class_rows import ClassRows
from tests.artifact.make_golden import CLASSES
from tests.multiclass.simulated import class_rows, even_noise, noisy_rows

SCHEMA = Draft202012Validator(json.loads(lwcal.export(None, "json-schema")))


def plain(reference):
    """A form that can be compared."""
    return json.dumps(reference.to_dict())


@given(st.integers(0, 99), st.integers(3, 6), st.integers(2, 80))
def test_what_follows_from_the_bins_is_what_the_rows_say(seed, k, n):
    """Rows, shares of the classes and disagreement, for any rows; few bins for each class."""
    rng = np.random.default_rng(seed)
    scores = rng.multinomial(16, rng.dirichlet(np.full(k, 0.5), n)) / 16
    labels = rng.integers(0, k, n)
    labels[:2] = 0, 1
    weights = rng.random(n) + 0.1
    rows = ClassRows.from_arrays(scores, labels, weights, classes=range(k))
    found = ClassReference.of(rows)
    assert found.n == pytest.approx(weights.sum())
    expected = np.bincount(labels, weights, minlength=k) / weights.sum()
    np.testing.assert_allclose(found.shares, expected)
    top = rows.scores.argmax(axis=1)
    assert found.d == pytest.approx(rows.weights[top != rows.labels].sum() / weights.sum())
    for histogram in (found.top, *found.classes):
        assert len(histogram.scores) <= CLASS_BINS + 1


def test_files_keep_it():
    """Through JSON and back to the same bits; files of earlier versions have none."""
    scores, _, labels = noisy_rows(400, even_noise(4, 0.2))
    for made in (lwcal.Identity, lwcal.Temperature, lwcal.NoiseAware):
        fitted = made().fit(scores, labels)
        document = json.loads(json.dumps(to_document(fitted), allow_nan=False))
        SCHEMA.validate(document)
        assert plain(from_document(document).reference_) == plain(fitted.reference_)
        assert document["reference"]["judged"]["nll"]["weight"] == [400.0]
    assert lwcal.load(CLASSES / "temperature.json").reference_ is None


def test_calibrated_rows_are_judged_against_the_true_classes():
    """The corrected loss is that by the true classes, within three standard errors."""
    scores, true, labels = noisy_rows(6000, even_noise(3, 0.3))
    fitted = lwcal.NoiseAware(noise_matrix=even_noise(3, 0.3)).fit(scores, labels)
    weight, total, squares = (part[0] for part in fitted.reference_.judged.nll)
    error = np.sqrt(squares / weight - (total / weight) ** 2) / np.sqrt(weight)
    by_truth = lwcal.metrics.class_nll(true, fitted.predict(scores))
    assert error < 0.07
    assert total / weight == pytest.approx(by_truth, abs=3 * error)
    assert lwcal.metrics.class_nll(labels, fitted.predict(scores)) > by_truth + 10 * error


def test_noise_that_hides_the_classes_is_not_corrected():
    """Such a matrix has no inverse."""
    rows = class_rows(50, even_noise(3, 0.0))
    assert Judged.of(rows.scores, rows.labels, rows.weights, np.full((3, 3), 1 / 3)) is None


def test_a_pickle_holds_the_histograms_and_not_the_rows():
    """Rows are kept until somebody asks, if they are few enough."""
    scores, _, labels = noisy_rows(20_000, even_noise(3, 0.0))
    fitted = lwcal.Identity().fit(scores, labels)
    content = pickle.dumps(fitted)
    assert len(content) < 20_000
    assert plain(pickle.loads(content).reference_) == plain(fitted.reference_)


def test_many_rows_are_summarised_by_the_fit(monkeypatch):
    """With the same result."""
    scores, _, labels = noisy_rows(500, even_noise(3, 0.1))
    later = lwcal.Temperature().fit(scores, labels)
    monkeypatch.setattr("lwcal.multiclass.class_reference.KEPT_NUMBERS", 100)
    at_once = lwcal.Temperature().fit(scores, labels)
    assert isinstance(later._reference, ClassRows)
    assert isinstance(at_once._reference, ClassReference)
    assert plain(at_once.reference_) == plain(later.reference_)


def valid():
    """A calibrator's document to damage."""
    scores, _, labels = noisy_rows(200, even_noise(3, 0.1))
    return to_document(lwcal.Temperature().fit(scores, labels))


def with_sums(reference, **changed):
    """Other sums of the log loss."""
    judged = reference["judged"]
    return {**reference, "judged": {**judged, "nll": {**judged["nll"], **changed}}}


DAMAGES = {
    "a list": (lambda r: [r], "a JSON object"),
    "no classes": (lambda r: {**r, "classes": None}, "each of 3 classes"),
    "no top": (lambda r: {**r, "top": None}, "a JSON object"),
    "a class of another kind": (lambda r: {**r, "classes": [1, 2, 3]}, "a JSON object"),
    "sums of another kind": (lambda r: {**r, "judged": [1]}, "judged to be a JSON object"),
    "no sums": (lambda r: {**r, "judged": {"nll": {}}}, "judged.nll with weight"),
    "too many bins": (lambda r: with_sums(r, weight=[1.0, 2.0]), "for 1 bins"),
    "words": (lambda r: with_sums(r, weight=["many"]), "numbers in reference.judged.nll"),
}
BEYOND_A_SCHEMA = {
    "a class too few": (lambda r: {**r, "classes": r["classes"][:2]}, "each of 3 classes"),
    "no rows": (lambda r: with_sums(r, weight=[0.0]), "sums that no rows have"),
    "impossible squares": (lambda r: with_sums(r, squares=[0.0]), "sums that no rows have"),
    "huge numbers": (lambda r: with_sums(r, total=[10**400]), "numbers in reference.judged.nll"),
}


@pytest.mark.parametrize("name", DAMAGES | BEYOND_A_SCHEMA)
def test_damaged_references_are_refused(name):
    """Each with an error about the part that is wrong; by the schema too, where it can."""
    damage, expected = (DAMAGES | BEYOND_A_SCHEMA)[name]
    document = valid()
    damaged = {**document, "reference": damage(document["reference"])}
    with pytest.raises(ArtifactError, match=expected):
        from_document(damaged)
    if name in DAMAGES:
        assert not SCHEMA.is_valid(damaged)


def test_a_thousand_classes_fit_into_a_megabyte():
    """About, and a class without labels can be read back."""
    rng = np.random.default_rng(0)
    rows = ClassRows.from_arrays(
        rng.dirichlet(np.full(1000, 0.1), 300), rng.integers(0, 500, 300), classes=range(1000)
    )
    text = plain(ClassReference.of(rows))
    assert len(text) < 1.5e6
    assert plain(class_reference_from_dict(json.loads(text), 1000)) == text
