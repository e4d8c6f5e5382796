"""How many rooms one core can serve: a server on real UDP, senders in another process, and what takes the time."""

# retick: floats -- times

import os
import select
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from retick.authority import Server, ServerConfig
from retick.authority.server.room import Room
from retick.cli.bench.cpu_pinning import PinnedToCore
from retick.cli.child_process import start_module
from retick.games.runner import NetRunner
from retick.transport.poll import send_waiting
from retick.transport.udp import UdpSocket, open_udp

__all__ = ["Load", "measure_load"]

JOIN_SECONDS: Final = 30.0
"""Seconds in which all players must have joined."""
SETTLING: Final = 2.0
"""Seconds for clocks and delays to settle after that."""
DRAIN: Final = 1024
"""Datagrams read before a tick: with fewer, a late server could not catch up with its players' commands."""
PARTS: Final = ("receive", "tick", "snapshots", "send")
"""What the server's time is spent on."""


@dataclass(slots=True)
class Load:
    """The figures of one run, all of the server's process."""

    rooms: int
    players: int
    """In each room."""
    joined: int = 0
    ticks: list[float] = field(default_factory=list)
    """Seconds of real time for each tick of all rooms, snapshots and their sending included."""
    work: list[float] = field(default_factory=list)
    """The same in CPU time, which other processes do not add to."""
    lateness: list[float] = field(default_factory=list)
    """Seconds from when a tick was due to when it was done."""
    spent: dict[str, float] = field(default_factory=lambda: dict.fromkeys(PARTS, 0.0))
    """Seconds of CPU time of this thread, by part."""
    seconds: float = 0.0
    """How long it was measured."""
    datagrams: int = 0
    """Received."""
    snapshot_bytes: float = 0.0
    """Mean size of a snapshot."""
    skipped_ticks: int = 0
    """Ticks left out because the server was late."""
    least_buffered: float = 0.0
    """Share of ticks for which a command had arrived in time, of the worst player."""
    ahead: bool = False
    """Whether the server had real-time priority, so that other processes are not in the figures."""

    @property
    def busy(self) -> float:
        """Share of one core."""
        return sum(self.spent.values()) / max(1e-9, self.seconds)

    def at(self, values: list[float], share: float) -> float:
        """A percentile of ``values``; ``share`` is 0 to 1."""
        return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else 0.0


def measure_load(
    *,
    rooms: int = 8,
    players: int = 16,
    seconds: float = 10.0,
    sealed: bool = True,
    progress: Callable[[str], None] = lambda text: None,
) -> Load:
    """Serve the senders for so many seconds after all have joined."""
    names = tuple(f"room {number}" for number in range(rooms))
    server = Server(NetRunner(), entropy=os.urandom, config=ServerConfig(rooms=names), sealed=sealed)
    socket = open_udp("127.0.0.1", 0)
    child = start_module(
        "retick.cli.bench.authority_senders", "--port", str(socket.address[1]), "--rooms", str(rooms),
        "--players", str(players), "--seconds", str(seconds + JOIN_SECONDS + SETTLING),
        *(() if sealed else ("--plain",)),
    )  # fmt: skip
    load = Load(rooms, players)
    try:
        with PinnedToCore(0) as place:
            load.ahead = place.is_ahead
            _measure(server, socket, load, seconds, progress)
    finally:
        child.terminate()
        child.communicate()
        socket.close()
    return load


def _measure(server: Server, socket: UdpSocket, load: Load, seconds: float, progress: Callable[[str], None]) -> None:
    rooms, players = load.rooms, load.players
    progress(f"{rooms} rooms of {players}: players join")
    waited = 0.0
    while _seated(server) < rooms * players and waited < JOIN_SECONDS:
        _serve(server, socket, 0.5, Load(rooms, players))
        waited += 0.5
    _serve(server, socket, SETTLING, Load(rooms, players))
    before = {room.name: _buffered(room) for room in server.rooms.values()}
    progress(f"{rooms} rooms of {players}: {seconds:g} s")
    skipped = server.skipped_ticks
    _serve(server, socket, seconds, load)
    load.skipped_ticks = server.skipped_ticks - skipped
    load.joined = _seated(server)
    load.least_buffered = min((_worst(room, before[room.name]) for room in server.rooms.values()), default=0.0)
    sent = [room.stats for room in server.rooms.values()]
    load.snapshot_bytes = sum(s.snapshot_bytes for s in sent) / max(1, sum(s.snapshots for s in sent))


def _seated(server: Server) -> int:
    return sum(len(room.players) for room in server.rooms.values())


def _buffered(room: Room) -> dict[int, tuple[int, int]]:
    return {peer: (player.stats.ticks_buffered, room.tick) for peer, player in room.players.items()}


def _worst(room: Room, before: dict[int, tuple[int, int]]) -> float:
    shares = []
    for peer, player in room.players.items():
        buffered, tick = before.get(peer, (0, 0))
        shares.append((player.stats.ticks_buffered - buffered) / max(1, room.tick - tick))
    return min(shares, default=0.0)


def _serve(server: Server, socket: UdpSocket, seconds: float, load: Load) -> None:
    """The server's loop, with a clock around each part."""
    clock, own, spent = time.perf_counter, time.thread_time, load.spent
    restore = _timed_snapshots(server, spent)
    first = next(iter(server.rooms.values()))
    started = clock()
    while (now := clock()) < started + seconds:
        due = server.next_timeout() or now
        if due > now:
            select.select([socket.fileno()], [], [], due - now)
        begun = own()
        load.datagrams += _receive(server, socket, clock())
        received = own()
        spent["receive"] += received - begun
        now = clock()
        if due <= now:
            before, tick = spent["snapshots"], first.tick
            server.handle_timeout(now=now)
            ticked = own()
            spent["tick"] += ticked - received - (spent["snapshots"] - before)
            send_waiting(socket, server, now)
            sent = own()
            spent["send"] += sent - ticked
            if first.tick > tick:
                load.ticks.append(clock() - now)
                load.work.append((sent - received) / (first.tick - tick))
                load.lateness.append(clock() - due)
        server.events()
    load.seconds = clock() - started
    restore()


def _receive(server: Server, socket: UdpSocket, now: float) -> int:
    for count in range(DRAIN):
        found = socket.receive()
        if found is None:
            return count
        server.receive_datagram(found[0], found[1], now=now)
    return DRAIN


def _timed_snapshots(server: Server, spent: dict[str, float]) -> Callable[[], None]:
    """Put a clock around the making of snapshots; call the result to remove it."""
    clock = time.thread_time
    plain = Room._send_snapshots

    def timed(room: Room) -> None:
        begun = clock()
        plain(room)
        spent["snapshots"] += clock() - begun

    for room in server.rooms.values():
        room._send_snapshots = timed.__get__(room)  # type: ignore[method-assign]  # measured, not changed

    def restore() -> None:
        for room in server.rooms.values():
            del room._send_snapshots

    return restore
