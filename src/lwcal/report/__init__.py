"""One self-contained HTML page about a calibrator. Needs ``pip install "lwcal[report]"``."""

from lwcal.report.build import build
from lwcal.report.data import ReportData
from lwcal.report.page import render, write_report

__all__ = ["ReportData", "build", "render", "write_report"]
