"""After an alarm: compares what each peer holds until the first frame and field that differ are known.

Knows the engine and field values; sends nothing: a session carries its messages.
"""

from retick.rollback.desync.investigation import Investigation
from retick.rollback.desync.report import DesyncReport

__all__ = ["DesyncReport", "Investigation"]
