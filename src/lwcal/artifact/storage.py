"""Save calibrators as JSON files, never as pickles."""

from lwcal.artifact.document import from_document, to_document
from lwcal.artifact.reading import read_artifact
from lwcal.atomic_files import write_json
from lwcal.calibrators import Calibrator
from lwcal.files import PathLike


def save(calibrator: Calibrator, path: PathLike, *, overwrite: bool = False) -> None:
    """Write a fitted calibrator as a JSON file.

    Numbers read back to the same bits, so the loaded calibrator predicts exactly the same. All
    fitted attributes are saved: map, diagnostics, noise estimate, decision and reference. The file
    is written atomically.

    Parameters
    ----------
    calibrator : Calibrator
        Fitted.
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
    write_json(to_document(calibrator), path, overwrite=overwrite)


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
