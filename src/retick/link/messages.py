"""Reliable ordered messages: the sending and the receiving half, which see fragments and never a datagram.

The sender keeps every fragment until it is acknowledged. One is taken for lost when something that left three or
more datagrams later was acknowledged, or when its time has passed. How many may be under way grows with what is
acknowledged and shrinks with what is lost, so that a large transfer leaves room for the match beside it.
"""

from collections import deque

from retick.errors import ProtocolViolation
from retick.link.control import FIRST, FRAGMENT, LAST, Fragment

__all__ = ["MessageReceiver", "MessageSender"]

WINDOW = 64
"""Fragments from the oldest that is not acknowledged to the newest that may be sent."""
REORDER = 3
SLOWEST = 2.0
"""Seconds: the longest wait before a retransmission."""


class _Sent:
    __slots__ = ("data", "datagram", "lost", "marks", "sent_at")

    def __init__(self, marks: int, data: bytes) -> None:
        self.marks = marks
        self.data = data
        self.sent_at = 0.0
        self.datagram = 0
        self.lost = False


class MessageSender:
    """The sending half of one connection."""

    __slots__ = (
        "_base",
        "_congestion",
        "_datagrams",
        "_flight",
        "_fragment_size",
        "_last_cut",
        "_limit",
        "_next",
        "_queue",
        "_retries",
        "_under_way",
        "queued_bytes",
        "refused",
        "resent",
    )

    def __init__(self, *, fragment_size: int, limit: int) -> None:
        self._fragment_size = fragment_size
        self._limit = limit
        self._queue: deque[_Sent] = deque()
        self._flight: dict[int, _Sent] = {}
        self._base = 0
        self._next = 0
        self._under_way = 0
        self._datagrams = 0
        self._congestion = 8.0
        self._last_cut = float("-inf")
        self._retries = 0
        self.queued_bytes = 0
        """Not yet acknowledged."""
        self.resent = 0
        self.refused = False
        """A message was turned away since this was last cleared."""

    @property
    def is_idle(self) -> bool:
        return not self._queue and not self._flight

    def offer(self, data: bytes) -> bool:
        """Queue a message; False when there is no room for it. A message alone in the queue always has room."""
        if self.queued_bytes and self.queued_bytes + len(data) > self._limit:
            self.refused = True
            return False
        size = self._fragment_size
        pieces = [data[at : at + size] for at in range(0, len(data), size)] or [b""]
        for i, piece in enumerate(pieces):
            marks = (FIRST if i == 0 else 0) | (LAST if i == len(pieces) - 1 else 0)
            self._queue.append(_Sent(marks, piece))
        self.queued_bytes += len(data)
        return True

    def has_room_again(self) -> bool:
        """True once after a refusal, when half of the queue is free."""
        if self.refused and self.queued_bytes <= self._limit // 2:
            self.refused = False
            return True
        return False

    def fill(self, room: int, now: float) -> bytes:
        """Fragments for one datagram: first what was lost, then what is new. Empty when nothing may be sent."""
        if not self._queue and self._under_way == len(self._flight):
            return b""
        chosen: list[bytes] = []
        self._datagrams += 1
        for number, sent in self._flight.items():
            if not sent.lost:
                continue
            if len(sent.data) + 4 > room or self._under_way >= self._congestion:
                break
            room -= len(sent.data) + 4
            self.resent += 1
            chosen.append(self._depart(number, sent, now))
        while self._queue and len(self._queue[0].data) + 4 <= room and self._may_send_new():
            sent = self._queue.popleft()
            number = self._next
            self._next = (number + 1) & 0xFFFF
            self._flight[number] = sent
            room -= len(sent.data) + 4
            chosen.append(self._depart(number, sent, now))
        return b"".join(chosen)

    def _may_send_new(self) -> bool:
        return self._under_way < self._congestion and (self._next - self._base) & 0xFFFF < WINDOW

    def _depart(self, number: int, sent: _Sent, now: float) -> bytes:
        sent.sent_at = now
        sent.datagram = self._datagrams
        sent.lost = False
        self._under_way += 1
        return FRAGMENT.pack(number, sent.marks | len(sent.data)) + sent.data

    def may_have_sent(self, next_fragment: int) -> bool:
        """False for an acknowledgement of fragments that were never sent."""
        ahead = (next_fragment - self._base) & 0xFFFF
        return ahead >= 0x8000 or ahead <= (self._next - self._base) & 0xFFFF

    def acknowledge(self, next_fragment: int, fragments: int, now: float, round_trip: float) -> None:
        ahead = (next_fragment - self._base) & 0xFFFF
        if ahead >= 0x8000 or not self._flight:
            return
        arrived = [n for n in self._flight if self._is_in(n, next_fragment, fragments)]
        newest = 0
        for number in arrived:
            sent = self._flight.pop(number)
            self.queued_bytes -= len(sent.data)
            if not sent.lost:
                self._under_way -= 1
            newest = max(newest, sent.datagram)
        self._base = next(iter(self._flight), self._next)
        if arrived:
            self._retries = 0
            self._congestion = min(self._congestion + len(arrived) / self._congestion, float(WINDOW))
        lost = [s for s in self._flight.values() if not s.lost and s.datagram + REORDER <= newest]
        self._lose(lost, now, round_trip)

    @staticmethod
    def _is_in(number: int, next_fragment: int, fragments: int) -> bool:
        after = (number - next_fragment) & 0xFFFF
        return after >= 0x8000 or (1 <= after <= WINDOW and bool(fragments >> (after - 1) & 1))

    def _lose(self, lost: list[_Sent], now: float, round_trip: float) -> None:
        if not lost:
            return
        for sent in lost:
            sent.lost = True
        self._under_way -= len(lost)
        if now - self._last_cut >= round_trip:
            self._last_cut = now
            self._congestion = max(self._congestion * 0.7, 4.0)

    def deadline(self, retransmit_after: float) -> float | None:
        """When the oldest fragment under way is overdue."""
        under_way = [sent.sent_at for sent in self._flight.values() if not sent.lost]
        if not under_way:
            return None
        return min(under_way) + self._wait(retransmit_after)

    def check_overdue(self, now: float, retransmit_after: float) -> None:
        wait = self._wait(retransmit_after)
        overdue = [s for s in self._flight.values() if not s.lost and s.sent_at + wait <= now]
        if overdue:
            self._retries += 1
            self._lose(overdue, now, 0.0)

    def _wait(self, retransmit_after: float) -> float:
        return min(float(retransmit_after * (1 << min(self._retries, 10))), SLOWEST)

    def wants_to_send(self) -> bool:
        """True when ``fill`` would have something to say now."""
        if self._under_way >= self._congestion:
            return False
        return self._under_way < len(self._flight) or (bool(self._queue) and self._may_send_new())


