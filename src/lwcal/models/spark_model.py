"""A fitted model of Spark ML, or a pipeline of such models, on rows in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.errors import InputError, ParameterError, message
from lwcal.models.open_model import OpenModel, is_from
from lwcal.rows.scales import LOGIT, PROBABILITY

ROW, SCORES = "lwcal_row", "lwcal_scores"


def fits(model: Any) -> bool:
    """Tell whether it is a model of ``pyspark.ml``."""
    return is_from(model, "pyspark.ml", "Model")


def opened(model: Any) -> OpenModel:
    """Find the classifier among the stages, and what it writes.

    Probabilities are used where there are any: the margins of Spark's models are log-odds for
    some of them only. A support vector machine has margins alone.
    """
    stages = list(getattr(model, "stages", [model]))
    found = [stage for stage in stages if hasattr(stage, "numClasses")]
    if not found:
        names = [type(stage).__name__ for stage in stages]
        hint = "a regressor or a ranker has no probabilities to calibrate"
        raise ParameterError(message("a Spark ML model with a classifier", f"{names}", hint))
    classifier = found[-1]
    scale = PROBABILITY if hasattr(classifier, "getProbabilityCol") else LOGIT
    column = (
        classifier.getProbabilityCol() if scale == PROBABILITY else classifier.getRawPredictionCol()
    )
    n_classes = int(classifier.numClasses)

    def scores(X: Any) -> FloatArray:
        values = _scored(model, X, column, classifier.getFeaturesCol())
        return values[:, 1] if n_classes == 2 else values

    return OpenModel(scores, n_classes, _label_names(stages, classifier.getLabelCol()), scale)


def _label_names(stages: list[Any], label: str) -> list[str] | None:
    """Labels of the StringIndexer that numbered the classes, if it is a stage."""
    for stage in stages:
        if type(stage).__name__ == "StringIndexerModel" and stage.getOutputCol() == label:
            return list(stage.labels)
    return None


def _scored(model: Any, X: Any, column: str, features: str) -> FloatArray:
    """Score rows, and return them in their order, which Spark does not keep."""
    from pyspark.ml.functions import vector_to_array
    from pyspark.sql.functions import col

    frame = _as_spark(X, features, is_pipeline=hasattr(model, "stages"))
    scored = (
        model.transform(frame).select(ROW, vector_to_array(col(column)).alias(SCORES)).toArrow()
    )
    n_rows = len(X)
    if scored.num_rows != n_rows:
        got = f"{scored.num_rows:,} of {n_rows:,} rows back"
        hint = 'set handleInvalid of its stages to "keep", or drop these rows first'
        raise InputError(message("a score of every row from the model", got, hint))
    values = np.array(scored[SCORES].to_pylist(), dtype=np.float64).reshape(n_rows, -1)
    return np.asarray(values[np.argsort(scored[ROW].to_numpy())])


def _as_spark(X: Any, features: str, *, is_pipeline: bool) -> Any:
    """Rows as a Spark frame. Outside of a pipeline, numbers become the vector of features."""
    import pyarrow as pa
    from pyspark.ml.functions import array_to_vector
    from pyspark.sql import SparkSession
    from pyspark.sql.functions import col

    spark = SparkSession.builder.getOrCreate()
    numbered = pa.array(np.arange(len(X)))
    if is_pipeline:
        table = _as_arrow(X).append_column(ROW, numbered)
        return spark.createDataFrame(table)
    matrix = np.asarray(X, dtype=np.float64)
    vectors = pa.FixedSizeListArray.from_arrays(pa.array(matrix.ravel()), matrix.shape[1])
    table = pa.table({features: vectors.cast(pa.list_(pa.float64())), ROW: numbered})
    return spark.createDataFrame(table).withColumn(features, array_to_vector(col(features)))


def _as_arrow(X: Any) -> Any:
    import pyarrow as pa

    if isinstance(X, pa.Table):
        return X
    if hasattr(X, "to_arrow"):
        return X.to_arrow()
    if not hasattr(X, "columns"):
        hint = "name the columns as the first stage of the pipeline does"
        raise InputError(message("a frame with named columns", type(X).__name__, hint))
    return pa.Table.from_pandas(X, preserve_index=False)
