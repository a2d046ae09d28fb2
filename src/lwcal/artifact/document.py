"""The artefact format: a fitted calibrator as plain JSON types, checked on reading."""

from typing import Any, NoReturn

import numpy as np

from lwcal._version import __version__
from lwcal.artifact.checks import is_finite
from lwcal.artifact.fields import (
    FORMAT,
    SCHEMA_VERSION,
    classes_for,
    map_of,
)
from lwcal.artifact.inferred import (
    adjustments_from_list,
    class_noise_from_dict,
    decision_from_dict,
    decision_to_dict,
    noise_from_dict,
    noise_to_dict,
)
from lwcal.artifact.reviews import reviews_from_dict, reviews_to_dict
from lwcal.calibrators import CALIBRATORS, Auto, Calibrator, ClassCalibrator, Reviewed
from lwcal.class_maps import ClassMap
from lwcal.errors import ArtifactError, ParameterError, message
from lwcal.multiclass.class_reference import ClassReference, class_reference_from_dict
from lwcal.rows.class_labels import class_array
from lwcal.rows.scales import PROBABILITY
from lwcal.score_map import ScoreMap

_METHOD_OF = {cls: method for method, cls in CALIBRATORS.items()}


def to_document(calibrator: Calibrator) -> dict[str, Any]:
    """Write a fitted calibrator in plain JSON types.

    >>> from lwcal import Platt
    >>> to_document(Platt().fit([0.2, 0.8], [0, 1]))["method"]
    'platt'
    """
    if type(calibrator) not in _METHOD_OF:
        raise ArtifactError(
            message(
                f"a calibrator of lwcal ({', '.join(CALIBRATORS)})",
                f"{type(calibrator).__name__}",
                "other installations can read back only these",
            )
        )
    calibrator.check_is_fitted()
    parameters = {name: _plain(name, v) for name, v in calibrator.get_params(deep=False).items()}
    document = {
        "format": FORMAT,
        "schema_version": SCHEMA_VERSION,
        "lwcal_version": __version__,
        "method": _METHOD_OF[type(calibrator)],
        "parameters": parameters,
        "n": calibrator.n_,
        "diagnostics": calibrator.diagnostics_,
        "map": calibrator.map_.to_dict(),
    }
    return document | _optional_fields(calibrator)


def _optional_fields(calibrator: Calibrator) -> dict[str, Any]:
    """Fields that earlier files lack; a missing field needs no new schema version."""
    grid, reference, noise, decision = (
        getattr(calibrator, name, None) for name in ("grid_", "reference_", "noise_", "decision_")
    )
    scale = calibrator.scale_of()
    reviews = getattr(calibrator, "reviews_", None)
    fields = {
        "scale": None if scale == PROBABILITY else scale,
        "classes": _classes_of(calibrator),
        "sampled_from": getattr(calibrator, "sampled_from_", None),
        "grid": grid,
        "adjustments": [one.to_dict() for one in calibrator.adjustments_] or None,
        "noise": None if noise is None else noise_to_dict(noise),
        "decision": None if decision is None else decision_to_dict(decision),
        "reviews": None if reviews is None else reviews_to_dict(reviews),
        "reference": None if reference is None else reference.to_dict(),
    }
    return {name: value for name, value in fields.items() if value is not None}


def _classes_of(calibrator: Calibrator) -> list[Any] | None:
    classes = getattr(calibrator, "classes_", None)
    return None if classes is None else [_plain("classes", label) for label in classes.tolist()]


def from_document(document: Any) -> Calibrator:
    """Read a calibrator, and refuse anything that ``to_document`` could not have written."""
    found = map_of(document)
    method = document.get("method")
    if not isinstance(method, str) or method not in CALIBRATORS:
        raise ArtifactError(message(f"a method out of {', '.join(CALIBRATORS)}", f"{method!r}"))
    calibrator = CALIBRATORS[method](**_parameters(document, CALIBRATORS[method]))
    _check_parameters(calibrator)
    _read_map(calibrator, found, document.get("reference"))
    _read_classes(calibrator, document, found)
    calibrator.n_ = _positive(document.get("n"), "n")
    if isinstance(calibrator, ClassCalibrator):
        total = document.get("sampled_from")
        calibrator.sampled_from_ = None if total is None else _positive(total, "sampled_from")
    calibrator.diagnostics_ = _diagnostics(document, CALIBRATORS[method])
    calibrator.grid_ = _grid(document.get("grid"))
    changes = document.get("adjustments")
    n_classes = found.n_classes if isinstance(found, ClassMap) else 2
    calibrator.adjustments_ = () if changes is None else adjustments_from_list(changes, n_classes)
    noise, decision = (document.get(k) for k in ("noise", "decision"))
    if noise is None:
        calibrator.noise_ = None
    elif isinstance(found, ClassMap):
        calibrator.noise_ = class_noise_from_dict(noise, classes_for(document, found) or ())
    else:
        calibrator.noise_ = noise_from_dict(noise)
    if isinstance(calibrator, Auto):
        calibrator.decision_ = None if decision is None else decision_from_dict(decision)
    if isinstance(calibrator, Reviewed):
        reviews = document.get("reviews")
        calibrator.reviews_ = None if reviews is None else reviews_from_dict(reviews)
    return calibrator


