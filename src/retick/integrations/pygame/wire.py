"""A session and its socket: how a page hosts, joins and watches, and how it says goodbye."""

import os
import select
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from retick.errors import MissingExtra, NetworkUnavailable
from retick.integrations.pygame.window_game import WindowGame
from retick.rollback import RollbackSession, SpectatorSession
from retick.transport import Poll, open_towards, open_udp, parse_address
from retick.transport.discovery import Announcement, game_name, own_address

__all__ = ["Clock", "Wire", "announced_name", "hosted", "joined", "practised", "watched"]

Clock = Callable[[], float]
USUAL_PORT = 7777
GOODBYE_SECONDS = 1.0
"""How long a goodbye may take."""


class Wire:
    """Drives a session; without a socket for one that plays alone."""

    def __init__(self, session: RollbackSession | SpectatorSession, poll: Poll | None = None) -> None:
        self._session, self._poll = session, poll
        self.announcement: Announcement | None = None
        """Of a host, until the match starts."""

    def poll(self, now: float) -> list[Any]:
        """Receive, send, and return what happened."""
        if self._poll is not None:
            return self._poll.poll(now)
        self._session.handle_timeout(now=now)
        return self._session.events()

    def flush(self, now: float) -> None:
        """Send at once."""
        if self._poll is not None:
            self._poll.flush(now)

    def match_started(self) -> None:
        """Nobody can join any more by the announcement."""
        if self.announcement is not None:
            self.announcement.withdraw()

    def leave(self) -> None:
        """Say goodbye, wait a moment for the answers, close the socket. Ctrl-C ends the waiting."""
        self._session.close()
        poll = self._poll
        if poll is not None:
            with suppress(KeyboardInterrupt):
                deadline = poll.clock() + GOODBYE_SECONDS
                while (poll.poll() or True) and self._session.next_timeout() is not None and poll.clock() < deadline:
                    select.select([poll.socket], [], [], 0.01)
            poll.close()
        if self.announcement is not None:
            self.announcement.withdraw().join(GOODBYE_SECONDS)


def announced_name(sim: Any) -> str:
    """How hosts of this game are found on the local network."""
    return game_name(str(getattr(sim, "game_id", type(sim).__name__)), int(getattr(sim, "game_version", 0)))


def hosted(game: WindowGame, clock: Clock) -> tuple[RollbackSession, Wire, list[str]]:
    """A session that others join, and what to tell people about it."""
    try:
        socket = open_udp(port=game.port)
    except NetworkUnavailable:
        socket = open_udp()  # another host is on this computer: the address says which port it is
    port = socket.address[1]
    session = RollbackSession(game.make(), entropy=os.urandom, config=game.config)
    wire = Wire(session, Poll(session, socket, clock=clock))
    lines = [
        f"Others join this address: {own_address() or 'this computer'}" + (f":{port}" if port != USUAL_PORT else "")
    ]
    try:
        wire.announcement = Announcement(port, announced_name(session.sim), players=session.sim.num_players)
        lines.append("They also find it on the local network.")
    except MissingExtra:
        lines.append("It is not announced on the local network; for that: pip install 'retick[lan]'")
    except OSError as error:
        lines.append(f"It is not announced on the local network: {error.strerror or error}")
    return session, wire, lines


def joined(game: WindowGame, address: str, clock: Clock) -> tuple[RollbackSession, Wire]:
    """A session that asks the host at ``address`` for a seat; RetickError if there is no such address."""
    socket, target = open_towards(parse_address(address, default_port=game.port))
    session = RollbackSession(game.make(), entropy=os.urandom, config=game.config, host_address=target)
    return session, Wire(session, Poll(session, socket, clock=clock))


def watched(game: WindowGame, address: str, clock: Clock) -> tuple[SpectatorSession, Wire]:
    """A session that watches through the peer at ``address``."""
    socket, source = open_towards(parse_address(address, default_port=game.port))
    session = SpectatorSession(game.make(), source, entropy=os.urandom, config=game.config)
    return session, Wire(session, Poll(session, socket, clock=clock))


def practised(game: WindowGame) -> tuple[RollbackSession, Wire]:
    """A session in which all players are at this keyboard."""
    sim = game.make()
    session = RollbackSession(sim, entropy=os.urandom, config=game.config, seats=sim.num_players)
    return session, Wire(session)
