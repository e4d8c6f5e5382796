"""Sessions and their sockets: how a window hosts, joins, goes back and watches, and how it says goodbye."""

import os
from collections.abc import Callable
from typing import Any

from retick.errors import MissingExtra, NetworkUnavailable, RetickError, UsageError
from retick.integrations.pygame.files import LostSeat, recording_of
from retick.integrations.pygame.names import names_of
from retick.integrations.pygame.window_game import WindowGame
from retick.link import Invite
from retick.playing.key_files import KeyLogFile, sealed_form
from retick.playing.link_form import PLAIN, LinkForm
from retick.playing.online import OnlineStatus, chosen_relay, open_online
from retick.playing.story import words_after
from retick.playing.way_in import OnlineWay, WayIn, address_text, way_in
from retick.replay import LiveRecording
from retick.rollback import RollbackSession, SpectatorSession
from retick.routes import Online, OnlineEvent, OnlineReady
from retick.transport import Conditions, Impaired, Poll, UdpSocket, open_towards, open_udp
from retick.transport.discovery import INSTALL, Announcement, game_name, own_address

__all__ = ["Clock", "Wire", "announced_name", "hosted", "hosted_online", "joined", "practised", "watched"]

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

    def __init__(
        self,
        session: RollbackSession | SpectatorSession,
        socket: UdpSocket,
        *,
        clock: Clock,
        form: LinkForm,
        bad_link: Conditions | None = None,
        online: Online | None = None,
        say: Callable[[str], object] = lambda _line: None,
    ) -> None:
        """``online`` is what the session was told; ``say`` gets a line for whatever happens to relay and paths."""
        endpoint = session if bad_link is None else Impaired(session, outgoing=bad_link, incoming=bad_link)
        super().__init__(endpoint, socket, clock=clock)
        self.session = session
        self.form = form
        players = session if isinstance(session, RollbackSession) else None
        self.online = OnlineStatus(online, present=None if players is None else lambda: players.peer_addresses)
        """Relay and paths of an online match."""
        self.on_invite: Callable[[Invite], object] = lambda _invite: None
        """Called when there is an invite of an online match."""
        self._say = say
        self.words: list[str] = []
        """Of an open match: what people should compare aloud, a line for each other player."""

    def poll(self, now: float | None = None) -> list[Any]:
        """What happened to the match; of an open match also the words with the others are kept, and of an online one
        relay and paths."""
        happened = super().poll(now)
        for event in happened:
            if isinstance(event, OnlineEvent):
                self.online.event(event)
                if isinstance(event, OnlineReady) and event.invite is not None:
                    self.on_invite(event.invite)
        for line in self.online.lines():
            self._say(line)
        events = [event for event in happened if not isinstance(event, OnlineEvent)]
        for event in events if self.form.is_open and isinstance(self.session, RollbackSession) else ():
            words = words_after(event, self.session)
            if words is not None:
                self.words = [f"Compare aloud with {names_of(seats, {})}: {each}" for seats, each in words.items()]
        return events

    def match_started(self) -> None:
        """Nobody can join any more by the announcement."""
        if self.announcement is not None:
            self.announcement.withdraw()

    def leave(self, *, longest: float = LONGEST_GOODBYE) -> list[Any]:
        """Say goodbye, wait a moment for the answers, close the socket."""
        try:
            return super().leave(longest=longest)
        finally:
            if isinstance(self.form.keylog, KeyLogFile):
                self.form.keylog.close()
            if self.announcement is not None:
                self.announcement.withdraw().join(longest)


def announced_name(sim: Any) -> str:
    """How hosts of this game are found on the local network."""
    return game_name(str(getattr(sim, "game_id", type(sim).__name__)), int(getattr(sim, "game_version", 0)))


def _form(game: WindowGame, invite: Invite | None) -> LinkForm:
    """How the links of a new session are made, with the keys of its files; says where these are."""
    if game.plain:
        if invite is not None:
            raise UsageError("an invite is for sealed links: leave out --plain, or give the address")
        return PLAIN
    return sealed_form(invite, game.identity, game.keylog, game.say)


