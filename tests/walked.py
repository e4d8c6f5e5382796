"""Plays the walks of docs/internals/walks.md, and writes which modules each stage of them enters, in order, as JSON.

Run it with ``RETICK_PURE=1 python -m tests.walked``, since a profiler sees no function of a compiled module. Sockets
are real, and on this machine; time is virtual.
"""

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from select import select
from types import FrameType
from typing import Any
from unittest.mock import patch

import retick
from retick.audit.desync import worker
from retick.audit.desync.bundle import bundle_of, load_bundle, save_bundle
from retick.audit.desync.explain import explain
from retick.audit.desync.explanation import explanation_lines
from retick.audit.interpreter import Interpreter
from retick.authority import WorldClient, WorldClientConfig, WorldServer, WorldServerConfig
from retick.games.fighter import Button, Fighter
from retick.games.runner import Intent
from retick.games.scramble import Scramble
from retick.netrunner import Client, NetRunner, Server
from retick.rollback import DesyncReported, PeerConnected, RollbackSession, SpectatorSession
from retick.sim import F64, Player, Thing, World
from retick.transport.poll import Poll
from retick.transport.udp import UdpSocket, open_udp
from tests.audit.desync.desync_builds import BOX, write_build
from tests.audit.desync.desyncs import load_build

SOURCE = str(Path(retick.__file__).parent) + os.sep
LOOPBACK = "127.0.0.1"
LONGEST = 600
"""Turns of a loop until something must have happened."""
FRAME = 1 / 60


class Record:
    """For each stage the modules of retick whose functions were called in it, in the order of their first calls."""

    def __init__(self) -> None:
        self.stages: dict[str, list[str]] = {}
        self._entered: dict[str, None] = {}

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Note what is called in the block."""
        self._entered = {}
        sys.setprofile(self._note)
        try:
            yield
        finally:
            sys.setprofile(None)

    def keep(self, stage: str) -> None:
        """What was watched last was this stage."""
        self.stages[stage] = list(self._entered)

    @contextmanager
    def stage(self, stage: str) -> Iterator[None]:
        """What is called in the block is this stage; one that is played again replaces what was noted before."""
        with self.watched():
            yield
        self.keep(stage)

    def _note(self, frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        if event != "call" or code.co_name == "<module>":
            return
        if code.co_filename.startswith(SOURCE):
            self._entered.setdefault(code.co_filename[len(SOURCE) : -3].replace(os.sep, "."))
        elif code.co_filename == __file__ and code.co_name in ("advance", "draw"):
            self._entered.setdefault(code.co_name)


class Machine:
    """An endpoint and the socket through which it talks; all machines share one virtual clock."""

    now = 0.0
    made = 0

    def __init__(self, sockets: ExitStack, make: Callable[..., Any], *arguments: Any, **named: Any) -> None:
        Machine.made += 1
        self.socket: UdpSocket = open_udp(LOOPBACK)
        sockets.callback(self.socket.close)
        self.end: Any = make(*arguments, entropy=Random(Machine.made).randbytes, **named)
        self.wire = Poll(self.end, self.socket, clock=lambda: Machine.now)
        self.happened: list[Any] = []

    @property
    def address(self) -> Any:
        return self.socket.address

    def poll(self) -> list[Any]:
        events = self.wire.poll()
        self.happened += events
        return events

    def happened_of(self, kind: type) -> list[Any]:
        return [event for event in self.happened if isinstance(event, kind)]

    def has_heard(self) -> bool:
        """Whether a datagram waits in the socket."""
        return bool(select([self.socket], [], [], 0.0)[0])

    def wait(self) -> None:
        """Until the datagram that was sent to this machine is in its socket: at once, as a rule."""
        assert select([self.socket], [], [], 5.0)[0], "a datagram was lost on the way through this machine"

    def turn(self, pressed: Any = 0) -> None:
        """One turn of a game's loop."""
        self.poll()
        if self.end.due(now=Machine.now):
            self.end.advance(pressed, now=Machine.now)
        self.wire.flush()


def until(condition: Callable[[], bool], step: Callable[[], object], *, seconds: float = FRAME) -> None:
    for _ in range(LONGEST):
        if condition():
            return
        Machine.now += seconds
        step()
    raise AssertionError("the walk does not come to its end")


