"""Reliable ordered messages: a sender and a receiver of fragments, neither of which ever sees a datagram.

The sender keeps every fragment until it is acknowledged. A fragment counts as lost when something that was sent three
or more datagrams later is acknowledged, or when its retransmission timeout passes. The congestion window, which limits
the fragments in flight, grows with acknowledgements and shrinks with losses, so that a large transfer leaves room for
the match beside it.
"""

from collections import deque

from retick.errors import ProtocolViolation
from retick.link.layout import (
    FRAGMENT_FIRST,
    FRAGMENT_HEAD_SIZE,
    FRAGMENT_LAST,
    FRAGMENT_WINDOW,
    SEQUENCE_HALF,
    SEQUENCE_MASK,
)
from retick.link.packets import Fragment, encode_fragment

REORDER = 3
"""By how many datagrams a fragment may be overtaken before it counts as lost."""
LONGEST_WAIT = 0.75
"""The seconds up to which a retransmission timeout is doubled; a longer one is kept."""
LATENESS_DECAY = 1 / 16
"""The share of the longest lateness that is forgotten with each acknowledgement."""
MARGIN = 0.004
"""Seconds by which an acknowledgement may always be late: delays in datagrams are rounded."""
FIRST_CONGESTION_WINDOW = 8.0
"""The initial congestion window, in fragments."""
LEAST_CONGESTION_WINDOW = 4.0
"""The smallest congestion window, in fragments."""
SMALLEST_FRAGMENT = 64
"""Bytes; a message in more fragments than this size would need breaks the rules."""


class _Outgoing:
    """A fragment that is not acknowledged yet."""

    __slots__ = ("data", "datagram", "lost", "marks", "sends", "sent_at")

    def __init__(self, marks: int, data: bytes) -> None:
        self.marks = marks
        self.data = data
        self.sends = 0
        self.sent_at = 0.0
        self.datagram = 0
        self.lost = False


