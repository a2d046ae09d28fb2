"""
polars, with one calibrator per segment
=======================================

lwcal reads polars frames directly, lazy frames too. Rows are counted in batches, and only the
counts are kept. In this example every country gets its own calibrator, small countries borrow from
all rows, and the probabilities become a column of the frame.
"""

# %%
# Scores of three countries
# -------------------------
# In Germany the model overestimates the positive class, in Luxembourg it underestimates it. In
# every country one label in ten is wrong, and this rate is known.

import numpy as np
import polars as pl

import lwcal

rng = np.random.default_rng(0)
n = 40_000
country = rng.choice(["NL", "DE", "LU"], n, p=[0.6, 0.36, 0.04])
z = rng.normal(-0.5, 2.0, n)
shift = np.select([country == "NL", country == "DE"], [0.0, -0.8], 1.2)
truth = rng.random(n) < 1 / (1 + np.exp(-z - shift))
frame = pl.DataFrame(
    {
        "country": country,
        "score": 1 / (1 + np.exp(-z)),
        "label": lwcal.noise.flip_labels(truth, rate=0.1, random_state=rng).labels,
        "truth": truth,
    }
)
print(frame.head(3))

# %%
# One calibrator for all
# ----------------------

table = lwcal.ScoreTable.from_frame(frame.lazy(), score="score", label="label")
print(table)
noise_aware = lwcal.NoiseAware(noise_rates=(0.1, 0.1))
overall = noise_aware.fit_table(table)

# %%
# One calibrator per country
# --------------------------
# :func:`lwcal.fit_segments` takes one table per country. Luxembourg has few rows, so it gets the
# map of all rows with odds of its own; ``own_share`` is the share of its own rows in these odds.

tables = {
    name: lwcal.ScoreTable.from_frame(rows, score="score", label="label")
    for (name,), rows in frame.group_by("country", maintain_order=True)
}
fitted = lwcal.fit_segments(tables, noise_aware)
for name, segment in fitted.segments.items():
    print(f"{name}: {segment.n:,.0f} rows, {segment.own_share:.0%} own share")

# %%
# Add the probabilities to the frame
# ----------------------------------
# The loop compares the columns with true labels in each country.

frame = frame.with_columns(
    p_overall=overall.predict(frame["score"]),
    p_segment=fitted.predict(frame["score"], frame["country"]),
)
columns = ["score", "p_overall", "p_segment"]
for (name,), rows in frame.group_by("country", maintain_order=True):
    errors = {c: round(lwcal.metrics.ece(rows["truth"], rows[c]), 3) for c in columns}
    print(name, errors)

# %%
import matplotlib.pyplot as plt

grid = np.linspace(0, 1, 201)
figure, ax = plt.subplots(figsize=(5.5, 5.5), layout="constrained")
ax.plot(grid, overall.predict(grid), color="0.3", lw=2, ls="--", label="all")
for name in fitted.segments:
    ax.plot(grid, fitted.predict(grid, [name] * len(grid)), lw=2, label=name)
ax.set(xlabel="score", ylabel="probability", xlim=(0, 1), ylim=(0, 1), aspect="equal")
ax.legend(frameon=False)
plt.show()
