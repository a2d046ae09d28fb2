"""The fields of an artefact that applying it takes, checked on reading."""

from typing import Any

from lwcal.artifact.checks import as_object
from lwcal.class_maps import CLASS_MAP_TYPES, ClassMap, class_map_from_dict
from lwcal.errors import ArtifactError, message
from lwcal.maps import map_from_dict
from lwcal.reference import Reference, reference_from_dict
from lwcal.rows.scales import PROBABILITY, SCALES
from lwcal.score_map import ScoreMap

FORMAT = "lwcal-calibrator"
SCHEMA_VERSION = 1
"""It rises only when the meaning of a field changes; every earlier version stays readable."""


def score_map_of(document: Any) -> ScoreMap:
    """Read what new scores meet. The other fields are not looked at.

    >>> score_map_of({"format": FORMAT, "schema_version": 1, "map": {"kind": "identity"}}).scale
    'probability'
    """
    check_header(document)
    of_classes = class_map_in(document)
    if of_classes is not None:
        raise ArtifactError(
            message(
                "a calibrator of two classes",
                f"one of {of_classes.n_classes:,} classes",
                "load it in Python with lwcal.load, and call predict",
            )
        )
    return ScoreMap(map_from_dict(document.get("map")), scale_in(document), reference_in(document))


def class_map_in(document: dict[str, Any]) -> ClassMap | None:
    """The map of a calibrator of more than two classes; None for one of two."""
    given = document.get("map")
    kind = given.get("kind") if isinstance(given, dict) else None
    if not isinstance(kind, str) or kind not in CLASS_MAP_TYPES:
        return None
    return class_map_from_dict(as_object(given, "map"))


def classes_in(document: dict[str, Any]) -> list[Any] | None:
    """The class of each column of scores; None if the scores are those of one class."""
    given = document.get("classes")
    if given is None:
        return None
    if not isinstance(given, list) or not all(isinstance(c, str | int | float) for c in given):
        raise ArtifactError(message("classes to be a list of labels", f"{given!r}"))
    return given


def check_header(document: Any) -> None:
    """Refuse what is no artefact, and artefacts of later versions."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ArtifactError(
            message(f'a JSON object with "format": "{FORMAT}"', _describe(document, "format"))
        )
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