def all_turn(*machines: Machine) -> None:
    for machine in machines:
        machine.turn()


def match(sockets: ExitStack, *games: Any) -> list[Machine]:
    """Peers in a running match, the host first."""
    host = Machine(sockets, RollbackSession, games[0])
    machines = [host, *(Machine(sockets, RollbackSession, game, host_address=host.address) for game in games[1:])]
    until(lambda: host.end.running and host.end.frame > 10, lambda: all_turn(*machines))
    return machines


def a_key_press(record: Record, sockets: ExitStack) -> None:
    here, there = match(sockets, Fighter(), Fighter())
    until(lambda: here.end.due(now=Machine.now), lambda: None, seconds=FRAME / 4)
    while there.has_heard():
        there.poll()
    with record.stage("A key press: On the player's machine"):
        if here.end.due(now=Machine.now):
            here.end.advance(int(Button.RIGHT), now=Machine.now)
        here.wire.flush()
    # The other peer has gone on without the input, on a prediction.
    until(
        lambda: there.end.frame > here.end.frame + 2,
        lambda: there.end.due(now=Machine.now) and there.end.advance(0, now=Machine.now),
    )
    there.wait()
    with record.stage("A key press: On the other peer's machine"):
        there.poll()
        assert there.end.state is not None
    assert there.end.stats(now=Machine.now).rollbacks == 1


def a_strangers_datagram(record: Record, sockets: ExitStack) -> None:
    host = Machine(sockets, RollbackSession, Scramble(3))
    come_in(record, host, Machine(sockets, RollbackSession, Scramble(3), host_address=host.address))
    host, leaving, staying = match(sockets, *(Scramble(3) for _ in range(3)))
    come_in(record, host, Machine(sockets, SpectatorSession, Scramble(3), host.address), ", to watch")
    leaving.end.close()
    until(lambda: bool(host.end.gone), lambda: all_turn(host, staying, leaving))
    newcomer = Machine(sockets, RollbackSession, Scramble(3), host_address=host.address)
    come_in(record, host, newcomer, ", for a seat in a running match")


def come_in(record: Record, host: Machine, stranger: Machine, wish: str = "") -> None:
    """A datagram at a time; only the last one says what the stranger wants."""
    while host.has_heard():
        host.poll()
    for name in ("REQUEST", "HELLO", "ENTER"):
        until(host.has_heard, stranger.poll)
        if wish and name != "ENTER":
            host.poll()
            continue
        with record.stage(f"A stranger's datagram: {name}{wish}"):
            host.poll()
    until(stranger.has_heard, host.poll)
    assert [each for each in stranger.poll() if isinstance(each, PeerConnected)] or wish == ", to watch"


def a_snapshot(record: Record, sockets: ExitStack) -> None:
    server = Machine(sockets, Server, NetRunner())
    clients = [Machine(sockets, Client, NetRunner(), server.address) for _ in range(2)]

    def turn() -> None:
        server.poll()
        for client in clients:
            client.poll()
            if client.end.is_joined:
                client.end.tick(Intent(move_y=1.0), now=Machine.now)
                client.end.others(now=Machine.now)
            client.wire.flush()

    end = Machine.now + 1.0
    until(lambda: Machine.now >= end, turn)
    client = clients[0]
    snapshot_sent(record, server, client, "A snapshot: On the server", turn)
    with record.stage("A snapshot: On the client"):
        client.poll()
    with record.stage("A snapshot: On the client's screen"):
        assert client.end.player is not None
        assert client.end.others(now=Machine.now)
    assert client.end.stats.snapshots > 10


def snapshot_sent(record: Record, server: Machine, client: Machine, stage: str, turn: Callable[[], object]) -> None:
    """Play until the tick of the server that sends the client a snapshot, and record that one."""

    def tick() -> None:
        turn()
        Machine.now = server.end.next_timeout()
        server.wire.poll(Machine.now - 1e-9)  # what the clients have sent is read before the tick
        client.poll()
        with record.stage(stage):
            server.end.handle_timeout(now=Machine.now)
            server.wire.flush()

    until(client.has_heard, tick, seconds=0.0)


