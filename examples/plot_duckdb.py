"""
DuckDB: ten million rows
========================

DuckDB reduces rows that do not fit into memory to counts of a few megabytes. Any calibrator can be
fitted to these counts. This example generates ten million rows, fits a calibrator and writes the
calibrated rows. It takes less than a minute and less than a gigabyte of memory. Set the environment
variable ``ROWS`` to try another number of rows.
"""

# %%
# Generate ten million rows of Parquet
# ------------------------------------
# The true probability is more extreme than the score, and 20% of the labels are wrong.

import os
import tempfile
import time
from pathlib import Path

import duckdb

import lwcal

rows = int(os.environ.get("ROWS", "10_000_000"))
folder = tempfile.TemporaryDirectory()
scores, calibrated = (str(Path(folder.name) / f"{name}.parquet") for name in ("scores", "out"))
duckdb.sql(f"""
COPY (
  SELECT i AS id, s AS score,
    ((hash(i, 1) % 1000003) / 1000003 < s * s / (s * s + (1 - s) * (1 - s)))
      != (hash(i, 2) % 5 = 0) AS label
  FROM (SELECT i, (hash(i, 0) % 9007199254740881) / 9007199254740881 AS s FROM range({rows}) t(i))
) TO '{scores}'
""")
print(f"{rows:,} rows, {Path(scores).stat().st_size / 1e6:.0f} MB of Parquet")

# %%
# Reduce, fit, apply
# ------------------
# ``reduce`` reads the file once and keeps only counts. Scores that hardly ever repeat are rounded
# to multiples of 2^-20.

started = time.perf_counter()
table = lwcal.engines.duckdb.reduce(scores, score="score", label="label")
reduced = time.perf_counter()
calibrator = lwcal.NoiseAware().fit_table(table)
fitted = time.perf_counter()
lwcal.engines.duckdb.apply(scores, calibrator, score="score", out=calibrated)
applied = time.perf_counter()
print(table)
print(f"reduce {reduced - started:.1f} s, fit {fitted - reduced:.2f} s, ", end="")
print(f"apply and write {applied - fitted:.1f} s")

# %%
# If some labels are wrong, the flip rates are the 20% of the query. But a model of another shape
# could make right labels look like these, and ten million rows do not rule that out.

print(calibrator.noise_)

# %%
# Read the result with SQL
# ------------------------
# The output file has all columns, and the calibrated probability. The figure shows the share of
# positive labels and the mean probability in twenty groups, with the known truth. The probability
# lies between the two, because the labels may be right. With ``noise_rates=(0.2, 0.2)`` it would
# lie on the truth.

groups = duckdb.sql(f"""
SELECT avg(score) AS score, avg(label::INT) AS labelled, avg(p_calibrated) AS p
FROM '{calibrated}' GROUP BY floor(score * 20) ORDER BY 1
""").fetchnumpy()

import matplotlib.pyplot as plt
import numpy as np

s = np.linspace(0, 1, 201)
figure, ax = plt.subplots(figsize=(5.5, 5.5), layout="constrained")
ax.plot(s, s**2 / (s**2 + (1 - s) ** 2), color="0.2", lw=1.5, label="truth")
ax.plot(groups["score"], groups["labelled"], "s", color="#d55e00", label="share of positive labels")
ax.plot(groups["score"], groups["p"], "o", color="#0072b2", label="calibrated")
ax.set(xlabel="score", ylabel="probability", xlim=(0, 1), ylim=(0, 1), aspect="equal")
ax.legend(frameon=False)
plt.show()

# %%
# The calibrator can also run inside of a query without Python, as an SQL expression.

expression = lwcal.export(calibrator, "sql", dialect="duckdb", max_error=0.001)
print(duckdb.sql(f"SELECT score, {expression} AS p FROM '{scores}' LIMIT 3"))
folder.cleanup()
