"""The public import path of ``Investigation``; the code is in ``rollback.desync.investigation``."""

from retick.rollback.desync.investigation import DesyncReported, Investigation

__all__ = ["DesyncReported", "Investigation"]
