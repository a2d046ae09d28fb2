"""Save calibrators as JSON files, never as pickles."""

from lwcal.artifact.document import from_document, to_document
from lwcal.artifact.reading import read_artifact
from lwcal.artifact.segments_document import segments_from_document, segments_to_document
from lwcal.atomic_files import write_json
from lwcal.calibrators import Calibrator
from lwcal.files import PathLike
from lwcal.segments import Segments


def save(calibrator: Calibrator | Segments, path: PathLike, *, overwrite: bool = False) -> None:
    """Write a fitted calibrator, or calibrators by segment, as a JSON file.

    Numbers read back to the same bits, so the loaded calibrator predicts exactly the same. All
    fitted attributes are saved: map, diagnostics, noise estimate, decision and reference. The file
    is written atomically.

    Parameters
    ----------
    calibrator : Calibrator or Segments
        Fitted. The file of :class:`lwcal.segments.Segments` is read by
        :func:`lwcal.load_segments`.
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
    else:
        document = to_document(calibrator)
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
