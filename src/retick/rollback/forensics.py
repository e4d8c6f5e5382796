"""A public import path: ``DesyncReported`` is in ``rollback.events``, ``Investigation`` in ``rollback.desync``."""

from retick.rollback.desync.investigation import Investigation
from retick.rollback.events import DesyncReported

__all__ = ["DesyncReported", "Investigation"]
