"""Many recordings: one result row for each, whoever runs them.

Knows bytes, games and rows; no file, thread or process. ``retick.bulk`` has these, and ``verify_many`` calls it.
"""

from retick.replay.many.door import verify_many
from retick.replay.many.row import Row

__all__ = ["Row", "verify_many"]
