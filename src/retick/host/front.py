"""The front of a server that runs in several processes: lets nobody in, and tells everybody which port has the room.

Sans-I/O: only the five calls reach it. It keeps nothing for those who ask, but on sealed links a connection until its
goodbye is acknowledged: that is how the port is told to them alone.
"""

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Final

from retick.errors import InvalidValue
from retick.host.joining import decode_join, redirect_to
from retick.link import LinkConfig, LinkEndpoint, Reason, Refuse, Request, describe
from retick.link.handshake.strangers import Refusals

__all__ = ["Front"]

MOST_ASKING: Final = 1024
"""Connections of those who ask on sealed links, at once; each takes a few round trips, at most seconds."""


class Front:
    """Answers the five calls."""

    def __init__(
        self, link: LinkConfig, *, entropy: Callable[[int], bytes], port_of: Callable[[str], int | str]
    ) -> None:
        """``link``: as the servers behind it have it, so that another game is refused here.

        ``port_of(room)`` gives the port of the server that has the room, or the words for the player why none has.
        """
        self.closed_text: str | None = None
        """What new players are told when nobody is let in any more. Who has a seat is still told where it is."""
        self.redirected = 0
        """Requests that were answered with a port."""
        self.refused = 0
        """Requests that were answered with another refusal; those of the link are in ``dropped``."""
        self._port_of = port_of
        link = replace(link, accepting=True, max_connections=max(link.max_connections, MOST_ASKING))
        self._link = LinkEndpoint(link, entropy=entropy, admit=self._admit)

    @property
    def dropped(self) -> dict[str, int]:
        """Datagrams that were dropped, by reason."""
        return {reason: count for reason, count in self._link.dropped.items() if count}

    @property
    def refusals(self) -> Refusals:
        """Who was refused here lately, and why."""
        return self._link.refusals

    def _admit(self, request: Request) -> Refuse:
        answer = self._answer(request.data)
        if answer.reason == Reason.REDIRECT:
            self.redirected += 1
        else:
            self.refused += 1
        return answer

    def _answer(self, data: bytes) -> Refuse:
        try:
            wish = decode_join(data)
        except InvalidValue:
            return Refuse(text="the request to join could not be read")
        if self.closed_text is not None and not wish.token:
            return Refuse(reason=Reason.SHUTDOWN, text=self.closed_text or describe(Reason.SHUTDOWN))
        place = self._port_of(wish.room)
        return Refuse(text=place) if isinstance(place, str) else redirect_to(place)

    # The five calls.

    def receive_datagram(self, data: bytes, address: Hashable, *, now: float) -> None:
        self._link.receive_datagram(data, address, now=now)

    def datagrams_to_send(self, *, now: float) -> list[tuple[bytes, Hashable]]:
        return self._link.datagrams_to_send(now=now)

    def next_timeout(self) -> float | None:
        return self._link.next_timeout()

    def handle_timeout(self, *, now: float) -> None:
        self._link.handle_timeout(now=now)

    def events(self) -> list[object]:
        """Always empty: nobody is let in."""
        return []
