"""Connects a link to a socket as a member of a relay's room, with the paths to every other member. No I/O.

A link's datagrams use names for addresses, ``member-3``. They go through the relay at first, and over a direct path
once ``PeerRoutes`` finds one. docs/guides/internet.md says how, docs/formats/routes.md what is sent.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from ipaddress import ip_address, ip_network
from typing import Any, Final

from retick.errors import DecodeError, UsageError
from retick.link.sealing.invite import Invite
from retick.relay import (
    AddressSeen,
    Entered,
    FrameReceived,
    LeftRoom,
    MemberEvent,
    MemberState,
    RelayBack,
    RelayMember,
    RelaySilent,
    code_text,
    parse_code,
)
from retick.relay import packets as wire
from retick.routes.notes import MOST_CANDIDATES, Candidate, Candidates, Note, NoteSeal, Probe, decode_note, encode_note
from retick.routes.online import (
    MOST_OWN,
    Online,
    OnlineEnded,
    OnlineEvent,
    OnlineReady,
    PathChanged,
    RelayChanged,
    check_own,
)
from retick.routes.path import PathKind
from retick.routes.peer_routes import PeerRoutes
from retick.routes.words import PathReport, path_words, report_of
from retick.wire.explain import Explanation, FieldSpec, RowReader

NOTE: Final = 0xCE
"""The first byte of a note that is sent directly; datagrams of links and relays never begin with it."""
_HEAD: Final = wire.FRAME_HEAD_SIZE
LONGEST: Final = wire.MAX_DATAGRAM - _HEAD
"""The most bytes of a link's datagram: what a frame can carry."""
STAY_SIZE: Final = 8
_LOCAL_IPV6: Final = ip_network("fc00::/7")
MOST_WAITING: Final = 4096
"""The most datagrams that wait to be sent; more are dropped."""


def member_name(number: int) -> str:
    """The address of a member, as links and rosters use it."""
    return f"member-{number}"


HOST_NAME: Final = member_name(0)
"""The name of the member that opened the room."""