def a_desync(record: Record, sockets: ExitStack) -> None:
    folder = Path(sockets.enter_context(tempfile.TemporaryDirectory()))
    games = [
        f"{write_build(folder, 'good', BOX)}:Game",
        f"{write_build(folder, 'slow', BOX, ('SPEED * (button & 3)', '(SPEED - (x > 200)) * (button & 3)'))}:Game",
    ]
    here, there = match(sockets, *map(load_build, games))

    received, sent = iter(("A checksum comes", "Evidence comes")), iter(("Evidence goes out", "The report"))

    def turn() -> None:
        there.turn(1)
        with record.watched():
            here.poll()
        is_news = here.end.investigating
        if is_news:
            record.keep(f"A desync: {next(received)}")
        if here.end.due(now=Machine.now):
            here.end.advance(1, now=Machine.now)
        with record.watched():
            here.wire.flush()
        if is_news:
            record.keep(f"A desync: {next(sent)}")

    until(lambda: bool(here.happened_of(DesyncReported)), turn)
    with record.stage("A desync: The bundle"):
        found = here.happened_of(DesyncReported)[0].investigation
        save_bundle(folder / "match.desync", bundle_of(found, here.end.sim))
    jobs: list[str] = []
    send = Interpreter.send

    def note_and_send(interpreter: Interpreter, job: str) -> None:
        jobs.append(job)
        send(interpreter, job)

    with record.stage("A desync: Offline"), patch.object(Interpreter, "send", note_and_send):
        lines = explanation_lines(explain(load_bundle(folder / "match.desync"), (games[1],)))
    assert any("in Game.step: x = self.pushed(state.x, inputs[0])" in line for line in lines), lines
    # What the interpreter that traced did, once more and in this one.
    traced = next(job for job in map(json.loads, jobs) if job["trace"])
    with record.stage("A desync: In an interpreter of its own"):
        worker._answer(traced)


class Balloon(Thing):
    """Something that clients do not predict: they draw it in the past."""

    predicted = False
    x: F64 = 0.0


class Tank(Thing):
    player: Player
    x: F64 = 0.0


class Field(World):
    """What one player presses moves the other's tank too, so that predictions of it are corrected."""

    num_players = 2
    tanks: list[Tank]
    balloons: list[Balloon]

    def start(self, seed: int) -> None:
        self.tanks = [Tank(player=0), Tank(player=1)]
        self.balloons = [Balloon(x=1.0)]

    def advance(self, inputs: Sequence[int]) -> None:
        for tank in self.tanks:
            tank.x += inputs[tank.player]
        self.tanks[0].x += self.tanks[1].x / 1024
        self.balloons[0].x += 0.5

    def draw(self, screen: list[float]) -> None:
        screen += [self.tanks[0].x, self.balloons[0].x]


def a_worlds_field(record: Record, sockets: ExitStack) -> None:
    worlds_field(record, sockets, "", compact=False)
    worlds_field(record, sockets, ", compact", compact=True)


def worlds_field(record: Record, sockets: ExitStack, how: str, *, compact: bool) -> None:
    server = Machine(sockets, WorldServer, Field, config=WorldServerConfig(compact=compact))
    settings = WorldClientConfig(compact=compact)
    clients = [Machine(sockets, WorldClient, Field(), server.address, config=settings) for _ in range(2)]
    screen: list[float] = []

    def turn() -> None:
        server.poll()
        for number, client in enumerate(clients):
            client.turn(number * (int(Machine.now / 0.1) % 2))
            if client.end.running:
                client.end.world.draw(screen)

    end = Machine.now + 2.0
    until(lambda: Machine.now >= end, turn)
    client = clients[0]
    snapshot_sent(record, server, client, f"A world's field: On the server{how}", turn)
    with record.stage(f"A world's field: On the client{how}"):
        client.poll()
    with record.stage("A world's field: On the client's screen"):
        client.end.world.draw(screen)
    assert client.end.stats.corrections
    assert screen[-1] != screen[1]


WALKS = (a_key_press, a_strangers_datagram, a_snapshot, a_desync, a_worlds_field)


def main() -> None:
    assert not retick.is_compiled(), "a profiler sees no function of a compiled module: set RETICK_PURE=1"
    record = Record()
    for play in WALKS:
        with ExitStack() as sockets:
            play(record, sockets)
    json.dump(record.stages, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
