"""The cost of a server of declared worlds with all its rooms: CPU time per tick, with everything the server does.

``python -m benchmarks.world_rooms`` runs 16 rooms of the arena of ``world_server`` with 8 players each, at 60 ticks and
20 snapshots a second. Only calls of the server are timed, by the CPU time of this thread.
"""

from random import Random
from time import thread_time
from typing import Any

from benchmarks.world_server import Arena, Fighter, pressed
from retick import is_compiled
from retick.authority.compact import CompactTables
from retick.authority.frames import COMPACT, SNAPSHOT, InputFrame, encode_input
from retick.authority.layout import layout_of
from retick.authority.server import WorldServer, WorldServerConfig
from retick.host.config import COMPACT_SNAPSHOTS
from retick.host.joining import JoinRequest, encode_join
from retick.host.link_config import link_config
from retick.link import LinkEndpoint, UnreliableReceived

ROOMS, PLAYERS, RATE = 16, 8, 60
SECONDS = 20


class Match(Arena):
    """The arena, which players join."""

    game_id = "benchmark.match"

    def start(self, seed: int) -> None:
        self.score = [0] * 8

    def join(self, player: int) -> None:
        self.fighters.append(Fighter(player=player, x=100.0 * player + 50, y=300.0))


class Player:
    """Sends inputs 30 times per second, and acknowledges every snapshot without reading it."""

    def __init__(self, number: int, room: str, compact: int) -> None:
        """``compact`` is the hash of the tables of compact snapshots; 0 for plain ones."""
        world = Match()
        self.number = number
        self.bits = layout_of(Match).input_bits
        config = link_config(world.game_id, world.game_version, timeout=5.0, capabilities=COMPACT_SNAPSHOTS)
        self.link = LinkEndpoint(config, entropy=Random(number).randbytes)
        request = JoinRequest(room, schema=layout_of(Match).hash, compact=compact)
        self.connection = self.link.dial("server", data=encode_join(request))
        self.held = 0
        self.bytes = 0

    def turn(self, tick: int, now: float) -> None:
        self.link.handle_timeout(now=now)
        for event in self.link.events():
            if isinstance(event, UnreliableReceived) and event.data[0] in (SNAPSHOT, COMPACT):
                self.held = int.from_bytes(event.data[1:5], "little")
                self.bytes += len(event.data)
        if tick % 2 == self.number % 2 and self.connection.is_connected and tick > 16:
            inputs = tuple(pressed(self.number % 8, tick - back, 20) & 0xFFFF for back in range(4))
            frame = InputFrame(tick, min(self.held, tick - 1), 96, inputs)
            self.connection.send_unreliable(encode_input(frame, self.bits))


class Timed:
    """Calls the server, and measures the CPU time of each tick of all rooms."""

    def __init__(self, server: Any) -> None:
        self.server = server
        self.spent = 0.0

    def call(self, name: str, *arguments: Any, **named: Any) -> Any:
        before = thread_time()
        found = getattr(self.server, name)(*arguments, **named)
        self.spent += thread_time() - before
        return found


def main() -> None:
    print("compiled" if is_compiled() else "uncompiled")
    for compact in (0, CompactTables(layout_of(Match), sealed=True).hash):
        run(compact)


def run(compact: int) -> None:
    names = tuple(f"room {number}" for number in range(ROOMS))
    config = WorldServerConfig(rooms=names, max_connections_per_address=1000)
    timed = Timed(WorldServer(Match, entropy=Random(1).randbytes, config=config))
    players = [Player(number, names[number // PLAYERS], compact) for number in range(ROOMS * PLAYERS)]
    by_name: dict[Any, Player] = {f"player {player.number}": player for player in players}
    costs = []
    for tick in range(1, SECONDS * RATE + 1):
        now = tick / RATE
        timed.spent = 0.0
        for name, player in by_name.items():
            player.turn(tick + 6, now)
            for data, _ in player.link.datagrams_to_send(now=now):
                timed.call("receive_datagram", data, name, now=now)
        timed.call("handle_timeout", now=now)
        for data, name in timed.call("datagrams_to_send", now=now):
            by_name[name].link.receive_datagram(data, "server", now=now)
        timed.server.events()
        costs.append(timed.spent)
    used = sorted(costs[5 * RATE :])
    room = timed.server.rooms[names[0]]
    assert len(room.players) == PLAYERS
    assert room.players[0].inputs.used > (SECONDS - 2) * RATE
    sent = sum(each.stats.snapshot_bytes for each in timed.server.rooms.values())
    form = "compact" if compact else "plain"
    print(
        f"{form}, {ROOMS} rooms of {PLAYERS}: {1000 * sum(used) / len(used):.2f} ms of CPU a tick, "
        f"p99 {1000 * used[len(used) * 99 // 100]:.2f} ms, of {1000 / RATE:.1f}"
    )
    print(f"{sent / sum(each.stats.snapshots for each in timed.server.rooms.values()):.0f} bytes a snapshot")


if __name__ == "__main__":
    main()
