"""Compare new rows with those that a calibrator was fitted to, and decide whether to refit."""

from lwcal.monitoring.comparison import monitor, reference_of
from lwcal.monitoring.verdict import DriftTest, Monitoring, Snapshot

__all__ = ["DriftTest", "Monitoring", "Snapshot", "monitor", "reference_of"]
