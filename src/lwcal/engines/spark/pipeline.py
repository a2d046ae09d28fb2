"""A stage of a Spark ML pipeline that fits a calibrator to a column of scores and applies it.

Saved pipelines hold the names of these classes and of this module, so the names must not change.
"""

from __future__ import annotations

import json
from typing import Any, ClassVar, Self

from pyspark import keyword_only
from pyspark.ml import Estimator, Model
from pyspark.ml.param import Param, Params, TypeConverters
from pyspark.ml.param.shared import (
    HasHandleInvalid,
    HasLabelCol,
    HasPredictionCol,
    HasWeightCol,
)
from pyspark.ml.util import (
    DefaultParamsReadable,
    DefaultParamsReader,
    DefaultParamsWritable,
    DefaultParamsWriter,
    MLReadable,
    MLReader,
    MLWritable,
    MLWriter,
)
from pyspark.sql import DataFrame

from lwcal.artifact import from_document, to_document
from lwcal.calibrators import CALIBRATORS, Calibrator
from lwcal.engines.spark.applying import apply
from lwcal.engines.spark.reducing import reduce
from lwcal.engines.spark.session import explained
from lwcal.errors import ArtifactError, message
from lwcal.parameters import OneOf, check_parameter

METHODS = tuple(name for name in CALIBRATORS if name != "audited")
"""Calibrators that need only scores and labels."""
ERROR, SKIP = "error", "skip"
ARTIFACT = "calibrator"
"""Folder of a saved model that holds the calibrator as JSON."""


class _ScoreParams(HasLabelCol, HasPredictionCol, HasHandleInvalid):
    """Parameters that the estimator and its model share."""

    scoreCol: ClassVar[Param[str]] = Param(  # noqa: N815  # as Spark spells its parameters
        Params._dummy(),
        "scoreCol",
        "column of scores: numbers in [0, 1], or vectors of two probabilities",
        typeConverter=TypeConverters.toString,
    )

    def __init__(self) -> None:
        super().__init__()
        self._setDefault(
            scoreCol="probability",
            labelCol="label",
            # "prediction" holds the class that the classifier in the pipeline predicts
            predictionCol="p_calibrated",
            handleInvalid=ERROR,
        )

    def getScoreCol(self) -> str:  # noqa: N802
        """Name of the column of scores."""
        return self.getOrDefault(self.scoreCol)

    def setScoreCol(self, value: str) -> Self:  # noqa: N802
        """Name the column of scores."""
        return self._set(scoreCol=value)

    def setPredictionCol(self, value: str) -> Self:  # noqa: N802
        """Name the column of calibrated probabilities."""
        return self._set(predictionCol=value)

    def setHandleInvalid(self, value: str) -> Self:  # noqa: N802
        """Choose between "error" and "skip" for unusable rows."""
        return self._set(handleInvalid=value)

    def _drops_invalid(self) -> bool:
        check_parameter("handleInvalid", self.getHandleInvalid(), OneOf((ERROR, SKIP)))
        return bool(self.getHandleInvalid() == SKIP)


