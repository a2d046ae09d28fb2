"""NoiseAware and Auto for several classes: what they gain, and what they never cost."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lwcal
from lwcal.artifact import from_document, to_document
from lwcal.artifact.export.json_schema import json_schema
from lwcal.errors import ArtifactError, ParameterError
from lwcal.metrics import class_nll
from tests.multiclass.simulated import even_noise, next_noise, noisy_rows

JOINT = [lwcal.NoiseAware, lwcal.Auto]
every_joint = pytest.mark.parametrize("cls", JOINT, ids=lambda cls: cls.__name__)


def split(scores, true, labels):
    """Rows to fit to, and rows with right labels to judge by."""
    half = len(labels) // 2
    return (scores[:half], labels[:half]), (scores[half:], true[half:])


@pytest.mark.parametrize("noise", [even_noise(5, 0.3), next_noise(5, 0.3)], ids=["even", "next"])
def test_most_of_the_gap_is_closed(noise):
    """Between a scaling that trusts the labels and one fitted to right labels."""
    scores, true, labels = noisy_rows(6000, noise, slope=2.0)
    fit, (held_out, truth) = split(scores, true, labels)
    clean = lwcal.MatrixScaling().fit(fit[0], true[:3000]).predict(held_out)
    trusting = lwcal.MatrixScaling().fit(*fit).predict(held_out)
    aware = lwcal.NoiseAware().fit(*fit).predict(held_out)
    best, worst, found = (class_nll(truth, p) for p in (clean, trusting, aware))
    assert worst - found > 0.9 * (worst - best)


@every_joint
@pytest.mark.parametrize("seed", range(4))
def test_right_labels_cost_little(cls, seed):
    """Against the scaling that trusts them."""
    scores, true, labels = noisy_rows(2000, np.eye(4), seed, slope=[0.7, 1.0, 1.4, 2.0][seed])
    fit, (held_out, truth) = split(scores, true, labels)
    trusting, found = (
        class_nll(truth, one.fit(*fit).predict(held_out)) for one in (lwcal.MatrixScaling(), cls())
    )
    assert found < 1.02 * trusting


def test_the_bound_of_auto_holds():
    """If every label is right, the map costs at most so much more than the better reference."""
    scores, _, labels = noisy_rows(3000, even_noise(4, 0.3), slope=0.5)
    free = lwcal.Auto(max_cost=10.0).fit(scores, labels)
    assert free.decision_.choice == "noise-aware"
    for bound in (0.1, 0.05):
        kept = lwcal.Auto(max_cost=bound).fit(scores, labels)
        assert kept.decision_.p_clean_used > free.decision_.p_clean_used
        trusting = class_nll(labels, lwcal.MatrixScaling().fit(scores, labels).predict(scores))
        reference = min(class_nll(labels, scores), trusting)
        assert class_nll(labels, kept.predict(scores)) < (1.0 + bound) * reference * 1.001


def test_auto_keeps_good_scores():
    """What needs no change gets none."""
    scores, _, labels = noisy_rows(2000, np.eye(4), seed=1)
    found = lwcal.Auto().fit(scores, labels)
    assert found.decision_.choice == "raw"
    np.testing.assert_allclose(found.predict(scores), scores, rtol=1e-12)


@every_joint
def test_two_columns_are_one(cls):
    """Both columns of two classes are the fit to the second."""
    scores, _, labels = noisy_rows(800, even_noise(2, 0.2))
    both, one = cls().fit(scores, labels), cls().fit(scores[:, 1], labels)
    np.testing.assert_allclose(both.predict(scores)[:, 1], one.predict(scores[:, 1]), atol=1e-12)
    assert both.noise_.sentence == one.noise_.sentence


@every_joint
def test_saved_and_loaded(cls, tmp_path):
    """With the matrix, its intervals and the decision; the schema knows them."""
    import jsonschema

    scores, _, labels = noisy_rows(600, even_noise(3, 0.3))
    fitted = cls().fit(scores, np.array(["x", "y", "z"])[labels])
    lwcal.save(fitted, tmp_path / "c.json")
    read = lwcal.load(tmp_path / "c.json")
    np.testing.assert_array_equal(fitted.predict(scores), read.predict(scores))
    assert read.noise_.to_dict() == fitted.noise_.to_dict()
    assert read.diagnostics_ == fitted.diagnostics_
    jsonschema.validate(to_document(fitted), json_schema())


def test_known_noise_is_saved_too():
    """A matrix and rates of several classes are parameters like others."""
    scores, _, labels = noisy_rows(300, even_noise(3, 0.3))
    fitted = lwcal.NoiseAware(noise_matrix=even_noise(3, 0.3)).fit(scores, labels)
    read = from_document(to_document(fitted))
    np.testing.assert_allclose(read.noise_matrix, even_noise(3, 0.3))
    told = lwcal.NoiseAware(prior_rates=(0.1, 0.2, 0.3)).fit(scores, labels)
    assert from_document(to_document(told)).prior_rates == [0.1, 0.2, 0.3]


DAMAGES = {
    "a short matrix": lambda noise: noise | {"matrix": noise["matrix"][:2]},
    "a short row": lambda noise: noise | {"low": [row[:2] for row in noise["low"]]},
    "a share above 1": lambda noise: noise | {"high": [[2.0] * 3] * 3},
    "no rates": lambda noise: noise | {"rates": None},
    "no hypotheses": lambda noise: noise | {"hypotheses": []},
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_damaged_estimates_are_refused(damage):
    """With the field that is damaged."""
    scores, _, labels = noisy_rows(100, even_noise(3, 0.3))
    document = to_document(lwcal.NoiseAware().fit(scores, labels))
    with pytest.raises(ArtifactError, match=r"noise\."):
        from_document(document | {"noise": damage(document["noise"])})


def test_rates_of_two_classes_are_refused_for_more():
    """The message says what to give instead."""
    scores, _, labels = noisy_rows(100, even_noise(3, 0.3))
    with pytest.raises(ParameterError, match="noise_matrix"):
        lwcal.NoiseAware(noise_rates=(0.1, 0.2)).fit(scores, labels)


def test_a_matrix_of_two_classes_is_a_pair_of_rates():
    """Off the diagonal."""
    scores, _, labels = noisy_rows(500, even_noise(2, 0.2))
    by_matrix = lwcal.NoiseAware(noise_matrix=[[0.9, 0.1], [0.2, 0.8]]).fit(scores, labels)
    by_rates = lwcal.NoiseAware(noise_rates=(0.1, 0.2)).fit(scores[:, 1], labels)
    np.testing.assert_allclose(
        by_matrix.predict(scores)[:, 1], by_rates.predict(scores[:, 1]), atol=1e-12
    )


@settings(max_examples=25, deadline=None)
@given(
    n=st.integers(2, 40),
    k=st.integers(3, 6),
    seed=st.integers(0, 10_000),
    zeros=st.booleans(),
    heavy=st.sampled_from([1e-3, 1.0, 1e3]),
)
def test_any_table_gives_probabilities(n, k, seed, zeros, heavy):
    """Rows sum to 1, nothing is infinite, and what is fitted can be saved and loaded."""
    rng = np.random.default_rng(seed)
    scores = rng.dirichlet(np.full(k, 0.2), n)
    if zeros:
        scores = np.eye(k)[scores.argmax(axis=1)]
    labels = rng.integers(0, k, n)
    labels[:2] = [0, 1]
    for cls in JOINT:
        fitted = cls().fit(scores, labels, heavy * rng.random(n) + 1e-6, classes=range(k))
        found = fitted.predict(scores)
        assert np.isfinite(found).all()
        np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-9)
        np.testing.assert_array_equal(from_document(to_document(fitted)).predict(scores), found)
