"""Peers on bad links in one process, on virtual time: what a user needs to test a game's matches.

Theory of operation. Every peer is a session with a game loop, as on a computer of its own: the loop wakes when a frame
is due, receives what waits, asks its players for their inputs, runs the frame and sends. The simulated network does the
links, cuts, stops and crashes. All that is random comes from one seed, so a failure repeats exactly.

Each peer's final frames are recorded as they come: inputs and, every ``checkpoint`` frames, the checksum. ``verify``
then checks that all peers have the same inputs and the same checksums, and that a *straight run* of the game over
these inputs, without any network, gives these checksums too.
"""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from retick.errors import RetickError, UsageError
from retick.link.request import NO_SEAT_TOKEN
from retick.rollback.events import FramesTakenBack, MatchEvent
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.inside import inside_of
from retick.rollback.session.session import Phase, RollbackSession
from retick.rollback.spectate.spectator import SpectatorSession
from retick.transport.conditions import Conditions
from retick.transport.endpoint import Address
from retick.transport.simulated import SimulatedNetwork

IDLE_INTERVAL = 1 / 120
"""Seconds between two turns of a loop that waits for others."""

LONGEST_SLEEP = 0.1
"""Most seconds that a loop sleeps, even if its next frame is due later."""

Press = Callable[[int, Any], int]
"""``press(player, state)`` returns the input of a local player; called once per frame with the present state."""


