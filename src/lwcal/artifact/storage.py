"""Save calibrators as JSON files, never as pickles."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from lwcal.artifact.document import from_document, to_document
from lwcal.artifact.reading import read_artifact
from lwcal.artifact.segments_document import segments_from_document, segments_to_document
from lwcal.atomic_files import write_json
from lwcal.calibrators import Calibrator
from lwcal.files import PathLike
from lwcal.segments import Segments

if TYPE_CHECKING:  # slow to import, and most files hold one calibrator
    from lwcal.classifier import CalibratedClassifier


def save(
    calibrator: Calibrator | Segments | CalibratedClassifier,
    path: PathLike,
    *,
    overwrite: bool = False,
) -> None:
    """Write a fitted calibrator, those of segments, or those of a classifier, as a JSON file.

    Numbers read back to the same bits, so the loaded calibrator predicts exactly the same. All
    fitted attributes are saved: map, diagnostics, noise estimate, decision and reference. The file
    is written atomically.

    Parameters
    ----------
    calibrator : Calibrator, Segments or CalibratedClassifier
        Fitted. The file of :class:`lwcal.segments.Segments` is read by
        :func:`lwcal.load_segments`, and that of :class:`lwcal.CalibratedClassifier` by
        :func:`lwcal.load_classifier`. The model of a classifier is not saved: save it in its own
        format. The file keeps a fingerprint of it.
    path : str or Path
    overwrite : bool, default False
        Whether to replace an existing file.

    Examples
    --------
    >>> import lwcal, tempfile
    >>> calibrator = lwcal.LWCal().fit([0.1, 0.4, 0.6, 0.9], [0, 0, 1, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     lwcal.save(calibrator, f"{folder}/calibrator.json")
    ...     lwcal.load(f"{folder}/calibrator.json").predict([0.5])
    array([0.5])
    """
    if isinstance(calibrator, Segments):
        document = segments_to_document(calibrator)
    elif isinstance(calibrator, Calibrator):
        document = to_document(calibrator)
    else:
        from lwcal.artifact.classifier_document import classifier_to_document

        document = classifier_to_document(calibrator)
    write_json(document, path, overwrite=overwrite)


def load(path: PathLike) -> Calibrator:
    """Read a calibrator that this or any earlier version saved.

    Raises
    ------
    ArtifactError
        If the file is not a valid calibrator: not JSON, another format, a newer schema, a
        number that is not finite, or a map that is not monotone or leaves [0, 1]. The message
        names the file. A file that cannot be read raises ``OSError``.
    """
    return read_artifact(path, from_document)


def load_segments(path: PathLike) -> Segments:
    """Read the calibrators of :func:`lwcal.fit_segments` that :func:`lwcal.save` wrote.

    Raises
    ------
    ArtifactError
        As :func:`lwcal.load` does.

    Examples
    --------
    >>> import lwcal, tempfile
    >>> table = lwcal.ScoreTable.from_arrays([0.1, 0.4, 0.6, 0.9], [0, 0, 1, 1])
    >>> fitted = lwcal.fit_segments({"NL": table, "LU": table}, lwcal.Isotonic())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     lwcal.save(fitted, f"{folder}/segments.json")
    ...     lwcal.load_segments(f"{folder}/segments.json").predict([0.5], ["LU"])
    array([0.5])
    """
    return read_artifact(path, segments_from_document)


def load_classifier(path: PathLike, estimator: Any) -> CalibratedClassifier:
    """Read the calibrators of a classifier that :func:`lwcal.save` wrote, and join their model.

    The probabilities are those of the saved classifier, to the bit, if the model gives the same
    scores. Another model is refused: one of another type, with other features, or with other
    scores of 16 rows of made-up numbers. Differences up to 0.0001 of a score are allowed, which
    another machine may cause. A model that differs only far from the made-up rows is not noticed.
    A model that takes no such rows, for example because it takes texts, is accepted with a warning.

    Parameters
    ----------
    path : str or Path
    estimator : fitted model, or list of them
        The model that was calibrated, with or without its ``FrozenEstimator``. If each fold had a
        model of its own, all of them, in the order of ``calibrated_classifiers_``.

    Returns
    -------
    CalibratedClassifier
        Fitted. Of its parameters, those of the folds (``cv``) have their defaults.

    Raises
    ------
    ArtifactError
        If the file is damaged, or the model is another one.

    Examples
    --------
    >>> import lwcal, tempfile
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.frozen import FrozenEstimator
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = make_classification(n_samples=600, flip_y=0.2, random_state=0)
    >>> model = LogisticRegression().fit(X[:300], y[:300])
    >>> calibrated = lwcal.CalibratedClassifier(FrozenEstimator(model)).fit(X[300:], y[300:])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     lwcal.save(calibrated, f"{folder}/calibrators.json")
    ...     loaded = lwcal.load_classifier(f"{folder}/calibrators.json", model)
    >>> bool((loaded.predict_proba(X) == calibrated.predict_proba(X)).all())
    True
    """
    from lwcal.artifact.classifier_document import classifier_from_document

    return read_artifact(path, partial(classifier_from_document, estimator=estimator))
