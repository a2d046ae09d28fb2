"""What one pass over all valid rows or items with opinions counts, and what it tells."""

from __future__ import annotations

from typing import Any, NamedTuple

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812

from lwcal.engines.spark.opinion_columns import score_columns
from lwcal.engines.spark.opinion_survey import Reviewers
from lwcal.reviews.conflicts import Conflicts, Differing, Twice
from lwcal.reviews.label_codes import LabelCodes
from lwcal.reviews.opinion_columns import OpinionColumns
from lwcal.reviews.opinion_counts import OpinionTally


class Seen(NamedTuple):
    """What a pass over all valid rows or items tells."""

    tally: OpinionTally
    total: float
    conflicts: Conflicts


def asked_of(names: OpinionColumns) -> list[Column]:
    """What a pass over all valid rows or items counts."""
    given, is_checked = F.size("said"), F.col("truth").isNotNull()
    is_used = (given > 0) | is_checked
    asked = [
        F.count(F.lit(1)).alias("rows"),
        F.count_if(~is_used).alias("unlabelled"),
        F.count_if(is_checked).alias("checked"),
        F.count_if(given == 1).alias("single"),
        F.sum(F.when(is_used, F.col("weight"))).alias("total"),
    ]
    for place, own in enumerate(_single_columns(names).values()):
        differs = F.col(own) != F.col(f"high_{own}")
        example = F.struct("item", F.col(own).alias("one"), F.col(f"high_{own}").alias("other"))
        asked.append(F.count_if(differs).alias(f"differ_{place}"))
        asked.append(F.min(F.when(differs, example)).alias(f"example_{place}"))
    return asked + (_repeated(names) if names.reviewers else [])


def seen_in(
    line: dict[str, Any], names: OpinionColumns, codes: LabelCodes, known: Reviewers
) -> Seen:
    """Read what was counted: an empty line if there are no valid rows."""
    tally = OpinionTally(*(line.get(name, 0) for name in OpinionTally._fields))
    conflicts = Conflicts(names.item or "", tally.rows)
    for place, name in enumerate(_single_columns(names)):
        if line.get(f"differ_{place}"):
            example = line[f"example_{place}"]
            one, other = example["one"], example["other"]
            if name == names.trusted:
                one, other = codes.classes[one], codes.classes[other]
            found = Differing(line[f"differ_{place}"], example["item"], one, other)
            conflicts.differ(name, found)
    if line.get("twice"):
        example = line["example_twice"]
        who = known.names[example["who"]]
        conflicts.repeat(Twice(line["twice"], who, example.get("item")))
    return Seen(tally, float(line.get("total") or 0.0), conflicts)


def _single_columns(names: OpinionColumns) -> dict[str, str]:
    """Columns that must have one value for each item, with their names here."""
    if names.item is None:
        return {}
    offset = len(score_columns(names)) - len(names.scores)  # one column has two classes
    found = {name: f"p_{place + offset}" for place, name in enumerate(names.scores)}
    if names.weight is not None:
        found[names.weight] = "weight"
    if names.trusted is not None:
        found[names.trusted] = "truth"
    return found


def _repeated(names: OpinionColumns) -> list[Column]:
    """How many labels are further ones of a reviewer, and an example."""
    who = F.transform("said", lambda one: one["who"])
    again = F.filter(who, lambda one, place: F.array_position(who, one) <= place)
    item = [F.col("item")] if names.item is not None else []
    example = F.struct(*item, F.get(again, F.lit(0)).alias("who"))
    return [
        F.sum(F.size(again)).alias("twice"),
        F.min(F.when(F.size(again) > 0, example)).alias("example_twice"),
    ]