class Routes:
    """This machine's place in the room, and its paths to the other members."""

    def __init__(
        self, online: Online, *, tag: bytes, entropy: Callable[[int], bytes], places: int, invite: Invite | None = None
    ) -> None:
        """``tag``: 16 bytes that tell games apart. ``places``: the room's size if ``online`` has no code or places."""
        self.online = online
        self.is_open = False
        """Whether there is, or was, a place in the room: from then on the link may talk."""
        self.dropped: Counter[str] = Counter()
        """How many datagrams were dropped, by reason."""
        self.peers: dict[int, PeerRoutes] = {}
        self._relay = RelayMember(online.relay, tag=tag, entropy=entropy)
        self._entropy = entropy
        self._invite = invite
        self._seals: dict[int, NoteSeal] = {}
        self._stay = entropy(STAY_SIZE)
        self._seen: Candidate | None = None
        self._mapped = list(online.mapped)
        self._by_address: dict[Hashable, PeerRoutes] = {}
        self._waiting: list[Any] = []
        self._events: list[OnlineEvent] = []
        self._loopback = _is_loopback(online.relay)
        if online.code is None:
            self._relay.open(online.places or min(max(places, 2), wire.MAX_PLACES))
        else:
            self._relay.join(parse_code(online.code))

    # State for the application.

    @property
    def code(self) -> str | None:
        """The code of the room; None before this machine is in it."""
        return code_text(self._relay.code) if self._relay.code else None

    @property
    def number(self) -> int:
        """This machine's number in the room; -1 before it is in it."""
        return self._relay.number

    @property
    def is_relayed(self) -> bool:
        """Whether this machine is in the room and the relay answers."""
        return self._relay.state is MemberState.INSIDE and not self._relay.is_silent

    def is_present(self, number: int) -> bool:
        """Whether a member is in the room, as far as the relay says."""
        return number in self._relay.present

    def first_other(self) -> int | None:
        """The lowest number of another member in the room."""
        return min(self._relay.present - {self._relay.number}, default=None)

    def report(self) -> tuple[PathReport, ...]:
        """How each member that the link talks with is reached."""
        only = self.online.relay_only
        peers = [peer for _, peer in sorted(self.peers.items()) if peer.is_begun or only]
        return tuple(report_of(peer, relay_only=only, is_relayed=self.is_relayed) for peer in peers)

    def add_mapped(self, host: str, port: int, *, now: float) -> None:
        """Tell the others an outside address, found later, that a router forwards to the socket."""
        if self.online.relay_only:
            raise UsageError("with relay_only no address is told to others")
        check_own((host, port))
        if (host, port) not in self._mapped and len(self._mapped) + len(self.online.own) < MOST_OWN:
            self._mapped.append((host, port))
            self._look_again(now)

    # For the link.

    def receive(self, data: bytes, address: Hashable, now: float) -> list[tuple[bytes, str]]:
        """Receive a datagram; returns those meant for the link, each with its member's name."""
        if address == self.online.relay:
            self._relay.receive_datagram(data, address, now=now)
            return self._read_relay(now)
        if self.online.relay_only:
            self.dropped["relay_only"] += 1
        elif data[:1] == bytes((NOTE,)):
            self._receive_note(data, address, now)
        elif (peer := self._by_address.get(address)) is not None:
            return [(data, peer.name)]
        else:
            self.dropped["unknown_address"] += 1
        return []

    def send(self, datagrams: Iterable[Any], now: float) -> None:
        """Send datagrams of the link."""
        for data, name in datagrams:
            number = _number_of(name)
            if number is None or number == self._relay.number or not 0 < len(data) <= LONGEST:
                self.dropped["unsendable"] += 1
                continue
            peer = self._peer(number, now)
            best = peer.best
            if best is not None:
                self._put((data, best.address))
            if best is None or peer.is_doubted(now):
                self._relay_frame(number, data, is_signal=False)

    def drain(self, now: float) -> list[Any]:
        """Drain the datagrams for the socket."""
        out: list[Any] = list(self._relay.datagrams_to_send(now=now))
        out += self._waiting
        self._waiting = []
        return out

    def next_timeout(self) -> float | None:
        times = [self._relay.next_timeout()]
        if self._relay.state in (MemberState.INSIDE, MemberState.OUT) and not self.online.relay_only:
            times += [peer.next_timeout() for peer in self.peers.values()]
        return min((time for time in times if time is not None), default=None)

    def handle_timeout(self, now: float) -> None:
        self._relay.handle_timeout(now=now)
        self._read_relay(now)
        if not self.online.relay_only:
            for peer in self.peers.values():
                peer.handle_timeout(now)

    def events(self) -> list[OnlineEvent]:
        """Drain the events since the last call."""
        out, self._events = self._events, []
        return out

    def close(self) -> None:
        """Leave the room, and forget all paths."""
        self._relay.close()
        self.peers.clear()
        self._by_address.clear()

    # The relay.

    def _read_relay(self, now: float) -> list[tuple[bytes, str]]:
        found = []
        for event in self._relay.events():
            if not isinstance(event, FrameReceived):
                self._on_relay(event, now)
            elif event.is_signal:
                self._receive_signal(event.sender, event.payload, now)
            else:
                found.append((event.payload, self._peer(event.sender, now).name))
        return found

    def _on_relay(self, event: MemberEvent, now: float) -> None:
        if isinstance(event, AddressSeen):
            self._seen = Candidate(
                PathKind.IPV6 if event.host.version == 6 else PathKind.REFLEXIVE, event.host, event.port
            )
            self._look_again(now)
        elif isinstance(event, Entered):
            self.is_open = True
            code = code_text(event.code)
            invite = self._invite and Invite(f"{code}@{self.online.relay_text}", self._invite.secret)
            self._events.append(OnlineReady(code=code, invite=invite, seconds=event.seconds))
        elif isinstance(event, RelaySilent):
            self._events.append(RelayChanged(is_reachable=False, text="the relay does not answer; still trying"))
        elif isinstance(event, RelayBack):
            self._events.append(RelayChanged(is_reachable=True, text="the relay answers again"))
            self._look_again(now)
        elif isinstance(event, LeftRoom) and not self.is_open:
            self._events.append(OnlineEnded(text=event.text))
        elif isinstance(event, LeftRoom):
            self._events.append(RelayChanged(is_reachable=False, text=event.text))

    def _relay_frame(self, number: int, payload: bytes, *, is_signal: bool) -> None:
        if self._relay.state is MemberState.INSIDE:
            self._put((self._relay.frame(number, payload, is_signal=is_signal), self.online.relay))
        else:
            self.dropped["no_relay"] += 1

    def _put(self, datagram: Any) -> None:
        if len(self._waiting) < MOST_WAITING:
            self._waiting.append(datagram)
        else:
            self.dropped["queue"] += 1

    # Peers and their notes.

    def _peer(self, number: int, now: float) -> PeerRoutes:
        """The routes to a member that the link talks with."""
        peer = self._known(number)
        if not peer.is_begun and not self.online.relay_only:
            peer.begin(now)
        return peer

    def _known(self, number: int) -> PeerRoutes:
        peer = self.peers.get(number)
        if peer is None:
            is_first = self._relay.number < number
            peer = self.peers[number] = PeerRoutes(
                number, self, is_first=is_first, loopback=self._loopback, entropy=self._entropy
            )
        return peer

    def _seal(self, number: int) -> NoteSeal:
        seal = self._seals.get(number)
        if seal is None:
            material = b"" if self._invite is None else self._invite.secret
            relay = self._relay
            seal = self._seals[number] = NoteSeal(
                material, relay.code, relay.room, relay.number, number, stay=self._stay
            )
        return seal

    def _receive_signal(self, sender: int, payload: bytes, now: float) -> None:
        try:
            note = decode_note(self._seal(sender).open(wire.SIGNAL, payload))
        except DecodeError:
            self.dropped["bad_note"] += 1
            return
        if isinstance(note, Probe):
            self.dropped["bad_note"] += 1
        elif not self.online.relay_only:
            self._known(sender).receive_signal(note, now)
        elif isinstance(note, Candidates) and not note.is_reply:
            self.note(self._known(sender), Candidates(note.round, (), True))

    def _receive_note(self, data: bytes, address: Hashable, now: float) -> None:
        channel, relay = data[1:_HEAD], self._relay
        if not self.is_open or len(channel) < _HEAD - 1 or channel[:-2] != relay.room or channel[-1] != relay.number:
            self.dropped["bad_note"] += 1
            return
        sender = channel[-2]
        if sender not in self.peers:
            self.dropped["bad_note"] += 1
            return
        try:
            note = decode_note(self._seal(sender).open(NOTE, data[_HEAD:]))
        except DecodeError:
            self.dropped["bad_note"] += 1
            return
        if isinstance(note, Probe):
            self.peers[sender].receive_probe(note, address, now)
        else:
            self.dropped["bad_note"] += 1

    def _look_again(self, now: float) -> None:
        for peer in self.peers.values():
            if not self.online.relay_only:
                peer.look_again(now)

    # The methods that PeerRoutes calls.

    def candidates(self) -> tuple[Candidate, ...]:
        if self.online.relay_only:
            return ()
        found: list[Candidate] = []
        for kind, addresses in ((PathKind.LOCAL, self.online.own), (PathKind.MAPPED, self._mapped)):
            for host, port in addresses:
                at = ip_address(host)
                is_v6 = at.version == 6 and at not in _LOCAL_IPV6 and kind is PathKind.LOCAL
                found.append(Candidate(PathKind.IPV6 if is_v6 else kind, at, port))
        if self._seen is not None and self._seen[1:] not in [each[1:] for each in found]:
            found.append(self._seen)
        return tuple(found[:MOST_CANDIDATES])

    def note(self, peer: PeerRoutes, note: Note, address: Any = None, ttl: int | None = None) -> None:
        if address is None and not self.is_relayed:
            return
        sealed = self._seal(peer.number).seal(wire.SIGNAL if address is None else NOTE, encode_note(note))
        if sealed is None:
            self.dropped["notes"] += 1
        elif address is None:
            self._relay_frame(peer.number, sealed, is_signal=True)
        else:
            head = bytes((NOTE,)) + wire.channel_of(self._relay.room, self._relay.number, peer.number)
            self._put((head + sealed, address) if ttl is None else (head + sealed, address, ttl))

    def path_changed(self, peer: PeerRoutes) -> None:
        best = peer.best
        self._events.append(
            PathChanged(
                member=peer.number,
                kind=PathKind.RELAY if best is None else best.kind,
                round_trip=None if best is None else best.round_trip,
                text=path_words(peer, relay_only=self.online.relay_only, is_relayed=self.is_relayed),
            )
        )

    def path_known(self, peer: PeerRoutes, new: Hashable, old: Hashable) -> None:
        if old is not None:
            self._by_address.pop(old, None)
        self._by_address[new] = peer


