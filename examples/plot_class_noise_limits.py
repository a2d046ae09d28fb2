"""
Where several classes hide their noise
======================================

The joint model of several classes finds wrong labels where they go to classes that the scores
exclude. Here are labels where it succeeds, and labels where it fails and cannot know it.
"""

# %%
# Four kinds of wrong labels
# --------------------------
# About a fifth of the labels is wrong each time. The scores are the true probabilities.

import matplotlib.pyplot as plt
import numpy as np

import lwcal

N, K = 4000, 4
rng = np.random.default_rng(0)
scores = rng.dirichlet([0.15] * K, N)
true = (rng.random((N, 1)) > scores.cumsum(axis=1)[:, :-1]).sum(axis=1)
second = np.argsort(scores, axis=1)[:, -2]  # the class that the model finds second
hard = scores.max(axis=1) < 0.95
on_one_side = rng.permutation(N) < N // 2  # half of the rows, by something the score does not know
wrong_labels = {
    "to any class": np.where(rng.random(N) < 0.27, rng.integers(0, K, N), true),
    "to the next class": np.where(rng.random(N) < 0.2, (true + 1) % K, true),
    "in half of the rows": np.where(on_one_side & (rng.random(N) < 0.4), (true + 1) % K, true),
    "where the model hesitates": np.where(hard & (rng.random(N) < 0.36), second, true),
}

# %%
# What is found
# -------------
# Above: which labels the rows of each true class really have. Below: the estimate. The first two
# are as the model assumes. In the third, the average is right, but half of the rows have no wrong
# label, and the others have twice as many. In the last, a wrong label is always one that the scores
# allow. It looks like a right label of a model that is too sure of itself. No estimate from scores
# and labels can see it; a few checked labels do.

figure, axes = plt.subplots(2, 4, figsize=(11, 5.6), layout="constrained")
for (above, below), (name, labels) in zip(axes.T, wrong_labels.items(), strict=True):
    actual = np.array([np.bincount(labels[true == k], minlength=K) for k in range(K)], dtype=float)
    actual /= actual.sum(axis=1, keepdims=True)
    found = lwcal.estimate_noise(scores, labels)
    above.imshow(actual, vmin=0.0, vmax=1.0, cmap="Blues")
    below.imshow(found.matrix, vmin=0.0, vmax=1.0, cmap="Blues")
    above.set(title=f"{name}\n{np.mean(labels != true):.0%} wrong", ylabel="true class")
    below.set(title=f"estimate: {found.wrong.interval}", xlabel="label", ylabel="true class")
    for ax in (above, below):
        ax.set(xticks=range(K), yticks=range(K))
    print(f"{name}: {np.mean(labels != true):.0%} wrong. {found}")
plt.show()

# %%
# What it costs
# -------------
# Log loss by the true classes, of the raw scores and of three calibrators. The raw scores are the
# best possible ones here, so every difference is harm. Trust in the labels does harm every time.
# Where the model hesitates, the noise-aware calibrators do as much.

for name, labels in wrong_labels.items():
    losses = {"raw": lwcal.metrics.class_nll(true, scores)}
    for calibrator in (lwcal.MatrixScaling(), lwcal.Auto(), lwcal.NoiseAware()):
        calibrated = calibrator.fit(scores, labels).predict(scores)
        losses[type(calibrator).__name__] = lwcal.metrics.class_nll(true, calibrated)
    print(f"{name:>26}: " + ", ".join(f"{key} {loss:.3f}" for key, loss in losses.items()))
