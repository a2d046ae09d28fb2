"""The JSON Schema of saved files, for checks in other languages."""

from math import isinf
from typing import Any

from lwcal.adjustments import REASONS
from lwcal.artifact.export.whole_files import CLASSIFIER, SEGMENTS, SHARE
from lwcal.artifact.fields import CLASSIFIER_FORMAT, FORMAT, SCHEMA_VERSION, SEGMENTS_FORMAT
from lwcal.artifact.inferred import MATRICES, MOST_DRAWS, RATE_FIELDS
from lwcal.calibrators import CALIBRATORS, Calibrator
from lwcal.calibrators.decision import CHOICES
from lwcal.class_maps import ScalingMap
from lwcal.maps import LEAST_FACTOR
from lwcal.multiclass.class_reference import BINS_OF
from lwcal.multiclass.label_correction import Moments
from lwcal.parameters import Between, OneOf, Rule
from lwcal.reference import FIELDS, MOST_BINS
from lwcal.rows.scales import SCALES

VERSION = {"type": "integer", "minimum": 1, "maximum": SCHEMA_VERSION}
SLOPE = {"type": "number", "minimum": 0}
KNOTS = {"type": "array", "items": SHARE, "minItems": 1}
REFERENCE_LIST = {
    "type": "array",
    "items": {"type": "number", "minimum": 0},
    "minItems": 1,
    "maxItems": MOST_BINS + 1,
}


def _numbers(count: int) -> dict[str, Any]:
    """A list of so many numbers."""
    return {"type": "array", "items": {"type": "number"}, "minItems": count, "maxItems": count}


