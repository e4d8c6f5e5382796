"""Opens sessions and their sockets: a player hosts, joins, goes back, watches, and says goodbye."""

import os
from collections.abc import Callable
from typing import Any

from retick.errors import MissingExtra, NetworkUnavailable, RetickError, UsageError
from retick.link import Invite
from retick.playing.key_files import KeyLogFile, sealed_form
from retick.playing.link_form import PLAIN, LinkForm
from retick.playing.match_files import LostSeat, recording_of
from retick.playing.names import fitting, own_name
from retick.playing.online import OnlineStatus, chosen_relay, open_online
from retick.playing.play_settings import PlaySettings
from retick.playing.way_in import OnlineWay, WayIn, address_text, way_in
from retick.replay import LiveRecording
from retick.rollback import RollbackSession, SpectatorSession
from retick.routes import Online, OnlineEvent, OnlineReady
from retick.transport import Conditions, Impaired, Poll, UdpSocket, open_towards, open_udp
from retick.transport.discovery import INSTALL, Announcement, game_name, own_address

Clock = Callable[[], float]
USUAL_PORT = 7777
LONGEST_GOODBYE = 3.0
"""Most seconds of a goodbye. Usually it takes one round trip; after a desync, the evidence is sent first."""


class Wire(Poll):
    """A session with its socket, recording and announcement."""

    session: Any
    record: LiveRecording | None = None
    """The recording of a session that plays; None without a folder."""
    announcement: Announcement | None = None
    """The announcement of a host, until the match starts."""

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
        """``online`` is the session's argument; ``say`` gets a line for each event of relay and paths."""
        endpoint = session if bad_link is None else Impaired(session, outgoing=bad_link, incoming=bad_link)
        super().__init__(endpoint, socket, clock=clock)
        self.session = session
        self.form = form
        players = session if isinstance(session, RollbackSession) else None
        self.online = OnlineStatus(online, present=None if players is None else lambda: players.peer_addresses)
        """Relay and paths of an online match."""
        self.on_invite: Callable[[Invite], object] = lambda _invite: None
        """Called with the invite of an online match."""
        self._say = say

    def poll(self, now: float | None = None) -> list[Any]:
        """The events of the match; those of relay and paths are kept in ``online``."""
        happened = super().poll(now)
        for event in happened:
            if isinstance(event, OnlineEvent):
                self.online.event(event)
                if isinstance(event, OnlineReady) and event.invite is not None:
                    self.on_invite(event.invite)
        for line in self.online.lines():
            self._say(line)
        return [event for event in happened if not isinstance(event, OnlineEvent)]

    def match_started(self) -> None:
        """Withdraw the announcement, since nobody can join any more."""
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
    """The name by which hosts of this game are found on the local network."""
    return game_name(str(getattr(sim, "game_id", type(sim).__name__)), int(getattr(sim, "game_version", 0)))


def _form(settings: PlaySettings, invite: Invite | None) -> LinkForm:
    """Make the form of a new session's links from the game's key files, and say where these are."""
    if settings.plain:
        if invite is not None:
            raise UsageError("an invite is for sealed links: leave out --plain, or give the address")
        return PLAIN
    return sealed_form(invite, settings.identity, settings.keylog, settings.say)


def _wire(settings: PlaySettings, socket: UdpSocket, clock: Clock, form: LinkForm, **more: Any) -> Wire:
    """Make the session of a player; settings that all players share belong here."""
    sim = settings.make()
    record = recording_of(settings.folder, sim, settings.config.tick_rate)
    try:
        session = RollbackSession(
            sim,
            entropy=os.urandom,
            config=settings.config,
            record=record,
            name=fitting(settings.name) or own_name(),
            **form.arguments(),
            **more,
        )
    except RetickError:
        socket.close()
        raise
    online = more.get("online")
    wire = Wire(session, socket, clock=clock, form=form, bad_link=settings.bad_link, online=online, say=settings.say)
    wire.record = record
    return wire


