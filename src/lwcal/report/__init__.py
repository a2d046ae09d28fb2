"""Report on a calibrator as one self-contained HTML page. Needs ``pip install "lwcal[report]"``."""

from typing import TYPE_CHECKING

from lwcal.lazy_names import lazy_names

if TYPE_CHECKING:
    from lwcal.report.building import build
    from lwcal.report.class_report_data import ClassReportData
    from lwcal.report.page import render, write_report
    from lwcal.report.report_data import ReportData

__all__ = ["ClassReportData", "ReportData", "build", "render", "write_report"]

# Names are imported on first use: the page of an audit draws with shapes from here, and needs no
# calibrator.
_MODULES = {
    "ClassReportData": ".class_report_data",
    "ReportData": ".report_data",
    "build": ".building",
    "render": ".page",
    "write_report": ".page",
}

__getattr__, __dir__ = lazy_names(__name__, __all__, _MODULES)
