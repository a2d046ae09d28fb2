"""The key of stored cells covers everything that a cell depends on."""

import dataclasses

import pytest
from sklearn.ensemble import RandomForestClassifier

from lwcal_study import evaluation
from lwcal_study.paper import cells, fingerprint, methods, open_choices, tasks
from lwcal_study.paper.appendix import methods as appendix
from lwcal_study.paper.appendix.binning import BayesianBinning
from lwcal_study.paper.sensitivity.cells import sensitivity_fingerprint


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


def change_baselines(patch):
    """Another prior of a baseline."""
    other = {**appendix.BASELINES, "BBQ": lambda: BayesianBinning(prior_rows=1.0)}
    patch.setattr(appendix, "BASELINES", other)


def change_blends(patch):
    """One blend less."""
    patch.setattr(appendix, "BLENDED", dict(list(appendix.BLENDED.items())[1:]))


def change_code_of_baselines(patch):
    """Another rule under the same name."""
    patch.setattr(appendix, "CODE", (tasks, *appendix.CODE[1:]))


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
    "baselines": change_baselines,
    "blends": change_blends,
    "code of baselines": change_code_of_baselines,
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


@pytest.mark.parametrize("change", [change_baselines, change_blends, change_code_of_baselines])
def test_baselines_do_not_change_the_key_of_the_sensitivity(monkeypatch, change):
    """Its cells have no baselines, so an hour of work stays valid."""
    before = sensitivity_fingerprint()
    change(monkeypatch)
    assert sensitivity_fingerprint() == before
