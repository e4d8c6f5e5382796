"""Redirection: a refusal that names the port of the same host where the room is. docs/formats/link.md has the rules.

No other host can be named, so nobody can use a server's players to flood a third party.
"""

import re
from collections.abc import Hashable, Sequence
from typing import Final

from retick.errors import UsageError
from retick.link import Reason, Refuse

__all__ = ["FIRST_PORT", "MOST_REDIRECTIONS", "Way", "redirect_to"]

FIRST_PORT: Final = 1024
"""Lower ports belong to the system's services, which nobody should be sent to."""
LAST_PORT: Final = 65535
MOST_REDIRECTIONS: Final = 4
"""Redirections that a client follows in a row."""
_TEXT: Final = re.compile(r"port ([1-9][0-9]{3,4})", re.ASCII)


def redirect_to(port: int) -> Refuse:
    """The refusal that sends a client to another port of this host."""
    if not FIRST_PORT <= port <= LAST_PORT:
        raise UsageError(f"a redirection names a port from {FIRST_PORT} to {LAST_PORT}, not {port}")
    return Refuse(reason=Reason.REDIRECT, text=f"port {port}")


class Way:
    """Where a client dials: at first the address that it was given, then where it was sent."""

    __slots__ = ("_first", "_followed", "_others", "address")

    def __init__(self, address: Hashable, others: Sequence[Hashable] = ()) -> None:
        """``others``: the addresses to try when nobody answers at the first."""
        self._first = address
        self._others = list(others)
        self._followed = 0
        self.address = address
        """The address to dial next."""

    def try_another(self) -> bool:
        """Nobody answers at ``address``: whether there is another one to dial, which is then the first."""
        if not self._others:
            return False
        self._first = self._others.pop(0)
        self.start_again()
        return True

    def follow(self, reason: int, text: str) -> bool:
        """Whether a refusal is a redirection that is followed: ``address`` is then the new one."""
        found = _TEXT.fullmatch(text) if reason == Reason.REDIRECT else None
        # Of a socket's address all but the port stays: the host, and in IPv6 the scope.
        if found is None or not isinstance(self.address, tuple) or len(self.address) < 2:
            return False
        host, old, *rest = self.address
        port = int(found[1])
        if not FIRST_PORT <= port <= LAST_PORT or port == old or self._followed >= MOST_REDIRECTIONS:
            return False
        self._followed += 1
        self.address = (host, port, *rest)
        return True

    def start_again(self) -> None:
        """The connection is lost: the first address is asked again."""
        self.address = self._first
        self._followed = 0
