"""
Several opinions, none of which is right
========================================

Chat messages were reviewed for abuse. Three people labelled them, some messages twice. Nobody knows
the truth. What can be said about the people, the messages and the score?
"""

# %%
# A score, and who said what
# --------------------------
# The score is that of a model trained on earlier labels. It is too sure of itself. Every message
# has one label, and every fifth has a second one, by another person.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import lwcal

N = 3000
rng = np.random.default_rng(0)
chance = rng.beta(0.4, 1.2, N)
abuse = rng.random(N) < chance
odds = (chance / (1 - chance)) ** 1.6
scores = odds / (1 + odds)
people = {"Ann": (0.03, 0.10), "Bob": (0.10, 0.25), "Cem": (0.05, 0.45)}
"""Share of harmless messages that each takes for abuse, and of abuse that each misses."""


def label(who, rows):
    """What somebody says about these messages."""
    alarm, miss = people[who]
    return np.where(
        rng.random(len(rows)) < np.where(abuse[rows], miss, alarm), ~abuse[rows], abuse[rows]
    )


order = np.stack([rng.permutation(list(people)) for _ in range(N)])
twice = rng.random(N) < 0.2
asked = [(row, order[row, turn]) for row in range(N) for turn in range(1 + twice[row])]
table = pd.DataFrame(asked, columns=["message", "reviewer"])
for who in people:
    of_person = table["reviewer"] == who
    table.loc[of_person, "label"] = label(who, table.loc[of_person, "message"].to_numpy())
print(table.head())

# %%
# The reviewers
# -------------
# :func:`lwcal.opinions` takes the three columns. The intervals are wide enough that nobody is
# accused by chance; ranks that overlap are ties.

found = lwcal.opinions(table["message"], table["reviewer"], table["label"].astype(bool))
fitted = lwcal.Reviewed().fit(scores, found)
for reviewer in fitted.reviews_.reviewers:
    print(reviewer)
    alarm, miss = 1 - np.diagonal(reviewer.matrix)
    print(f"   takes {alarm:.0%} of harmless messages for abuse, and misses {miss:.0%} of abuse")
print(fitted.reviews_.warning)

# %%
# The score
# ---------
# The labels, taken as they are, say that fewer messages are abuse than really are, because
# reviewers miss some. The curve of `Reviewed` is close to the truth, which it has never seen.

grid = np.linspace(0.01, 0.99, 99)
first = table.drop_duplicates("message")["label"].to_numpy(dtype=bool)
platt = lwcal.Platt().fit(scores, first)
single = lwcal.NoiseAware().fit(scores, first)
truth = (grid / (1 - grid)) ** (1 / 1.6)
figure, ax = plt.subplots(figsize=(6, 4.5), layout="constrained")
ax.plot(grid, truth / (1 + truth), color="black", label="truth")
ax.plot(grid, platt.predict(grid), "--", label="labels taken as right (Platt)")
ax.plot(grid, single.predict(grid), ":", label="one label a row (NoiseAware)")
ax.plot(grid, fitted.predict(grid), label="every fifth row twice (Reviewed)")
ax.set(xlabel="score", ylabel="probability of abuse")
ax.legend()
plt.show()

# %%
# The messages
# ------------
# Consensus labels weigh each opinion by how often the person is right, together with the score.
# Where a further opinion tells most, ask for it.

consensus = fitted.consensus(scores, found)
for name, labels in {"consensus": consensus.labels, "first label": first}.items():
    print(f"{name}: {np.mean(labels == abuse):.1%} right")
print("ask again about", np.argsort(-consensus.gain_of_another)[:5])
