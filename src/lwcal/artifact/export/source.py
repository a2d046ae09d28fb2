"""What is exported: the maps of a calibrator or classifier, and what people should know of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lwcal._version import __version__
from lwcal.arrays import FloatArray
from lwcal.artifact.export.simplification import knot_count, largest_error, simplify
from lwcal.calibrators import Calibrator
from lwcal.errors import ParameterError, message
from lwcal.maps import Map


class Source(NamedTuple):
    """Maps from scores to probabilities, ready to be written in another language.

    Parameters
    ----------
    maps : tuple of Map
        One for each score that a row has.
    classes : tuple
        Those of a classifier, each of which gets a probability; empty for a calibrator, which
        gives that of the positive class. Two classes share one score, that of the second.
    rounding : float
        How far outside of [0, 1] a score may be to count as its nearer end.
    about : tuple of str
        Where the maps come from, in lines.
    """

    maps: tuple[Map, ...]
    classes: tuple[Any, ...]
    rounding: float
    about: tuple[str, ...]

    def predict(self, scores: FloatArray) -> FloatArray:
        """Probabilities of rows of scores in [0, 1]: one a row, or one a class."""
        from lwcal.classifier import combine

        columns = zip(self.maps, np.ascontiguousarray(scores.T), strict=True)
        calibrated = np.column_stack([fitted(column) for fitted, column in columns])
        return combine(calibrated, scores) if self.classes else calibrated[:, 0]


def source_of(fitted: Any, max_error: float | None = None) -> Source:
    """Take the maps out of a fitted calibrator or classifier."""
    if isinstance(fitted, Calibrator):
        fitted.check_is_fitted()
        return _source([fitted], (), 0.0, max_error)
    from lwcal.classifier import ROUNDING, CalibratedClassifier  # slow to import

    if not isinstance(fitted, CalibratedClassifier):
        expected = "a calibrator or a CalibratedClassifier"
        raise ParameterError(message(expected, type(fitted).__name__))
    return _source(_calibrators(fitted), tuple(fitted.classes_.tolist()), ROUNDING, max_error)


def _calibrators(classifier: Any) -> list[Calibrator]:
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(classifier)
    if len(classifier.calibrated_classifiers_) != 1:
        expected, got = (
            "a classifier with one model",
            f"the models of {len(classifier.calibrated_classifiers_)} folds",
        )
        hint = "fit it with ensemble=False, or export calibrated_classifiers_[i].calibrators"
        raise ParameterError(message(expected, got, hint))
    found: list[Calibrator] = classifier.calibrated_classifiers_[0].calibrators
    return found


def _source(
    calibrators: list[Calibrator],
    classes: tuple[Any, ...],
    rounding: float,
    max_error: float | None,
) -> Source:
    maps = [c.map_ if max_error is None else simplify(c.map_, max_error) for c in calibrators]
    about = [f"Exported by lwcal {__version__}."]
    if classes:
        about.append(f"Classes: {', '.join(map(repr, classes))}.")
    for calibrator, used in zip(calibrators, maps, strict=True):
        about += _about(calibrator, used, max_error)
    return Source(tuple(maps), classes, rounding, tuple(about))


def _about(calibrator: Calibrator, used: Map, max_error: float | None) -> list[str]:
    """Describe one calibrator, on one line each, whatever its parameters hold."""
    lines = [f"{calibrator!r}".replace("\n", " "), f"Fitted to {calibrator.n_:,} labels."]
    lines = [" ".join(line.split()) for line in lines]
    if calibrator.diagnostics_:
        learned = (f"{name} = {value:.6g}" for name, value in calibrator.diagnostics_.items())
        lines.append(f"Learned: {', '.join(learned)}.")
    return [*lines, _about_map(calibrator.map_, used, max_error)]


def _about_map(original: Map, used: Map, max_error: float | None) -> str:
    if not knot_count(original):
        return f"Map: {original.kind}."
    if max_error is None:
        return f"Map: {original.kind}, {knot_count(original):,} knots."
    error = largest_error(original, used)
    return (
        f"Map: {original.kind}, {knot_count(used):,} of {knot_count(original):,} knots;"
        f" largest error {error:.3g}, allowed {max_error:g}."
    )
