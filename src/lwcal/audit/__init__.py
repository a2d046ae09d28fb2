"""Which labels made the map: the per-row record of a fit."""

from lwcal.audit.record import AuditTable, audit_table

__all__ = ["AuditTable", "audit_table"]
