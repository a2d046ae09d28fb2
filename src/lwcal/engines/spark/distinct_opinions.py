"""Distinct rows with opinions on the cluster, all of them or a sample, and on the driver."""

from __future__ import annotations

from typing import Any

import numpy as np
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.types import LongType

from lwcal.engines.spark import worker
from lwcal.engines.spark.class_reducing import MARGIN, is_low
from lwcal.engines.spark.opinion_columns import score_columns
from lwcal.engines.spark.opinion_survey import Reviewers
from lwcal.reviews.name_keys import reviewer_keys
from lwcal.reviews.opinion_columns import OpinionColumns
from lwcal.reviews.opinion_rows import UNKNOWN, OpinionRows


def distinct_rows(
    rows: DataFrame, names: OpinionColumns, known: Reviewers, limit: int | None, n_rows: int
) -> list[Any]:
    """Distinct rows of both kinds as Arrow tables: all of them, or those with low keys."""
    scores = score_columns(names)
    weight = F.count(F.lit(1)) if names.weight is None else F.sum("weight")
    truth = F.coalesce("truth", F.lit(UNKNOWN)).alias("truth")
    is_used = (F.size("said") > 0) | F.col("truth").isNotNull()
    used = rows.filter(is_used & (F.col("weight") > 0.0)).select(*scores, truth, "said", "weight")
    distinct = (
        used.groupBy(*scores, "truth", "said")
        .agg(weight.cast("double").alias("weight"))
        .select(
            *scores,
            "truth",
            F.transform("said", lambda one: one["who"]).alias("who"),
            F.transform("said", lambda one: one["label"]).alias("label"),
            "weight",
        )
    )
    if limit is None or n_rows <= limit:
        return [distinct.toArrow()]
    tells = (F.size("who") > 1) | (F.col("truth") != UNKNOWN)
    kinds = {"telling": tells, "others": ~tells}
    asked = (F.count_if(which).alias(name) for name, which in kinds.items())
    (sizes,) = distinct.agg(*asked).toArrow().to_pylist()
    if max(sizes.values()) <= limit:
        return [distinct.toArrow()]
    return [
        distinct.filter(which).toArrow()
        if sizes[name] <= limit
        else _lowest(distinct.filter(which), scores, known, limit, sizes[name])
        for name, which in kinds.items()
    ]


def _lowest(
    distinct: DataFrame, scores: list[str], known: Reviewers, limit: int, several: int
) -> Any:
    """Rows with low keys: more than the limit, which the driver cuts."""
    sampler = worker.opinion_sampler(len(scores), reviewer_keys(known.names))
    keys = arrow_udf(sampler, LongType())  # type: ignore[call-overload]
    keyed = distinct.withColumn("key", keys(F.array(*scores), "who", "label", "truth"))
    share, found = limit / several, None
    # at least one more than the limit, so that the driver knows that it is a sample
    while found is None or found.num_rows <= limit:
        share *= 1.0 + MARGIN / np.sqrt(limit)
        found = keyed.filter(is_low(share)).toArrow()
    return found


def as_opinion_rows(table: Any, names: tuple[Any, ...]) -> OpinionRows:
    """Distinct rows on the driver."""
    places = [name for name in table.column_names if name.startswith("p_")]
    who, label = (table.column(name).combine_chunks() for name in ("who", "label"))
    sizes = who.value_lengths().to_numpy(zero_copy_only=False)
    return OpinionRows(
        np.column_stack([table.column(name).to_numpy() + 0.0 for name in places]),
        table.column("weight").to_numpy(),
        table.column("truth").to_numpy().astype(np.intp),
        np.repeat(np.arange(len(sizes)), sizes),
        who.flatten().to_numpy(zero_copy_only=False).astype(np.intp),
        label.flatten().to_numpy(zero_copy_only=False).astype(np.intp),
        (),
        names,
    )