class MessageSender:
    """The sending half of one connection."""

    __slots__ = (
        "_congestion_window",
        "_datagrams",
        "_ends",
        "_fragment_size",
        "_in_flight",
        "_lateness",
        "_limit",
        "_next",
        "_oldest",
        "_queue",
        "_retries",
        "_shrunk_at",
        "_unacknowledged",
        "delivered",
        "offered",
        "queued_bytes",
        "refused",
        "resent",
    )

    def __init__(self, *, fragment_size: int, limit: int) -> None:
        self._fragment_size = fragment_size
        self._limit = limit
        self._queue: deque[_Outgoing] = deque()
        """Fragments that were never sent."""
        self._unacknowledged: dict[int, _Outgoing] = {}
        """Fragments that were sent and not acknowledged, by number, oldest first."""
        self._ends: deque[int] = deque()
        """For each message sent and not known to be delivered, the number of its last fragment, oldest first."""
        self._oldest = 0
        self._next = 0
        self._in_flight = 0
        """How many sent fragments do not count as lost."""
        self._datagrams = 0
        self._congestion_window = FIRST_CONGESTION_WINDOW
        self._shrunk_at = float("-inf")
        self._retries = 0
        self._lateness = 0.0
        """The most seconds by which acknowledgements are late: how long the peer waits before it sends one."""
        self.offered = 0
        """How many messages were accepted for sending."""
        self.delivered = 0
        """How many of the messages, counted from the first, the peer's link has given to its application."""
        self.queued_bytes = 0
        """Bytes of messages that are not acknowledged yet."""
        self.resent = 0
        """How many fragments were sent again."""
        self.refused = False
        """Whether a message was refused since this was last cleared."""

    @property
    def is_idle(self) -> bool:
        return not self._queue and not self._unacknowledged

    @property
    def window_bytes(self) -> int:
        """How many bytes may be in flight now; what is queued beyond them only waits here."""
        return int(self._congestion_window * self._fragment_size)

    def offer(self, data: bytes) -> bool:
        """Queue a message; False if there is no room for it. A single message always fits."""
        if self.queued_bytes and self.queued_bytes + len(data) > self._limit:
            self.refused = True
            return False
        size = self._fragment_size
        pieces = [data[at : at + size] for at in range(0, len(data), size)] or [b""]
        for i, piece in enumerate(pieces):
            marks = (FRAGMENT_FIRST if i == 0 else 0) | (FRAGMENT_LAST if i == len(pieces) - 1 else 0)
            self._queue.append(_Outgoing(marks, piece))
        self.queued_bytes += len(data)
        self.offered += 1
        return True

    def has_room_again(self) -> bool:
        """True once after a refusal, when half of the queue is free."""
        if self.refused and self.queued_bytes <= self._limit // 2:
            self.refused = False
            return True
        return False

    def fill(self, room: int, now: float) -> bytes:
        """Take fragments for one datagram: first lost ones, then new ones. Empty if nothing may be sent."""
        if not self._queue and self._in_flight == len(self._unacknowledged):
            return b""
        chosen: list[bytes] = []
        self._datagrams += 1
        for number, sent in self._unacknowledged.items():
            if not sent.lost:
                continue
            if len(sent.data) + FRAGMENT_HEAD_SIZE > room or self._in_flight >= self._congestion_window:
                break
            room -= len(sent.data) + FRAGMENT_HEAD_SIZE
            self.resent += 1
            chosen.append(self._encode(number, sent, now))
        while self._queue and len(self._queue[0].data) + FRAGMENT_HEAD_SIZE <= room and self._may_send_new():
            sent = self._queue.popleft()
            number = self._next
            self._next = (number + 1) & SEQUENCE_MASK
            self._unacknowledged[number] = sent
            if sent.marks & FRAGMENT_LAST:
                self._ends.append(number)
            room -= len(sent.data) + FRAGMENT_HEAD_SIZE
            chosen.append(self._encode(number, sent, now))
        return b"".join(chosen)

    def _may_send_new(self) -> bool:
        if self._in_flight >= self._congestion_window:
            return False
        return (self._next - self._oldest) & SEQUENCE_MASK < FRAGMENT_WINDOW

    def _encode(self, number: int, sent: _Outgoing, now: float) -> bytes:
        """Encode a fragment that is sent now, again or for the first time."""
        sent.sends += 1
        sent.sent_at = now
        sent.datagram = self._datagrams
        sent.lost = False
        self._in_flight += 1
        return encode_fragment(Fragment(number, sent.marks, sent.data))

    def may_have_sent(self, next_fragment: int) -> bool:
        """Whether the fragments that are acknowledged can have been sent."""
        ahead = (next_fragment - self._oldest) & SEQUENCE_MASK
        return ahead >= SEQUENCE_HALF or ahead <= (self._next - self._oldest) & SEQUENCE_MASK

    def acknowledge(self, next_fragment: int, fragments: int, now: float, round_trip: float) -> None:
        """Note that the peer has all fragments before ``next_fragment``, and those after it with their bit set."""
        ahead = (next_fragment - self._oldest) & SEQUENCE_MASK
        if ahead >= SEQUENCE_HALF or not self._unacknowledged:
            return
        arrived = [n for n in self._unacknowledged if self._is_acknowledged(n, next_fragment, fragments)]
        newest = 0
        for number in arrived:
            sent = self._unacknowledged.pop(number)
            self.queued_bytes -= len(sent.data)
            if not sent.lost:
                self._in_flight -= 1
            if sent.sends == 1:
                self._note_lateness(now - sent.sent_at - round_trip)
            newest = max(newest, sent.datagram)
        self._oldest = next(iter(self._unacknowledged), self._next)
        while self._ends and (self._ends[0] - next_fragment) & SEQUENCE_MASK >= SEQUENCE_HALF:
            self._ends.popleft()
            self.delivered += 1
        if arrived:
            self._retries = 0
            grown = self._congestion_window + len(arrived) / self._congestion_window
            self._congestion_window = min(grown, float(FRAGMENT_WINDOW))
        lost = [s for s in self._unacknowledged.values() if not s.lost and s.datagram + REORDER <= newest]
        self._mark_lost(lost, now, round_trip)

    @staticmethod
    def _is_acknowledged(number: int, next_fragment: int, fragments: int) -> bool:
        after = (number - next_fragment) & SEQUENCE_MASK
        return after >= SEQUENCE_HALF or (1 <= after <= FRAGMENT_WINDOW and bool(fragments >> (after - 1) & 1))

    def _note_lateness(self, lateness: float) -> None:
        """Note how much later than a round trip a fragment that was sent once is acknowledged."""
        decayed = self._lateness * (1.0 - LATENESS_DECAY)
        self._lateness = max(lateness, decayed)

    def _mark_lost(self, lost: list[_Outgoing], now: float, round_trip: float) -> None:
        if not lost:
            return
        for sent in lost:
            sent.lost = True
        self._in_flight -= len(lost)
        if now - self._shrunk_at >= round_trip:
            self._shrunk_at = now
            self._congestion_window = max(self._congestion_window * 0.7, LEAST_CONGESTION_WINDOW)

    def deadline(self, retransmit_after: float) -> float | None:
        """When the oldest fragment in flight is overdue; None if there is none."""
        in_flight = [sent.sent_at for sent in self._unacknowledged.values() if not sent.lost]
        if not in_flight:
            return None
        return min(in_flight) + self._wait(retransmit_after)

    def check_overdue(self, now: float, retransmit_after: float) -> None:
        """Mark fragments whose retransmission timeout has passed as lost."""
        wait = self._wait(retransmit_after)
        overdue = [s for s in self._unacknowledged.values() if not s.lost and s.sent_at + wait <= now]
        if overdue:
            self._retries += 1
            self._mark_lost(overdue, now, 0.0)

    def _wait(self, retransmit_after: float) -> float:
        retransmit_after += self._lateness + MARGIN
        return min(float(retransmit_after * (1 << min(self._retries, 10))), max(retransmit_after, LONGEST_WAIT))

    def wants_to_send(self) -> bool:
        """Whether ``fill`` would return something now."""
        if self._in_flight >= self._congestion_window:
            return False
        return self._in_flight < len(self._unacknowledged) or (bool(self._queue) and self._may_send_new())