def _number_of(name: object) -> int | None:
    """The number of the member with this name; None if it is not a name of one."""
    digits = name.removeprefix("member-") if isinstance(name, str) else ""
    number = int(digits) if digits.isdecimal() and digits.isascii() and len(digits) <= 2 else -1
    return number if 0 <= number < wire.MAX_PLACES and member_name(number) == name else None


def _is_loopback(address: Hashable) -> bool:
    try:
        return isinstance(address, tuple) and ip_address(str(address[0])).is_loopback
    except ValueError:
        return False


# Explains a note that was sent directly; its sealed content stays closed.

_NOTE_HEAD: Final = (
    FieldSpec("kind", "B", "NOTE", "0x{:02x}"),
    FieldSpec("room", "6s"),
    FieldSpec("sender", "B"),
    FieldSpec("receiver", "B"),
    FieldSpec("stay", "8s", "drawn by the sender"),
    FieldSpec("counter", "I"),
)
LEAST: Final = 38
"""The size of a note whose body is one byte, the smallest."""


def is_note(data: bytes) -> bool:
    """Whether the first byte is that of a note."""
    return data[:1] == bytes((NOTE,))


def explain_note(data: bytes) -> Explanation:
    """Explain every field of a datagram for which ``is_note`` is true."""
    reader = RowReader(data)
    found = reader.read(_NOTE_HEAD)
    reader.raw(len(data) - reader.at, "sealed")
    fault = f"cut: a note has at least {LEAST} bytes, not {len(data)}" if len(data) < LEAST else None
    summary = "NOTE" if fault else f"NOTE {found['counter']} from member {found['sender']} to {found['receiver']}"
    return Explanation("routes NOTE", summary, reader.rows, fault)
