"""Label noise: make it, to see what it does."""

from lwcal.noise.flips import FlippedLabels, flip_labels

__all__ = ["FlippedLabels", "flip_labels"]