class MessageReceiver:
    """The receiving half of one connection."""

    __slots__ = ("_early", "_limit", "_parts", "_size", "next_fragment")

    def __init__(self, *, limit: int) -> None:
        self._limit = limit
        self._early: dict[int, Fragment] = {}
        self._parts: list[bytes] | None = None
        self._size = 0
        self.next_fragment = 0
        """All fragments before this one were received."""

    @property
    def fragments(self) -> int:
        """Bit i is set if fragment next_fragment + 1 + i was received."""
        mask = 0
        for number in self._early:
            after = (number - self.next_fragment) & SEQUENCE_MASK
            if after:
                mask |= 1 << (after - 1)
        return mask

    def receive(self, fragment: Fragment) -> str | None:
        """Keep a fragment; returns the reason, for the counter of drops, if it is not wanted."""
        after = (fragment.number - self.next_fragment) & SEQUENCE_MASK
        if after >= SEQUENCE_HALF or fragment.number in self._early:
            return "duplicate_fragment"
        if after >= FRAGMENT_WINDOW:
            return "fragment_window"
        self._early[fragment.number] = fragment
        return None

    @property
    def has_gap(self) -> bool:
        return bool(self._early)

    def next_message(self) -> bytes | None:
        """The next message once it is complete, else None. ProtocolViolation if fragments do not make a message."""
        while self._early:
            fragment = self._early.pop(self.next_fragment, None)
            if fragment is None:
                return None
            self.next_fragment = (self.next_fragment + 1) & SEQUENCE_MASK
            self._join(fragment)
            if fragment.marks & FRAGMENT_LAST and self._parts is not None:
                message = b"".join(self._parts)
                self._parts = None
                return message
        return None

    def _join(self, fragment: Fragment) -> None:
        if bool(fragment.marks & FRAGMENT_FIRST) != (self._parts is None):
            raise ProtocolViolation("a message begins where another has not ended, or does not begin at all")
        if self._parts is None:
            self._parts = []
            self._size = 0
        self._size += len(fragment.data)
        if self._size > self._limit:
            raise ProtocolViolation(f"a message of more than {self._limit} bytes")
        if len(self._parts) > self._limit // SMALLEST_FRAGMENT + 1:
            raise ProtocolViolation("a message has more fragments than it could need")
        self._parts.append(fragment.data)