class MeshPeer:
    """One peer: its session with a game loop, and a record of its match."""

    def __init__(self, name: str, session: Any, press: Press) -> None:
        self.name = name
        self.session = session
        self.press = press
        self.alive = True
        """False between a crash and a restart."""
        self.events: list[MatchEvent] = []
        """All events of the session, in order."""
        self.rows: dict[int, tuple[int, ...]] = {}
        """The final inputs of each frame of the present match."""
        self.checksums: dict[int, int] = {}
        """Checksums of final states, by the frame that follows them."""
        self.start_state: Any = None
        """The state before frame 0, if this peer was there."""
        self.paused_until = 0.0
        self._final = -1
        self._match: Any = None

    @property
    def playing(self) -> bool:
        """Whether this peer plays: its seats and the frame of its first own input are agreed."""
        return self.session.running and inside_of(self.session).match.joins_at is not None

    @property
    def final_frame(self) -> int:
        """The newest frame whose state can never change again; -1 before the match."""
        return self._final

    def events_of(self, kind: type) -> list[Any]:
        """The events of one kind."""
        return [event for event in self.events if isinstance(event, kind)]

    def checksum_before(self, frame: int) -> int | None:
        """The checksum of the final state before ``frame``; None if it is neither a checkpoint nor in history."""
        if frame in self.checksums or not self.session.running:
            return self.checksums.get(frame)
        engine = inside_of(self.session).match.engine
        is_held = max(engine.start_frame, engine.frame - engine.history) <= frame <= engine.final_state_frame
        checksum: int | None = engine.checksum_at(frame) if is_held else None
        return checksum

    def turn(self, now: float, checkpoint: int) -> None:
        """Run the frames that are due."""
        session = self.session
        while session.due(now=now):
            if inside_of(session).match is not self._match:
                self._begin_record()
            state = session.state
            pressed = tuple(self.press(player, state) for player in session.local_players)
            session.advance(pressed[0] if len(pressed) == 1 else pressed, now=now)
            self._record(checkpoint)

    def next_turn(self, now: float) -> float:
        """The time at which the loop has something to do again."""
        session = self.session
        due = session.next_frame_at if session.running else None
        return min(due, now + LONGEST_SLEEP) if due is not None and due > now else now + IDLE_INTERVAL

    def _begin_record(self) -> None:
        """Start a new record: the session has begun its first match, or another."""
        self._match = inside_of(self.session).match
        self.rows, self.checksums, self._final = {}, {}, -1
        engine = self._match.engine
        self.start_state = engine.state if engine.frame == 0 else None

    def take_back(self, first: int) -> None:
        """Record final frames from ``first`` on again: they ran again."""
        self._final = min(self._final, first)
        self.checksums = {frame: known for frame, known in self.checksums.items() if frame <= first}

    def _record(self, checkpoint: int) -> None:
        engine = inside_of(self.session).match.engine
        final = engine.final_state_frame
        if final == self._final:
            return
        # A newcomer's session has run the first frames by itself: their inputs are still held, most states are not.
        first = max(self._final, engine.held_from())
        for frame in range(first, final):
            self.rows[frame] = engine.inputs_at(frame)
        for frame in range((first // checkpoint + 1) * checkpoint, final + 1, checkpoint):
            if frame >= engine.frame - engine.history:
                self.checksums[frame] = engine.checksum_at(frame)
        self._final = final


class MeshSpectator:
    """One spectator: its session, and a record of the frames it has shown."""

    def __init__(self, name: str, session: SpectatorSession, sim: Any) -> None:
        self.name = name
        self.session = session
        self.sim = sim
        self.alive = True
        self.events: list[MatchEvent] = []
        self.rows: dict[int, tuple[int, ...]] = {}
        """The inputs of each frame that was shown."""
        self.checksums: dict[int, int] = {}
        """Checksums of states that were shown, by the frame that follows them."""
        self.paused_until = 0.0
        self._number = 0

    def checksum_before(self, frame: int) -> int | None:
        """The checksum of the state before ``frame``, if it was shown at a checkpoint."""
        return self.checksums.get(frame)

    def turn(self, now: float, checkpoint: int) -> None:
        """Show the frames that are due."""
        session = self.session
        if session.match_number != self._number:
            self._number = session.match_number
            self.rows, self.checksums = {}, {}
        while session.due(now=now):
            if session.frame % checkpoint == 0:
                self.checksums[session.frame] = self.sim.checksum(session.state)
            frame = session.frame
            session.advance(now=now)
            for row in session.drain_final_inputs():
                self.rows[frame] = row

    def next_turn(self, now: float) -> float:
        return now + IDLE_INTERVAL


class MeshHung(RetickError):
    """A match did not reach the expected point within its limit of virtual time."""


def idle(player: int, state: Any) -> int:
    """Presses nothing."""
    return 0


class Mesh:
    """Any number of peers, any links, one seed.

    ``game`` is a class or factory, called for each peer; or a mapping from names to factories, to give one peer another
    game than the rest. ``seats`` says how many players each peer has, host first; by default one each. A mapping given
    for ``game``, ``press`` or ``make_session`` must have every name in ``seats``.
    """

    def __init__(
        self,
        game: Callable[[], Any] | Mapping[str, Callable[[], Any]],
        *,
        seats: Mapping[str, int] | None = None,
        seed: int = 1,
        conditions: Conditions | None = None,
        config: MatchConfig | None = None,
        press: Press | Mapping[str, Press] = idle,
        checkpoint: int = 60,
        make_session: Callable[..., Any] | Mapping[str, Callable[..., Any]] = RollbackSession,
    ) -> None:
        """``make_session`` is called in place of RollbackSession; a mapping may be changed later."""
        self.network = SimulatedNetwork(seed=seed, conditions=conditions)
        self.seed = seed
        self.config = config or MatchConfig()
        self.checkpoint = checkpoint
        self.peers: dict[str, MeshPeer] = {}
        self.spectators: dict[str, MeshSpectator] = {}
        self._game = game
        self._press = press
        self._make_session = make_session
        self._lives: dict[str, int] = {}
        if seats is None:
            seats = dict.fromkeys(_names_for(game), 1)
        self.seats = dict(seats)
        if not self.seats:
            raise UsageError("a mesh needs at least one peer: name them in seats=, or give a game for each")
        for what, given in (("game", game), ("press", press), ("make_session", make_session)):
            _check_names(what, given, self.seats)
        self.host = next(iter(self.seats))
        """The name of the peer that the others dial."""
        self._gather()

    def __getitem__(self, name: str) -> MeshPeer:
        peer = self.peers.get(name)
        if peer is None:
            raise UsageError(f"there is no peer {name!r}, only {', '.join(self.peers)}")
        return peer

    @property
    def alive(self) -> list[MeshPeer]:
        """The peers that have not crashed."""
        return [peer for peer in self.peers.values() if peer.alive]

    # What happens to peers and links.

    def link(self, first: str, second: str, conditions: Conditions, back: Conditions | None = None) -> None:
        """Give one link conditions of its own."""
        self.network.link(self.address_of(first), self.address_of(second), conditions, back)

    def cut(self, first: str, second: str, seconds: float) -> None:
        """Lose everything between two peers for a while."""
        self.network.cut(self.address_of(first), self.address_of(second), seconds)

    def pause(self, name: str, seconds: float) -> None:
        """Stop a peer's process and let it go on later, as a debugger or a closed lid does."""
        peer = self[name]
        peer.paused_until = max(peer.paused_until, self.network.now + seconds)
        self.network.pause(self.address_of(name), seconds)

    def crash(self, name: str) -> MeshPeer:
        """Remove a peer without a goodbye; its state is lost."""
        peer = self[name]
        if not peer.alive:
            raise UsageError(f"{name} has crashed already")
        peer.alive = False
        self.network.detach(self.address_of(name))
        return peer

    def restart(
        self, name: str, *, through: str | None = None, every: float = 0.5, seat_token: bytes = NO_SEAT_TOKEN
    ) -> None:
        """Start a crashed peer again; it asks for a seat until it has one.

        The others refuse it until they notice that it was gone, so it asks every ``every`` seconds. With the
        ``seat_token`` of its last session they admit it at once.
        """
        if self[name].alive:
            raise UsageError(f"{name} has not crashed")
        self._call(self._come_back(name, through, seat_token), through, every, seat_token)

    def _come_back(self, name: str, through: str | None, seat_token: bytes) -> MeshPeer:
        details = self._way_back(name, through or self._somebody(name))
        return self._enter(name, details | ({"seat_token": seat_token} if seat_token != NO_SEAT_TOKEN else {}))

    def _way_back(self, name: str, through: str) -> dict[str, Any]:
        """The session arguments with which a peer finds the match again."""
        return {"host_address": through}

    def _call(self, peer: MeshPeer, through: str | None, every: float, seat_token: bytes) -> None:
        if self.peers[peer.name] is not peer or not peer.alive:
            return
        if peer.session.phase is Phase.ENDED:
            self.crash(peer.name)
            peer = self._come_back(peer.name, through, seat_token)
        if not peer.playing:
            self.at(every, lambda: self._call(peer, through, every, seat_token))

    def _somebody(self, name: str) -> str:
        others = [peer.name for peer in self.alive if peer.name != name and peer.playing]
        if not others:
            raise UsageError(f"{name} cannot ask for a seat: no other peer plays")
        return others[0]

    def watch(
        self, name: str, through: str, *, delay: int = 30, make_session: Callable[..., Any] = SpectatorSession
    ) -> MeshSpectator:
        """Add a spectator that one of the peers feeds; ``make_session`` is called in place of SpectatorSession."""
        dice = Random(f"{self.seed} {name}")
        sim = self._game_of(self[through].name)()
        session = make_session(sim, through, entropy=dice.randbytes, config=self.config, delay=delay)
        spectator = self.spectators[name] = MeshSpectator(name, session, sim)
        self._let_in(spectator, dice)
        return spectator

    def at(self, seconds: float, action: Callable[[], object]) -> None:
        """Call ``action`` after this many virtual seconds."""
        self.network.at(self.network.now + seconds, lambda: (action(), None)[1])

    # Letting time pass.

    def run(self, seconds: float) -> None:
        """Let virtual time pass."""
        self.network.run(until=self.network.now + seconds)

    def run_until(self, condition: Callable[[], bool], *, limit: float, what: str) -> None:
        """Let time pass until ``condition`` is true; after ``limit`` virtual seconds MeshHung names ``what``."""
        if not self.network.run_while(lambda: not condition(), limit=limit):
            raise MeshHung(f"{what}: not after {limit:g} virtual seconds; {self.describe()}")

    def start(self, *, limit: float = 30.0) -> None:
        """Let time pass until all peers are connected and the match runs."""
        self.run_until(lambda: all(peer.session.running for peer in self.alive), limit=limit, what="the match starts")

    def play(self, frames: int, *, limit: float | None = None) -> None:
        """Let the match run until frame ``frames``, counted from its start, is final on every peer that plays."""
        rate = self.config.tick_rate
        self.run_until(
            lambda: self._all_have(frames),
            limit=limit if limit is not None else 30.0 + 4.0 * frames / rate,
            what=f"{frames} final frames everywhere",
        )

    def _all_have(self, frames: int) -> bool:
        players = [peer for peer in self.alive if peer.playing]
        return bool(players) and all(peer.final_frame >= frames for peer in players)

    # Checks.

    def verify(self, frames: int | None = None) -> int:
        """Check that all peers agree with a straight run of the game; return the checksum of the last compared frame.

        The AssertionError names the first frame and the peers that differ.
        """
        players = [peer for peer in self.alive if peer.playing]
        if not players:
            raise AssertionError(f"no peer plays any more; {self.describe()}")
        end = min(peer.final_frame for peer in players) if frames is None else frames
        reference = max(players, key=lambda peer: (peer.start_state is not None, len(peer.rows)))
        missing = [frame for frame in range(end) if frame not in reference.rows]
        if missing:
            raise AssertionError(f"no peer has the inputs of frame {missing[0]}; {self.describe()}")
        everyone: list[MeshPeer | MeshSpectator] = [*players, *self.spectators.values()]
        for peer in everyone:
            for frame in range(end):
                if peer.rows.get(frame, reference.rows[frame]) != reference.rows[frame]:
                    raise AssertionError(
                        f"inputs of frame {frame}: {peer.rows[frame]} at {peer.name}, "
                        f"{reference.rows[frame]} at {reference.name}"
                    )
        return self._verify_states(reference, end)

    def _verify_states(self, reference: MeshPeer, end: int) -> int:
        sim = self._game_of(reference.name)()
        match = inside_of(reference.session).match
        # A later match may have begun from the state of one peer.
        state = reference.start_state if match.number else sim.initial_state(match.seed)
        for frame in range(end):
            if frame % self.checkpoint == 0:
                self._compare(frame, sim.checksum(state))
            state = sim.step(state, reference.rows[frame])
        checksum: int = sim.checksum(state)
        self._compare(end, checksum)
        return checksum

    def _compare(self, frame: int, straight: int) -> None:
        everyone: list[MeshPeer | MeshSpectator] = [*self.alive, *self.spectators.values()]
        for peer in everyone:
            found = peer.checksum_before(frame)
            if found is not None and found != straight:
                raise AssertionError(
                    f"the state before frame {frame} has checksum 0x{found:08X} at {peer.name} "
                    f"and 0x{straight:08X} in a straight run"
                )

    def describe(self) -> str:
        """One line with the phase and the frames of each peer."""
        return ", ".join(_where(peer) for peer in self.peers.values())

    # Making peers.

    def _gather(self) -> None:
        """Let all peers enter, the host first."""
        for name in self.seats:
            self._enter(name, {} if name == self.host else {"host_address": self.host})

    def address_of(self, name: str) -> Address:
        """The address of a peer on the simulated network."""
        return name

    def _attach(self, name: str, session: Any) -> None:
        self.network.attach(name, session, polled=True)

    def _game_of(self, name: str) -> Callable[[], Any]:
        return self._game if callable(self._game) else self._game[name]

    def _press_of(self, name: str) -> Press:
        return self._press if callable(self._press) else self._press[name]

    def _enter(self, name: str, details: Mapping[str, Any]) -> MeshPeer:
        life = self._lives[name] = self._lives.get(name, -1) + 1
        dice = Random(f"{self.seed} {name} {life}")
        arguments = {"entropy": dice.randbytes, "config": self.config, "seats": self.seats[name], **details}
        make_session = self._make_session if callable(self._make_session) else self._make_session[name]
        session = make_session(self._game_of(name)(), **arguments)
        peer = self.peers[name] = MeshPeer(name, session, self._press_of(name))
        self._let_in(peer, dice)
        return peer

    def _let_in(self, peer: MeshPeer | MeshSpectator, dice: Random) -> None:
        self._attach(peer.name, peer.session)
        # Loops of different peers are not in step: the first turn comes at any part of a frame.
        self.network.at(self.network.now + dice.random() / self.config.tick_rate, lambda: self._turn(peer))

    def _turn(self, peer: MeshPeer | MeshSpectator) -> None:
        if not peer.alive:
            return
        network = self.network
        now = network.now
        if now < peer.paused_until:
            network.at(peer.paused_until, lambda: self._turn(peer))
            return
        news = network.poll(self.address_of(peer.name))
        peer.events += news
        for event in news:
            if isinstance(event, FramesTakenBack) and isinstance(peer, MeshPeer):
                peer.take_back(event.frame)
        peer.turn(now, self.checkpoint)
        network.flush(self.address_of(peer.name))
        network.at(peer.next_turn(now), lambda: self._turn(peer))


def _where(peer: MeshPeer) -> str:
    if not peer.alive:
        return f"{peer.name} crashed"
    if inside_of(peer.session).match is None:
        return f"{peer.name} {peer.session.phase.value}"
    engine = inside_of(peer.session).match.engine
    return f"{peer.name} {peer.session.phase.value} at frame {engine.frame}, final {engine.final_state_frame}"


BAD_LINK = Conditions(latency=0.05, jitter=0.01, loss=0.05, duplicate=0.02)
"""A poor wireless network: 100 ms there and back, 5 % lost."""


def two_peers(game: Callable[[], Any], *, conditions: Conditions = BAD_LINK, **details: Any) -> Mesh:
    """Start a match of two peers over a bad link; ``details`` are arguments of Mesh."""
    mesh = Mesh(game, conditions=conditions, **details)
    mesh.start()
    return mesh


def _check_names(what: str, given: object, seats: Mapping[str, int]) -> None:
    missing = sorted(set(seats) - set(given)) if isinstance(given, Mapping) else []
    if missing:
        raise UsageError(f"{what} is a mapping without {', '.join(missing)}: it must have every peer's name")


def _names_for(game: Callable[[], Any] | Mapping[str, Callable[[], Any]]) -> list[str]:
    """One name for each player: the names of the mapping, or peer0, peer1 and so on."""
    for each in game.values() if isinstance(game, Mapping) else [game]:
        if not callable(each):
            raise UsageError(
                f"every peer makes its own game: give a class or factory, not {type(each).__name__} objects"
            )
    if not isinstance(game, Mapping):
        return [f"peer{number}" for number in range(game().num_players)]
    if not game:
        return []
    players = next(iter(game.values()))().num_players
    if len(game) != players:
        raise UsageError(f"the game has {players} players: give one game for each peer, or seats=, not {sorted(game)}")
    return list(game)
