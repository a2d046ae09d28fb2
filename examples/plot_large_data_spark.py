"""
Many rows on Spark
==================

Scores and noisy labels are on a cluster. Spark counts them there, the driver fits a calibrator to
the counts, and the workers apply it. In this example the cluster is the local machine. On another
cluster, only the session changes. Needs Java 17 or newer, and
``pip install "lwcal[spark,report]"``.
"""

# %%
# You create the session. On the local machine, its workers should use the same Python.
import os
import sys
import tempfile
from time import perf_counter

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")

import matplotlib.pyplot as plt
import numpy as np
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812

import lwcal

spark = (
    SparkSession.builder.master("local[2]")
    .config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false")
    .config("spark.sql.shuffle.partitions", "4")
    .config("spark.sql.warehouse.dir", tempfile.mkdtemp())
    .getOrCreate()
)
spark.sparkContext.setLogLevel("ERROR")

# %%
# The model is overconfident, and 20% of the labels are wrong. The true labels are kept for the
# evaluation at the end.
ROWS = 300_000
truth = 1 / (1 + F.exp(-2 * F.randn(seed=1)))
rows = (
    spark.range(ROWS, numPartitions=4)
    .withColumn("p", truth)
    .withColumn("score", F.pow("p", 2) / (F.pow("p", 2) + F.pow(1 - F.col("p"), 2)))
    .withColumn("true", (F.rand(seed=2) < F.col("p")).cast("int"))
    .withColumn("label", F.when(F.rand(seed=3) < 0.2, 1 - F.col("true")).otherwise(F.col("true")))
    .cache()
)

# %%
# Reduce: the driver receives one line per distinct score or, with more than 2^20 distinct scores,
# one line per bin of a grid. There are never more than 2 x 2^20 lines, whatever the number of rows.
start = perf_counter()
table = lwcal.engines.spark.reduce(rows, score="score", label="label")
print(table, f"in {perf_counter() - start:.1f} s")

# %%
# Fit on the driver, to the table only.
calibrator = lwcal.Auto().fit_table(table)
print({name: round(value, 3) for name, value in calibrator.diagnostics_.items()})

# %%
# Apply on the workers, which need numpy and pyarrow, but not lwcal. Spark computes the
# probabilities when they are used: here, to compare mean probability and share of true positives in
# ten bins, before and after calibration.
calibrated = lwcal.engines.spark.apply(rows, calibrator, score="score")


def reliability(column):
    """Mean probability and share of true positives in ten bins."""
    tenth = F.least(F.floor(F.col(column) * 10), F.lit(9)).alias("tenth")
    grouped = calibrated.groupBy(tenth).agg(F.avg(column).alias("p"), F.avg("true").alias("share"))
    found = grouped.orderBy("tenth").toArrow()
    return found["p"].to_numpy(), found["share"].to_numpy()


before, after = reliability("score"), reliability("p_calibrated")
for name, (p, share) in (("raw", before), ("calibrated", after)):
    print(f"{name}: mean gap {np.abs(p - share).mean():.3f}")

# %%
figure, axes = plt.subplots(figsize=(5, 5))
axes.plot([0, 1], [0, 1], color="0.7", label="perfectly calibrated")
axes.plot(*before, "o-", label="raw score")
axes.plot(*after, "o-", label="calibrated on noisy labels")
axes.set(xlabel="probability", ylabel="share of true positives", title=f"{ROWS:,} rows on Spark")
axes.legend()
plt.show()

# %%
# In a pipeline of Spark ML, the stage :class:`lwcal.engines.spark.ScoreCalibrator` does the same
# after a classifier. It is saved and loaded with the pipeline.
spark.stop()
