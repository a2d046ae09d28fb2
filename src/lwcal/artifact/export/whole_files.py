"""JSON Schemas of files that hold several calibrators: those of segments and of a classifier."""

from typing import Any

from lwcal.artifact.fingerprint import PROBES
from lwcal.classifier.calibrated import JOINT, ONE_VS_REST
from lwcal.maps import LEAST_FACTOR

CALIBRATOR = {"$ref": "#/$defs/calibrator"}
SHARE = {"type": "number", "minimum": 0, "maximum": 1}
WORD: dict[str, Any] = {"type": ["string", "number", "boolean", "null"]}
KEY: dict[str, Any] = {"anyOf": [WORD, {"type": "array", "items": WORD, "minItems": 1}]}
"""A segment, or its values in several columns."""
RATIO = {"type": "number", "minimum": LEAST_FACTOR, "maximum": 1.0 / LEAST_FACTOR}


def _list(items: dict[str, Any], least: int = 1, most: int | None = None) -> dict[str, Any]:
    limit = {} if most is None else {"maxItems": most}
    return {"type": "array", "items": items, "minItems": least, **limit}


def _object(title: str, properties: dict[str, Any]) -> dict[str, Any]:
    """An object with all of these fields."""
    return {
        "title": title,
        "type": "object",
        "required": list(properties),
        "properties": properties,
    }


SEGMENTS = _object(
    "Calibrators by segment",
    {
        "pooled": {**CALIBRATOR, "description": "Of all rows."},
        "spread": {
            **_list({"type": "number", "minimum": 0}, 3, 3),
            "description": "Standard deviation of the log-odds between segments, with both ends "
            "of its interval.",
        },
        "columns": {"type": ["array", "null"], "items": {"type": "string"}},
        "segments": _list(KEY),
        "n": {**_list({"type": "number", "minimum": 0}), "description": "Rows of each segment."},
        "odds_ratios": {
            **_list(_list(RATIO, 3, 3)),
            "description": "Odds of each segment against those of all rows, with both ends of "
            "its interval.",
        },
        "own_shares": _list(SHARE),
        "curves": _list(
            _object(
                "A segment with a curve of its own", {"segment": KEY, "calibrator": CALIBRATOR}
            ),
            0,
        ),
    },
)
SCORES = {"anyOf": [{"type": "null"}, _list(_list({"type": "number"}), PROBES, PROBES)]}
MODEL = _object(
    "Fingerprint of a model",
    {
        "type": {"type": "string"},
        "n_features": {"type": ["integer", "null"], "minimum": 0},
        "feature_names": {"type": ["array", "null"], "items": {"type": "string"}},
        "scores": {**SCORES, "description": "Of rows that are made up."},
    },
)
CLASSIFIER = _object(
    "Calibrators of a classifier, without its models",
    {
        "classes": _list({"type": ["string", "number", "boolean"]}, 2),
        "class_type": {"type": "string"},
        "frozen": {"type": "boolean"},
        "multiclass": {"enum": [JOINT, ONE_VS_REST]},
        "members": _list(
            _object(
                "A model and its calibrators",
                {"calibrators": _list(CALIBRATOR), "model": MODEL},
            )
        ),
    },
)
