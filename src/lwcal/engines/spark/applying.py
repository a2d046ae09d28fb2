"""``apply``: add calibrated probabilities to a DataFrame, computed on the workers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.types import DoubleType

from lwcal.engines.spark import worker
from lwcal.engines.spark.checking import refuse_bad_scores
from lwcal.engines.spark.columns import is_score, require, scores
from lwcal.engines.spark.session import OWN, explained
from lwcal.engines.spark.source import Source
from lwcal.engines.spark.writing import OutputFolder
from lwcal.errors import InputError, ParameterError, message
from lwcal.files import Format
from lwcal.kernels.pure import linear_segments
from lwcal.maps import BlendMap, Map, PiecewiseLinearMap
from lwcal.rows.faults import DROP_HINT, DROP_SHARE
from lwcal.rows.scales import LOGIT, PERCENT, PROBABILITY
from lwcal.score_map import HasScoreMap, as_score_map

EXPECTED = {
    PROBABILITY: "probabilities in [0, 1]",
    PERCENT: "percents in [0, 100]",
    LOGIT: "finite logits",
}


def apply(
    frame: DataFrame,
    calibrator: HasScoreMap | Map,
    score: str,
    *,
    column: str = "p_calibrated",
    replace_column: bool = False,
    scale: str | None = None,
    drop_invalid: bool = False,
) -> DataFrame:
    """Add a column of calibrated probabilities to a DataFrame.

    Nothing is computed until the result is used. The workers then map the scores as Arrow arrays;
    they need numpy and pyarrow, but not lwcal. The probabilities are identical, bit for bit, to
    those of ``calibrator.predict`` on the same kind of machine.

    Parameters
    ----------
    frame : Spark DataFrame
        From a classic session or from Spark Connect.
    calibrator : fitted calibrator, or its map
    score : str
        Name of the column of scores, as for :func:`reduce`.
    column : str, default "p_calibrated"
        Name of the new column.
    replace_column : bool, default False
        Whether to replace an existing column of that name.
    scale : {"probability", "percent", "logit"}, optional
        Scale of the scores; by default that of the fit. A map alone takes probabilities.
    drop_invalid : bool, default False
        Drop rows without a valid score, instead of failing at the first one. Nothing is computed
        here, so the share of dropped rows is not checked. Texts with a percent sign beside plain
        numbers are not noticed either; ``reduce`` and ``lwcal apply`` refuse both.

    Examples
    --------
    >>> import lwcal
    >>> from pyspark.sql import SparkSession
    >>> spark = SparkSession.builder.getOrCreate()
    >>> calibrator = lwcal.Isotonic().fit([0.2, 0.4, 0.6, 0.9], [0, 1, 0, 1])
    >>> frame = spark.createDataFrame([("007", 0.5)], ["id", "p"])
    >>> lwcal.engines.spark.apply(frame, calibrator, score="p").first()
    Row(id='007', p=0.5, p_calibrated=0.5)
    """
    fitted = as_score_map(calibrator)
    known = fitted.scale_of(scale)
    with explained("the DataFrame"):
        require(frame, [score])
        taken = next((name for name in frame.columns if name.lower() == column.lower()), None)
        if taken is not None and not replace_column:
            raise ParameterError(
                f"The DataFrame already has a column {taken!r}; choose another name with --column "
                "(column=), or replace it with --force-column (replace_column=True)."
            )
        value = scores(frame, score, known).given
        is_valid = is_score(value, known)
        if drop_invalid:
            frame = frame.filter(is_valid)
        else:
            value = F.when(is_valid, value).otherwise(_refused(score, value, known))
        calibrate = arrow_udf(  # type: ignore[call-overload]  # pyspark's types lack this form
            worker.mapper(portable(fitted.map), known), DoubleType()
        )
        return frame.withColumn(column if taken is None else taken, calibrate(value))


class Applied(NamedTuple):
    """How many rows were written, and how many were dropped."""

    rows: int
    dropped: int


def apply_source(
    source: Source,
    calibrator: HasScoreMap | Map,
    score: str,
    out: str,
    form: Format,
    *,
    column: str,
    replace_column: bool = False,
    scale: str | None = None,
    drop_invalid: bool = False,
    allow_drop_share: float = DROP_SHARE,
    overwrite: bool = False,
) -> Applied:
    """Write an open source with its probabilities from the workers to a folder of files."""
    frame = source.frame
    fitted = as_score_map(calibrator)
    known = fitted.scale_of(scale)
    refuse = partial(
        refuse_bad_scores, frame, score, scale=known, allow_drop_share=allow_drop_share
    )
    output = OutputFolder(frame.sparkSession, out, form, overwrite=overwrite)
    with explained(source.name), output as folder:
        require(frame, [score])
        counted = Observation()
        read = scores(frame, score, known)
        is_valid = F.coalesce(is_score(read.given, known), F.lit(False))
        observed = frame.observe(
            counted,
            F.count(F.lit(1)).alias("rows"),
            F.count_if(is_valid).alias("valid"),
            F.count_if(read.percent).alias("percent"),
            F.max(F.when(is_valid, read.given)).alias("highest"),
        )
        done = apply(
            observed,
            calibrator,
            score,
            column=column,
            replace_column=replace_column,
            scale=known,
            drop_invalid=drop_invalid,
        )
        _write(folder, done, source, None if drop_invalid else refuse)
        counts = counted.get
        dropped = counts["rows"] - counts["valid"]
        if counts["percent"] or dropped > allow_drop_share * counts["rows"]:
            refuse(drop_invalid=True)  # another pass tells what is wrong, if anything is
        if not counts["valid"]:
            raise InputError(f"{source.name} has no row with a valid score.")
        if scale is None and known == PERCENT and not counts["percent"]:
            fitted.refuse_probabilities(counts["highest"] / 100.0, score)
        folder.keep()
    return Applied(counts["valid"], dropped)


def _write(
    folder: OutputFolder, done: DataFrame, source: Source, refuse: Callable[[], None] | None
) -> None:
    """Write rows; the workers stop at the first bad score, so all bad scores are counted then."""
    try:
        with explained(source.name):
            folder.write(done)
    except InputError:
        if refuse is not None:
            refuse()
        raise


def portable(fitted: Map) -> dict[str, Any]:
    """Pack a map as arrays and numbers that can be evaluated with numpy alone.

    >>> from lwcal.maps import SigmoidMap
    >>> portable(SigmoidMap(2.0, -1.0))
    {'kind': 'sigmoid', 'slope': 2.0, 'intercept': -1.0}
    """
    if isinstance(fitted, BlendMap):
        return {"kind": fitted.kind, "rho": fitted.rho, "inner": portable(fitted.inner)}
    if not isinstance(fitted, PiecewiseLinearMap):
        return fitted.to_dict()
    segments = linear_segments(fitted.x, fitted.y)
    return {"kind": fitted.kind, "x": fitted.x, **segments._asdict()}


def _refused(score: str, value: Column, scale: str) -> Column:
    said, hint = message(
        f"column {score!r} to be {EXPECTED[scale]}",
        "VALUE",
        f"repair such rows, or {DROP_HINT}",
    ).split("VALUE")
    shown = F.coalesce(value.cast("string"), F.lit("none"))
    return F.raise_error(F.concat(F.lit(OWN + said), shown, F.lit(hint))).cast("double")
