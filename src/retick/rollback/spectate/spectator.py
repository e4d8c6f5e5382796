"""Watching a match: read-only, a little late, through any peer that plays, and through another if that one leaves."""

from collections import deque
from collections.abc import Callable, Hashable, Iterable
from typing import Any, NamedTuple

from retick.errors import DecodeError, InvalidValue, NotSynchronized, UsageError
from retick.link import (
    Connected,
    Disconnected,
    Invite,
    Reason,
    Refuse,
    Refused,
    ReliableReceived,
    Request,
)
from retick.link.addresses import is_reachable
from retick.rollback.events import (
    MatchEnded,
    MatchEvent,
    MessageReceived,
    RosterChanged,
    RosterPeer,
    SourceChanged,
    WatchingStarted,
)
from retick.rollback.match.config import MatchConfig
from retick.rollback.match.match import Pace
from retick.rollback.match.recording import RecordsMatches
from retick.rollback.session.link_config import link_config_for, places_for, sealing_of
from retick.rollback.session.messages.connect import FROM_A_STATE, encode_watch, version_fault
from retick.rollback.session.messages.join import Welcome, decode_feed, decode_welcome
from retick.rollback.session.messages.kinds import GAVE_UP, OTHER_VERSION, MessageKind, describe
from retick.rollback.session.messages.profile import decode_list
from retick.rollback.session.messages.roster import RosterEntry
from retick.rollback.session.peer import SPECTATOR_ID
from retick.rollback.session.state_transfer import StateReceiver
from retick.routes.online import Online, OnlineEnded, OnlineEvent
from retick.routes.routed_link import host_name, make_link, routes_of
from retick.routes.routes import Routes
from retick.sim.contract import Input, input_size_of

# Gives a recorder the frames that a spectator was shown. All of them are final.


class ShownRecording:
    """Follows the matches that a spectator is shown; if frames are missing, a match continues from a later state."""

    def __init__(self, recorder: RecordsMatches, sim: Any, tick_rate: int) -> None:
        self.last: int | None = None
        """The frame at which the recording of this match ends, if that is before the match's own end; else None."""
        self._recorder = recorder
        self._sim = sim
        self._every = tick_rate
        self._seed: int | None = None
        self._frames = 0

    def begin(self, seed: int, frame: int, state: Any, before: Any) -> None:
        """Begin to show a match from ``state``; ``before`` is the last state shown so far."""
        goes_on = seed == self._seed
        if not goes_on:
            self.end(before)
        self._seed, self._frames, self.last = seed, 0, None
        self._recorder.begin(self._sim, seed=seed, frame=frame, state=state, local_players=(), goes_on=goes_on)

    def frame_shown(self, row: tuple[int, ...], frame: int, state: Any) -> None:
        """Note that a frame was shown, which led to ``frame`` and its ``state``."""
        if self._seed is None:
            return
        self._recorder.add_frame(row)
        self._frames += 1
        if frame == self.last:
            self.end(state)
        elif self._frames % self._every == 0:
            self._recorder.add_checksum(self._sim.checksum(state))
            self._recorder.flush()

    def end(self, state: Any) -> None:
        """Finish the recording: the match is over, or another one follows; ``state`` is its last."""
        if self._seed is not None:
            self._seed = None
            self._recorder.end(self._sim.checksum(state))


MOST_WAITING = 1 << 16
"""The most frames that wait to be shown; a source that sends more is left. A recording keeps as many, too."""

MOST_UNREAD = 256
"""The events that may wait for the application before no more messages are received from the source."""


class _Beginning(NamedTuple):
    """A state from which to show frames."""

    welcome: Welcome
    state: Any
    packed: bytes


def _feeds_nobody(request: Request) -> Refuse:
    return Refuse(reason=Reason.DENIED, text="this peer only watches: call one that plays")


