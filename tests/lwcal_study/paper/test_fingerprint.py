"""The key of stored cells covers everything that a cell depends on."""

import dataclasses

import pytest
from sklearn.ensemble import RandomForestClassifier

from lwcal_study import evaluation
from lwcal_study.paper import cells, fingerprint, methods, open_choices, tasks


def change_learner(patch):
    """Larger leaves in forests."""
    patch.setattr(cells, "FOREST_LEAF", 3)


def change_learner_type(patch):
    """Other forests."""
    patch.setattr(cells, "ExtraTreesClassifier", RandomForestClassifier)


def change_methods(patch):
    """One method less."""
    patch.setattr(methods, "METHODS", dict(list(methods.METHODS.items())[1:]))


def change_gates(patch):
    """One gate less."""
    patch.setattr(methods, "GATES", dict(list(methods.GATES.items())[1:]))


def change_generators(patch):
    """Another seed of a synthetic task."""
    changed = {name: g._replace(seed=99) for name, g in tasks.GENERATORS.items()}
    patch.setattr(tasks, "GENERATORS", changed)


CHANGES = {
    "clip": lambda patch: patch.setattr(evaluation, "PAPER_CLIP", 1e-3),
    "metrics": lambda patch: patch.setattr(evaluation, "METRICS", evaluation.METRICS[1:]),
    "bins": lambda patch: patch.setattr(evaluation, "RELIABILITY_BINS", 10),
    "learner": change_learner,
    "type of learner": change_learner_type,
    "methods": change_methods,
    "gates": change_gates,
    "generators": change_generators,
    "test share": lambda patch: patch.setattr(fingerprint, "TEST_SHARE_OF_REST", 0.4),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_every_setting_changes_the_key(monkeypatch, change):
    """Cells of other settings are not taken for finished ones."""
    before = fingerprint.fingerprint()
    assert fingerprint.fingerprint() == before
    change(monkeypatch)
    assert fingerprint.fingerprint() != before


@pytest.mark.parametrize("field", dataclasses.fields(open_choices.FitChoices), ids=lambda f: f.name)
def test_every_open_choice_changes_the_key(monkeypatch, field):
    """Each of them changes the scores of some cells."""
    before = fingerprint.fingerprint()
    other = dataclasses.replace(open_choices.REFERENCE, **{field.name: 7})
    monkeypatch.setattr(open_choices, "REFERENCE", other)
    assert fingerprint.fingerprint() != before
