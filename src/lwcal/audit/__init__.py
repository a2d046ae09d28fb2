"""Audits: which labels made the map, which to check, and what the checks showed."""

from lwcal.audit.evaluation import AuditedEvaluation, evaluate_audited
from lwcal.audit.findings import AuditFindings, audit_findings
from lwcal.audit.plan import AuditPlan, plan_audit
from lwcal.audit.record import AuditTable, audit_table

__all__ = [
    "AuditFindings",
    "AuditPlan",
    "AuditTable",
    "AuditedEvaluation",
    "audit_findings",
    "audit_table",
    "evaluate_audited",
    "plan_audit",
]
