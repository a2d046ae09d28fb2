"""Audits: which labels made the map, which to check, and what the checks showed."""

from lwcal.audit.findings import AuditFindings, audit_findings
from lwcal.audit.plan import AuditPlan, plan_audit
from lwcal.audit.record import AuditTable, audit_table

__all__ = [
    "AuditFindings",
    "AuditPlan",
    "AuditTable",
    "audit_findings",
    "audit_table",
    "plan_audit",
]
