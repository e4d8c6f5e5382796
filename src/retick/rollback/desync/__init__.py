"""After an alarm: compares what each peer holds until the first frame and field that differ are known.

Knows the engine and field values; sends nothing: a session carries its messages.
"""

from typing import TYPE_CHECKING

from retick._lazy import lazy

if TYPE_CHECKING:
    from retick.rollback.desync.investigation import Investigation
    from retick.rollback.desync.report import DesyncReport
else:
    __getattr__, __dir__ = lazy(
        __name__,
        {
            "retick.rollback.desync.investigation": "Investigation",
            "retick.rollback.desync.report": "DesyncReport",
        },
    )

__all__ = ["DesyncReport", "Investigation"]