def _wire(game: WindowGame, socket: UdpSocket, clock: Clock, form: LinkForm, **settings: Any) -> Wire:
    """The session of everybody who plays: what all of them are to have, add it here."""
    sim = game.make()
    record = recording_of(game.folder, sim)
    try:
        session = RollbackSession(
            sim, entropy=os.urandom, config=game.config, record=record, **form.arguments(), **settings
        )
    except RetickError:
        socket.close()
        raise
    online = settings.get("online")
    wire = Wire(session, socket, clock=clock, form=form, bad_link=game.bad_link, online=online, say=game.say)
    wire.record = record
    return wire


def hosted(game: WindowGame, clock: Clock, *, name: str = "", everybody: bool | None = None) -> tuple[Wire, list[str]]:
    """A session that others join, and what to tell people about it; ``everybody`` as in the game if not given."""
    try:
        socket = open_udp(port=game.port)
    except NetworkUnavailable:
        socket = open_udp()  # another host is on this computer: the address says which port it is
    port, here = socket.address[1], own_address()
    invite = None
    if not game.plain and not (game.everybody if everybody is None else everybody):
        invite = Invite.new(address_text(here or "127.0.0.1", port), entropy=os.urandom)
    form = _form(game, invite)
    wire = _wire(game, socket, clock, form, name=name)
    if invite is not None:
        lines = [f"Others join with this line; nobody comes in without it: {invite.text()}"]
    else:
        lines = [f"Others join this address: {address_text(here or 'this computer', port, usual_port=USUAL_PORT)}"]
    sim = wire.session.sim
    try:
        wire.announcement = Announcement(port, announced_name(sim), players=sim.num_players, link=form.name)
        lines.append("They also find it on the local network." if invite is None else "")
    except MissingExtra:
        lines.append(f"It is not announced on the local network; for that: {INSTALL}")
    except OSError as error:
        lines.append(f"It is not announced on the local network: {error.strerror or error}")
    return wire, lines


def hosted_online(game: WindowGame, clock: Clock, *, name: str = "", everybody: bool | None = None) -> Wire:
    """A session that others join by a code at the relay: with the invite, or ``everybody`` who knows the code."""
    invite = Invite.new(entropy=os.urandom)
    form = _form(game, None if (game.everybody if everybody is None else everybody) else invite)
    socket, online = _meeting(game, None)
    return _wire(game, socket, clock, form, name=name, online=online)


def _meeting(game: WindowGame, way: OnlineWay | None) -> tuple[UdpSocket, Online]:
    if game.plain:
        raise UsageError("online matches are sealed: leave out --plain")
    relay = chosen_relay(game.relay or None, None if way is None else way.relay)
    return open_online(relay, code=None if way is None else way.code, relay_only=game.relay_only)


def joined(
    game: WindowGame, way: WayIn | OnlineWay, clock: Clock, *, name: str = "", seat: LostSeat | None = None
) -> Wire:
    """A session that asks the host of an invite, a code or an address for a seat; or for the one that it had before.

    RetickError if there is no such address.
    """
    if isinstance(way, OnlineWay):
        form = _form(game, way.invite)
        socket, online = _meeting(game, way)
        return _wire(game, socket, clock, form, name=name, online=online)
    back, invite = {}, way.invite
    if seat is not None:
        back = {"seat_token": seat.token}
        invite = Invite("", seat.secret) if seat.secret else None
    form = _form(game, invite)
    socket, target = open_towards(way.target)
    return _wire(game, socket, clock, form, name=name, host_address=target, **back)


def watched(game: WindowGame, way: str, clock: Clock) -> Wire:
    """A session that watches with an invite, or through the peer at an address."""
    typed = way_in(way, default_port=game.port)
    form = _form(game, typed.invite)
    online, source = None, None
    if isinstance(typed, OnlineWay):
        socket, online = _meeting(game, typed)
    else:
        socket, source = open_towards(typed.target)
    session = SpectatorSession(
        game.make(), source, entropy=os.urandom, config=game.config, online=online, **form.arguments()
    )
    return Wire(session, socket, clock=clock, form=form, bad_link=game.bad_link, online=online, say=game.say)


def practised(game: WindowGame, clock: Clock) -> Wire:
    """A session in which all players are at this keyboard: nothing goes through its socket."""
    return _wire(game, open_udp("127.0.0.1"), clock, PLAIN, seats=game.make().num_players)
