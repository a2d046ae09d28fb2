"""
Labels that arrive late
=======================

A model scores payments, and a calibrator turns its scores into probabilities of fraud. Whether a
payment was a fraud is known after a month; some frauds are reported within days. Is the calibrator
still right?
"""

# %%
# A year of payments
# ------------------
# From September on, payments are frauds more often than their scores say.

import matplotlib.pyplot as plt
import numpy as np

import lwcal

rng = np.random.default_rng(1)


def payments(n):
    """Scores of a model that is right on average."""
    return rng.beta(0.7, 1.5, n)


old = payments(4000)
calibrator = lwcal.Platt().fit(old, rng.random(4000) < old)

scores = payments(6000)
times = np.datetime64("2025-01-01") + np.sort(rng.integers(0, 365, 6000))
chance = np.where(times < np.datetime64("2025-09-01"), scores, 1 - (1 - scores) ** 2)
fraud = rng.random(6000) < chance

# %%
# Labels as they are on the last day of the year: of the payments of December, only frauds that were
# reported early have one.

young = times > np.datetime64("2025-12-01")
early = fraud & (rng.random(6000) < 0.5)
labels = np.where(young & ~early, np.nan, fraud)

# %%
# Since when does it drift?
# -------------------------

found = lwcal.monitor_periods(
    calibrator, scores, labels, times=times, period="month", label_matures=31
)
print(found.sentence)
print(f"{found.young} labels are too young to count")

# %%
# If early labels counted, all payments of December would look like frauds.

hasty = lwcal.monitor_periods(calibrator, scores, labels, times=times, period="month")
print(f"{hasty.periods[-1].name}: {hasty.periods[-1].base_rate:.0%} of the labels are positive")

# %%
fig, ax = plt.subplots(figsize=(7, 3.5))
names = [one.name for one in found.periods]
ax.plot(names, [one.mean_probability for one in found.periods], label="mean calibrated probability")
rates = [np.nan if one.base_rate is None else one.base_rate for one in found.periods]
ax.plot(names, rates, "o", label="share of positive labels")
ax.axvline(found.since.name, color="0.6", linestyle="--", label="drift since")
ax.set_ylim(bottom=0)
ax.tick_params(axis="x", rotation=60)
ax.legend()
fig.tight_layout()
plt.show()

# %%
# Which calibrator would have been right?
# ---------------------------------------
# The calibrators are fitted to payments before November and judged on those since then, whose
# labels are final. Cross-validation would mix old and new payments.

final = lwcal.compare(
    scores,
    fraud,
    times=times,
    split_at="2025-11-01",
    label_matures=31,
    methods=["identity", "platt", "isotonic"],
    noise_rates=(0, 0),
)
print(final.split.sentence)
for one in final.candidates:
    change = one.corrected_change
    interval = f"{change.value:+.3f} [{change.low:+.3f}, {change.high:+.3f}]"
    print(f"{one.method:10s} log loss less that of the raw score: {interval}")
