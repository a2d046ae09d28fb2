"""The schema accepts the files that lwcal writes, and refuses those that it refuses."""

import json

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator

import lwcal
from lwcal.artifact import to_document
from lwcal.artifact.export.schema_parts import MAP_FIELDS
from lwcal.calibrators import CALIBRATORS
from lwcal.maps import MAP_TYPES
from tests.artifact import test_classifier_document, test_segments_document
from tests.artifact.export.targets import carrying
from tests.artifact.test_artifact import DAMAGES, GOLDEN, INFERRED_DAMAGES, valid, with_noise
from tests.test_maps import maps

SCHEMA = json.loads(lwcal.export(None, "json-schema"))
VALIDATOR = Draft202012Validator(SCHEMA)


def test_it_is_a_schema():
    """Of the draft that it names."""
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"].endswith("2020-12/schema")


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_golden_files_of_every_version_are_valid(path):
    """So are those of every calibrator."""
    VALIDATOR.validate(json.loads(path.read_text()))


@given(fitted=maps)
def test_maps_of_every_kind_are_valid(fitted):
    """As they are written."""
    VALIDATOR.validate(to_document(carrying(fitted)))


BEYOND_A_SCHEMA = {"falling map"}


@pytest.mark.parametrize("name", sorted(DAMAGES.keys() - BEYOND_A_SCHEMA))
def test_damaged_documents_are_refused(name):
    """All that ``load`` refuses, except for the order of knots."""
    damage, _ = DAMAGES[name]
    assert not VALIDATOR.is_valid(damage(valid()))


@pytest.mark.parametrize("field", sorted(set(valid()) - {"lwcal_version", "reference"}))
def test_no_field_may_be_missing(field):
    """Every one is needed to read the calibrator."""
    assert not VALIDATOR.is_valid({k: v for k, v in valid().items() if k != field})


def test_the_reference_may_be_missing_but_not_damaged():
    """Files without a reference can be loaded but not monitored."""
    document = valid()
    assert VALIDATOR.is_valid({k: v for k, v in document.items() if k != "reference"})
    for damaged in ([], {"edges": "all"}, {**document["reference"], "positives": [-1.0]}):
        assert not VALIDATOR.is_valid({**document, "reference": damaged})


def test_the_grid_may_be_missing_but_not_damaged():
    """Only fits to rounded scores have one."""
    assert VALIDATOR.is_valid({**valid(), "grid": 2.0**-20})
    for damaged in (0, 2, "fine"):
        assert not VALIDATOR.is_valid({**valid(), "grid": damaged})


def test_every_kind_of_map_and_method_is_described():
    """A new one needs its fields here."""
    assert set(MAP_FIELDS) == set(MAP_TYPES)
    assert SCHEMA["$defs"]["calibrator"]["properties"]["method"]["enum"] == list(CALIBRATORS)


@pytest.mark.parametrize("name", INFERRED_DAMAGES)
def test_damaged_estimates_and_decisions_are_refused(name):
    """They may be missing, but not damaged."""
    field, damage = INFERRED_DAMAGES[name]
    document = with_noise()
    VALIDATOR.validate(document)
    VALIDATOR.validate({key: value for key, value in document.items() if key != field})
    assert not VALIDATOR.is_valid({**document, field: damage(document[field])})


UNEQUAL_LISTS = {"twice", "too few", "curve", "curve twice"}
"""A schema cannot compare lists with each other."""


@pytest.fixture(scope="module")
def of_segments(tmp_path_factory):
    """A file of calibrators by segment."""
    path = tmp_path_factory.mktemp("segments") / "s.json"
    lwcal.save(test_segments_document.fitted_to(["a", "b"]), path)
    return json.loads(path.read_text())


def test_files_of_segments_are_valid_unless_damaged(of_segments):
    """Names may be lists, one for each column."""
    VALIDATOR.validate(of_segments)
    VALIDATOR.validate({**of_segments, "segments": [["a", 1], ["b", None]], "curves": []})
    damages = test_segments_document.DAMAGES
    for name in damages.keys() - UNEQUAL_LISTS - {"a calibrator"}:
        assert not VALIDATOR.is_valid(damages[name][0](of_segments)), name
    for name in UNEQUAL_LISTS:
        assert VALIDATOR.is_valid(damages[name][0](of_segments)), name
    newer = {**of_segments["pooled"], "schema_version": 99}
    assert not VALIDATOR.is_valid({**of_segments, "pooled": newer})


def test_files_of_classifiers_are_valid_unless_damaged():
    """The classes themselves are compared on loading."""
    document = json.loads(test_classifier_document.GOLDEN.read_text())
    VALIDATOR.validate(document)
    changes = {name: change for name, (change, _) in test_classifier_document.DAMAGES.items()}
    for name in changes.keys() - {"classes", "other class type", "class type"}:
        assert not VALIDATOR.is_valid({**document, **changes[name]}), name
