"""The calibrators of a CalibratedClassifier as plain JSON types, checked on reading.

The models stay where models are kept, in a format of their own. The file keeps a fingerprint of
each.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_is_fitted

from lwcal._version import __version__
from lwcal.artifact.checks import as_list, as_object
from lwcal.artifact.document import from_document, to_document
from lwcal.artifact.fields import CLASSIFIER_FORMAT, SCHEMA_VERSION, check_version
from lwcal.artifact.fingerprint import check_fingerprint, fingerprint
from lwcal.calibrators import Calibrator, ClassCalibrator
from lwcal.classifier.calibrated import JOINT, ONE_VS_REST, CalibratedClassifier
from lwcal.classifier.frozen import is_frozen, ready_to_score
from lwcal.classifier.scores import CalibratedModel
from lwcal.classifier.target import Array
from lwcal.errors import ArtifactError, ParameterError, message

CLASS_TYPES = re.compile(r"<U[1-9][0-9]{0,4}|object|bool|u?int(8|16|32|64)|float(16|32|64)")
"""Types of the array of classes that are read back."""
PLAIN = (str, int, float, bool)


def classifier_to_document(fitted: CalibratedClassifier) -> dict[str, Any]:
    """Write the calibrators, the classes, and fingerprints of the models in plain JSON types."""
    if not isinstance(fitted, CalibratedClassifier):
        to_document(fitted)  # says which calibrators can be saved
    check_is_fitted(fitted)
    kind = str(fitted.classes_.dtype)
    labels = fitted.classes_.tolist()
    if not CLASS_TYPES.fullmatch(kind) or not all(isinstance(one, PLAIN) for one in labels):
        expected = "classes to be texts, numbers or booleans"
        raise ArtifactError(message(expected, f"{labels!r} of type {kind}"))
    return {
        "format": CLASSIFIER_FORMAT,
        "schema_version": SCHEMA_VERSION,
        "lwcal_version": __version__,
        "classes": labels,
        "class_type": kind,
        "frozen": is_frozen(fitted.estimator),
        "multiclass": fitted.multiclass,
        "members": [
            {
                "calibrators": [to_document(one) for one in member.calibrators],
                "model": fingerprint(member.estimator, fitted.classes_),
            }
            for member in fitted.calibrated_classifiers_
        ],
    }


def classifier_from_document(document: object, estimator: Any) -> CalibratedClassifier:
    """Put calibrators and models together, and refuse models that were not calibrated."""
    given = document if isinstance(document, dict) else {}
    if given.get("format") != CLASSIFIER_FORMAT:
        hint = "lwcal.load reads single calibrators"
        expected = f'a JSON object with "format": "{CLASSIFIER_FORMAT}"'
        raise ArtifactError(message(expected, repr(given.get("format")), hint))
    check_version(given)
    classes = _classes(given)
    parts = [as_object(one, "a member") for one in as_list(given.get("members"), "members")]
    frozen, multiclass = given.get("frozen"), given.get("multiclass")
    if not isinstance(frozen, bool) or multiclass not in (JOINT, ONE_VS_REST):
        expected = f"frozen to be true or false, and multiclass {JOINT} or {ONE_VS_REST}"
        raise ArtifactError(message(expected, f"{frozen!r} and {multiclass!r}"))
    models = _models(estimator, parts)
    members = []
    for place, (part, model) in enumerate(zip(parts, models, strict=True)):
        which = "the model" if len(parts) == 1 else f"model {place}"
        ready = ready_to_score(_as_frozen(model) if frozen else model)
        check_fingerprint(part.get("model"), ready, classes, which)
        members.append(CalibratedModel(ready, _calibrators(part, classes), classes))
    template = _as_frozen(models[0]) if frozen else clone(models[0])
    made = CalibratedClassifier(
        template,
        clone(members[0].calibrators[0]),
        ensemble=len(members) > 1,
        multiclass=multiclass,
    )
    made.classes_, made.calibrated_classifiers_ = classes, members
    return made


def _as_frozen(model: Any) -> Any:
    return model if is_frozen(model) else FrozenEstimator(model)


def _models(estimator: Any, parts: Sequence[dict[str, Any]]) -> list[Any]:
    """One model for each member; one is enough if all members have the same."""
    if isinstance(estimator, (list, tuple)):
        if len(estimator) != len(parts):
            expected = f"{len(parts)} models, in the order of calibrated_classifiers_"
            raise ParameterError(message(expected, f"{len(estimator)}"))
        return list(estimator)
    if any(part.get("model") != parts[0].get("model") for part in parts):
        hint = "[member.estimator for member in classifier.calibrated_classifiers_]"
        expected = f"a list of {len(parts)} models, one for each fold"
        raise ParameterError(message(expected, type(estimator).__name__, f"pass {hint}"))
    return [estimator] * len(parts)


def _classes(document: dict[str, Any]) -> Array:
    labels, kind = as_list(document.get("classes"), "classes"), document.get("class_type")
    if not isinstance(kind, str) or not CLASS_TYPES.fullmatch(kind):
        raise ArtifactError(message("a class_type of texts, numbers or booleans", f"{kind!r}"))
    if not all(isinstance(one, PLAIN) for one in labels):
        raise ArtifactError(message("classes to be a list of labels", f"{labels!r}"))
    try:
        found = np.array(labels, dtype=kind)
        is_same = found.tolist() == labels and len(set(labels)) == len(labels) >= 2
    except (ValueError, TypeError, OverflowError):
        is_same = False
    if not is_same:
        got = f"{labels!r}"
        raise ArtifactError(message(f"two or more different classes of type {kind}", got))
    return found


def _calibrators(part: dict[str, Any], classes: Array) -> list[Calibrator]:
    found = [from_document(one) for one in as_list(part.get("calibrators"), "calibrators")]
    k = len(classes)
    is_joint = (
        k > 2
        and len(found) == 1
        and isinstance(found[0], ClassCalibrator)
        and getattr(found[0], "n_classes_", None) == k
    )
    if not is_joint and len(found) != (1 if k == 2 else k):
        expected = f"calibrators of {k} classes"
        raise ArtifactError(message(expected, f"{len(found)} in a member"))
    return found
