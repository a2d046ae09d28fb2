"""The fields of an artefact that applying it takes, checked on reading."""

from typing import Any

from lwcal.class_maps import CLASS_MAP_TYPES, ClassMap, class_map_from_dict
from lwcal.errors import ArtifactError, message
from lwcal.maps import map_from_dict
from lwcal.reference import Reference, reference_from_dict
from lwcal.rows.scales import PROBABILITY, SCALES
from lwcal.score_map import ONE_COLUMN, ClassScoreMap, ScoreMap

FORMAT = "lwcal-calibrator"
CLASSIFIER_FORMAT = "lwcal-classifier"
SEGMENTS_FORMAT = "lwcal-segments"
SCHEMA_VERSION = 1
"""It rises only when the meaning of a field changes; every earlier version stays readable."""


def score_map_of(document: Any) -> ScoreMap:
    """Read what new scores of one class meet. The other fields are not looked at.

    >>> score_map_of({"format": FORMAT, "schema_version": 1, "map": {"kind": "identity"}}).scale
    'probability'
    """
    found = map_of(document)
    if isinstance(found, ClassMap):
        raise ArtifactError(
            message(
                "a calibrator of two classes for one column of scores",
                f"one of {found.n_classes:,} classes",
                'name a column for each class, such as --score "p_*"',
            )
        )
    return found


def class_score_map_of(document: Any) -> ClassScoreMap:
    """Read what new probabilities of all classes meet."""
    found = map_of(document)
    classes = classes_for(document, found)
    if classes is None:
        raise ArtifactError(ONE_COLUMN)
    return ClassScoreMap(found.map if isinstance(found, ScoreMap) else found, tuple(classes))


def map_of(document: Any) -> ScoreMap | ClassMap:
    """Read what new scores of two classes meet, or the map of more than two."""
    check_header(document)
    given = document.get("map")
    kind = given.get("kind") if isinstance(given, dict) else None
    if isinstance(given, dict) and isinstance(kind, str) and kind in CLASS_MAP_TYPES:
        return class_map_from_dict(given)
    return ScoreMap(map_from_dict(given), scale_in(document), reference_in(document))


def classes_in(document: dict[str, Any]) -> list[Any] | None:
    """The class of each column of scores; None if the scores are those of one class."""
    given = document.get("classes")
    if given is None:
        return None
    if not isinstance(given, list) or not all(isinstance(c, str | int | float) for c in given):
        raise ArtifactError(message("classes to be a list of labels", f"{given!r}"))
    return given


def classes_for(document: dict[str, Any], found: ScoreMap | ClassMap) -> list[Any] | None:
    """As :func:`classes_in`; refuse more or fewer classes than the map has."""
    classes = classes_in(document)
    expected = found.n_classes if isinstance(found, ClassMap) else 2
    if classes is None and expected == 2:
        return None
    if classes is None or len(classes) != expected:
        got = "none" if classes is None else f"{len(classes)}"
        raise ArtifactError(message(f"{expected} classes", got))
    return classes


def check_header(document: Any) -> None:
    """Refuse what is no artefact, and artefacts of later versions."""
    if isinstance(document, dict) and document.get("format") == SEGMENTS_FORMAT:
        hint = "lwcal.load_segments reads them"
        raise ArtifactError(message("a single calibrator", "calibrators by segment", hint))
    if isinstance(document, dict) and document.get("format") == CLASSIFIER_FORMAT:
        hint = "lwcal.load_classifier reads them, and needs the model"
        raise ArtifactError(message("a single calibrator", "those of a classifier", hint))
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ArtifactError(
            message(f'a JSON object with "format": "{FORMAT}"', _describe(document, "format"))
        )
    check_version(document)


def check_version(document: dict[str, Any]) -> None:
    """Refuse files of later versions."""
    version = document.get("schema_version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise ArtifactError(message("a schema_version of 1 or more", f"{version!r}"))
    if version > SCHEMA_VERSION:
        raise ArtifactError(
            message(
                f"a schema_version up to {SCHEMA_VERSION}",
                f"{version}",
                f"upgrade lwcal to read a file of version {document.get('lwcal_version')}",
            )
        )


def _describe(document: Any, name: str) -> str:
    return repr(document.get(name)) if isinstance(document, dict) else type(document).__name__


def reference_in(document: dict[str, Any]) -> Reference | None:
    """The histogram of the rows of the fit, which earlier files lack."""
    reference = document.get("reference")
    return None if reference is None else reference_from_dict(reference)


def scale_in(document: dict[str, Any]) -> str:
    """The scale of the scores; earlier files have probabilities."""
    value = document.get("scale")
    if value is None:
        return PROBABILITY
    if not isinstance(value, str) or value not in SCALES:
        raise ArtifactError(message(f"a scale out of {', '.join(SCALES)}", f"{value!r}"))
    return str(value)
