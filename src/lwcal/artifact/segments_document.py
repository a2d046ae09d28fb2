"""Calibrators by segment as plain JSON types, checked on reading."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from lwcal._version import __version__
from lwcal.arrays import FloatArray
from lwcal.artifact.checks import as_list, as_number, as_object
from lwcal.artifact.document import from_document, to_document
from lwcal.artifact.fields import SCHEMA_VERSION, SEGMENTS_FORMAT, check_version
from lwcal.errors import ArtifactError, message
from lwcal.estimates import Estimate
from lwcal.maps import LEAST_FACTOR
from lwcal.segments import Segments

KEY_TYPES = (str, int, float, bool, type(None))


def segments_to_document(fitted: Segments) -> dict[str, Any]:
    """Write calibrators by segment in plain JSON types."""
    return {
        "format": SEGMENTS_FORMAT,
        "schema_version": SCHEMA_VERSION,
        "lwcal_version": __version__,
        "pooled": to_document(fitted.pooled),
        "spread": list(fitted.spread),
        "columns": fitted.columns,
        "segments": [_plain_key(key) for key in fitted.names],
        "n": fitted.n.tolist(),
        "odds_ratios": fitted.odds_ratios.tolist(),
        "own_shares": fitted.own_shares.tolist(),
        "curves": [
            {"segment": _plain_key(key), "calibrator": to_document(one)}
            for key, one in fitted.curves.items()
        ],
    }


def segments_from_document(document: object) -> Segments:
    """Read calibrators by segment, and refuse what ``segments_to_document`` cannot have written."""
    given = document if isinstance(document, dict) else {}
    if given.get("format") != SEGMENTS_FORMAT:
        hint = "lwcal.load reads single calibrators"
        expected = f'a JSON object with "format": "{SEGMENTS_FORMAT}"'
        raise ArtifactError(message(expected, repr(given.get("format")), hint))
    check_version(given)
    names = [
        _key(one, place) for place, one in enumerate(as_list(given.get("segments"), "segments"))
    ]
    n = _numbers(given, "n", len(names), lambda found: found >= 0.0)
    shares = _numbers(
        given, "own_shares", len(names), lambda found: (found >= 0.0) & (found <= 1.0)
    )
    ratios = _numbers(
        given,
        "odds_ratios",
        len(names),
        lambda found: (found >= LEAST_FACTOR) & (found <= 1.0 / LEAST_FACTOR),
        columns=3,
    )
    spread = [as_number(one, "spread") for one in as_list(given.get("spread"), "spread", 3)]
    pooled, columns = from_document(given.get("pooled")), given.get("columns")
    if not (columns is None or (isinstance(columns, list) and all(map(_is_text, columns)))):
        raise ArtifactError(message("columns to be a list of names", f"{columns!r}"))
    found = Segments(pooled, names, n, ratios, shares, Estimate(*spread), columns=columns)
    if len(found.places) < len(names):
        raise ArtifactError(
            message("every segment once", f"{Counter(names).most_common(1)[0][0]!r} twice")
        )
    curves = given.get("curves")
    if not isinstance(curves, list):  # which may be empty
        raise ArtifactError(message("curves to be a list", f"{curves!r}"))
    for place, one in enumerate(curves):
        part = as_object(one, f"curve {place}")
        key = _key(part.get("segment"), place)
        if key not in found.places or key in found.curves:
            raise ArtifactError(message("one curve at most, of a segment", f"one of {key!r}"))
        found.curves[key] = from_document(part.get("calibrator"))
    return found


def _numbers(
    given: dict[str, Any],
    name: str,
    length: int,
    is_valid: Callable[[FloatArray], Any],
    columns: int | None = None,
) -> FloatArray:
    """Read a list with a number, or with several ones, for each segment."""
    shape = (length,) if columns is None else (length, columns)
    try:
        found = np.array(given.get(name), dtype=np.float64)
    except (TypeError, ValueError):
        found = np.empty(0)
    expected = f"{name} to have {columns or 1} valid numbers for each of {length:,} segments"
    if length and found.shape != shape:
        raise ArtifactError(message(expected, f"an array of shape {found.shape}"))
    # text such as "1" must not become a number
    if not all(_is_number(value) for value in np.array(given.get(name), dtype=object).ravel()):
        raise ArtifactError(message(expected, "something else"))
    wrong = ~np.asarray(is_valid(found))
    if wrong.any():
        raise ArtifactError(message(expected, f"{found[wrong][0]}"))
    return found.reshape(shape)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _plain_key(key: Any) -> Any:
    """A name of a segment, or a list of names."""
    plain = key.item() if hasattr(key, "item") else key
    if isinstance(plain, tuple):
        return [_plain_key(part) for part in plain]
    if not isinstance(plain, KEY_TYPES) or plain != plain:
        expected = "names of segments to be texts, numbers, booleans, None, or tuples of them"
        raise ArtifactError(message(expected, f"{key!r}"))
    return plain


def _key(given: object, place: int) -> Any:
    if isinstance(given, list):
        return tuple(_key(part, place) for part in given)
    if not isinstance(given, KEY_TYPES):
        raise ArtifactError(message(f"a name of segment {place}", f"{given!r}"))
    return given
