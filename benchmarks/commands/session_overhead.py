"""The cost of a session besides the game's steps: a match in simulated time, whose calls are repeated and timed.

Theory of operation. A match of bots is played once, and all calls to each peer's session are recorded
(``recorded_calls``). They are then made again to fresh sessions, several times: to each session alone, and to all of
them interleaved. What the loop costs with sessions that do nothing, in turns with them, is taken off both. Of each
stretch of two seconds the fastest time counts, since other processes only add time; all stretches count alike. The
game's steps are subtracted, at what they cost in the game's own loop. One more run, with a clock around each call,
gives the share of each call.

The engine, the packets and the link are also timed alone, on the same work. The rest is the session's own: pace,
acknowledgements, leads, checksums, statistics.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from random import Random
from typing import Any

from tests.checkers.arenas import arena_for
from tests.checkers.chaos import pressed_by_bots

from benchmarks.commands.recorded_calls import CALLS, RecordedCalls, interleaved
from retick.games.fighter import Fighter
from retick.games.fighter.bots import bout
from retick.link import LinkConfig, LinkEndpoint
from retick.rollback.engine.engine import RollbackEngine
from retick.rollback.session.link_config import EXTENSIONS
from retick.rollback.session.session import RollbackSession
from retick.testing.mesh import Mesh
from retick.transport.conditions import Conditions
from retick.wire import rbn1
from retick.wire.rbn1 import InputRun

__all__ = ["Overhead", "engine_alone", "link_alone", "measure_overhead", "packets_alone"]

STRETCH = 120
"""Frames."""
ROUNDS = 5
"""Number of repetitions of the calls."""
UNACKNOWLEDGED = 8
"""Inputs in a packet at a round trip of 100 ms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overhead:
    """Microseconds per frame and peer, and the traffic."""

    players: int
    sealed: bool
    total: float
    """Everything but the game's steps, each session alone."""
    interleaved: float
    """Everything but the game's steps, the sessions of the match in turn."""
    driver: float
    """Cost of the calling loop with sessions that do nothing; no other figure includes it."""
    by_call: dict[str, float]
    """Time of each call, including the game's steps."""
    steps: float
    """The game's steps, which are not in ``total``."""
    packets: float
    """Packets sent per second by each player."""
    octets: float
    """UDP payload bytes sent per second by each player."""


def measure_overhead(
    players: int, *, sealed: bool, stretches: int, tell: Callable[[str], None] = lambda _: None
) -> Overhead:
    """Measure a match of bots at 100 ms and 5 % loss, for a number of stretches of two seconds."""
    arena = arena_for(players)
    recorded: list[RecordedCalls] = []

    turns = count()

    def record(sim: Any, **details: Any) -> RollbackSession:
        recorded.append(RecordedCalls(sim, turns=turns, sealed=sealed, **details))
        return recorded[-1].session

    mesh = Mesh(
        arena.game,
        conditions=Conditions.round_trip(0.1, loss=0.05),
        press=pressed_by_bots(arena, 1),
        make_session=record,
    )
    mesh.start()
    mesh.play(STRETCH)
    paths = [mesh.network.path(a, b) for a in mesh.seats for b in mesh.seats if a != b]
    sent, octets, began = sum(p.sent for p in paths), sum(p.bytes_sent for p in paths), mesh.network.now
    ran = sum(calls.frames for calls in recorded)
    for number in range(stretches):
        tell(f"{players} players, stretch {number + 1} of {stretches}")
        for calls in recorded:
            calls.mark()
        mesh.play(STRETCH * (number + 2))
    for calls in recorded:
        calls.mark()
    frames = sum(calls.frames for calls in recorded) - ran
    tell(f"{players} players, again")
    pairs = [_fastest(calls.cost_of_calling, calls.rerun) for calls in recorded]
    driver, whole = (sum(seconds) / frames * 1e6 for seconds in zip(*pairs, strict=True))
    whole -= driver
    idle, busy = _fastest(lambda: interleaved(recorded, nothing=True), lambda: interleaved(recorded))
    steps = _steps_cost(mesh, arena.game(), STRETCH * (stretches + 1))
    seconds = (mesh.network.now - began) * players
    return Overhead(
        players=players,
        sealed=sealed,
        total=whole - steps,
        interleaved=(busy - idle) / frames * 1e6 - steps,
        driver=driver,
        by_call={name: whole * share for name, share in _shares(recorded).items()},
        steps=steps,
        packets=(sum(p.sent for p in paths) - sent) / seconds,
        octets=(sum(p.bytes_sent for p in paths) - octets) / seconds,
    )


