"""Plots of calibration. They need matplotlib: ``pip install "lwcal[report]"``."""

from lwcal.plots.noise_matrix import NoiseMatrixDisplay
from lwcal.plots.reliability import ReliabilityDisplay

__all__ = ["NoiseMatrixDisplay", "ReliabilityDisplay"]
