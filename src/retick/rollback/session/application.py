"""The application's own messages between peers: reliable, whole, in order."""

from typing import TYPE_CHECKING, Any

from retick.errors import UsageError
from retick.rollback.engine.cues import CueEvent, CueTracker
from retick.rollback.events import MessageReceived
from retick.rollback.match.match import Match
from retick.rollback.match.recording import Recording
from retick.rollback.session.messages.kinds import MessageKind
from retick.rollback.session.part import SessionPart
from retick.rollback.session.peer import Peer
from retick.sim.contract import Between
from retick.sim.world import SimulatedWorld

if TYPE_CHECKING:
    from retick.rollback.session.inside import SessionInside


class ApplicationMessages(SessionPart):
    """Sends messages of the application, and passes received ones to it as events."""

    def send(self, data: bytes, peer_id: int | None, *, spectators: bool) -> bool:
        """Send to one peer, to all players, or to our spectators; False if a queue is full, or nobody is connected."""
        session = self._session
        if peer_id is not None and peer_id not in session.peers:
            raise UsageError(f"there is no peer {peer_id} in this match: there are {sorted(session.peers)}")
        if peer_id is not None and spectators:
            raise UsageError(f"a message goes to peer {peer_id} or to the spectators: send it twice")
        message = bytes((MessageKind.APPLICATION,)) + data
        everyone = session.spectator_feed.peers() if spectators else session.players_peers()
        targets = everyone if peer_id is None else [session.peers[peer_id]]
        sent = [target.send_if_room(message) for target in targets if target.is_connected]
        return bool(sent) and all(sent)

    def receive(self, peer: Peer, data: bytes) -> None:
        self._session.tell(MessageReceived(peer=peer.peer_id, data=data[1:]))


# The cues of a session: one tracker for each match, and what is left of a match when another one follows it.


class SessionCues(SessionPart):
    """Tracks cues; costs nothing in a session whose application does not ask for them."""

    def __init__(self, session: "SessionInside") -> None:
        super().__init__(session)
        self._tracker: CueTracker | None = None
        self._left: list[CueEvent] = []

    def drain(self, tolerance: int) -> list[CueEvent]:
        """The changes since the last call; a cue moves by up to ``tolerance`` frames without a new start."""
        left, match = self._left, self._session.match
        if match is None or match.joins_at is None:
            self._check_cues()
            self._left = []
            return left
        tracker = self._tracker
        if tracker is None:
            self._check_cues()
            # A newcomer does not hear of cues from before it came in.
            engine = match.engine
            first = engine.frame if engine.start_frame else 0
            self._tracker = tracker = CueTracker(engine, tolerance=tolerance, first=first)
        if left:
            self._left = []
        return left + tracker.update() if left else tracker.update()

    def _check_cues(self) -> None:
        if not hasattr(self._session.sim, "cues"):
            raise UsageError(f"{type(self._session.sim).__name__} has no cues(before, after)")

    def match_ending(self, match: Match) -> None:
        """Cancel cues that were started on a prediction: they are never confirmed now."""
        if self._tracker is not None:
            self._left = [*self._left, *self._tracker.update(), *self._tracker.cancel()]
            self._tracker = None


# Leaving a match: at once, or as soon as a desync that was seen is explained.
#
# Theory of operation. The peer that sees a difference first knows something that the others do not. If its application
# leaves at once, nobody else would hear of it. So a session with an open alarm stands still before it leaves: it runs
# no more frames, but keeps sending what the others need, inputs and evidence, until the report is complete or
# ``LONGEST_STAND`` seconds have passed.

LONGEST_STAND = 2.0
"""Seconds that the others have to explain a desync with us after our application has left."""


class Leaving(SessionPart):
    """Says goodbye once nothing is left to explain."""

    def __init__(self, session: "SessionInside") -> None:
        super().__init__(session)
        self._goodbye: tuple[str, float] | None = None
        self._since: float | None = None

    def leave(self, text: str, linger: float) -> None:
        """Leave the match, as the application wants."""
        session, match = self._session, self._session.match
        if match is None or not session.running or not match.alarm.is_open or not session.heard_peers():
            session.leave_now(text, linger)
        elif self._goodbye is None:
            self._goodbye = (text, linger)
            session.is_quiet = False
            match.stand()

    def after_frame(self, match: Match, now: float) -> bool:
        if self._goodbye is None:
            return False
        if self._since is None:
            self._since = now
        if now >= self._since + LONGEST_STAND:
            self._session.desyncs.give_up()
        if not match.alarm.is_open:
            text, linger = self._goodbye
            # The last evidence may be on its way.
            self._session.leave_now(text, max(linger, LONGEST_STAND))
        return True

    def match_ending(self, match: Match) -> None:
        """Leave now: nobody here plays another match."""
        if self._goodbye is not None:
            self._session.leave_now(*self._goodbye)


# What to draw: the present state or, for screens faster than the match, what is between two frames.
#
# Theory of operation. A world is a mutable object. After a resimulation, the instance that a session plays with may be
# in any frame, so it must not be drawn. ``Drawn`` has its own instance, which is loaded from a state.


class Drawn:
    """An instance of a world that nobody steps: it is only loaded, and then drawn."""

    def __init__(self, sim: Any) -> None:
        if not isinstance(sim, SimulatedWorld):
            raise UsageError(f"{type(sim).__name__} is not a world: draw session.state")
        self._sim = sim
        try:
            self._instance = type(sim.world)()
        except TypeError as error:
            raise UsageError(
                f"no second {type(sim.world).__name__} to draw can be made without arguments ({error}): "
                f"make one, and call load_into(it, session.state) before each picture"
            ) from None
        self._state: Any = None

    def at(self, state: Any) -> Any:
        """The instance, put into this state."""
        if state is not self._state:
            self._sim.load_into(self._instance, state)
            self._state = state
        return self._instance


class Picture:
    """What a game draws of its matches."""

    def __init__(self, sim: Any) -> None:
        self._sim = sim
        self._before: Drawn | None = None
        self._after: Drawn | None = None

    def world(self, state: Any) -> Any:
        """An instance of the game's world in this state."""
        if self._after is None:
            self._after = Drawn(self._sim)
        return self._after.at(state)

    def between(self, match: Match, now: float) -> Between:
        engine = match.engine
        before, after = engine.state_at(max(engine.frame - 1, engine.start_frame)), engine.state
        fraction = match.pace.phase(now)
        if not isinstance(self._sim, SimulatedWorld):
            return Between(before, after, fraction)
        if self._before is None:
            self._before = Drawn(self._sim)
        return Between(self._before.at(before), self.world(after), fraction)


# Tells the recording of a session which matches begin and end.


class RecordingPart(SessionPart):
    """The part of sessions that record; frames come from the game's loop."""

    def __init__(self, session: "SessionInside", recording: Recording) -> None:
        super().__init__(session)
        self._recording = recording

    def match_begun(self, match: Match) -> None:
        self._recording.begin(match)

    def match_ending(self, match: Match) -> None:
        self._recording.drain()

    def frames_taken_back(self, first: int, match: Match) -> None:
        self._recording.take_back(first, match)