REFERENCE: dict[str, Any] = {
    "type": "object",
    "required": list(FIELDS),
    "properties": dict.fromkeys(FIELDS, REFERENCE_LIST),
}
_TABLE: dict[str, Any] = {
    "type": "array",
    "items": {"type": "array", "items": {"type": "number", "minimum": 0}},
    "minItems": 3,
}
CLASS_REFERENCE: dict[str, Any] = {
    "type": "object",
    "required": ["top", "classes"],
    "properties": {
        "top": {**REFERENCE, "description": "Rows by their highest score."},
        "classes": {
            "type": "array",
            "items": REFERENCE,
            "minItems": 3,
            "description": "Rows by the score of each class, against the rest.",
        },
        "judged": {
            "type": "object",
            "required": list(BINS_OF),
            "properties": {
                name: {
                    "type": "object",
                    "required": list(Moments._fields),
                    "properties": {part: _numbers(bins) for part in Moments._fields},
                }
                for name, bins in BINS_OF.items()
            },
            "description": "Sums of calibrated rows against the true classes, by bins.",
        },
        "base_rates": {"type": "array", "items": SHARE, "minItems": 3},
        "cells": {
            "type": "object",
            "required": ["edges", "counts"],
            "properties": {
                "edges": {**_TABLE, "description": "Where the bands of each class begin."},
                "counts": {**_TABLE, "description": "Rows of each label in each band."},
            },
            "description": "Rows in cells of their scores, by label.",
        },
    },
}
"""Of more than two classes."""
RATE = {
    "type": "object",
    "required": list(RATE_FIELDS),
    "properties": {
        **dict.fromkeys(RATE_FIELDS, SHARE),
        "value": {**SHARE, "type": ["number", "null"]},
    },
}
NOISE: dict[str, Any] = {
    "negative": RATE,
    "positive": RATE,
    "probability_clean": SHARE,
    "confidence": SHARE,
    "draws": {
        "type": "array",
        "items": {"type": "array", "items": SHARE, "minItems": 3, "maxItems": 3},
        "minItems": 1,
        "maxItems": MOST_DRAWS,
        "description": "Posterior of the flip rates: r0, r1 and weight; the weights add up to 1.",
    },
}
SHARES: dict[str, Any] = {
    "type": "array",
    "items": {"type": "array", "items": SHARE, "minItems": 3},
    "minItems": 3,
}
CLASS_NOISE: dict[str, Any] = {
    **{name: {**SHARES, "description": "A row for each true class."} for name in MATRICES},
    "rates": {"type": "array", "items": RATE, "minItems": 3},
    "wrong": RATE,
    "probability_clean": SHARE,
    "hypotheses": {"type": "object", "additionalProperties": SHARE},
    "confidence": SHARE,
}
"""Of more than two classes."""
DECISION: dict[str, Any] = {
    "choice": {"enum": list(CHOICES)},
    "p_clean_used": SHARE,
    "cost_if_right": {"type": "number"},
    "cost_unbounded": {"type": "number"},
    "expected_gain": {"type": "number"},
}
ESTIMATE = {
    "type": "object",
    "required": ["value", "low", "high"],
    "properties": dict.fromkeys(("value", "low", "high"), SHARE),
}
CONFUSION: dict[str, Any] = {
    "type": "array",
    "items": {"type": "array", "items": SHARE, "minItems": 2},
    "minItems": 2,
}
REVIEWER: dict[str, Any] = {
    "name": {"type": ["string", "number", "boolean"]},
    "labels": {"type": "number", "minimum": 0},
    "wrong": ESTIMATE,
    "rank": {
        "type": "array",
        "items": {"type": "integer", "minimum": 1},
        "minItems": 2,
        "maxItems": 2,
    },
    **dict.fromkeys(("matrix", "low", "high"), CONFUSION),
}
EXPLANATION: dict[str, Any] = {
    "probability": SHARE,
    "scaling": {"$ref": "#/$defs/scaling"},
    "matrices": {"type": "array", "items": CONFUSION, "minItems": 1},
    "hard_rows": {
        "type": ["object", "null"],
        "required": ["matrix", "share"],
        "properties": {"matrix": CONFUSION, "share": SHARE},
    },
}
REVIEWS: dict[str, Any] = {
    "classes": {"type": "array", "items": {"type": ["string", "number", "boolean"]}},
    "reviewers": {
        "type": "array",
        "items": {"type": "object", "required": list(REVIEWER), "properties": REVIEWER},
        "minItems": 1,
    },
    "agreement": {
        "type": "object",
        "required": ["alpha", "kappa", "rows", "equal", "never_differ"],
        "properties": {
            "rows": {"type": "number"},
            **{name: {"type": ["number", "null"]} for name in ("alpha", "kappa", "equal")},
            "never_differ": {
                "type": "array",
                "items": {"type": "array", "minItems": 3, "maxItems": 3},
            },
        },
    },
    "probability_differ": SHARE,
    "probability_hard": SHARE,
    "confidence": SHARE,
    "share_hard": ESTIMATE,
    "explanations": {
        "type": "array",
        "items": {"type": "object", "required": list(EXPLANATION), "properties": EXPLANATION},
        "minItems": 1,
    },
}
NEAR_COPIES: dict[str, Any] = {
    "type": "array",
    "items": {"type": "array", "minItems": 4, "maxItems": 4},
    "description": "Two reviewers, rows that both labelled, share on which one repeats the other.",
}
CLASS_SHARES = {"type": "array", "items": SHARE, "minItems": 2}
ADJUSTMENT: dict[str, Any] = {
    "type": "object",
    "required": ["reason", "before", "after"],
    "properties": {
        "reason": {"enum": list(REASONS)},
        "before": {**CLASS_SHARES, "description": "Share of each class."},
        "after": {**CLASS_SHARES, "description": "Share of each class."},
        "interval": {**CLASS_SHARES, "maxItems": 2, "description": "Of the positive class."},
    },
}
NUMBERS: dict[str, Any] = {"type": "array", "items": {"type": "number"}, "minItems": 2}
PLAIN = {
    "anyOf": [
        {"type": ["string", "number", "boolean", "null"]},
        NUMBERS,
        {"type": "array", "items": NUMBERS, "minItems": 2},
    ]
}
MAP_FIELDS: dict[str, dict[str, Any]] = {
    "identity": {},
    "piecewise_linear": {
        "x": {**KNOTS, "description": "Strictly increasing.", "uniqueItems": True},
        "y": {**KNOTS, "description": "As many as x; never decreasing."},
    },
    "beta": {"a": SLOPE, "b": SLOPE, "c": {"type": "number"}},
    "sigmoid": {"slope": SLOPE, "intercept": {"type": "number"}},
    "blend": {"rho": SHARE, "inner": {"$ref": "#/$defs/map"}},
    "odds": {
        "factor": {"type": "number", "minimum": LEAST_FACTOR, "maximum": 1.0 / LEAST_FACTOR},
        "inner": {"$ref": "#/$defs/map"},
    },
}
CLASS_MAP_FIELDS: dict[str, dict[str, Any]] = {
    "class_identity": {"n_classes": {"type": "integer", "minimum": 2}},
    "class_scaling": {
        "matrix": {"type": "array", "items": NUMBERS, "minItems": 2, "description": "Square."},
        "intercepts": NUMBERS,
        "softness": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
    },
}
"""Maps of more than two classes."""