class SpectatorSession:
    """A spectator's session: the five calls; ``due`` and ``advance`` show one frame after another."""

    def __init__(
        self,
        sim: Any,
        address: Hashable = None,
        *,
        entropy: Callable[[int], bytes],
        config: MatchConfig | None = None,
        delay: int = 30,
        record: RecordsMatches | None = None,
        online: Online | None = None,
        sealed: bool = True,
        invite: Invite | str | None = None,
        identity: bytes | None = None,
        keylog: Callable[[str], None] | None = None,
    ) -> None:
        """Watch through the peer at ``address``, ``delay`` frames behind the newest known one.

        ``record`` gets every shown frame: ``retick.replay.LiveRecording``, or any object with its methods. ``sealed``,
        ``invite``, ``identity`` and ``keylog`` are as in a RollbackSession. With ``online``, a room's code names the
        match, and ``address`` is left out.
        """
        if online is not None:
            address = host_name(online, address)
        if address is None:
            raise UsageError("whom to watch? Give an address, or online with a code")
        self.config = config or MatchConfig()
        self.recording = None if record is None else ShownRecording(record, sim, self.config.tick_rate)
        """The recording, if there is one; it feeds the recorder."""
        self.delay = delay
        self.frame = 0
        """The next frame to show."""
        self.start_frame = 0
        """The frame of the first state, for a recording."""
        self.start_state = b""
        """The first state as the game packs it, for a recording."""
        self.seed = 0
        self.match_number = 0
        """The number of the shown match: rematches, and matches that continued after a desync, are counted."""
        self.ended = False
        """Whether no more frames come; those that wait are still shown, and MatchEnded follows the last."""
        self.ended_by = 0
        """The code with which the last source refused us or ended, see ``retick.link.Reason``; 0 before."""
        self._ending = ""
        """The reason, until MatchEnded is reported."""
        self.source: Hashable = address
        """The address of the peer that feeds us."""
        self.roster: tuple[RosterPeer, ...] = ()
        """The players, with names and profiles, according to our source."""
        self._sim = sim
        self._state: Any = None
        self._size = input_size_of(sim)
        sealing = sealing_of(sealed=sealed, invite=invite, identity=identity, keylog=keylog)
        self._link = make_link(
            link_config_for(sim, self.config, sealing),
            online,
            on_online=self._on_online,
            places=places_for(sim, self.config),
            entropy=entropy,
            admit=_feeds_nobody,
        )
        self._source_id = SPECTATOR_ID
        """The peer id of the source, once it has told us."""
        self._others: list[Hashable] = []
        self._tried: set[Hashable] = set()
        self._welcome: Welcome | None = None
        self._receiver: StateReceiver | None = None
        self._receive: dict[int, Callable[[bytes], None]] = {
            MessageKind.WELCOME: self._receive_welcome,
            MessageKind.STATE: self._receive_state,
            MessageKind.FEED: self._receive_feed,
            MessageKind.LIST: self._receive_list,
            MessageKind.APPLICATION: self._receive_application,
        }
        """The messages that a spectator is sent, with their handlers."""
        self._rows: deque[tuple[Input, ...]] = deque()
        self._next: _Beginning | None = None
        """The state from which the next match is to be shown after this one."""
        self._next_rows: deque[tuple[Input, ...]] = deque()
        self._shown: deque[tuple[Input, ...]] = deque(maxlen=MOST_WAITING)
        self._events: list[MatchEvent | OnlineEvent] = []
        self._pace = Pace(tick_rate=self.config.tick_rate, most_slowing=0.0, longest_catch_up=0.25)
        self._dial()

    @property
    def state(self) -> Any:
        """The state to be shown now."""
        if self._state is None:
            raise NotSynchronized("there is nothing to watch yet: wait for WatchingStarted")
        return self._state

    @property
    def routes(self) -> Routes | None:
        """How a session with ``online`` reaches the others; None for other sessions."""
        return routes_of(self._link)

    @property
    def source_fingerprint(self) -> str | None:
        """The fingerprint of the lasting key that our source has proved; None without one, or before its answer."""
        return self._connection.fingerprint

    @property
    def waiting(self) -> int:
        """How many frames are known and not yet shown."""
        return len(self._rows) + len(self._next_rows)

    def due(self, *, now: float) -> bool:
        """Whether to call ``advance`` now: on time, or at once if far behind."""
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
        if self.recording is not None:
            self.recording.frame_shown(row, self.frame, self._state)
        self._pace.frame_run(now, 0.0)

    def drain_final_inputs(self) -> list[tuple[Input, ...]]:
        """The inputs of the frames shown since the last call, for a recording: at most the last 65536.

        Call it after each ``advance``: a WatchingStarted event begins another recording.
        """
        shown = list(self._shown)
        self._shown.clear()
        return shown

    def close(self) -> None:
        """Stop watching; frames that wait are not shown any more."""
        self._link.close(Reason.GOODBYE)
        self._end("stopped watching")
        if self._ending:
            self._tell_end()

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

    def events(self) -> list[MatchEvent | OnlineEvent]:
        if self._next is not None and not self._rows:
            self._show(self._next)
        if self._ending and not self.waiting:
            self._tell_end()
        happened, self._events = self._events, []
        return happened

    def _on_online(self, event: OnlineEvent) -> None:
        self._events.append(event)
        if isinstance(event, OnlineEnded):
            self._end(event.text)

    def _dial(self, *, afresh: bool = True) -> None:
        self._tried.add(self.source)
        self._welcome = self._receiver = None
        match = self.match_number if self._next is None else self._next.welcome.match
        data = encode_watch(FROM_A_STATE if afresh or self._state is None else self._known(), match)
        self._connection = self._link.dial(self.source, seats=0, data=data, heard_of=self.source in self._others)

    def _known(self) -> int:
        """The first frame whose inputs have not come."""
        if self._next is not None:
            return self._next.welcome.frame + len(self._next_rows)
        return self.frame + len(self._rows)

    def _handle_link_events(self) -> None:
        if len(self._events) >= MOST_UNREAD:
            # A source that sends more than we read must wait.
            return
        for event in self._link.events():
            if event.connection is not self._connection:
                continue
            if isinstance(event, ReliableReceived):
                # Nothing is received from a source that has broken the rules, not even what came together with that.
                if self._connection.close_reason is None:
                    self._on_message(event.data)
            elif isinstance(event, Connected):
                self._check_version()
            elif isinstance(event, Disconnected | Refused):
                self.ended_by = int(event.reason)
                self._move_on(event.text or describe(event.reason), is_void=event.reason == GAVE_UP)

    def _check_version(self) -> None:
        terms = self._connection.terms
        fault = version_fault(terms.peer_data) if terms is not None else None
        if fault is not None:
            self._connection.close(OTHER_VERSION, fault)

    def _move_on(self, reason: str, *, is_void: bool) -> None:
        """Ask the next known peer of the match that was not tried since, because the source is gone.

        If the others may not have what it has shown, ask for another state.
        """
        if self.ended:
            return
        left = [address for address in self._others if address not in self._tried]
        if not left:
            self._end(reason)
            return
        self.source = left[0]
        self._events.append(SourceChanged(address=self.source))
        self._dial(afresh=is_void)

    def _on_message(self, data: bytes) -> None:
        """Receive a message of the source; one that breaks the rules ends the connection."""
        receive = self._receive.get(data[0]) if data else None
        try:
            if receive is None:
                raise InvalidValue("a message that no spectator is sent")
            receive(data)
        except DecodeError:
            self._connection.close(Reason.VIOLATION, "not what a spectator is sent")

    def _receive_welcome(self, data: bytes) -> None:
        welcome = decode_welcome(data)
        if self._welcome is not None and welcome.match < self._welcome.match:
            raise InvalidValue(f"a state of match {welcome.match}, after that of match {self._welcome.match}")
        self._welcome, self._source_id = welcome, welcome.sender
        self._receiver = StateReceiver(self._sim, welcome.state)
        self._know_others(entry for entry in welcome.entries if entry.peer_id != welcome.sender)

    def _know_others(self, entries: Iterable[RosterEntry]) -> None:
        """Note the peers that could feed us instead of this one."""
        self._others = [entry.address for entry in entries if is_reachable(entry.address, self.source)]

    def _receive_state(self, data: bytes) -> None:
        welcome, receiver = self._welcome, self._receiver
        if welcome is None or receiver is None:
            raise InvalidValue("a state that was not announced")
        if not receiver.receive(data):
            return
        self._receiver = None
        beginning = _Beginning(welcome, receiver.state, receiver.packed)
        self._next_rows.clear()
        if self._rows:
            self._next = beginning
        else:
            self._show(beginning)

    def _show(self, beginning: _Beginning) -> None:
        """Continue from this state; what was shown before has come to its end."""
        welcome = beginning.welcome
        if self.recording is not None:
            self.recording.begin(welcome.seed, welcome.frame, beginning.state, self._state)
        self._state, self.frame, self.seed = beginning.state, welcome.frame, welcome.seed
        self.match_number = welcome.match
        self.start_frame, self.start_state = welcome.frame, beginning.packed
        self._rows, self._next_rows = self._next_rows, deque()
        self._next = None
        self._shown.clear()
        self._events.append(WatchingStarted(seed=welcome.seed, frame=welcome.frame))

    def _receive_feed(self, data: bytes) -> None:
        feed = decode_feed(data)
        width = self._size * self._sim.num_players
        rows, known = self._rows if self._next is None else self._next_rows, self._known()
        if self._state is None or len(feed.rows) % width or feed.first > known or len(rows) > MOST_WAITING:
            raise InvalidValue("inputs that do not follow those before")
        if feed.entries:
            self._source_id = feed.entries[0].peer_id
            self._know_others(feed.entries[1:])
        self._tried = {self.source}
        for at in range(max(known - feed.first, 0) * width, len(feed.rows), width):
            cells = range(at, at + width, self._size)
            rows.append(tuple(int.from_bytes(feed.rows[c : c + self._size], "little") for c in cells))

    def _receive_list(self, data: bytes) -> None:
        roster = decode_list(data)
        if roster != self.roster:
            self.roster = roster
            self._events.append(RosterChanged(roster=roster))

    def _receive_application(self, data: bytes) -> None:
        """Receive a message from the application of the player that we watch through, meant for its spectators."""
        self._events.append(MessageReceived(peer=self._source_id, data=data[1:]))

    def _end(self, reason: str) -> None:
        if not self.ended:
            self.ended = True
            self._ending = reason

    def _tell_end(self) -> None:
        if self.recording is not None:
            self.recording.end(self._state)
        self._events.append(MatchEnded(reason=self._ending))
        self._ending = ""
