"""A member's side of a relay: joins by code, stays, exchanges frames with other members, and comes back. No I/O.

docs/formats/relay.md draws the states. One request is under way at a time: the one that brings the member in, HERE
while it is in, LEAVE at the end. It is repeated until it is answered.
"""

from collections import Counter
from collections.abc import Callable, Hashable
from enum import Enum
from typing import Any, Final

from retick.errors import DecodeError, UsageError
from retick.relay import packets as wire
from retick.relay.events import (
    AddressSeen,
    Entered,
    FrameReceived,
    LeftRoom,
    MemberEvent,
    PresentChanged,
    RelayBack,
    RelaySilent,
)
from retick.relay.packets import (
    Answer,
    Frame,
    Left,
    MemberLost,
    Place,
    Present,
    Refusal,
    RelayRefused,
    RelayRequest,
    Seen,
)

RETRY_SECONDS: Final = 0.5
"""Seconds after which an unanswered request is sent again."""
HERE_SECONDS: Final = 2.0
"""Seconds from the answer to one HERE to the next HERE."""
SOON_SECONDS: Final = 0.2
"""The least number of seconds between two sends of a request, whatever the relay says."""
MOST_TRIES: Final = 20
"""How many unanswered requests to come in are sent before giving up."""
MOST_GOODBYES: Final = 3
SILENT_AFTER: Final = 3
"""How many unanswered HEREs make the relay count as silent."""
MOST_UNREAD: Final = 1024
"""The most frames kept for the application to read; more are dropped."""

_WORDS: Final = {
    Refusal.VERSION: "the relay speaks version {} of the protocol, and this side version 1: update the older one",
    Refusal.NO_SUCH_CODE: "no room has this code: check each character, or ask for a new one",
    Refusal.CODE_EXPIRED: "this code has expired: ask for a new one",
    Refusal.ROOM_FULL: "the room is full, and its code is used up",
    Refusal.OTHER_GAME: "this code is for another game, or another version of it",
    Refusal.SLOW_DOWN: "too many wrong codes came from this address: wait {} seconds",
    Refusal.TOO_MANY_ROOMS: "this address has reached its limit of rooms at the relay",
    Refusal.RELAY_FULL: "the relay is full: try again later, or use another one",
    Refusal.TICKET: "the relay does not know this room any more: join again",
}


class MemberState(Enum):
    """How far a member has come."""

    IDLE = "idle"
    ENTERING = "entering"
    INSIDE = "inside"
    LEAVING = "leaving"
    OUT = "out"


