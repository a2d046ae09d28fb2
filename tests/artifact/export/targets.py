"""Run exports in their engines: every function takes rows and returns probabilities."""

import sqlite3
from functools import cache

import duckdb
import numpy as np
import onnxruntime
import pyarrow as pa

import lwcal
from lwcal.artifact.export.dialects import DIALECTS
from lwcal.class_maps import ClassMap
from lwcal.maps import Map
from lwcal.rows.class_labels import class_array


def carrying(fitted: Map):
    """Return a calibrator with the given map."""
    calibrator = lwcal.Identity()
    calibrator.map_, calibrator.n_, calibrator.diagnostics_ = fitted, 1, {}
    return calibrator


def carrying_classes(fitted: ClassMap, classes):
    """Return a calibrator of several classes with the given map."""
    calibrator = lwcal.Temperature()
    calibrator.map_, calibrator.n_, calibrator.diagnostics_ = fitted, 1, {}
    calibrator.classes_ = class_array(list(classes))
    return calibrator


def statement(fitted, dialect, columns, **options):
    """Return SQL that runs an export, expressions or a query, on the table of scores."""
    if not is_joint(fitted):
        text = lwcal.export(fitted, "sql", dialect=dialect, column=columns, **options)
        return f"SELECT {text} FROM scores ORDER BY number"
    options |= {"column": columns, "keep": ["number"]}
    text = lwcal.export(fitted, "sql", dialect=dialect, **options)
    named = ", ".join(DIALECTS["duckdb"].quote(f"calibrated_{c}") for c in fitted.classes_)
    return f"SELECT {named} FROM (\n{text}) AS calibrated ORDER BY number"


def is_joint(fitted):
    """Whether one map takes all classes of a calibrator or classifier."""
    if isinstance(fitted, lwcal.CalibratedClassifier):
        fitted = fitted.calibrated_classifiers_[0].calibrators[0]
    return isinstance(fitted.map_, ClassMap)


def create_table(columns, double):
    """Return SQL for a table of numbered scores."""
    quote = DIALECTS["duckdb"].quote  # the same in all engines that the tests have
    types = ", ".join(f"{quote(name)} {double}" for name in columns)
    return f"CREATE TEMPORARY TABLE scores (number integer, {types})"


def run_sql(cursor, query, rows, columns, *, double, mark):
    """Load rows of scores, which may be None, and run a query on them."""
    cursor.execute("DROP TABLE IF EXISTS scores")
    cursor.execute(create_table(columns, double))
    marks = ", ".join([mark] * (len(columns) + 1))
    numbered = [(number, *row) for number, row in enumerate(rows)]
    cursor.executemany(f"INSERT INTO scores VALUES ({marks})", numbered)
    cursor.execute(query)
    return np.array(cursor.fetchall(), dtype=float)  # None becomes NaN


def in_duckdb(fitted, rows, columns, **options):
    """Run in DuckDB, on an Arrow table, which is faster than single rows."""
    query = statement(fitted, "duckdb", columns, **options)
    arrays = [pa.array(column, pa.float64()) for column in zip(*rows, strict=True)]
    scores = pa.table([*arrays, np.arange(len(rows))], names=[*columns, "number"])
    duckdb_connection().register("scores", scores)
    return np.array(duckdb_connection().execute(query).fetchall(), dtype=float)


@cache
def duckdb_connection():
    """Share one connection with one thread."""
    return duckdb.connect(config={"threads": 1})


def in_sqlite(fitted, rows, columns, **options):
    """Run in the SQLite of Python."""
    query = statement(fitted, "sqlite", columns, **options)
    connection = sqlite3.connect(":memory:")
    try:
        return run_sql(connection.cursor(), query, rows, columns, double="REAL", mark="?")
    finally:
        connection.close()


def in_postgres(connection):
    """Run in PostgreSQL."""

    def run(fitted, rows, columns, **options):
        query = statement(fitted, "postgres", columns, **options)
        with connection.cursor() as cursor:
            return run_sql(cursor, query, rows, columns, double="float8", mark="%s")

    return run


def in_onnx(fitted, rows, columns, **options):
    """Run in onnxruntime, where missing scores are NaN."""
    session = onnxruntime.InferenceSession(lwcal.export(fitted, "onnx", **options))
    scores = np.array(rows, dtype=float)
    scores = scores[:, 0] if len(columns) == 1 else scores
    (values,) = session.run(["probabilities_calibrated"], {"scores": scores})
    assert values.dtype == np.float64
    return values.reshape(len(rows), -1)


def in_python(fitted, rows, columns, **options):
    """Run as a module that imports only math and bisect."""
    namespace = {"__name__": "exported"}
    exec(lwcal.export(fitted, "python", **options), namespace)
    given = [row[0] for row in rows] if len(columns) == 1 else rows
    values = [namespace["calibrate"](score) for score in given]
    width = len(getattr(fitted, "classes_", [0]))
    return np.array([np.full(width, np.nan) if v is None else np.atleast_1d(v) for v in values])
