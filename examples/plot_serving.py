"""
One calibrator, three places
============================

The nightly job runs in SQL, the service scores one payment at a time in Python, and the app on the
till has an ONNX model. All of them must say the same. How is that done, and how is it checked?
"""

# %%
# A calibrator
# ------------

import duckdb
import matplotlib.pyplot as plt
import numpy as np
import onnxruntime
import pandas as pd

import lwcal

rng = np.random.default_rng(0)
scores = rng.beta(0.7, 1.4, 5000)
labels = rng.random(5000) < scores**1.6
calibrator = lwcal.Isotonic().fit(scores, labels)
new = pd.DataFrame({"score": rng.beta(0.7, 1.4, 1000)})

# %%
# In Python, row by row
# ---------------------
# Each call takes a few microseconds, which :doc:`a benchmark </benchmarks/speed>` measures.

one_by_one = np.array([calibrator.predict([score])[0] for score in new.score])
one_by_one[:4].round(3)

# %%
# In SQL
# ------
# One expression, for seven dialects.

expression = lwcal.export(calibrator, "sql", column="score")
in_sql = duckdb.sql(f"SELECT {expression} AS p FROM new").df().p

# %%
# In ONNX
# -------
# The file needs a runtime, and neither Python nor lwcal.

session = onnxruntime.InferenceSession(lwcal.export(calibrator, "onnx"))
given = session.get_inputs()[0]
in_onnx = session.run(None, {given.name: new.score.to_numpy()})[0]

# %%
# They agree
# ----------

for way, found in {"SQL": in_sql, "ONNX": in_onnx.ravel()}.items():
    print(f"{way}: largest difference {np.abs(found - one_by_one).max():.1e}")

grid = np.linspace(0, 1, 200)
fig, ax = plt.subplots(figsize=(5, 4), layout="constrained")
ax.plot(grid, calibrator.predict(grid), lw=1, label="Python")
ax.plot(new.score[:80], in_sql[:80], "o", ms=5, mfc="none", label="SQL")
ax.plot(new.score[:80], in_onnx.ravel()[:80], "x", ms=4, label="ONNX")
ax.set(xlabel="score", ylabel="calibrated probability")
ax.legend()
plt.show()
