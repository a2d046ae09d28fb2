"""Models and pipelines of Spark ML in CalibratedClassifier."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.frozen import FrozenEstimator

import lwcal
from lwcal import CalibratedClassifier, FittedModel
from lwcal.errors import InputError, ParameterError
from tests.classifier.helpers import assert_probabilities

COLUMNS = ["a", "b", "c", "d"]


@pytest.fixture
def vectors(spark, rows):
    """Rows as Spark ML takes them, with labels of two and of three classes."""
    from pyspark.ml.feature import VectorAssembler

    X, two, three = rows
    frame = pd.DataFrame(X, columns=COLUMNS).assign(label=two, three=three)
    frame["answer"] = np.where(two, "yes", "no")
    plain = spark.createDataFrame(pa.Table.from_pandas(frame, preserve_index=False))
    return VectorAssembler(inputCols=COLUMNS, outputCol="features").transform(plain)


@pytest.mark.parametrize("frozen", [FrozenEstimator, FittedModel])
def test_a_model_is_scored_by_its_probabilities(vectors, rows, frozen):
    """In the order of the rows, which Spark does not keep by itself."""
    from pyspark.ml.classification import LogisticRegression
    from pyspark.ml.functions import vector_to_array

    X, y, _ = rows
    model = LogisticRegression(maxIter=5).fit(vectors)
    calibrated = CalibratedClassifier(frozen(model), lwcal.Beta()).fit(X, y)
    column = model.transform(vectors).select("a", vector_to_array("probability")[1].alias("p"))
    there = dict(column.toArrow().to_pandas().to_numpy().tolist())
    scores = np.array([there[value] for value in X[:, 0]])
    by_hand = lwcal.Beta().fit(scores, y)
    found = calibrated.predict_proba(X)[:, 1]
    np.testing.assert_allclose(found, by_hand.predict(scores), atol=1e-12)
    assert calibrated.estimator_ is model
    assert calibrated.calibrated_classifiers_[0].calibrators[0].scale_ == "probability"


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_pipeline_takes_frames_and_knows_its_labels(vectors, rows, frame):
    """Its StringIndexer names the classes; polars, pandas and Arrow give the same."""
    from pyspark.ml import Pipeline
    from pyspark.ml.classification import LogisticRegression
    from pyspark.ml.feature import StringIndexer, VectorAssembler

    X, y, _ = rows
    stages = [
        StringIndexer(inputCol="answer", outputCol="index", stringOrderType="alphabetDesc"),
        VectorAssembler(inputCols=COLUMNS, outputCol="vector"),
        LogisticRegression(featuresCol="vector", labelCol="index", maxIter=5),
    ]
    model = Pipeline(stages=stages).fit(vectors.drop("features"))
    names = np.where(y, "yes", "no")
    columns = frame(dict(zip(COLUMNS, X.T, strict=True)))
    calibrated = CalibratedClassifier(FittedModel(model)).fit(columns, names)
    assert calibrated.classes_.tolist() == ["yes", "no"]
    assert (calibrated.predict(columns) == names).mean() > 0.65
    with pytest.raises(InputError, match=r"named columns.*ndarray"):
        FittedModel(model).predict_proba(X)


def test_several_classes(vectors, rows):
    """Each has a column."""
    from pyspark.ml.classification import LogisticRegression

    X, _, y = rows
    model = LogisticRegression(labelCol="three", maxIter=5).fit(vectors)
    calibrated = CalibratedClassifier(FrozenEstimator(model), lwcal.Temperature()).fit(X, y)
    assert_probabilities(calibrated.predict_proba(X), 3)


def test_a_support_vector_machine_has_margins_only(vectors, rows):
    """They are calibrated as logits."""
    from pyspark.ml.classification import LinearSVC

    X, y, _ = rows
    model = LinearSVC(maxIter=5).fit(vectors)
    calibrated = CalibratedClassifier(FrozenEstimator(model)).fit(X, y)
    assert calibrated.calibrated_classifiers_[0].calibrators[0].scale_ == "logit"
    expected = X @ model.coefficients.toArray() + model.intercept
    np.testing.assert_allclose(FittedModel(model).decision_function(X), expected, atol=1e-9)


def test_a_regressor_is_refused(vectors, rows):
    """The message names the stages."""
    from pyspark.ml.regression import LinearRegression

    X, y, _ = rows
    model = LinearRegression(maxIter=2).fit(vectors)
    with pytest.raises(ParameterError, match=r"a classifier.*LinearRegressionModel.*regressor"):
        CalibratedClassifier(FrozenEstimator(model)).fit(X, y)


def test_rows_that_a_stage_drops_are_counted(vectors, rows):
    """A stage that skips rows would shift all others."""
    from pyspark.ml import PipelineModel
    from pyspark.ml.classification import LogisticRegression
    from pyspark.ml.feature import VectorAssembler

    X, y, _ = rows
    skipping = VectorAssembler(inputCols=COLUMNS, outputCol="features", handleInvalid="skip")
    model = PipelineModel([skipping, LogisticRegression(maxIter=2).fit(vectors)])
    frame = pd.DataFrame(X, columns=COLUMNS)
    frame.loc[3, "a"] = np.nan
    with pytest.raises(InputError, match=r"899 of 900 rows back.*handleInvalid"):
        CalibratedClassifier(FittedModel(model)).fit(frame, y)
