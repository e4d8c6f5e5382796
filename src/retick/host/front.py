"""The front of a server with several processes: accepts nobody, and tells each client which port has its room.

Sans-I/O: only the five calls reach it; serving/front.py runs it on a socket, beside its worker processes. It keeps
nothing for those who ask, except on sealed links a connection until its goodbye is acknowledged: that way only the
client learns the port.
"""

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Final

from retick.errors import InvalidValue
from retick.host.joining import decode_join, redirect_to
from retick.link import LinkConfig, LinkEndpoint, Reason, Refuse, Request, describe
from retick.link.handshake.strangers import Refusals

MOST_ASKING: Final = 1024
"""How many clients may ask on sealed links at once; each takes a few round trips, seconds at most."""


class Front:
    """Answers the five calls, and redirects or refuses every client."""

    def __init__(
        self, link: LinkConfig, *, entropy: Callable[[int], bytes], port_of: Callable[[str], int | str]
    ) -> None:
        """``link`` is the configuration of the servers behind it, so that clients of another game are refused here.

        ``port_of(room)`` returns the port of the server that has the room, or the text that tells the player why none.
        """
        self.closed_text: str | None = None
        """What new players are told once nobody is let in; None before. Players with a seat are still redirected."""
        self.redirected = 0
        """How many requests were answered with a port."""
        self.refused = 0
        """How many requests were refused otherwise; refusals by the link are in ``dropped``."""
        self._port_of = port_of
        link = replace(link, accepting=True, max_connections=max(link.max_connections, MOST_ASKING))
        self._link = LinkEndpoint(link, entropy=entropy, admit=self._admit)

    @property
    def dropped(self) -> dict[str, int]:
        """How many datagrams were dropped, by reason."""
        return {reason: count for reason, count in self._link.dropped.items() if count}

    @property
    def refusals(self) -> Refusals:
        """The recent refusals of this front, with their reasons."""
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
        """Returns an empty list: nobody is let in."""
        return []