class MessageReceiver:
    """The receiving half of one connection."""

    __slots__ = ("_early", "_limit", "_parts", "_size", "next_fragment")

    def __init__(self, *, limit: int) -> None:
        self._limit = limit
        self._early: dict[int, Fragment] = {}
        self._parts: list[bytes] | None = None
        self._size = 0
        self.next_fragment = 0
        """All fragments before this one were taken."""

    @property
    def fragments(self) -> int:
        """Bit i: fragment next_fragment + 1 + i is held."""
        mask = 0
        for number in self._early:
            after = (number - self.next_fragment) & 0xFFFF
            if after:
                mask |= 1 << (after - 1)
        return mask

    def take(self, fragment: Fragment) -> str | None:
        """Hold a fragment; the name of the counter when it is not wanted."""
        after = (fragment.number - self.next_fragment) & 0xFFFF
        if after >= 0x8000 or fragment.number in self._early:
            return "duplicate_fragment"
        if after >= WINDOW:
            return "fragment_window"
        self._early[fragment.number] = fragment
        return None

    @property
    def has_gap(self) -> bool:
        return bool(self._early)

    def next_message(self) -> bytes | None:
        """The next whole message, when it is there. ProtocolViolation when fragments do not make a message."""
        while self._early:
            fragment = self._early.pop(self.next_fragment, None)
            if fragment is None:
                return None
            self.next_fragment = (self.next_fragment + 1) & 0xFFFF
            self._join(fragment)
            if fragment.marks & LAST and self._parts is not None:
                message = b"".join(self._parts)
                self._parts = None
                return message
        return None

    def _join(self, fragment: Fragment) -> None:
        if bool(fragment.marks & FIRST) != (self._parts is None):
            raise ProtocolViolation("a message begins where another has not ended, or does not begin at all")
        if self._parts is None:
            self._parts = []
            self._size = 0
        self._size += len(fragment.data)
        if self._size > self._limit:
            raise ProtocolViolation(f"a message of more than {self._limit} bytes")
        if len(self._parts) > self._limit // 64 + 1:
            raise ProtocolViolation("a message in more fragments than it could need")
        self._parts.append(fragment.data)