def _fastest(*runs: Callable[[], list[float]]) -> list[float]:
    """Seconds of each run for all stretches, each stretch at its fastest.

    The runs take turns: a machine that is slow for a while is so for all of them, and their difference stays true.
    """
    rounds = [[run() for run in runs] for _ in range(ROUNDS)]
    return [sum(min(times) for times in zip(*each, strict=True)) for each in zip(*rounds, strict=True)]


def _shares(recorded: list[RecordedCalls]) -> dict[str, float]:
    """The share of each kind of call in the time."""
    spent = dict.fromkeys(CALLS, 0.0)
    for calls in recorded:
        for name, seconds in calls.by_call().items():
            spent[name] += seconds
    return {name: seconds / sum(spent.values()) for name, seconds in spent.items()}


def _steps_cost(mesh: Mesh, game: Any, frames: int) -> float:
    """Microseconds per frame and peer of the game's own steps, including resimulated ones."""
    rows = next(iter(mesh.peers.values())).rows
    size = game.input_size
    payload = b"".join(value.to_bytes(size, "little") for frame in range(frames) for value in rows[frame])
    state = game.initial_state(1)
    each: float = _best(lambda: game.run(state, payload), frames)
    again = [peer.session.stats(now=mesh.network.now) for peer in mesh.alive]
    steps: float = sum(stats.frame + stats.resimulated_frames for stats in again) / sum(stats.frame for stats in again)
    return float(each * steps)


def engine_alone(frames: int = 2000) -> float:
    """Microseconds per frame of a session's calls to the engine, with late inputs."""
    payload = bout(1, frames)
    ours = [(payload[4 * frame],) for frame in range(frames)]
    theirs = [payload[4 * frame + 2] for frame in range(frames)]

    def run() -> None:
        sim = Fighter()
        engine = RollbackEngine(sim, sim.initial_state(1), local_players=(0,), history=128, prediction_window=12)
        for frame in range(frames):
            if frame >= UNACKNOWLEDGED:
                first = frame - UNACKNOWLEDGED
                engine.add_remote_inputs(1, first, theirs[first : first + 1])
            engine.can_advance()
            engine.advance(ours[frame])
            engine.first_missing(1)
            engine.final_state_frame  # noqa: B018 - reading it is the work

    return _best(run, frames)


def packets_alone(frames: int = 2000) -> float:
    """Microseconds per frame to read and write one packet, with blocks as often as in a session."""
    plain = rbn1.InputPacket(100, 98, (0, 0, 0, 4, 4, 4, 4, 5)[:UNACKNOWLEDGED])
    packets = (
        plain._replace(checksum_frame=96, checksum=5),
        plain._replace(time_sync=rbn1.TimeSync(1, 1)),
        plain,
        plain,
    )
    mixed = [rbn1.encode(packet, EXTENSIONS) for packet in packets]
    packet = InputRun(EXTENSIONS)

    def run() -> None:
        for number in range(frames):
            packet.read(mixed[number % 4])
            packet.write()

    return _best(run, frames)


def link_alone(frames: int = 2000) -> float:
    """Microseconds per frame and peer to send and receive a payload over a plain link, by a session's calls."""
    dice = Random(1)
    ends = [
        LinkEndpoint(LinkConfig(sealed=False), entropy=dice.randbytes, on_payload=lambda connection, data, now: None)
        for _ in range(2)
    ]
    dialled = ends[0].dial("1")
    now = 0.0
    while not all(side.is_connected for end in ends for side in end.connections.values()) or not ends[1].connections:
        now += 0.01
        _carry(ends, now)
    sides = [dialled, next(iter(ends[1].connections.values()))]
    payload = bytes(31)

    def run() -> None:
        nonlocal now
        for _ in range(frames):
            now += 1 / 60
            for side in sides:
                side.send_unreliable(payload)
            _carry(ends, now)

    return _best(run, frames) / 2


def _carry(ends: list[LinkEndpoint], now: float) -> None:
    for number, end in enumerate(ends):
        due = end.next_timeout()
        if due is not None and due <= now:
            end.handle_timeout(now=now)
        for data, _ in end.datagrams_to_send(now=now):
            ends[1 - number].receive_datagram(data, str(number), now=now)
        if end.has_events:
            end.events()


def _best(run: Callable[[], object], frames: int, rounds: int = 7) -> float:
    best = float("inf")
    for _ in range(rounds):
        started = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - started)
    return best / frames * 1e6
