"""Checks whether a game is deterministic: rules over its source, and the same match run in several interpreters.

It knows the simulation contract and no particular game, and never imports a game into its own process. ``static`` reads
source, ``runs`` compares interpreters, ``desync`` explains the bundle of a match that went wrong.
"""

from typing import TYPE_CHECKING

from retick._lazy import lazy

if TYPE_CHECKING:
    from retick.audit.report import AllowedFinding, AuditReport, DynamicReport, Finding, RunDivergence, StaticReport
    from retick.audit.rules import META_RULES, RULES, Rule
    from retick.audit.runs.dynamic import audit_dynamic
    from retick.audit.static.check import audit_source, audit_static
else:
    __getattr__, __dir__ = lazy(
        __name__,
        {
            "retick.audit.report": "AllowedFinding AuditReport DynamicReport Finding RunDivergence StaticReport",
            "retick.audit.rules": "META_RULES RULES Rule",
            "retick.audit.runs.dynamic": "audit_dynamic",
            "retick.audit.static.check": "audit_source audit_static",
        },
    )

__all__ = [
    "META_RULES",
    "RULES",
    "AllowedFinding",
    "AuditReport",
    "DynamicReport",
    "Finding",
    "Rule",
    "RunDivergence",
    "StaticReport",
    "audit_dynamic",
    "audit_source",
    "audit_static",
]