def json_schema() -> dict[str, Any]:
    """Return the schema of every file that this version can read.

    The field ``format`` says whether it has a calibrator, those of segments or those of a
    classifier. JSON Schema cannot express the order and the number of knots, or that two lists
    have the same length. :func:`lwcal.load` and its siblings check them.

    >>> json_schema()["properties"]["schema_version"]
    {'type': 'integer', 'minimum': 1, 'maximum': 1}
    """
    kinds = {
        FORMAT: ("calibrator", _calibrator()),
        SEGMENTS_FORMAT: ("segments", SEGMENTS),
        CLASSIFIER_FORMAT: ("classifier", CLASSIFIER),
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A file of lwcal",
        "type": "object",
        "required": ["format", "schema_version"],
        "properties": {
            "format": {"enum": list(kinds)},
            "schema_version": VERSION,
            "lwcal_version": {"type": "string"},
        },
        "allOf": [
            {"if": _is("format", written), "then": {"$ref": f"#/$defs/{name}"}}
            for written, (name, _) in kinds.items()
        ],
        "$defs": {
            **dict(kinds.values()),
            "map": {"oneOf": [_of_map(*item) for item in MAP_FIELDS.items()]},
            "scaling": _of_map(ScalingMap.kind, CLASS_MAP_FIELDS[ScalingMap.kind]),
        },
    }


def _calibrator() -> dict[str, Any]:
    return {
        "title": "A calibrator fitted by lwcal",
        "type": "object",
        "required": ["format", "schema_version", "method", "parameters", "n", "diagnostics", "map"],
        "properties": {
            "format": {"const": FORMAT},
            "schema_version": VERSION,
            "method": {"enum": list(CALIBRATORS)},
            "n": {"type": "number", "exclusiveMinimum": 0},
            "diagnostics": {"type": "object", "additionalProperties": {"type": "number"}},
            "map": {
                "oneOf": [
                    {"$ref": "#/$defs/map"},
                    *(_of_map(kind, fields) for kind, fields in CLASS_MAP_FIELDS.items()),
                ]
            },
            "classes": {
                "type": "array",
                "items": {"type": ["string", "number", "boolean"]},
                "minItems": 2,
                "description": "Class of each column of scores.",
            },
            "sampled_from": {
                "type": ["number", "null"],
                "exclusiveMinimum": 0,
                "description": "Number of rows of which the n rows of the fit are a sample.",
            },
            "grid": {
                "type": ["number", "null"],
                "exclusiveMinimum": 0,
                "maximum": 1,
                "description": "Width of the grid that the scores were rounded to before the fit.",
            },
            "scale": {
                "enum": list(SCALES),
                "default": SCALES[0],
                "description": "Scale on which scores arrive. The map takes probabilities.",
            },
            "adjustments": {
                "type": ["array", "null"],
                "items": ADJUSTMENT,
                "minItems": 1,
                "description": "Changes of the base rate after the fit. The map contains them.",
            },
            "reference": {"oneOf": [REFERENCE, CLASS_REFERENCE]},
            "noise": {
                "oneOf": [
                    {"type": "null"},
                    {"type": "object", "required": list(NOISE), "properties": NOISE},
                    {"type": "object", "required": list(CLASS_NOISE), "properties": CLASS_NOISE},
                ]
            },
            "decision": {
                "type": ["object", "null"],
                "required": list(DECISION),
                "properties": DECISION,
            },
            "reviews": {
                "type": ["object", "null"],
                "required": list(REVIEWS),
                "properties": {**REVIEWS, "near_copies": NEAR_COPIES},
            },
        },
        "allOf": [_of_method(method, cls) for method, cls in CALIBRATORS.items()],
    }


def _of_method(method: str, cls: type[Calibrator]) -> dict[str, Any]:
    """Return the parameters and diagnostics of one method."""
    names = cls().get_params(deep=False)
    parameters = {name: _of_rule(cls.parameter_rules.get(name)) for name in names}
    required = [name for name in cls.diagnostic_meanings if name not in cls.optional_diagnostics]
    return {
        "if": _is("method", method),
        "then": {
            "properties": {
                "parameters": {
                    "type": "object",
                    "properties": parameters,
                    "additionalProperties": False,
                },
                "diagnostics": {"required": required},
            }
        },
    }


def _of_rule(rule: Rule | None) -> dict[str, Any]:
    if isinstance(rule, OneOf):
        return {"enum": list(rule.choices)}
    if not isinstance(rule, Between):
        return PLAIN
    low = "minimum" if rule.open == "none" else "exclusiveMinimum"
    high = "exclusiveMaximum" if rule.open == "both" else "maximum"
    return {
        "type": "number",
        low: rule.low,
        **({} if isinf(rule.high) else {high: rule.high}),
    }


def _of_map(kind: str, fields: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "required": ["kind", *fields],
        "properties": {"kind": {"const": kind}, **fields},
    }


def _is(field: str, value: str) -> dict[str, Any]:
    return {"properties": {field: {"const": value}}, "required": [field]}
