"""Report on a calibrator as one self-contained HTML page. Needs ``pip install "lwcal[report]"``."""

from lwcal.report.build import build
from lwcal.report.class_report_data import ClassReportData
from lwcal.report.page import render, write_report
from lwcal.report.report_data import ReportData

__all__ = ["ClassReportData", "ReportData", "build", "render", "write_report"]
