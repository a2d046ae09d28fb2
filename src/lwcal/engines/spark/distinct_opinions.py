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
) -> Any:
    """Distinct rows of both kinds as an Arrow table: all of them, or those with low keys."""
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
        return distinct.toArrow()
    # rows with a second opinion or a check show errors without any curve: each kind has a limit
    kinds = distinct.withColumn("tells", (F.size("who") > 1) | (F.col("truth") != UNKNOWN))
    sizes = {line["tells"]: line["count"] for line in kinds.groupBy("tells").count().collect()}
    if max(sizes.values(), default=0) <= limit:
        return distinct.toArrow()
    return _lowest(kinds, scores, known, limit, sizes)


def _lowest(
    kinds: DataFrame, scores: list[str], known: Reviewers, limit: int, sizes: dict[bool, int]
) -> Any:
    """Rows with low keys: of each kind all, or more than the limit, which the driver cuts."""
    sampler = worker.opinion_sampler(len(scores), reviewer_keys(known.names))
    keys = arrow_udf(sampler, LongType())  # type: ignore[call-overload]
    keyed = kinds.withColumn("key", keys(F.array(*scores), "who", "label", "truth"))
    share = {kind: limit / size for kind, size in sizes.items()}
    is_complete = False
    while not is_complete:
        share = {kind: one * (1.0 + MARGIN / np.sqrt(limit)) for kind, one in share.items()}
        low = [is_low(share.get(kind, 1.0)) for kind in (True, False)]
        found = keyed.filter(F.when(F.col("tells"), low[0]).otherwise(low[1])).toArrow()
        tells = found.column("tells").to_numpy()
        # at least one more than the limit, so that the driver knows that it is a sample
        is_complete = all(
            np.count_nonzero(tells == kind) >= min(size, limit + 1) for kind, size in sizes.items()
        )
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
