"""Watching a match: read-only, a little late, from any machine that plays, and from another if that one leaves."""

from collections import deque
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

from retick.errors import DecodeError, NotSynchronized, UsageError
from retick.link import Disconnected, LinkEndpoint, MessageReceived, Reason, Refuse, Refused, Request, describe
from retick.rollback.events import MatchEnded, MatchEvent, SourceChanged, WatchingStarted
from retick.rollback.match.config import MatchConfig
from retick.rollback.match.timesync import Pace
from retick.rollback.session import messages as wire
from retick.rollback.session.link_config import link_config_for
from retick.rollback.session.spectator_feed import FROM_A_STATE, watch_request
from retick.sim.contract import Input, input_size_of

__all__ = ["SpectatorSession"]

MOST_WAITING = 1 << 16
"""Frames that may wait to be shown; a source that sends more is left. So many are kept for a recording, too."""


class _Beginning(NamedTuple):
    """A state from which to show frames."""

    welcome: wire.Welcome
    state: Any
    packed: bytes


def _feeds_nobody(request: Request) -> Refuse:
    return Refuse(reason=Reason.DENIED, text="this machine only watches: call one that plays")


class SpectatorSession:
    """Five calls like every endpoint; ``due`` and ``advance`` show one frame after the other."""

    def __init__(
        self,
        sim: Any,
        address: Hashable,
        *,
        entropy: Callable[[int], bytes],
        config: MatchConfig | None = None,
        delay: int = 30,
    ) -> None:
        """Watch through the machine at ``address``, ``delay`` frames behind the newest that is known."""
        self.config = config or MatchConfig()
        self.delay = delay
        self.frame = 0
        """The next frame to show."""
        self.start_frame = 0
        """The frame of the first state, for a recording."""
        self.start_state = b""
        """That state as the game packs it, for a recording."""
        self.seed = 0
        self.number = 0
        """Of the match that is shown: rematches, and matches that went on after a desync, are counted."""
        self.ended = False
        self.source: Hashable = address
        """The address that feeds us."""
        self._sim = sim
        self._state: Any = None
        self._size = input_size_of(sim)
        self._link = LinkEndpoint(link_config_for(sim, self.config), entropy=entropy, admit=_feeds_nobody)
        self._others: list[Hashable] = []
        self._tried: set[Hashable] = set()
        self._welcome: wire.Welcome | None = None
        self._parts = bytearray()
        self._rows: deque[tuple[Input, ...]] = deque()
        self._next: _Beginning | None = None
        """The state from which the next match is to be shown, once this one has been."""
        self._next_rows: deque[tuple[Input, ...]] = deque()
        self._shown: deque[tuple[Input, ...]] = deque(maxlen=MOST_WAITING)
        self._events: list[MatchEvent] = []
        self._pace = Pace(tick_rate=self.config.tick_rate, most_slowing=0.0, longest_catch_up=0.25)
        self._dial()

    @property
    def state(self) -> Any:
        """The state that is to be shown now."""
        if self._state is None:
            raise NotSynchronized("there is nothing to watch yet: wait for WatchingStarted")
        return self._state

    @property
    def waiting(self) -> int:
        """Frames that are known and not yet shown."""
        return len(self._rows) + len(self._next_rows)

    def due(self, *, now: float) -> bool:
        """Whether ``advance`` is to be called now: in time, or at once when far behind."""
        if self._state is None or len(self._rows) <= (0 if self.ended or self._next is not None else self.delay):
            return False
        return len(self._rows) > 2 * self.delay + 30 or self._pace.is_due(now)

    def advance(self, *, now: float) -> None:
        """Show the next frame."""
        if not self._rows:
            raise NotSynchronized(f"frame {self.frame} is not known yet")
        row = self._rows.popleft()
        self._state = self._sim.step(self._state, row)
        self._shown.append(row)
        self.frame += 1
        self._pace.frame_run(now, 0.0)

    def take_final_inputs(self) -> list[tuple[Input, ...]]:
        """The inputs of the frames shown since this was last asked, for a recording: the last 65536, if not asked.

        Ask after each ``advance``: a WatchingStarted event begins another recording.
        """
        shown = list(self._shown)
        self._shown.clear()
        return shown

    def close(self) -> None:
        self._link.close(Reason.GOODBYE)
        self._end("stopped watching")

    def receive_datagram(self, data: bytes, address: Hashable, *, now: float) -> None:
        self._link.receive_datagram(data, address, now=now)
        self._handle_link_events()

    def datagrams_to_send(self, *, now: float) -> list[tuple[bytes, Hashable]]:
        return self._link.datagrams_to_send(now=now)

    def next_timeout(self) -> float | None:
        return self._link.next_timeout()

    def handle_timeout(self, *, now: float) -> None:
        self._link.handle_timeout(now=now)
        self._handle_link_events()

    def events(self) -> list[MatchEvent]:
        if self._next is not None and not self._rows:
            self._show(self._next)
        happened, self._events = self._events, []
        return happened

    def _dial(self) -> None:
        self._tried.add(self.source)
        self._welcome = None
        self._parts.clear()
        match = self.number if self._next is None else self._next.welcome.match
        data = watch_request(self._known() if self._state is not None else FROM_A_STATE, match)
        self._connection = self._link.dial(self.source, seats=0, data=data)

    def _known(self) -> int:
        """The first frame whose inputs have not come."""
        if self._next is not None:
            return self._next.welcome.frame + len(self._next_rows)
        return self.frame + len(self._rows)

    def _handle_link_events(self) -> None:
        for event in self._link.events():
            if event.connection is not self._connection:
                continue
            if isinstance(event, MessageReceived):
                try:
                    self._on_message(event.data)
                except (DecodeError, UsageError):
                    self._connection.close(Reason.VIOLATION, "not what a spectator is sent")
            elif isinstance(event, Disconnected | Refused):
                self._move_on(event.text or describe(event.reason))

    def _move_on(self, reason: str) -> None:
        """The source is gone: ask the next machine of the match that is known and was not tried since."""
        if self.ended:
            return
        left = [address for address in self._others if address not in self._tried]
        if not left:
            self._end(reason)
            return
        self.source = left[0]
        self._events.append(SourceChanged(address=self.source))
        self._dial()

    def _on_message(self, data: bytes) -> None:
        kind = data[0] if data else -1
        if kind == wire.WELCOME:
            self._welcome = wire.decode_welcome(data)
            self._parts.clear()
            self._others = [m.address for m in self._welcome.members if m.number != self._welcome.sender]
        elif kind == wire.STATE and self._welcome is not None:
            self._take_chunk(self._welcome, *wire.decode_chunk(data))
        elif kind == wire.FEED:
            self._take_feed(wire.decode_feed(data))

    def _take_chunk(self, welcome: wire.Welcome, offset: int, part: bytes) -> None:
        if offset != len(self._parts) or offset + len(part) > welcome.state_size:
            raise UsageError("a part of a state that does not follow the one before")
        self._parts += part
        if len(self._parts) < welcome.state_size:
            return
        state = self._sim.unpack_state(bytes(self._parts))
        if self._sim.checksum(state) != welcome.checksum:
            raise UsageError("a state that does not have its checksum")
        beginning = _Beginning(welcome, state, bytes(self._parts))
        self._parts.clear()
        self._next_rows.clear()
        if self._rows:
            self._next = beginning
        else:
            self._show(beginning)

    def _show(self, beginning: _Beginning) -> None:
        """Go on from this state; what was shown before has come to its end."""
        welcome = beginning.welcome
        self._state, self.frame, self.seed, self.number = beginning.state, welcome.frame, welcome.seed, welcome.match
        self.start_frame, self.start_state = welcome.frame, beginning.packed
        self._rows, self._next_rows = self._next_rows, deque()
        self._next = None
        self._shown.clear()
        self._events.append(WatchingStarted(seed=welcome.seed, frame=welcome.frame))

    def _take_feed(self, feed: wire.Feed) -> None:
        width = self._size * self._sim.num_players
        rows, known = self._rows if self._next is None else self._next_rows, self._known()
        if self._state is None or len(feed.rows) % width or feed.first > known or len(rows) > MOST_WAITING:
            raise UsageError("inputs that do not follow those before")
        if feed.members:
            self._others = [m.address for m in feed.members[1:]]
        self._tried = {self.source}
        for at in range(max(known - feed.first, 0) * width, len(feed.rows), width):
            cells = range(at, at + width, self._size)
            rows.append(tuple(int.from_bytes(feed.rows[c : c + self._size], "little") for c in cells))

    def _end(self, reason: str) -> None:
        if not self.ended:
            self.ended = True
            self._events.append(MatchEnded(reason=reason))
