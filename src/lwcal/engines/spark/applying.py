"""``apply``: add calibrated probabilities to a DataFrame, computed on the workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, cast

from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as F  # noqa: N812
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.types import ArrayType, DoubleType

from lwcal.class_maps import ClassMap, ScalingMap
from lwcal.engines.class_columns import (
    CALIBRATED,
    calibrated_columns,
    class_columns,
    is_one_column,
    new_columns,
    refuse_scale,
)
from lwcal.engines.spark import class_columns as of_classes
from lwcal.engines.spark import worker
from lwcal.engines.spark.checking import refuse_bad_scores
from lwcal.engines.spark.class_reducing import check_class_rows
from lwcal.engines.spark.columns import is_score, require, scores
from lwcal.engines.spark.session import OWN, explained
from lwcal.engines.spark.source import Source
from lwcal.engines.spark.writing import OutputFolder
from lwcal.errors import InputError, message
from lwcal.files import Format
from lwcal.kernels.pure import linear_segments
from lwcal.maps import BlendMap, Map, OddsMap, PiecewiseLinearMap
from lwcal.rows.faults import DROP_HINT, DROP_SHARE
from lwcal.rows.scales import LOGIT, PERCENT, PROBABILITY
from lwcal.score_map import (
    ClassScoreMap,
    HasClassScoreMap,
    HasScoreMap,
    as_class_score_map,
    as_score_map,
)

GIVEN, TEMPORARY = "lwcal_scores", "lwcal_probabilities"
"""Columns of all scores of a row, and of its calibrated probabilities before they are split."""
EXPECTED = {
    PROBABILITY: "probabilities in [0, 1]",
    PERCENT: "percents in [0, 100]",
    LOGIT: "finite logits",
}


def apply(
    frame: DataFrame,
    calibrator: HasScoreMap | HasClassScoreMap | Map,
    score: str | Sequence[str],
    *,
    column: str = CALIBRATED,
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
    score : str or list of str
        Name of the column of scores, as for :func:`reduce`. For a calibrator of several classes:
        a pattern (``"p_*"``), or a list of columns, which are matched to the classes by name.
    column : str, default "p_calibrated"
        Name of the new column. With several classes, each has its own: p_calibrated_cat, ...
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
    with explained("the DataFrame"):
        if not is_one_column(score, frame.columns):
            refuse_scale(scale)
            return _apply_classes(frame, calibrator, score, column, replace_column, drop_invalid)
        fitted = as_score_map(cast("HasScoreMap | Map", calibrator))
        known = fitted.scale_of(scale)
        name = str(score)
        require(frame, [name])
        (new,) = new_columns(
            [column], frame.columns, replace=replace_column, source="The DataFrame"
        )
        value = scores(frame, name, known).given
        is_valid = is_score(value, known)
        if drop_invalid:
            frame = frame.filter(is_valid)
        else:
            value = F.when(is_valid, value).otherwise(_refused(name, value, known))
        calibrate = arrow_udf(  # type: ignore[call-overload]  # pyspark's types lack this form
            worker.mapper(portable(fitted.map), known), DoubleType()
        )
        return frame.withColumn(new, calibrate(value))


def _apply_classes(
    frame: DataFrame,
    calibrator: Any,
    score: str | Sequence[str],
    column: str,
    replace_column: bool,
    drop_invalid: bool,
) -> DataFrame:
    """Add a column of calibrated probabilities for each class."""
    fitted = as_class_score_map(calibrator)
    classes = fitted.classes
    names = class_columns(score, dict(frame.dtypes)).in_order(classes)
    new = new_columns(
        calibrated_columns(column, classes),
        frame.columns,
        replace=replace_column,
        source="The DataFrame",
    )
    require(frame, names)
    values = [scores(frame, name, PROBABILITY).given for name in names]
    given, temporary = (_unused(name, frame) for name in (GIVEN, TEMPORARY))
    # a step of its own: Spark would repeat the expression wherever it is used
    frame, rows = frame.withColumn(given, of_classes.row_of(values)), F.col(given)
    is_valid = of_classes.is_valid_row(rows, len(names))
    if drop_invalid:
        frame = frame.filter(is_valid)
    else:
        rows = F.when(is_valid, rows).otherwise(_refused_row(names, rows))
    mapped = worker.class_mapper(portable_classes(fitted), len(classes))
    calibrate = arrow_udf(mapped, ArrayType(DoubleType()))  # type: ignore[call-overload]
    several = frame.withColumn(temporary, calibrate(rows))
    split = {name: F.get(F.col(temporary), F.lit(k)) for k, name in enumerate(new)}
    return several.withColumns(split).drop(given, temporary)


def _unused(name: str, frame: DataFrame) -> str:
    """A name that no column has; Spark does not tell upper from lower case."""
    taken = {column.casefold() for column in frame.columns}
    while name.casefold() in taken:
        name += "_"
    return name


class Applied(NamedTuple):
    """How many rows were written, and how many were dropped."""

    rows: int
    dropped: int


def apply_source(
    source: Source,
    calibrator: HasScoreMap | HasClassScoreMap | Map,
    score: str | Sequence[str],
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
    if not is_one_column(score, frame.columns):
        refuse_scale(scale)
        options = {
            "column": column,
            "replace_column": replace_column,
            "drop_invalid": drop_invalid,
        }
        output = OutputFolder(frame.sparkSession, out, form, overwrite=overwrite)
        return _write_classes(source, calibrator, score, output, allow_drop_share, options)
    fitted = as_score_map(cast("HasScoreMap | Map", calibrator))
    score, known = str(score), fitted.scale_of(scale)
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


def _write_classes(
    source: Source,
    calibrator: Any,
    score: str | Sequence[str],
    output: OutputFolder,
    allow_drop_share: float,
    options: dict[str, Any],
) -> Applied:
    """Check all rows in a pass of their own, then write those that are valid."""
    frame = source.frame
    with explained(source.name), output as folder:
        classes = as_class_score_map(calibrator).classes
        names = class_columns(score, dict(frame.dtypes)).in_order(classes)
        dropped = check_class_rows(frame, names)
        if not options["drop_invalid"]:
            dropped.refuse(scalable=False)
        dropped.check_drop_share(allow_drop_share, scalable=False)
        folder.write(apply(frame, calibrator, score, **options))
        folder.keep()
    return Applied(dropped.rows - dropped.count, dropped.count)


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
    if isinstance(fitted, OddsMap):
        return {"kind": fitted.kind, "against": fitted.against, "inner": portable(fitted.inner)}
    if not isinstance(fitted, PiecewiseLinearMap):
        return fitted.to_dict()
    segments = linear_segments(fitted.x, fitted.y)
    return {"kind": fitted.kind, "x": fitted.x, **segments._asdict()}


def portable_classes(fitted: ClassScoreMap) -> dict[str, Any]:
    """Pack a map of class probabilities; see :func:`portable`."""
    found = fitted.map
    if isinstance(found, ScalingMap):
        return {"kind": found.kind, **vars(found)}
    return found.to_dict() if isinstance(found, ClassMap) else portable(found)


def _refused_row(names: Sequence[str], rows: Column) -> Column:
    said, hint = message(
        f"probabilities that sum to 1 in the columns {', '.join(map(repr, names))}",
        "VALUE",
        f"repair such rows, or {DROP_HINT}",
    ).split("VALUE")
    stop = F.raise_error(F.concat(F.lit(OWN + said), rows.cast("string"), F.lit(hint)))
    return stop.cast("array<double>")


def _refused(score: str, value: Column, scale: str) -> Column:
    said, hint = message(
        f"column {score!r} to be {EXPECTED[scale]}",
        "VALUE",
        f"repair such rows, or {DROP_HINT}",
    ).split("VALUE")
    shown = F.coalesce(value.cast("string"), F.lit("none"))
    return F.raise_error(F.concat(F.lit(OWN + said), shown, F.lit(hint))).cast("double")