def _read_map(calibrator: Calibrator, found: ScoreMap | ClassMap, reference: object) -> None:
    if isinstance(found, ScoreMap):
        calibrator.map_, calibrator.scale_ = found.map, found.scale
        calibrator.reference_ = found.reference
    elif isinstance(calibrator, ClassCalibrator):
        calibrator.map_, calibrator.scale_ = found, PROBABILITY
        calibrator.reference_ = _class_reference(reference, found.n_classes)
    else:
        _refuse_classes(calibrator)


def _class_reference(reference: object, n_classes: int) -> ClassReference | None:
    """The histograms of the rows of the fit, which earlier files lack."""
    return None if reference is None else class_reference_from_dict(reference, n_classes)


def _read_classes(
    calibrator: Calibrator, document: dict[str, Any], found: ScoreMap | ClassMap
) -> None:
    classes = classes_for(document, found)
    if classes is None:
        return
    if not isinstance(calibrator, ClassCalibrator):
        _refuse_classes(calibrator)
    calibrator.classes_ = class_array(classes)


def _refuse_classes(calibrator: Calibrator) -> NoReturn:
    got = f"classes in one of method {_METHOD_OF[type(calibrator)]}"
    raise ArtifactError(message("a calibrator that takes class probabilities", got))


def _parameters(document: dict[str, Any], cls: type[Calibrator]) -> dict[str, Any]:
    given = document.get("parameters")
    if not isinstance(given, dict):
        raise ArtifactError(message("parameters to be an object", f"{type(given).__name__}"))
    known = cls().get_params(deep=False)  # a missing parameter has its default
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise ArtifactError(message(f"parameters out of {', '.join(known)}", ", ".join(unknown)))
    return {name: _plain(name, value) for name, value in given.items()}


def _check_parameters(calibrator: Calibrator) -> None:
    try:
        calibrator.check_parameters()
    except ParameterError as error:
        raise ArtifactError(f"parameters: {error}") from None


def _diagnostics(document: dict[str, Any], cls: type[Calibrator]) -> dict[str, float]:
    given = document.get("diagnostics")
    if not isinstance(given, dict) or not all(is_finite(v) for v in given.values()):
        raise ArtifactError(message("diagnostics to be an object of finite numbers", f"{given!r}"))
    names = cls.diagnostic_meanings
    missing = [name for name in names if name not in given.keys() | cls.optional_diagnostics]
    if missing:
        raise ArtifactError(message(f"the diagnostics {', '.join(names)}", f"no {missing[0]}"))
    return {name: float(value) for name, value in given.items()}


def _positive(value: Any, name: str) -> float:
    if not is_finite(value) or value <= 0:
        raise ArtifactError(message(f"{name} to be a positive number", f"{value!r}"))
    number: float = value
    return number


def _grid(value: Any) -> float | None:
    if value is not None and not (is_finite(value) and 0.0 < value <= 1.0):
        raise ArtifactError(message("a grid in (0, 1], or none", f"{value!r}"))
    return None if value is None else float(value)


def _plain(name: str, value: Any) -> Any:
    """Turn numpy scalars into Python's, and refuse values that JSON cannot hold."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, str)) or is_finite(value):
        return value
    numbers = _numbers(value.tolist() if isinstance(value, np.ndarray) else value)
    if numbers is not None:
        return numbers
    raise ArtifactError(
        message(
            f"parameter {name} to be a string, a finite number, a list of numbers or null",
            f"{value!r}",
        )
    )


def _numbers(value: Any) -> list[Any] | None:
    """At least two finite numbers, or rows of them; None for anything else."""
    if not isinstance(value, (list, tuple)) or len(value) < 2:
        return None
    if all(map(is_finite, value)):
        return [float(number) for number in value]
    rows = [_numbers(row) for row in value]
    return None if any(row is None or isinstance(row[0], list) for row in rows) else rows
