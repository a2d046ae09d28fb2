"""The JSON Schema of saved files, for checks in other languages."""

from math import isinf
from typing import Any

from lwcal.artifact.export.schema_parts import (
    ADJUSTMENT,
    CLASS_MAP_FIELDS,
    CLASS_NOISE,
    CLASS_REFERENCE,
    DECISION,
    MAP_FIELDS,
    NEAR_COPIES,
    NOISE,
    PLAIN,
    REFERENCE,
    REVIEWS,
)
from lwcal.artifact.export.whole_files import CLASSIFIER, SEGMENTS
from lwcal.artifact.fields import CLASSIFIER_FORMAT, FORMAT, SCHEMA_VERSION, SEGMENTS_FORMAT
from lwcal.calibrators import CALIBRATORS, Calibrator
from lwcal.class_maps import ScalingMap
from lwcal.parameters import Between, OneOf, Rule
from lwcal.rows.scales import SCALES

VERSION = {"type": "integer", "minimum": 1, "maximum": SCHEMA_VERSION}


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