class RelayMember:
    """A place in a room of a relay. Call ``open`` or ``join`` first; make a new object for each stay."""

    def __init__(self, relay: Hashable, *, tag: bytes, entropy: Callable[[int], bytes]) -> None:
        """``relay`` is the relay's address. ``tag``: 16 bytes that all members of one game share."""
        if len(tag) != wire.TAG_SIZE:
            raise UsageError(f"the tag of a game has {wire.TAG_SIZE} bytes, not {len(tag)}")
        self.relay = relay
        self.state = MemberState.IDLE
        self.number = -1
        """This member's number; -1 before it is in."""
        self.code = b""
        self.present: frozenset[int] = frozenset()
        """The members in the room, this one included."""
        self.is_silent = False
        """Whether the relay does not answer at the moment."""
        self.dropped: Counter[str] = Counter()
        """How many datagrams were dropped as bad or not meant for this member, by reason."""
        self._tag = tag
        self._entropy = entropy
        self._entry = RelayRequest(wire.ASK, b"")
        self._nonce = b""
        self._cookie = wire.NO_COOKIE
        self._has_proven = False
        """Whether a SEEN was answered immediately since the last timeout: a second one waits."""
        self._ticket = b""
        self.room = b""
        """The id of the room; empty before this member is in."""
        self._seen: tuple[object, int] | None = None
        self._tries = 0
        self._asked_at: float | None = None
        self._due: float | None = None
        self._waiting: list[tuple[bytes, Any]] = []
        self._events: list[MemberEvent] = []

    # Calls for the application.

    def open(self, places: int) -> None:
        """Open a room for ``places`` members, this one included; ``Entered`` brings its code."""
        if not 2 <= places <= wire.MAX_PLACES:
            raise UsageError(f"a room has 2 to {wire.MAX_PLACES} places, not {places}")
        self._begin(RelayRequest(wire.OPEN, b"", places=places, tag=self._tag))

    def join(self, code: bytes) -> None:
        """Join the room with a code, as ``parse_code`` reads it."""
        if len(code) != wire.CODE_SIZE:
            raise UsageError(f"a code has {wire.CODE_SIZE} bytes, not {len(code)}: see parse_code")
        self._begin(RelayRequest(wire.JOIN, b"", code=code, tag=self._tag))

    def frame(self, member: int, payload: bytes, *, is_signal: bool = False) -> bytes:
        """Make a frame for another member, to be sent to the relay."""
        if self.state is not MemberState.INSIDE:
            raise UsageError(f"frames can be sent only inside a room; this member is {self.state.value}")
        if not 0 <= member < wire.MAX_PLACES or member == self.number:
            raise UsageError(f"member {member} is not another member: they are 0 to {wire.MAX_PLACES - 1}")
        kind = wire.SIGNAL if is_signal else wire.DATA
        return wire.encode_frame(Frame(kind, self.room, self.number, member, payload))

    def send(self, member: int, payload: bytes, *, is_signal: bool = False) -> None:
        """Send to another member; the frame may get lost."""
        self._waiting.append((self.frame(member, payload, is_signal=is_signal), self.relay))

    def close(self) -> None:
        """Leave the room."""
        if self.state is MemberState.INSIDE:
            self.state = MemberState.LEAVING
            self._tries = 0
            self._ask()
        elif self.state in (MemberState.IDLE, MemberState.ENTERING):
            self._end(None, "left before it had joined")

    # The five calls.

    def receive_datagram(self, data: bytes, address: Hashable, *, now: float) -> None:
        if address != self.relay:
            self.dropped["address"] += 1
            return
        try:
            if data[:1] in _FRAMES:
                self._take_frame(wire.decode_frame(data))
            else:
                self._take_answer(wire.decode_answer(data), now)
        except DecodeError:
            self.dropped["malformed"] += 1

    def datagrams_to_send(self, *, now: float) -> list[tuple[bytes, Any]]:
        if self._asked_at is None:
            # A request does not know the time: the first call after it sets its start.
            self._asked_at = now
            if self._due is None and self.state not in (MemberState.IDLE, MemberState.OUT):
                self._due = now + RETRY_SECONDS
        out, self._waiting = self._waiting, []
        return out

    def next_timeout(self) -> float | None:
        return self._due

    def handle_timeout(self, *, now: float) -> None:
        if self._due is None or now < self._due:
            return
        if self.state is MemberState.ENTERING and self._tries >= MOST_TRIES:
            self._end(None, "the relay does not answer: check its address, and whether it runs")
        elif self.state is MemberState.LEAVING and self._tries >= MOST_GOODBYES:
            self._end(None, "left; the relay did not answer")
        else:
            if self.state is MemberState.INSIDE and self._tries >= SILENT_AFTER and not self.is_silent:
                self.is_silent = True
                self._tell(RelaySilent())
            self._has_proven = False
            self._ask()

    def events(self) -> list[MemberEvent]:
        out, self._events = self._events, []
        return out

    # Requests.

    def _begin(self, entry: RelayRequest) -> None:
        if self.state is not MemberState.IDLE:
            raise UsageError(f"this member is {self.state.value}: make a new one for each stay")
        self.state = MemberState.ENTERING
        self._nonce = self._entropy(wire.NONCE_SIZE)
        self._entry = entry
        self._ask()

    def _ask(self) -> None:
        """Send this state's request; repeat it until it is answered."""
        if self.state is MemberState.ENTERING:
            request = self._entry._replace(nonce=self._nonce, cookie=self._cookie)
        else:
            if self._tries == 0:
                self._nonce = self._entropy(wire.NONCE_SIZE)
            kind = wire.HERE if self.state is MemberState.INSIDE else wire.LEAVE
            request = RelayRequest(kind, self._nonce, self._cookie, ticket=self._ticket)
        self._tries += 1
        self._asked_at = self._due = None
        self._waiting.append((wire.encode_request(request), self.relay))

    def _ask_soon(self, now: float) -> None:
        """Repeat the request as the relay wants: at once, or when enough time has passed since the last one."""
        if self._asked_at is not None and now - self._asked_at >= SOON_SECONDS:
            self._ask()
        elif self._asked_at is not None:
            soon = self._asked_at + SOON_SECONDS
            self._due = soon if self._due is None else min(self._due, soon)

    def _end(self, reason: Refusal | None, text: str) -> None:
        self.state = MemberState.OUT
        self._due = None
        self._tell(LeftRoom(reason=reason, text=text))

    # Answers.

    def _take_answer(self, answer: Answer, now: float) -> None:
        if isinstance(answer, Present):
            if answer.room == self.room and self.state is MemberState.INSIDE:
                self._set_present(answer.present | 1 << self.number)
        elif isinstance(answer, MemberLost):
            mine = wire.channel_of(self.room, max(self.number, 0), 0)[:-1]
            if self.state is MemberState.INSIDE and answer.channel[:-1] == mine:
                self._ask_soon(now)
        elif answer.nonce != self._nonce or self.state in (MemberState.IDLE, MemberState.OUT):
            self.dropped["old"] += 1
        elif isinstance(answer, Seen):
            self._take_seen(answer, now)
        elif isinstance(answer, Place):
            self._take_place(answer, now)
        elif isinstance(answer, RelayRefused):
            self._take_refused(answer)
        elif isinstance(answer, Left) and self.state is MemberState.LEAVING:
            self._end(None, "left")

    def _take_seen(self, seen: Seen, now: float) -> None:
        if (seen.host, seen.port) != self._seen:
            self._seen = (seen.host, seen.port)
            self._tell(AddressSeen(host=seen.host, port=seen.port, other_port=seen.other_port))
        is_first = self._cookie != seen.cookie and not self._has_proven
        self._cookie = seen.cookie
        self._has_proven = True
        if is_first:
            self._ask()
        else:
            self._ask_soon(now)

    def _take_place(self, place: Place, now: float) -> None:
        if self.state is MemberState.LEAVING:
            return
        room = place.ticket[: wire.ROOM_SIZE]
        present = _members(place.present)
        if self.state is MemberState.ENTERING:
            self.state = MemberState.INSIDE
            self.number, self.code, self.room, self.present = place.member, place.code, room, present
            self._tell(Entered(member=place.member, code=place.code, seconds=place.seconds, present=present))
        elif (room, place.member) != (self.room, self.number):
            self.dropped["malformed"] += 1
            return
        self._ticket = place.ticket
        self._tries = 0
        self._due = now + HERE_SECONDS
        if self.is_silent:
            self.is_silent = False
            self._tell(RelayBack())
        self._set_present(place.present)

    def _take_refused(self, refused: RelayRefused) -> None:
        inside = self.state is MemberState.INSIDE
        if inside and refused.reason not in (Refusal.TICKET, Refusal.VERSION):
            return  # the relay restarted and is full: the next try may find a place
        self._end(refused.reason, _WORDS[refused.reason].format(refused.number))

    def _take_frame(self, frame: Frame) -> None:
        inside = self.state is MemberState.INSIDE
        if not inside or frame.room != self.room or frame.receiver != self.number:
            self.dropped["not_for_us"] += 1
        elif len(self._events) >= MOST_UNREAD:
            self.dropped["unread"] += 1
        else:
            if frame.sender not in self.present:
                self._set_present(sum(1 << number for number in self.present) | 1 << frame.sender)
            is_signal = frame.kind == wire.SIGNAL
            self._tell(FrameReceived(sender=frame.sender, payload=frame.payload, is_signal=is_signal))

    def _set_present(self, present: int) -> None:
        members = _members(present)
        if members != self.present:
            self.present = members
            self._tell(PresentChanged(present=members))

    def _tell(self, event: MemberEvent) -> None:
        self._events.append(event)


_FRAMES: Final = (bytes((wire.DATA,)), bytes((wire.SIGNAL,)))


def _members(present: int) -> frozenset[int]:
    return frozenset(number for number in range(wire.MAX_PLACES) if present >> number & 1)
