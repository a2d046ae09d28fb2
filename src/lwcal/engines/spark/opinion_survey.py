"""A first pass over opinions: Spark counts the labels of all answers, and names the reviewers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.types import BooleanType

from lwcal.engines.spark import columns
from lwcal.engines.spark.opinion_columns import Coding, reviewer
from lwcal.reviews.label_codes import LabelCodes, LabelSurvey
from lwcal.reviews.name_keys import common_names, reviewer_key
from lwcal.reviews.opinion_columns import OpinionColumns
from lwcal.rows.classes import MOST_CLASSES, class_key
from lwcal.rows.values import is_missing_value


class Reviewers(NamedTuple):
    """Reviewers by number; and their numbers, by every spelling as text."""

    names: tuple[Any, ...]
    numbers: dict[str, int]

    @classmethod
    def of(cls, frame: DataFrame, names: OpinionColumns) -> Reviewers:
        """Find all names in a pass for each column of them."""
        if not names.reviewers:
            return cls(names.labels, {})
        found: list[tuple[Any, str]] = []
        for name in names.reviewers:
            who = reviewer(frame, name)
            pairs = frame.select(who.alias("who"), who.cast("string").alias("text")).distinct()
            lines = pairs.toArrow().to_pylist()
            found += [(line["who"], line["text"]) for line in lines]
        given = [(who, text) for who, text in found if not is_missing_value(who)]
        known = common_names([tuple(who for who, _ in given), ()])
        place = {reviewer_key(name): number for number, name in enumerate(known)}
        return cls(known, {text: place[reviewer_key(who)] for who, text in given})


def survey_labels(
    frame: DataFrame, names: OpinionColumns, name: str | None, scale: str
) -> tuple[LabelSurvey, dict[str, list[Any]]]:
    """Labels of all answers; and the different ones of each column."""
    survey = LabelSurvey(names, name)
    score = columns.scores(frame, names.scores[0], scale).given
    finite = F.when(F.abs(score) < float("inf"), score)
    values: dict[str, list[Any]] = {column: [] for column in names.answers}
    counts = []
    total = 0
    for together in _by_type(frame, names.answers):
        said = F.array(
            *(
                F.struct(
                    F.lit(column).alias("column"), columns.labels(frame, column).alias("label")
                )
                for column in together
            )
        )
        found = (
            frame.select(finite.alias("score"), F.explode(said).alias("said"))
            .groupBy("said.column", "said.label")
            .agg(F.count(F.lit(1)).alias("count"), F.avg("score").alias("mean"))
            .limit((MOST_CLASSES + 1) * len(together))
            .toArrow()
            .to_pylist()
        )
        total = sum(line["count"] for line in found if line["column"] == together[0])
        # groups come in any order, and messages name the labels in this one
        for line in sorted(found, key=lambda line: str(line["label"])):
            column, label = line["column"], line["label"]
            if label is not None:
                values[column].append(label)
                is_truth = isinstance(frame.schema[column].dataType, BooleanType)
                counts.append((bool(label) if is_truth else label, line["count"], line["mean"]))
    survey.count(total, counts)
    return survey, values


def _by_type(frame: DataFrame, answers: Sequence[str]) -> list[list[str]]:
    """Columns whose labels are of one type for Spark, so that one pass counts them."""
    found: dict[str, list[str]] = {}
    for column in answers:
        found.setdefault(frame.schema[column].dataType.simpleString(), []).append(column)
    return list(found.values())


def coding_of(codes: LabelCodes, values: dict[str, list[Any]], known: Reviewers) -> Coding:
    """Numbers of labels and reviewers, by what their columns hold."""
    missing = {
        name: [value for value in found if is_missing_value(value)]
        for name, found in values.items()
    }
    labels = {
        name: [
            (value, codes.code_of[class_key(value)])
            for value in found
            if value not in missing[name] and class_key(value) in codes.code_of
        ]
        for name, found in values.items()
    }
    return Coding(labels, missing, codes.unknown, known.numbers)
