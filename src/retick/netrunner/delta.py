"""Delta snapshots: each client gets the changes since a snapshot that it certainly holds.

A player's own state is sent exactly, because the client reconciles with it. The other players are sent coarsely,
because they are only drawn. A player's counters go to that player alone.

The game's layout turns states into rows of integers; ``snapshot.replication`` does the rest. Its 28-byte packet header
would say nothing that both ends do not know, so the six bytes below replace it.
"""

import struct
from collections.abc import Sequence
from typing import Final, NamedTuple

from retick.errors import InvalidValue, Truncated
from retick.host.stats import InputStats
from retick.netrunner.messages import PlayerView, SnapshotView
from retick.netrunner.profile import RowLayout, State
from retick.snapshot import (
    BaselineRing,
    Codec,
    CompactPacket,
    CompactReceiver,
    CompactSender,
    Component,
    Fanout,
    Field,
    Fixed,
    Limits,
    Replica,
    Schema,
    Snapshot,
    VarUInt,
)

# The two payloads of delta snapshots: they replace the game's own when both ends have the capability.
#
# ::
#
#     acked input     client to server   u8 0x11   u32 newest snapshot tick held, 0 for none   the game's input bundle
#     delta snapshot  server to client   u8 0x12   u32 tick   u8 ticks back to the baseline, 0 for none   the sections
#
# Little-endian. The first byte cannot be mistaken for a packet type of a game: those are below 16.

ACKED_INPUT: Final = 0x11
DELTA_SNAPSHOT: Final = 0x12
_ACKED: Final = struct.Struct("<BI")
_DELTA: Final = struct.Struct("<BIB")
ACKED_HEAD_SIZE: Final = _ACKED.size
"""Bytes before the bundle of an acked input."""
DELTA_HEAD_SIZE: Final = _DELTA.size
"""Bytes before the sections of a delta snapshot."""


class DeltaFrame(NamedTuple):
    """A delta snapshot as it is sent."""

    tick: int
    back: int
    """How many ticks before this one its baseline is; 0 for a full snapshot."""
    body: bytes
    """The sections, as ``snapshot`` encodes them."""


def acked_input(ack: int, bundle: bytes) -> bytes:
    """Wrap an input bundle in a payload that acknowledges the snapshot of tick ``ack``."""
    return _ACKED.pack(ACKED_INPUT, ack) + bundle


def split_acked_input(data: bytes) -> tuple[int, bytes]:
    """Split an acked input into tick and bundle; if it is too short, the bundle is empty, which no game decodes."""
    if len(data) < _ACKED.size:
        return 0, b""
    return _ACKED.unpack_from(data)[1], data[_ACKED.size :]


def delta_frame(tick: int, back: int, body: bytes) -> bytes:
    """The payload of a delta snapshot."""
    return _DELTA.pack(DELTA_SNAPSHOT, tick, back) + body


def split_delta(data: bytes) -> DeltaFrame:
    """Split a delta snapshot into its parts, or raise Truncated."""
    if len(data) < _DELTA.size:
        raise Truncated(
            f"a delta snapshot has at least {_DELTA.size} bytes, not {len(data)}",
            needed=_DELTA.size,
            available=len(data),
        )
    _, tick, back = _DELTA.unpack_from(data)
    return DeltaFrame(tick, back, data[_DELTA.size :])


PUBLIC: Final = 1
EXACT: Final = 2
PRIVATE: Final = 3
OWN: Final = 1 << 24
"""Added to a peer id, this gives the entity of the receiver's own player."""
LAST_PEER_ID: Final = OWN - 1
BASELINES: Final = 64
"""How many snapshots either end keeps: three seconds of them at twenty a second."""
FARTHEST: Final = 255
"""The most ticks back that a baseline may be: the frame has one byte for them."""
LAST_TICK: Final = 0xFFFF0000
"""Two years at sixty a second. A server with a later tick is wrong, and commands could not be stamped for it."""
MS_STEPS: Final = 16
"""Steps per millisecond, for round trip and jitter."""
LONGEST_MS: Final = 65535
"""The most steps, not milliseconds, that 16 bits hold."""
MOST_PLAYERS: Final = 64
COMPACT_HEAD_SIZE: Final = 14
"""Form, check, listed history, length of the structure; a compact body is never longer than the plain one."""
LARGEST_VARINT_BITS: Final = 47
"""The most bits of a varint: five bytes, and seven bits of padding."""


