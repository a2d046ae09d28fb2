"""
From the registry to the warehouse
==================================

A calibrator is fitted once and used elsewhere: another team loads it from a model registry, and a
nightly SQL job applies it to a table. Both must get the same probabilities. This example logs a
calibrator to MLflow, loads it again, and runs it as a macro of dbt in DuckDB.
"""

# %%
# A calibrator for noisy labels
# -----------------------------

import numpy as np

import lwcal

rng = np.random.default_rng(0)
scores = rng.beta(0.5, 0.7, 6000)
y = (rng.random(len(scores)) < scores**1.5).astype(int)
noisy = lwcal.noise.flip_labels(y, rate=0.15, random_state=rng).labels
calibrator = lwcal.Auto().fit(scores[:3000], noisy[:3000])

# %%
# Into the registry
# -----------------
# The run gets the JSON file as a model of MLflow, and metrics before and after. Here the registry
# is a folder that is deleted at the end.

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

import lwcal.mlflow
import mlflow

with TemporaryDirectory() as folder:
    os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri(Path(folder, "runs").as_uri())
    with mlflow.start_run() as run:
        info = lwcal.mlflow.log_calibrator(calibrator, scores[3000:], noisy[3000:], report=False)
    metrics = mlflow.get_run(run.info.run_id).data.metrics
    served = mlflow.pyfunc.load_model(info.model_uri)
    from_registry = served.predict(pd.DataFrame({"score": scores[3000:]}))["p_calibrated"]
    mlflow.set_tracking_uri(before)

print({name: round(value, 3) for name, value in metrics.items() if name.endswith("/nll")})

# %%
# These metrics judge by the noisy labels. The true ones, which a made-up example has, agree that
# the probabilities are better:

for name, p in {"raw": scores[3000:], "calibrated": from_registry}.items():
    print(f"{name:10} log loss by the true labels {lwcal.metrics.nll(y[3000:], p):.3f}")

# %%
# Into the warehouse
# ------------------
# dbt fills the macro with the name of a column, and sends the SQL to the database. dbt uses jinja2
# for that, as is done here.

import duckdb
import pyarrow as pa
from jinja2 import Environment

macro = lwcal.export(calibrator, "dbt", dialect="duckdb").split("{% endmacro %}")[0]
call = "select score, {{ calibrate('score') }} as p_calibrated from scored"
sql = Environment().from_string(macro + "{% endmacro %}" + call).render()
scored = pa.table({"score": scores[3000:]})
from_warehouse = duckdb.sql(sql).fetchnumpy()["p_calibrated"]
print("largest difference:", np.abs(from_warehouse - from_registry.to_numpy()).max())

# %%
# The same curve in both places:

import matplotlib.pyplot as plt

order = np.argsort(scores[3000:])
figure, ax = plt.subplots(figsize=(6, 4.5), layout="constrained")
ax.plot(scores[3000:][order], from_warehouse[order], lw=4, alpha=0.4, label="in the warehouse")
ax.plot(scores[3000:][order], from_registry.to_numpy()[order], lw=1, label="from the registry")
ax.set(xlabel="score", ylabel="calibrated probability")
ax.legend()
plt.show()
