"""The maps to export, from a calibrator or classifier, with a description of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lwcal._version import __version__
from lwcal.arrays import FloatArray
from lwcal.artifact.export.exported_class_map import ExportedClassMap
from lwcal.artifact.export.simplification import knot_count, largest_error, simplify
from lwcal.calibrators import Calibrator
from lwcal.class_maps import ClassMap
from lwcal.errors import ParameterError, message
from lwcal.maps import Map
from lwcal.rows.probabilities import most_off_by
from lwcal.rows.scales import PROBABILITY


class ExportedMaps(NamedTuple):
    """Maps from scores to probabilities, with all that an export needs to know.

    Parameters
    ----------
    maps : tuple of Map
        One map for each score of a row.
    classes : tuple
        Classes of a classifier, each of which gets a probability. Two classes share one score,
        that of the second class. Empty for a calibrator, which returns one probability.
    tolerance : float
        How far outside [0, 1] a score may lie. Such scores are clipped to [0, 1].
    description : tuple of str
        Lines that describe where the maps come from.
    scale : str
        Scale on which scores arrive; the maps take probabilities.
    """

    maps: tuple[Map, ...]
    classes: tuple[Any, ...]
    tolerance: float
    description: tuple[str, ...]
    scale: str = PROBABILITY

    def predict(self, scores: FloatArray) -> FloatArray:
        """Map rows of scores in [0, 1] to one probability per row, or one per class."""
        from lwcal.classifier import combine

        columns = zip(self.maps, np.ascontiguousarray(scores.T), strict=True)
        calibrated = np.column_stack([fitted(column) for fitted, column in columns])
        return combine(calibrated, scores) if self.classes else calibrated[:, 0]


def collect_maps(fitted: Any, max_error: float | None = None) -> ExportedMaps | ExportedClassMap:
    """Collect the maps of a fitted calibrator or classifier, simplified if requested."""
    if isinstance(fitted, Calibrator):
        fitted.check_is_fitted()
        if isinstance(fitted.map_, ClassMap):
            classes = tuple(fitted.classes_.tolist())
            return _exported_classes(fitted, classes, 0.0, most_off_by(len(classes)), max_error)
        return _exported([fitted], (), 0.0, max_error)
    from lwcal.classifier import ROUNDING, CalibratedClassifier  # slow to import

    if not isinstance(fitted, CalibratedClassifier):
        expected = "a calibrator or a CalibratedClassifier"
        raise ParameterError(message(expected, type(fitted).__name__))
    calibrators, classes = _calibrators(fitted), tuple(fitted.classes_.tolist())
    if isinstance(calibrators[0].map_, ClassMap):
        return _exported_classes(calibrators[0], classes, ROUNDING, None, max_error)
    return _exported(calibrators, classes, ROUNDING, max_error)


def _calibrators(classifier: Any) -> list[Calibrator]:
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(classifier)
    members = classifier.calibrated_classifiers_
    if len(members) != 1:
        raise ParameterError(
            f"A classifier with {len(members)} models, one per fold, cannot be exported. "
            "Fit it with ensemble=False, or export calibrated_classifiers_[i].calibrators."
        )
    found: list[Calibrator] = members[0].calibrators
    return found


def _exported(
    calibrators: list[Calibrator],
    classes: tuple[Any, ...],
    tolerance: float,
    max_error: float | None,
) -> ExportedMaps:
    maps = [c.map_ if max_error is None else simplify(c.map_, max_error) for c in calibrators]
    description = _origin(classes)
    for calibrator, used in zip(calibrators, maps, strict=True):
        description += _describe(calibrator, used, max_error)
    return ExportedMaps(tuple(maps), classes, tolerance, tuple(description), _scale(calibrators))


def _exported_classes(
    calibrator: Calibrator,
    classes: tuple[Any, ...],
    tolerance: float,
    off_by: float | None,
    max_error: float | None,
) -> ExportedClassMap:
    used: Any = calibrator.map_
    if max_error is not None:
        simplify(used, max_error)  # refuses an impossible error; such maps have no knots to drop
    description = (*_origin(classes), *_describe(calibrator, used, max_error))
    return ExportedClassMap(used, classes, tolerance, off_by, description)


def _origin(classes: tuple[Any, ...]) -> list[str]:
    lines = [f"Exported by lwcal {__version__}."]
    return [*lines, f"Classes: {', '.join(map(repr, classes))}."] if classes else lines


def _scale(calibrators: list[Calibrator]) -> str:
    """The scale of a calibrator; those of a classifier all take its probabilities."""
    return calibrators[0].scale_of()


def _describe(calibrator: Calibrator, used: Map, max_error: float | None) -> list[str]:
    """Describe a calibrator in lines without line breaks, whatever its parameters contain."""
    scale = calibrator.scale_of()
    lines = [f"{calibrator!r}".replace("\n", " "), f"Fitted to {calibrator.n_:,} labels."]
    lines = [" ".join(line.split()) for line in lines]
    if scale != PROBABILITY:
        lines.append(f"Scores are on the scale {scale}.")
    if calibrator.diagnostics_:
        values = (f"{name} = {value:.6g}" for name, value in calibrator.diagnostics_.items())
        lines.append(f"Diagnostics: {', '.join(values)}.")
    lines += [change.sentence for change in calibrator.adjustments_]
    return [*lines, _describe_map(calibrator.map_, used, max_error)]


def _describe_map(original: Map, used: Map, max_error: float | None) -> str:
    if not knot_count(original):
        return f"Map: {original.kind}."
    if max_error is None:
        return f"Map: {original.kind}, {knot_count(original):,} knots."
    error = largest_error(original, used)
    return (
        f"Map: {original.kind}, {knot_count(used):,} of {knot_count(original):,} knots."
        f" Largest error: {error:.3g} (allowed: {max_error:g})."
    )
