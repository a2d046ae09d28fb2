"""``apply``: add calibrated probabilities to a DataFrame, computed on the workers."""

from __future__ import annotations

from typing import Any, NamedTuple

from pyspark import cloudpickle
from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.types import DoubleType

from lwcal.calibrators import Calibrator
from lwcal.engines.spark import worker
from lwcal.engines.spark.checking import refuse_bad_scores
from lwcal.engines.spark.columns import is_probability, numbers, require
from lwcal.engines.spark.session import OWN, explained
from lwcal.engines.spark.source import Source
from lwcal.engines.spark.writing import OutputFolder
from lwcal.errors import InputError, ParameterError, message
from lwcal.files import Format
from lwcal.kernels.pure import linear_segments
from lwcal.maps import BlendMap, Map, PiecewiseLinearMap
from lwcal.rows.checks import DROP_HINT

# the workers do not have lwcal, so its functions are sent by value
cloudpickle.register_pickle_by_value(worker)  # type: ignore[no-untyped-call]


def apply(
    frame: DataFrame,
    calibrator: Calibrator | Map,
    score: str,
    *,
    column: str = "p_calibrated",
    replace_column: bool = False,
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
    drop_invalid : bool, default False
        Drop rows without a valid score, instead of failing at the first one.

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
    if isinstance(calibrator, Calibrator):
        calibrator.check_is_fitted()
        calibrator = calibrator.map_
    with explained("the DataFrame"):
        require(frame, [score])
        taken = next((name for name in frame.columns if name.lower() == column.lower()), None)
        if taken is not None and not replace_column:
            raise ParameterError(
                f"The DataFrame already has a column {taken!r}; choose another name with --column "
                "(column=), or replace it with --force-column (replace_column=True)."
            )
        value = numbers(frame, score).value
        if drop_invalid:
            frame = frame.filter(is_probability(value))
        else:
            value = F.when(is_probability(value), value).otherwise(_refused(score, value))
        calibrate = arrow_udf(  # type: ignore[call-overload]  # pyspark's types lack this form
            worker.mapper(portable(calibrator)), DoubleType()
        )
        return frame.withColumn(column if taken is None else taken, calibrate(value))


class Applied(NamedTuple):
    """How many rows were written, and how many were dropped."""

    rows: int
    dropped: int


def apply_source(
    source: Source,
    calibrator: Calibrator | Map,
    score: str,
    out: str,
    form: Format,
    *,
    column: str,
    replace_column: bool = False,
    drop_invalid: bool = False,
    overwrite: bool = False,
) -> Applied:
    """Write an open source with its probabilities from the workers to a folder of files."""
    frame = source.frame
    folder = OutputFolder(frame.sparkSession, out, form, overwrite=overwrite)
    with explained(source.name):
        require(frame, [score])
        counted = Observation()
        is_valid = F.coalesce(is_probability(numbers(frame, score).value), F.lit(False))
        observed = frame.observe(
            counted, F.count(F.lit(1)).alias("rows"), F.count_if(is_valid).alias("valid")
        )
        done = apply(
            observed,
            calibrator,
            score,
            column=column,
            replace_column=replace_column,
            drop_invalid=drop_invalid,
        )
        try:
            _write(folder, done, source, None if drop_invalid else score)
            counts = counted.get
            if not counts["valid"]:
                raise InputError(f"{source.name} has no row with a valid score.")
            folder.keep()
        finally:
            folder.discard()
    return Applied(counts["valid"], counts["rows"] - counts["valid"])


def _write(folder: OutputFolder, done: DataFrame, source: Source, score: str | None) -> None:
    """Write rows; the workers stop at the first bad score, so all bad scores are counted then."""
    try:
        with explained(source.name):
            folder.write(done)
    except InputError:
        if score is not None:
            refuse_bad_scores(source.frame, score)
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


def _refused(score: str, value: Column) -> Column:
    said, hint = message(
        f"column {score!r} to be probabilities in [0, 1]",
        "VALUE",
        f"repair such rows, or {DROP_HINT}",
    ).split("VALUE")
    shown = F.coalesce(value.cast("string"), F.lit("none"))
    return F.raise_error(F.concat(F.lit(OWN + said), shown, F.lit(hint))).cast("double")