class Shared(NamedTuple):
    """A room at one tick, for all its receivers: contains each player twice, publicly and exactly."""

    fanout: Fanout
    peer_ids: frozenset[int]

    def view_of(self, peer_id: int) -> frozenset[int]:
        """The entities that one player gets: the others publicly, its own exactly."""
        return self.peer_ids ^ {peer_id, OWN + peer_id}


_COUNTERS: Final = ("ack", *InputStats._fields[:7])
_MEASURES: Final = (("delay_ticks", 0, 255), ("rtt", 0, LONGEST_MS), ("jitter", 0, LONGEST_MS))


def _fields(spans: Sequence[tuple[str, int, int]], first: int = 1) -> list[Field]:
    return [
        Field(number, Fixed(min_q=lowest, max_q=highest, scale=1), name=name)
        for number, (name, lowest, highest) in enumerate(spans, first)
    ]


def _private_row(view: PlayerView[State]) -> tuple[int, ...]:
    stats = view.stats
    times = (max(0, min(LONGEST_MS, round(value * MS_STEPS))) for value in (stats.rtt_ms, stats.jitter_ms))
    return (view.ack, *stats[:7], stats.delay_ticks, *times)


def _stats_of(row: tuple[int, ...]) -> InputStats:
    return InputStats._make((*row[1:9], row[9] / MS_STEPS, row[10] / MS_STEPS))


def _entity_bytes(components: Sequence[Component]) -> int:
    """The most bytes of an entity with these components: id, masks, values; varints with their padding."""
    bits = 32 + 3
    for component in components:
        for field in component.fields:
            bits += 1 + (field.codec.bits or LARGEST_VARINT_BITS)
    return (bits + 7) // 8


class DeltaCodec:
    """The schema that a layout makes. Each end builds its own, and the hashes are compared when a client joins."""

    def __init__(self, layout: RowLayout, *, sealed: bool = False) -> None:
        """``sealed``: the link refuses altered datagrams, so compact deltas need no check of their own."""
        self.layout = layout
        counters = [Field(number, VarUInt(), name=name) for number, name in enumerate(_COUNTERS, 1)]
        measures = _fields(_MEASURES, first=len(counters) + 1)
        components = [
            Component(PUBLIC, _fields(layout.public), name="public"),
            Component(EXACT, _fields(layout.exact), name="exact"),
            Component(PRIVATE, counters + measures, name="private"),
        ]
        limits = Limits(
            max_packet_bytes=1472,
            max_entities_create=MOST_PLAYERS,
            max_entities_update=MOST_PLAYERS,
            max_entities_destroy=MOST_PLAYERS,
            max_total_entities_after_apply=MOST_PLAYERS,
        )
        self.schema = Schema(components)
        self.codec = Codec(self.schema, version=2, limits=limits)
        self.compact = Codec(self.schema, limits=limits, compact=True, sealed=sealed)

    def largest(self, players: int) -> int:
        """The most bytes of a snapshot with this many players: all of them new, and as many gone."""
        public, exact, private = self.schema.components
        shown = _entity_bytes([public])
        own = _entity_bytes([exact, private])
        # The frame's head, and that of a compact payload; then three sections, each with a head and a count; four bytes
        # for each player that is gone.
        return DELTA_HEAD_SIZE + COMPACT_HEAD_SIZE + 3 * 5 + 4 * players + shown * (players - 1) + own

    def sender(self, *, compact: bool = False) -> "ProfileDeltaSender":
        """The server's end for one client; ``compact`` if both ends have that capability."""
        return CompactDeltaSender(self) if compact else ProfileDeltaSender(self)

    def receiver(self, *, compact: bool = False) -> "DeltaReceiver":
        """A client's end."""
        return CompactDeltaReceiver(self) if compact else DeltaReceiver(self)

    def share(self, tick: int, views: Sequence[PlayerView[State]]) -> Shared:
        """All players at one tick, ready to be encoded for each of them."""
        views = sorted(views, key=lambda view: view.peer_id)
        peer_ids = [view.peer_id for view in views]
        layout = self.layout
        public = [(view.peer_id, {PUBLIC: layout.public_row(view.state)}) for view in views]
        own = [
            (OWN + view.peer_id, {EXACT: layout.exact_row(view.state), PRIVATE: _private_row(view)}) for view in views
        ]
        snapshot = Snapshot.of(self.schema, tick=tick, entities=public + own)
        return Shared(Fanout(self.codec, snapshot, header=False), frozenset(peer_ids))


