"""Calibrators by segment as plain JSON types, checked on reading."""

from typing import Any

from lwcal._version import __version__
from lwcal.artifact.checks import as_list, as_number, as_object, as_share
from lwcal.artifact.document import from_document, to_document
from lwcal.artifact.fields import SCHEMA_VERSION, check_version
from lwcal.errors import ArtifactError, message
from lwcal.segments import Segment, Segments

SEGMENTS_FORMAT = "lwcal-segments"
KEY_TYPES = (str, int, float, bool, type(None))


def segments_to_document(fitted: Segments) -> dict[str, Any]:
    """Write calibrators by segment in plain JSON types."""
    return {
        "format": SEGMENTS_FORMAT,
        "schema_version": SCHEMA_VERSION,
        "lwcal_version": __version__,
        "pooled": to_document(fitted.pooled),
        "segments": [
            {
                "segment": _plain_key(key),
                "n": one.n,
                "own_share": one.own_share,
                "calibrator": to_document(one.calibrator),
            }
            for key, one in fitted.segments.items()
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
    found: dict[Any, Segment] = {}
    for place, one in enumerate(as_list(given.get("segments"), "segments")):
        part = as_object(one, f"segment {place}")
        key = _key(part.get("segment"), place)
        if key in found:
            raise ArtifactError(message("every segment once", f"{key!r} twice"))
        n = as_number(part.get("n"), f"n of segment {key!r}")
        if n < 0.0:
            raise ArtifactError(message(f"n of segment {key!r} to be at least 0", f"{n}"))
        share = as_share(part.get("own_share"), f"own_share of segment {key!r}")
        found[key] = Segment(from_document(part.get("calibrator")), n, share)
    return Segments(from_document(given.get("pooled")), found)


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
