"""Plots of calibration. They need matplotlib: ``pip install "lwcal[report]"``."""

from lwcal.plots.noise_matrix import NoiseMatrixDisplay
from lwcal.plots.reliability import ReliabilityDisplay
from lwcal.plots.reviewers import ReviewersDisplay

__all__ = ["NoiseMatrixDisplay", "ReliabilityDisplay", "ReviewersDisplay"]
