"""The snapshot, 1398 bytes, the same for every client.

::

    0         u8   2, the packet type
    1         u32  server tick just simulated
    5         u8   count of players, 0..16
    6 + 87*i  player i
       +0   i32   peer id              +4   u32  newest seq consumed (the ack)
       +8   3f32  position             +20  3f32 velocity
       +32  f32   yaw                  +36  f32  pitch
       +40  u8    grounded             +41  u32  commands that came too late
       +45  u32   ... too early        +49  u32  ticks run on a real command
       +53  u32   ... on a repeated    +57  u32  ... on a neutral
       +61  u32   missing streak now   +65  u32  its maximum
       +69  i32   input delay, ticks   +73  f32  round trip ms    +77  f32  jitter ms
       +81  6 bytes of locomotion

Little-endian, always of full length. Slots past the count are zero when written and not looked at when read. One bad
player makes the whole packet bad.
"""

# retick: floats -- binary32 fields, carried as they are; none that is not a finite number gets in or out

import struct
from collections.abc import Sequence
from math import isfinite
from typing import Any, Final, TypeAlias

from retick.errors import EncodeError, InvalidValue, LimitExceeded
from retick.games.runner import locomotion
from retick.games.runner.motor.state import RunnerState
from retick.games.runner.netrunner.framing import SNAPSHOT, check_packet
from retick.wire.authority import INPUT_STATS_FORMAT, InputStats, PlayerView, SnapshotView

__all__ = [
    "MAX_PLAYERS",
    "SNAPSHOT_SIZE",
    "STATE_SIZE",
    "InputStats",
    "PlayerSnapshot",
    "RunnerSnapshot",
    "decode_snapshot",
    "decode_state",
    "encode_snapshot",
    "encode_state",
]

MAX_PLAYERS: Final = 16
_HEADER: Final = struct.Struct("<BIB")
_STATE: Final = struct.Struct(f"<iI8fB{INPUT_STATS_FORMAT}6s")
STATE_SIZE: Final = _STATE.size
SNAPSHOT_SIZE: Final = _HEADER.size + MAX_PLAYERS * STATE_SIZE


PlayerSnapshot: TypeAlias = PlayerView[RunnerState]
RunnerSnapshot: TypeAlias = SnapshotView[RunnerState]


def encode_state(player: PlayerSnapshot) -> bytes:
    """The 87 bytes of one player."""
    state = player.state
    if not all(map(isfinite, state[:8])) or not all(map(isfinite, player.stats[8:])):
        raise EncodeError(f"player {player.peer_id} has a value that is not a finite number")
    packed = locomotion.pack(state.locomotion)
    try:
        return _STATE.pack(player.peer_id, player.ack, *state[:8], state.grounded, *player.stats, packed)
    except (struct.error, OverflowError) as error:
        raise EncodeError(f"player {player.peer_id} does not fit 87 bytes: {error}") from None


def encode_snapshot(tick: int, players: Sequence[PlayerSnapshot]) -> bytes:
    """The packet of up to sixteen players."""
    if len(players) > MAX_PLAYERS:
        raise EncodeError(f"a snapshot holds at most {MAX_PLAYERS} players, not {len(players)}")
    try:
        header = _HEADER.pack(SNAPSHOT, tick, len(players))
    except struct.error as error:
        raise EncodeError(f"tick {tick} does not fit 32 bits: {error}") from None
    return (header + b"".join(map(encode_state, players))).ljust(SNAPSHOT_SIZE, b"\0")


def decode_state(data: bytes) -> PlayerSnapshot:
    """One player from exactly 87 bytes."""
    if len(data) != STATE_SIZE:
        raise InvalidValue(f"a player is {STATE_SIZE} bytes, not {len(data)}")
    return _player(_STATE.unpack(data))


def decode_snapshot(data: bytes) -> RunnerSnapshot:
    """The snapshot, or a DecodeError; nothing of a refused one may be used."""
    check_packet(data, SNAPSHOT, SNAPSHOT_SIZE, "a snapshot")
    _, tick, count = _HEADER.unpack_from(data)
    if count > MAX_PLAYERS:
        raise LimitExceeded(
            f"a snapshot holds at most {MAX_PLAYERS} players, not {count}",
            what="players",
            limit=MAX_PLAYERS,
            actual=count,
        )
    end = _HEADER.size + count * STATE_SIZE
    slots = _STATE.iter_unpack(memoryview(data)[_HEADER.size : end])
    return SnapshotView(tick, tuple(map(_player, slots)))


def _player(slot: tuple[Any, ...]) -> PlayerSnapshot:
    row: tuple[float, ...] = slot[2:10]
    stats = InputStats._make(slot[11:21])
    if not all(map(isfinite, row)) or not (isfinite(stats.rtt_ms) and isfinite(stats.jitter_ms)):
        raise InvalidValue(f"player {slot[0]} has a value that is not a finite number")
    mode, mode_ticks, normal, wall_run_ticks, slide_ticks = locomotion.unpack(slot[21])
    state = RunnerState._make((*row, slot[10] != 0, mode, mode_ticks, *normal, wall_run_ticks, slide_ticks))
    return PlayerView(slot[0], slot[1], state, stats)
