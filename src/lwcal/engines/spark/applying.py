"""``apply``: a DataFrame with its calibrated probabilities, computed where its rows lie."""

from __future__ import annotations

from typing import Any

from pyspark import cloudpickle
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.types import DoubleType

from lwcal.calibrators import Calibrator
from lwcal.engines.spark import worker
from lwcal.engines.spark.columns import is_probability, numbers, require
from lwcal.engines.spark.session import OWN, explained
from lwcal.errors import ParameterError, message
from lwcal.kernels.pure import linear_segments
from lwcal.maps import BlendMap, Map, PiecewiseLinearMap
from lwcal.rows.faults import DROP_HINT

# the workers have no lwcal to look the functions up in
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

    Nothing is computed until the result is asked for. The workers then map the scores on Arrow's
    memory; they need numpy and pyarrow, but not lwcal. The probabilities have the bits that
    ``calibrator.predict`` gives on a machine of the same kind.

    Parameters
    ----------
    frame : Spark DataFrame
        Of a classic session, or of Spark Connect.
    calibrator : fitted calibrator, or its map
    score : str
        Name of the column of scores, as for :func:`reduce`.
    column : str, default "p_calibrated"
        Name of the new column.
    replace_column : bool, default False
        Whether a column of that name may be replaced.
    drop_invalid : bool, default False
        Leave rows without a valid score out, instead of failing when they are met.

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
            hint = "choose another, or replace it with replace_column=True"
            raise ParameterError(message("a new column name in the DataFrame", repr(column), hint))
        value = numbers(frame, score).value
        if drop_invalid:
            frame = frame.filter(is_probability(value))
        else:
            value = F.when(is_probability(value), value).otherwise(_refused(score, value))
        calibrate = arrow_udf(  # type: ignore[call-overload]  # which are told by its hints
            worker.mapper(portable(calibrator)), DoubleType()
        )
        return frame.withColumn(column if taken is None else taken, calibrate(value))


def portable(fitted: Map) -> dict[str, Any]:
    """Pack a map as arrays and numbers, ready to be evaluated where there is only numpy.

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
