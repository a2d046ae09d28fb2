"""
Shops that differ
=================

A payment service scores the orders of 60 shops with one model. Fraud is more frequent in some shops
than the model can know, and most shops have few orders. Is one calibrator enough, or does every
shop need its own?
"""

# %%
# Orders of 60 shops
# ------------------
# A tenth of the shops has most of the orders. In each shop, the log-odds of fraud differ from what
# the score says.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.special import expit

import lwcal

rng = np.random.default_rng(5)
sizes = np.geomspace(8, 4000, 60).astype(int)
shops = [f"shop {number}" for number in range(60)]
difference = rng.normal(0, 0.7, 60)


def orders(number, n):
    """Scores of orders of a shop, and the probability of fraud."""
    log_odds = rng.normal(-1.5, 1.3, n)
    return expit(1.3 * log_odds + 0.4), expit(log_odds + difference[number])


parts = []
for number, n in enumerate(sizes):
    score, fraud = orders(number, n)
    label = rng.random(n) < fraud
    parts.append(pd.DataFrame({"shop": shops[number], "score": score, "label": label}))
rows = pd.concat(parts, ignore_index=True)
rows.shop.value_counts().describe().round()

# %%
# Fit them together
# -----------------
# The spread says how much shops differ. Each shop has an odds ratio with its interval, and a
# verdict.

fitted = lwcal.engines.duckdb.fit_segments(rows, "shop", "score", "label")
print(f"spread {fitted.spread:.2f}; {len(fitted.curves)} shops have a curve of their own")
for verdict in list(lwcal.segments.segment_verdicts(fitted))[:3]:
    print(verdict.name, f"{verdict.n:,.0f} orders:", verdict.sentence)

# %%
# Small shops are pulled towards all rows; large ones speak for themselves. The truth, at the line,
# is compared with all orders, too.

places = np.array([fitted.places[name] for name in shops])
ratio, low, high = np.log(fitted.odds_ratios[places]).T
true = difference - np.average(difference, weights=sizes)
fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.errorbar(sizes, ratio - true, [ratio - low, high - ratio], fmt="o", ms=4, lw=1)
ax.axhline(0, color="0.5", lw=1)
ax.set(
    xscale="log",
    xlabel="orders of the shop",
    ylabel="estimated less true log odds ratio",
    title="Intervals hold the truth about nine times in ten",
)
plt.show()

# %%
# What it gains
# -------------
# Log loss on new orders, above that of the true probabilities. A calibrator for all shops does not
# know that they differ; a calibrator for each shop has too few orders to learn from.

excess = []
tables = lwcal.engines.duckdb.reduce_groups(rows, "shop", "score", "label")
for number, name in enumerate(shops):
    score, fraud = orders(number, 2000)
    own = tables[name]
    alone = lwcal.Auto().fit_table(own) if 0 < own.base_rate < 1 else fitted.pooled
    ways = {"all": fitted.pooled, "alone": alone, "together": fitted.calibrator_of(name)}
    for way, calibrator in ways.items():
        p = np.clip(calibrator.predict(score), 1e-6, 1 - 1e-6)
        divergence = fraud * np.log(fraud / p) + (1 - fraud) * np.log((1 - fraud) / (1 - p))
        excess.append({"orders": sizes[number], "way": way, "excess": divergence.mean()})
table = pd.DataFrame(excess)
table["orders"] = pd.cut(table.orders, [0, 100, 1000, 10_000])
table.pivot_table(index="orders", columns="way", values="excess", observed=True).round(3)

# %%
# Labels that are wrong more often in one shop than in others would look the same as other odds.
# Before you rely on a shop that differs, check some of its labels.
