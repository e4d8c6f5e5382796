"""Machines that call before this one has heard of them: they are let in, and wait unheard until it has.

Whoever makes a machine known (a roster, a word of another member) tells both ends, and one of them hears it first. The
other must not turn it away: that it does not know the caller means only that the same news is still on its way.
"""

from retick.link import Accept, Connection, Reason, Refuse, Request
from retick.rollback.session import roster as lobby

__all__ = ["EarlyCallers"]

MOST_WAITING = 16


class EarlyCallers:
    """Connections by what they showed: the token of a match and the number in it."""

    def __init__(self) -> None:
        self._waiting: dict[bytes, Connection] = {}

    def hold(self, request: Request) -> Accept | Refuse:
        """Let a caller wait; nothing that it says is heard, since its connection belongs to no machine yet."""
        self._waiting = {data: link for data, link in self._waiting.items() if link.close_reason is None}
        if len(self._waiting) >= MOST_WAITING:
            return Refuse(reason=Reason.DENIED, text="too many wait here already")
        self._waiting[request.data] = request.connection
        return Accept()

    def claim(self, token: bytes, number: int) -> Connection | None:
        """The connection of a machine that has become known, if it has called already."""
        found = self._waiting.pop(token + bytes((number,)), None)
        return found if found is not None and found.close_reason is None else None

    @staticmethod
    def is_call(request: Request) -> bool:
        """Whether the caller says that it belongs to some match already."""
        return len(request.data) == lobby.TOKEN_SIZE + 1
