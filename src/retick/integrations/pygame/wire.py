"""Sessions and their sockets: how a window hosts, joins, goes back and watches, and how it says goodbye."""

import os
from collections.abc import Callable
from typing import Any

from retick.errors import MissingExtra, NetworkUnavailable
from retick.integrations.pygame.recording import recording_of
from retick.integrations.pygame.window_game import WindowGame
from retick.replay import LiveRecording
from retick.rollback import RollbackSession, SpectatorSession
from retick.transport import Poll, UdpSocket, open_towards, open_udp, parse_address
from retick.transport.discovery import INSTALL, Announcement, game_name, own_address

__all__ = ["Clock", "Wire", "announced_name", "hosted", "joined", "practised", "watched"]

Clock = Callable[[], float]
USUAL_PORT = 7777
LONGEST_GOODBYE = 3.0
"""Seconds. Usually it takes one round trip; after a desync, what explains it goes to the others first."""


class Wire(Poll):
    """A session with its socket, and what ends with them."""

    session: Any
    record: LiveRecording | None = None
    """Of a session that plays, if there is a folder for it."""
    announcement: Announcement | None = None
    """Of a host, until the match starts."""

    def __init__(self, session: RollbackSession | SpectatorSession, socket: UdpSocket, *, clock: Clock) -> None:
        super().__init__(session, socket, clock=clock)
        self.session = session

    def match_started(self) -> None:
        """Nobody can join any more by the announcement."""
        if self.announcement is not None:
            self.announcement.withdraw()

    def leave(self, *, longest: float = LONGEST_GOODBYE) -> list[Any]:
        """Say goodbye, wait a moment for the answers, close the socket."""
        try:
            return super().leave(longest=longest)
        finally:
            if self.announcement is not None:
                self.announcement.withdraw().join(longest)


def announced_name(sim: Any) -> str:
    """How hosts of this game are found on the local network."""
    return game_name(str(getattr(sim, "game_id", type(sim).__name__)), int(getattr(sim, "game_version", 0)))


def _wire(game: WindowGame, socket: UdpSocket, clock: Clock, **settings: Any) -> Wire:
    """The session of everybody who plays: what all of them are to have, add it here."""
    sim = game.make()
    record = recording_of(game.folder, sim)
    session = RollbackSession(sim, entropy=os.urandom, config=game.config, record=record, **settings)
    wire = Wire(session, socket, clock=clock)
    wire.record = record
    return wire


def hosted(game: WindowGame, clock: Clock, *, name: str = "") -> tuple[Wire, list[str]]:
    """A session that others join, and what to tell people about it."""
    try:
        socket = open_udp(port=game.port)
    except NetworkUnavailable:
        socket = open_udp()  # another host is on this computer: the address says which port it is
    port = socket.address[1]
    wire = _wire(game, socket, clock, name=name)
    lines = [
        f"Others join this address: {own_address() or 'this computer'}" + (f":{port}" if port != USUAL_PORT else "")
    ]
    sim = wire.session.sim
    try:
        wire.announcement = Announcement(port, announced_name(sim), players=sim.num_players)
        lines.append("They also find it on the local network.")
    except MissingExtra:
        lines.append(f"It is not announced on the local network; for that: {INSTALL}")
    except OSError as error:
        lines.append(f"It is not announced on the local network: {error.strerror or error}")
    return wire, lines


def joined(game: WindowGame, address: str, clock: Clock, *, name: str = "", seat_token: bytes = b"") -> Wire:
    """A session that asks the host at ``address`` for a seat, with a token for the one that it had before.

    RetickError if there is no such address.
    """
    socket, target = open_towards(parse_address(address, default_port=game.port))
    back = {"seat_token": seat_token} if seat_token else {}
    return _wire(game, socket, clock, name=name, host_address=target, **back)


def watched(game: WindowGame, address: str, clock: Clock) -> Wire:
    """A session that watches through the peer at ``address``."""
    socket, source = open_towards(parse_address(address, default_port=game.port))
    return Wire(SpectatorSession(game.make(), source, entropy=os.urandom, config=game.config), socket, clock=clock)


def practised(game: WindowGame, clock: Clock) -> Wire:
    """A session in which all players are at this keyboard: nothing goes through its socket."""
    return _wire(game, open_udp("127.0.0.1"), clock, seats=game.make().num_players)
