"""JSON Schemas of what a saved calibrator holds: maps, histograms, noise, decisions, reviews."""

from typing import Any

from lwcal.adjustments import REASONS
from lwcal.artifact.export.whole_files import SHARE
from lwcal.artifact.inferred import MATRICES, MOST_DRAWS, RATE_FIELDS
from lwcal.calibrators.decision import CHOICES
from lwcal.maps import LEAST_FACTOR
from lwcal.multiclass.class_reference import BINS_OF
from lwcal.multiclass.label_correction import Moments
from lwcal.reference import FIELDS, MOST_BINS

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
    "properties": {
        **dict.fromkeys(FIELDS, REFERENCE_LIST),
        "seen": {
            **_numbers(2),
            "description": "Negative and positive rows of the fit, if they stand for others.",
        },
    },
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
