"""The public import path of ``explain``; the code is in ``audit.desync.explain``."""

from retick.audit.desync.explain import explain

__all__ = ["explain"]
