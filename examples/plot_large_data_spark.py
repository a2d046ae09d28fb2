"""
A million rows on Spark
=======================

Scores and noisy labels lie on a cluster. Spark counts them there, the driver fits a calibrator to
the counts, and the workers apply it. Here the cluster is this machine; on another only the line
that makes the session changes. Needs Java 17 or newer, and ``pip install "lwcal[spark,report]"``.
"""

# %%
# The session is yours. Locally, its workers had better have the Python that runs this.
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
# A model that is too sure of itself, and labels of which a fifth are wrong. The truth is kept, to
# be looked at in the end.
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
# Reduce: what comes to the driver is a line for each distinct score, or for each bin of a grid when
# there are more than 2^20 of them; never more than 2 x 2^20 lines, whatever the number of rows.
start = perf_counter()
table = lwcal.engines.spark.reduce(rows, score="score", label="label")
print(table, f"in {perf_counter() - start:.1f} s")

# %%
# Fit on the driver, from the table alone.
calibrator = lwcal.Auto().fit_table(table)
print({name: round(value, 3) for name, value in calibrator.diagnostics_.items()})

# %%
# Apply on the workers, which need numpy and pyarrow, but not lwcal. Nothing is computed until it is
# asked for: here the share of true positives for every tenth of the probability, before and after.
calibrated = lwcal.engines.spark.apply(rows, calibrator, score="score")


def reliability(column):
    """Mean probability and share of positives in every tenth."""
    tenth = F.least(F.floor(F.col(column) * 10), F.lit(9)).alias("tenth")
    grouped = calibrated.groupBy(tenth).agg(F.avg(column).alias("p"), F.avg("true").alias("share"))
    found = grouped.orderBy("tenth").toArrow()
    return found["p"].to_numpy(), found["share"].to_numpy()


before, after = reliability("score"), reliability("p_calibrated")
for name, (p, share) in (("raw", before), ("calibrated", after)):
    print(f"{name}: mean gap {np.abs(p - share).mean():.3f}")

# %%
figure, axes = plt.subplots(figsize=(5, 5))
axes.plot([0, 1], [0, 1], color="0.7", label="as it should be")
axes.plot(*before, "o-", label="raw score")
axes.plot(*after, "o-", label="calibrated on noisy labels")
axes.set(xlabel="probability", ylabel="share of true positives", title="A million rows on Spark")
axes.legend()
plt.show()

# %%
# In a pipeline of Spark ML the stage :class:`lwcal.engines.spark.ScoreCalibrator` does all of it
# behind a classifier, and is saved and loaded with it.
spark.stop()
