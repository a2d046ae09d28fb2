"""Read the JSON of an artefact, and say in which file a fault is."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from lwcal.artifact.fields import class_score_map_of, score_map_of
from lwcal.errors import ArtifactError, message
from lwcal.files import PathLike
from lwcal.score_map import ClassScoreMap, ScoreMap

Read = TypeVar("Read")


def load_score_map(path: PathLike) -> ScoreMap:
    """Read what applying a saved calibrator takes; scikit-learn is not imported."""
    return read_artifact(path, score_map_of)


def load_class_score_map(path: PathLike) -> ClassScoreMap:
    """Read what applying a saved calibrator to all classes takes; see :func:`load_score_map`."""
    return read_artifact(path, class_score_map_of)


def read_artifact(path: PathLike, from_document: Callable[[Any], Read]) -> Read:
    """Read a file; faults of its content are errors that name it."""
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