class ProfileDeltaSender:
    """The server's end of one client's delta snapshots."""

    def __init__(self, codec: DeltaCodec) -> None:
        self._codec = codec
        self._replica: Replica[Snapshot] = Replica(BASELINES)

    def acknowledge(self, tick: int) -> None:
        """Note that the client holds this tick. A tick that was never sent, or is no longer kept, changes nothing."""
        self._replica.acknowledge(tick)

    def share(self, tick: int, views: Sequence[PlayerView[State]]) -> Shared:
        """All players at one tick, as from :meth:`DeltaCodec.share`; serves every sender of the same codec."""
        return self._codec.share(tick, views)

    def encode(self, shared: Shared, peer_id: int) -> bytes:
        """Encode a delta against the newest acknowledged snapshot, or a full one if none is near enough."""
        fanout, view = shared.fanout, shared.view_of(peer_id)
        tick, base, back = fanout.tick, self._replica.base, 0
        if base is not None:
            back = tick - base.tick
            if back > FARTHEST:
                base, back = None, 0
        frame = delta_frame(tick, back, fanout.packet(base, view))
        self._replica.sent(fanout.result(base, view))
        return frame


class CompactDeltaSender(ProfileDeltaSender):
    """Sends compact deltas, with the statistics carried for this client."""

    def __init__(self, codec: DeltaCodec) -> None:
        super().__init__(codec)
        self._compact = CompactSender(codec.compact, history=BASELINES)

    def acknowledge(self, tick: int) -> None:
        self._compact.acknowledge(tick)

    def encode(self, shared: Shared, peer_id: int) -> bytes:
        current = shared.fanout.view(shared.view_of(peer_id))
        base = self._compact.base_tick
        if base and current.tick - base > FARTHEST:
            self._compact.forget()
        packet = self._compact.encode(current)
        back = packet.tick - packet.baseline_tick if packet.baseline_tick else 0
        return delta_frame(packet.tick, back, packet.payload)


class DeltaReceiver:
    """A client's end of delta snapshots. A packet changes it only after every check has passed."""

    def __init__(self, codec: DeltaCodec) -> None:
        self._codec = codec
        self._held: BaselineRing[Snapshot] = BaselineRing(BASELINES)

    @property
    def newest_tick(self) -> int:
        """The tick that the client acknowledges; 0 before the first snapshot."""
        return self._held.last_tick or 0

    def decode(self, data: bytes, peer_id: int) -> SnapshotView[State]:
        """Decode a snapshot, or raise DecodeError; BaselineMissing if its baseline is not held.

        The counters of other players are zero.
        """
        frame = split_delta(data)
        if frame.tick > LAST_TICK:
            raise InvalidValue(f"tick {frame.tick} is beyond the last, {LAST_TICK}")
        if frame.back > frame.tick:
            raise InvalidValue(f"a baseline {frame.back} ticks before tick {frame.tick}")
        return self._take(frame, peer_id)

    def _take(self, frame: DeltaFrame, peer_id: int) -> SnapshotView[State]:
        base = self._held.require(frame.tick - frame.back) if frame.back else None
        snapshot = self._codec.codec.decode_payload(base, frame.tick, frame.body)
        view = self._view(snapshot, peer_id)
        # A snapshot that comes late is never acknowledged, so no delta will start from it.
        if frame.tick > self.newest_tick:
            self._held.insert(frame.tick, snapshot)
        return view

    def _view(self, snapshot: Snapshot, peer_id: int) -> SnapshotView[State]:
        layout = self._codec.layout
        players = []
        for entity, components in snapshot.entities():
            if entity == OWN + peer_id and EXACT in components and PRIVATE in components:
                row = components[PRIVATE]
                players.append(PlayerView(peer_id, row[0], layout.exact_state(components[EXACT]), _stats_of(row)))
            elif entity != peer_id and entity < OWN and PUBLIC in components:
                players.append(PlayerView(entity, 0, layout.public_state(components[PUBLIC]), InputStats()))
            else:
                raise InvalidValue(f"entity {entity} may not be in a snapshot for player {peer_id}")
        return SnapshotView(snapshot.tick, tuple(sorted(players, key=lambda player: player.peer_id)))


class CompactDeltaReceiver(DeltaReceiver):
    """Receives compact deltas."""

    def __init__(self, codec: DeltaCodec) -> None:
        super().__init__(codec)
        self._compact = CompactReceiver(codec.compact, history=BASELINES)

    @property
    def newest_tick(self) -> int:
        return self._compact.newest_tick

    def _take(self, frame: DeltaFrame, peer_id: int) -> SnapshotView[State]:
        packet = CompactPacket(frame.tick, frame.tick - frame.back if frame.back else 0, frame.body)
        return self._compact.decode_as(packet, lambda snapshot: self._view(snapshot, peer_id))
