"""Compare new rows with those that a calibrator was fitted to, and decide whether to refit."""

from lwcal.calibrators.base import reference_of
from lwcal.monitoring.class_verdict import ClassDriftTest, ClassMonitoring, ClassSnapshot
from lwcal.monitoring.comparison import monitor, monitor_two_classes
from lwcal.monitoring.grading import DriftTest
from lwcal.monitoring.period_verdict import Period, PeriodMonitoring
from lwcal.monitoring.score_groups import ScoreGroup
from lwcal.monitoring.telling import Telling
from lwcal.monitoring.timed_rows import monitor_periods
from lwcal.monitoring.verdict import Monitoring, Snapshot

__all__ = [
    "ClassDriftTest",
    "ClassMonitoring",
    "ClassSnapshot",
    "DriftTest",
    "Monitoring",
    "Period",
    "PeriodMonitoring",
    "ScoreGroup",
    "Snapshot",
    "Telling",
    "monitor",
    "monitor_periods",
    "monitor_two_classes",
    "reference_of",
]
