"""The bytes that a room sends, pinned.

The digests were taken from the code before replication moved to ``retick.snapshot.replication`` (commit 1e90b2f). Only
a change of the wire formats in docs/formats/netrunner-ticks.md or docs/formats/netrunner.md may change them.
"""

import hashlib
from collections.abc import Callable
from random import Random
from typing import Any

from retick.games.runner import Wanderer
from retick.netrunner import NetRunner, Room, ServerConfig
from retick.netrunner.delta import DeltaCodec
from tests.netrunner import hover_arena
from tests.netrunner.declared_games import PROFILE


class Recorder:
    """Stands where a link's connection would: keeps everything that is sent."""

    def __init__(self, record: Callable[[bytes], None]) -> None:
        self._record = record
        self.newest = 0
        """The tick of the newest delta snapshot sent."""

    def send_unreliable(self, data: bytes) -> bool:
        self._record(data)
        if data[0] == 0x12:
            self.newest = int.from_bytes(data[1:5], "little")
        return True

    messages_sent = messages_delivered = 0

    def send_reliable(self, data: bytes) -> bool:
        self._record(data)
        return True


def digest_of_a_room(profile: Any, intent: Callable[[int, Any], Any], *, ticks: int) -> tuple[str, int]:
    """Six players: one on fixed snapshots, one that never acknowledges, one that leaves and is followed by another."""
    dice, found, total = Random(7), hashlib.sha256(), 0
    codec = DeltaCodec(profile.layout)
    room = Room(profile, config=ServerConfig())
    builders: dict[int, Any] = {}

    def record(peer_id: int, data: bytes) -> None:
        nonlocal total
        total += 1
        found.update(peer_id.to_bytes(4, "little") + len(data).to_bytes(4, "little") + data)

    def join(fixed: bool) -> Any:
        player = room.add(bytes(16), room.tick / 60)
        peer_id = player.peer_id
        player.connection = Recorder(lambda data: record(peer_id, data))
        player.sender = None if fixed else codec.sender()
        builders[peer_id] = profile.builder()
        player.connection.send_reliable(room.welcome(player))
        return player

    players = [join(fixed=number == 1) for number in range(5)]
    for tick in range(1, ticks + 1):
        if tick == ticks // 2:
            room.remove(players[4])
            players.append(join(fixed=False))
        for player in list(room.players.values()):
            held = intent(player.peer_id, player.state)
            builders[player.peer_id].sample(held, player.state)
            command = builders[player.peer_id].build(held, seq=tick, tick=tick + 1, epoch=1)
            if dice.random() > 0.05:
                room.receive_bundle(player, profile.encode_inputs([command]))
            silent = player is players[2] or (player is players[3] and ticks // 3 < tick < 2 * ticks // 3)
            if player.sender is not None and not silent and dice.random() > 0.3:
                player.sender.acknowledge(player.connection.newest - 3 * dice.randrange(4))
        room.advance(tick / 60)
    return found.hexdigest(), total


def test_a_room_of_runners_sends_the_bytes_it_always_sent() -> None:
    # Wanderers, not course bots: those aim with atan2, whose last bit may differ between C libraries.
    bots: dict[int, Wanderer] = {}

    def intent(peer_id: int, state: Any) -> Any:
        held = bots.setdefault(peer_id, Wanderer(peer_id)).decide(state)
        return held._replace(fire=state.mode_ticks % 50 == 49)

    expected = "1f2cb5e6d1f2479230799e94b8f3b4414925da883a98c21f1574b5d8163690cd"
    assert digest_of_a_room(NetRunner(), intent, ticks=1500) == (expected, 2857)


def test_a_room_of_a_declared_game_sends_the_bytes_it_always_sent() -> None:
    def intent(peer_id: int, state: Any) -> Any:
        return hover_arena.Held(0.7 - peer_id / 8, -0.3, 1.0 - 0.1 * peer_id, state.reload == 0)

    expected = "67647e4153af053da2b1277e92c02999c68038ed267d32c83a28a7165ad0ec25"
    assert digest_of_a_room(PROFILE, intent, ticks=900) == (expected, 1717)