class ScoreCalibrator(
    _ScoreParams,
    HasWeightCol,
    Estimator["ScoreCalibratorModel"],
    DefaultParamsReadable["ScoreCalibrator"],
    DefaultParamsWritable,
):
    """Spark ML estimator that fits a calibrator to scores and noisy labels.

    Parameters
    ----------
    scoreCol : str, default "probability"
        Numbers in [0, 1], or the vectors of two probabilities that Spark ML classifiers write.
    labelCol : str, default "label"
    predictionCol : str, default "p_calibrated"
        New column of calibrated probabilities.
    weightCol : str, optional
        Frequencies: a row of weight 2 equals that row twice.
    method : str, default "auto"
        Name of a calibrator, as for ``lwcal fit --method``.
    handleInvalid : {"error", "skip"}, default "error"

    Examples
    --------
    >>> from lwcal.engines.spark import ScoreCalibrator
    >>> from pyspark.sql import SparkSession
    >>> spark = SparkSession.builder.getOrCreate()
    >>> rows = [(0.2, 0), (0.4, 1), (0.6, 0), (0.9, 1)]
    >>> frame = spark.createDataFrame(rows, ["p", "label"])
    >>> model = ScoreCalibrator(scoreCol="p", method="isotonic").fit(frame)
    >>> [row.p_calibrated for row in model.transform(frame).collect()]
    [0.0, 0.5, 0.5, 1.0]
    """

    _input_kwargs: dict[str, Any]
    method: ClassVar[Param[str]] = Param(
        Params._dummy(), "method", "calibrator to fit", typeConverter=TypeConverters.toString
    )

    @keyword_only
    def __init__(
        self,
        *,
        scoreCol: str = "probability",
        labelCol: str = "label",
        predictionCol: str = "p_calibrated",
        weightCol: str | None = None,
        method: str = "auto",
        handleInvalid: str = ERROR,
    ) -> None:
        super().__init__()
        self._setDefault(method="auto")
        self._set(**self._input_kwargs)

    def setLabelCol(self, value: str) -> Self:  # noqa: N802
        """Name the column of labels."""
        return self._set(labelCol=value)

    def setWeightCol(self, value: str) -> Self:  # noqa: N802
        """Name the column of frequencies."""
        return self._set(weightCol=value)

    def getMethod(self) -> str:  # noqa: N802
        """Name of the calibrator."""
        return self.getOrDefault(self.method)

    def setMethod(self, value: str) -> Self:  # noqa: N802
        """Choose the calibrator by its name."""
        return self._set(method=value)

    def _fit(self, dataset: DataFrame) -> ScoreCalibratorModel:
        check_parameter("method", self.getMethod(), OneOf(METHODS))
        table = reduce(
            dataset,
            self.getScoreCol(),
            self.getLabelCol(),
            self.getWeightCol() if self.isDefined(self.weightCol) else None,
            drop_invalid=self._drops_invalid(),
        )
        fitted = CALIBRATORS[self.getMethod()]().fit_table(table)
        return self._copyValues(ScoreCalibratorModel(fitted))


class ScoreCalibratorModel(_ScoreParams, Model, MLReadable["ScoreCalibratorModel"], MLWritable):
    """Spark ML model around a fitted calibrator, from `ScoreCalibrator` or any other source.

    Parameters
    ----------
    calibrator : fitted calibrator
        Any that :func:`lwcal.save` can write; the pipeline saves it as the same JSON.

    Examples
    --------
    >>> import lwcal
    >>> calibrator = lwcal.Platt().fit([0.2, 0.4, 0.6, 0.9], [0, 1, 0, 1])
    >>> lwcal.engines.spark.ScoreCalibratorModel(calibrator).setScoreCol("p").getScoreCol()
    'p'
    """

    def __init__(self, calibrator: Calibrator) -> None:
        super().__init__()
        calibrator.require_two_classes()
        self.calibrator = calibrator

    def _transform(self, dataset: DataFrame) -> DataFrame:
        return apply(
            dataset,
            self.calibrator,
            self.getScoreCol(),
            column=self.getPredictionCol(),
            drop_invalid=self._drops_invalid(),
        )

    def write(self) -> MLWriter:
        """Writer of Spark ML: ``model.write().overwrite().save(path)``."""
        return _Writer(self)

    @classmethod
    def read(cls) -> MLReader[ScoreCalibratorModel]:
        """Reader of Spark ML."""
        return _Reader()


class _Writer(DefaultParamsWriter):
    """Writes the parameters as Spark ML does, and the calibrator as JSON beside them."""

    instance: ScoreCalibratorModel

    def saveImpl(self, path: str) -> None:  # noqa: N802
        super().saveImpl(path)
        document = json.dumps(to_document(self.instance.calibrator), allow_nan=False)
        rows = self.sparkSession.createDataFrame([(document,)], "value string")
        rows.coalesce(1).write.text(f"{path}/{ARTIFACT}")


class _Reader(MLReader[ScoreCalibratorModel]):
    """Reads both back, with the checks of :func:`lwcal.load`."""

    def load(self, path: str) -> ScoreCalibratorModel:
        metadata = DefaultParamsReader.loadMetadata(path, self.sparkSession)
        with explained(path):
            lines = self.sparkSession.read.text(f"{path}/{ARTIFACT}").collect()
        try:
            model = ScoreCalibratorModel(from_document(json.loads(lines[0].value)))
        except (json.JSONDecodeError, IndexError, ArtifactError) as error:
            raise ArtifactError(message(f"a calibrator in {path}", str(error))) from None
        model._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(model, metadata)
        return model
