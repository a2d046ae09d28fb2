"""Save calibrators as JSON files, never as pickles."""

import json
from pathlib import Path
from typing import Any, NoReturn

from lwcal.artifact.document import from_document, to_document
from lwcal.atomic_files import write_json
from lwcal.calibrators import Calibrator
from lwcal.errors import ArtifactError, message
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
    content = Path(path).read_bytes()
    try:
        return from_document(_parse(content))
    except ArtifactError as error:
        raise ArtifactError(f"{path}: {error}") from None
    except RecursionError:
        nested = "objects nested too deeply"
        raise ArtifactError(f"{path}: {message('a calibrator', nested)}") from None


def _parse(content: bytes) -> Any:
    try:
        return json.loads(content.decode("utf-8"), parse_constant=_refuse_constant)
    except UnicodeDecodeError:
        raise ArtifactError(message("a JSON file", "bytes that are not UTF-8")) from None
    except json.JSONDecodeError as error:
        raise ArtifactError(message("a JSON file", f"a syntax error: {error}")) from None
    except ArtifactError:
        raise
    except ValueError:  # Python refuses to convert them, because that takes very long
        raise ArtifactError(message("finite numbers", "thousands of digits")) from None


def _refuse_constant(name: str) -> NoReturn:
    raise ArtifactError(message("finite numbers", name, "lwcal did not write this file"))
