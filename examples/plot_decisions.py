"""
Whom to call
============

An insurer pays small claims at once, and investigates suspicious ones. A missed fraud costs 800
euros, an honest customer who is accused costs 150, and an investigation, which finds the truth,
costs 40. People can investigate one claim in twenty. Reviewers labelled old claims, and some of
their labels are wrong. Where are the thresholds?
"""

# %%
# Claims with noisy labels
# ------------------------
# A twelfth of the labels is wrong, in either direction. Two hundred labels were checked.

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit

import lwcal

rng = np.random.default_rng(1)
n = 6000
evidence = rng.normal(-2.5, 1.8, n)
fraud = rng.random(n) < expit(evidence)
scores = expit(0.6 * evidence - 0.3)  # the model is too cautious
labels = fraud ^ (rng.random(n) < 1 / 12)
plan = lwcal.plan_audit(scores, labels, budget=200, random_state=0)
checked = np.full(n, np.nan)
checked[plan.rows] = fraud[plan.rows]
calibrator = lwcal.Audited().fit(scores, labels, y_audited=checked)

# %%
# Thresholds by costs
# -------------------
# The sentence has the expected cost by the calibrated probabilities, and by the labels under both
# readings: as if each were right, and corrected for the noise that the checks found.

costs = {"cost_false_negative": 800, "cost_false_positive": 150, "cost_review": 40}
policy = lwcal.decide(calibrator, scores, labels, capacity=0.05, **costs)
print(policy.sentence)

# %%
# What happens to new claims
# --------------------------
# The decisions are compared with the truth, which nobody knows in real life. With raw scores, and
# with a calibrator that trusts every label, the same costs give other thresholds.

new = rng.normal(-2.5, 1.8, 50_000)
truth = rng.random(len(new)) < expit(new)
new_scores = expit(0.6 * new - 0.3)


def mean_cost(decisions):
    """Euros a claim."""
    missed, accused = (decisions == "negative") & truth, (decisions == "positive") & ~truth
    return 800 * missed.mean() + 150 * accused.mean() + 40 * (decisions == "review").mean()


ways = {
    "raw score": lwcal.Identity().fit(scores, labels),
    "labels trusted": lwcal.Isotonic().fit(scores, labels),
    "checked labels": calibrator,
}
found = {}
for name, one in ways.items():
    chosen = lwcal.decide(one, scores, capacity=0.05, **costs)
    found[name] = mean_cost(chosen.decide(new_scores))
    print(f"{name}: promised {chosen.cost:.1f}, real {found[name]:.1f} euros a claim")

# %%
# More people, or fewer
# ---------------------
# The cost falls as long as a review saves more than it costs. Beyond that, people have no work.

capacities = np.linspace(0.01, 0.9, 21)
policies = [lwcal.decide(calibrator, scores, capacity=share, **costs) for share in capacities]
fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.plot(capacities, [one.cost for one in policies], label="expected")
ax.plot(capacities, [mean_cost(one.decide(new_scores)) for one in policies], "--", label="real")
ax.set(xlabel="share of claims that people can investigate", ylabel="cost of a claim")
ax.legend()
plt.show()

# %%
# The same decision in SQL
# ------------------------
# It compares the score with two numbers.

print(policy.to_sql("score", dialect="postgres"))