def hosted(settings: PlaySettings, clock: Clock, *, everybody: bool | None = None) -> tuple[Wire, list[str]]:
    """Host a session; return it with lines for the people. ``everybody`` is as in the game if not given."""
    why_other = ""
    try:
        socket = open_udp(port=settings.port)
    except NetworkUnavailable as error:
        socket = open_udp()  # another host runs on this computer: use any port, which the address tells
        why_other = str(error).partition(":")[0]
    port, here = socket.address[1], own_address()
    invite = None
    if not settings.plain and not (settings.everybody if everybody is None else everybody):
        invite = Invite.new(address_text(here or "127.0.0.1", port), entropy=os.urandom)
    form = _form(settings, invite)
    wire = _wire(settings, socket, clock, form)
    if invite is not None:
        lines = [f"Others join with this line; nobody comes in without it: {invite.text()}"]
    else:
        lines = [f"Others join this address: {address_text(here or 'this computer', port, usual_port=USUAL_PORT)}"]
    if why_other:
        lines.append(f"{why_other}, so this host has port {port}")
    _announce(wire, port, lines)
    return wire, lines


def _announce(wire: Wire, port: int, lines: list[str]) -> None:
    """Announce a host on the local network, and add a line for the people."""
    sim, form = wire.session.sim, wire.form
    try:
        wire.announcement = Announcement(port, announced_name(sim), players=sim.num_players, link=form.name)
        lines.append("They also find it on the local network." if form.invite is None else "")
    except MissingExtra:
        lines.append(f"It is not announced on the local network; for that: {INSTALL}")
    except OSError as error:
        lines.append(f"It is not announced on the local network: {error.strerror or error}")


def hosted_online(settings: PlaySettings, clock: Clock, *, everybody: bool | None = None) -> Wire:
    """Host a session at the relay, for those with the invite, or with ``everybody`` for all who know the code."""
    invite = Invite.new(entropy=os.urandom)
    form = _form(settings, None if (settings.everybody if everybody is None else everybody) else invite)
    socket, online = _meeting(settings, None)
    return _wire(settings, socket, clock, form, online=online)


def _meeting(settings: PlaySettings, way: OnlineWay | None) -> tuple[UdpSocket, Online]:
    if settings.plain:
        raise UsageError("online matches are sealed: leave out --plain")
    relay = chosen_relay(settings.relay or None, None if way is None else way.relay)
    return open_online(relay, code=None if way is None else way.code, relay_only=settings.relay_only)


def joined(settings: PlaySettings, way: WayIn | OnlineWay, clock: Clock, *, seat: LostSeat | None = None) -> Wire:
    """Join by an invite, a code or an address, with a new seat or the given one. RetickError for a bad address."""
    if isinstance(way, OnlineWay):
        form = _form(settings, way.invite)
        socket, online = _meeting(settings, way)
        return _wire(settings, socket, clock, form, online=online)
    back, invite = {}, way.invite
    if seat is not None:
        back = {"seat_token": seat.token}
        invite = Invite("", seat.secret) if seat.secret else None
    form = _form(settings, invite)
    socket, target = open_towards(way.target)
    return _wire(settings, socket, clock, form, host_address=target, **back)


def watched(settings: PlaySettings, way: str, clock: Clock) -> Wire:
    """Watch a match with an invite, or through the peer at an address."""
    typed = way_in(way, default_port=settings.port)
    form = _form(settings, typed.invite)
    online, source = None, None
    if isinstance(typed, OnlineWay):
        socket, online = _meeting(settings, typed)
    else:
        socket, source = open_towards(typed.target)
    session = SpectatorSession(
        settings.make(), source, entropy=os.urandom, config=settings.config, online=online, **form.arguments()
    )
    return Wire(session, socket, clock=clock, form=form, bad_link=settings.bad_link, online=online, say=settings.say)


def practised(settings: PlaySettings, clock: Clock) -> Wire:
    """Make a session with all players at this keyboard; nothing goes through its socket."""
    return _wire(settings, open_udp("127.0.0.1"), clock, PLAIN, seats=settings.make().num_players)
