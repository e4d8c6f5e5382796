"""Delta snapshots: each client gets what changed since a snapshot that it is known to hold.

The receiver's own player travels exactly, since it is reconciled; the others coarsely, since they are only drawn; and
counters go to no one but whom they concern. Rows come from the game's layout, the coding is ``snapshot``'s. The
packet's header of 28 bytes says nothing that both ends do not know, so six bytes stand for it: see acked.py.
"""

from array import array
from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

from retick.authority.acked import delta_frame, split_delta
from retick.authority.shapes import State
from retick.authority.stats import InputStats, PlayerView
from retick.errors import BaselineMissing, InvalidValue
from retick.snapshot import Codec, Component, Field, Fixed, Limits, Schema, Snapshot, VarUInt
from retick.snapshot.session import DELTA, FULL, standard_header

__all__ = ["DeltaCodec", "DeltaReceiver", "DeltaSender", "Layout", "SnapshotView"]

PUBLIC: Final = 1
EXACT: Final = 2
PRIVATE: Final = 3
OWN: Final = 1 << 24
"""Added to a peer id: the entity that is the receiver himself."""
BASELINES: Final = 64
"""Snapshots kept at either end: three seconds of them at twenty a second."""
FARTHEST: Final = 255
"""Ticks back that a baseline may lie."""
LAST_TICK: Final = 0xFFFF0000
"""Two years at sixty a second: a server that claims more is wrong, and commands could not be stamped."""
HEADER: Final = 28
MS_STEPS: Final = 16
"""In one millisecond, for round trip and jitter."""
LONGEST_MS: Final = 65535
MOST_PLAYERS: Final = 64
FRAME_HEAD: Final = 6
LARGEST_VARINT_BITS: Final = 47
"""Seven bits of padding and five bytes."""


class Layout(Protocol):
    """A game's state as rows of whole numbers; ``games.runner.layout`` is one."""

    @property
    def exact(self) -> Sequence[tuple[str, int, int]]:
        """Name, lowest and highest of each number of a player's own row."""

    @property
    def public(self) -> Sequence[tuple[str, int, int]]:
        """The same of the row that others get."""

    def exact_row(self, state: State, /) -> tuple[int, ...]: ...
    def exact_state(self, row: tuple[int, ...], /) -> State: ...
    def public_row(self, state: State, /) -> tuple[int, ...]: ...
    def public_state(self, row: tuple[int, ...], /) -> State: ...


class SnapshotView(NamedTuple):
    """A decoded snapshot; of other players the counters are zero."""

    tick: int
    players: tuple[PlayerView, ...]


class Shared(NamedTuple):
    """The room at one tick, made once for all receivers: each player twice, in public and exact."""

    snapshot: Snapshot
    peer_ids: frozenset[int]


_COUNTERS: Final = ("ack", *InputStats._fields[:7])
_MEASURES: Final = (("delay_ticks", 0, 255), ("rtt", 0, LONGEST_MS), ("jitter", 0, LONGEST_MS))


def _fields(spans: Sequence[tuple[str, int, int]], first: int = 1) -> list[Field]:
    return [
        Field(number, Fixed(min_q=lowest, max_q=highest, scale=1), name=name)
        for number, (name, lowest, highest) in enumerate(spans, first)
    ]


def _private_row(view: PlayerView) -> tuple[int, ...]:
    stats = view.stats
    times = (max(0, min(LONGEST_MS, round(value * MS_STEPS))) for value in (stats.rtt_ms, stats.jitter_ms))
    return (view.ack, *stats[:7], stats.delay_ticks, *times)


def _stats_of(row: tuple[int, ...]) -> InputStats:
    return InputStats._make((*row[1:9], row[9] / MS_STEPS, row[10] / MS_STEPS))


def _entity_bytes(components: Sequence[Component]) -> int:
    """The most that an entity with these components takes: id, masks, values; varints after their padding."""
    bits = 32 + 3
    for component in components:
        for field in component.fields:
            bits += 1 + (field.codec.bits or LARGEST_VARINT_BITS)
    return (bits + 7) // 8


class DeltaCodec:
    """The schema that follows from a layout. Both ends make the same one, or the handshake's game id differs."""

    def __init__(self, layout: Layout) -> None:
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

    def largest(self, players: int) -> int:
        """Bytes that no snapshot of this many players passes: all of them new, and as many gone."""
        public, exact, private = self.schema.components
        shown = _entity_bytes([public])
        own = _entity_bytes([exact, private])
        # The frame's head, three sections with theirs, a count in each.
        return FRAME_HEAD + 3 * 5 + 4 * players + shown * (players - 1) + own

    def sender(self) -> "DeltaSender":
        return DeltaSender(self)

    def receiver(self) -> "DeltaReceiver":
        return DeltaReceiver(self)

    def share(self, tick: int, views: Sequence[PlayerView]) -> Shared:
        """All rows of one tick, in columns."""
        views = sorted(views, key=lambda view: view.peer_id)
        peer_ids = [view.peer_id for view in views]
        public = [self.layout.public_row(view.state) for view in views]
        exact = [self.layout.exact_row(view.state) for view in views]
        private = [_private_row(view) for view in views]
        here, there = b"\1" * len(views), bytes(len(views))
        snapshot = Snapshot.from_columns(
            self.schema,
            tick=tick,
            ids=array("I", peer_ids + [OWN + peer_id for peer_id in peer_ids]),
            columns={
                component: [array("q", column) for column in zip(*rows, strict=True)]
                for component, rows in ((PUBLIC, public), (EXACT, exact), (PRIVATE, private))
            },
            present={PUBLIC: here + there, EXACT: there + here, PRIVATE: there + here},
        )
        return Shared(snapshot, frozenset(peer_ids))

    def snapshot_for(self, shared: Shared, peer_id: int) -> Snapshot:
        """The room as one player gets it: the others in public, himself exactly."""
        return shared.snapshot.select(shared.peer_ids ^ {peer_id, OWN + peer_id})


class DeltaSender:
    """One client's snapshots at the server."""

    def __init__(self, codec: DeltaCodec) -> None:
        self._codec = codec
        self._sent: dict[int, Snapshot] = {}
        self._acked = 0

    def acknowledge(self, tick: int) -> None:
        """The client holds this one; a tick that was never sent, or is forgotten, changes nothing."""
        if tick > self._acked and tick in self._sent:
            self._acked = tick
            for old in [held for held in self._sent if held < tick]:
                del self._sent[old]

    def share(self, tick: int, views: Sequence[PlayerView]) -> Shared:
        return self._codec.share(tick, views)

    def encode(self, shared: Shared, peer_id: int) -> bytes:
        """A delta against the newest snapshot that is known to have arrived, or a full one."""
        codec, tick = self._codec.codec, shared.snapshot.tick
        snapshot = self._codec.snapshot_for(shared, peer_id)
        base = self._sent.get(self._acked) if tick - self._acked <= FARTHEST else None
        if base is None:
            frame = delta_frame(tick, 0, codec.encode_full(snapshot)[HEADER:])
        else:
            frame = delta_frame(tick, tick - self._acked, codec.encode_delta(base, snapshot)[HEADER:])
        self._sent[tick] = snapshot
        if len(self._sent) > BASELINES:
            del self._sent[min(held for held in self._sent if held != self._acked)]
        return frame


class DeltaReceiver:
    """One client's end. State changes only when a whole packet proved good."""

    def __init__(self, codec: DeltaCodec) -> None:
        self._codec = codec
        self._held: dict[int, Snapshot] = {}
        self.newest_tick = 0
        """What the client acknowledges; 0 before the first."""

    def decode(self, data: bytes, peer_id: int) -> SnapshotView:
        """The snapshot, or a DecodeError; BaselineMissing when it starts from one that is not held."""
        frame = split_delta(data)
        codec = self._codec.codec
        baseline_tick = frame.tick - frame.back if frame.back else 0
        flags = DELTA if frame.back else FULL
        if frame.tick > LAST_TICK:
            raise InvalidValue(f"tick {frame.tick} is beyond the last, {LAST_TICK}")
        if baseline_tick < 0:
            raise InvalidValue(f"a baseline {frame.back} ticks before tick {frame.tick}")
        packet = standard_header(codec, flags, frame.tick, baseline_tick, len(frame.body)) + frame.body
        if frame.back:
            base = self._held.get(baseline_tick)
            if base is None:
                raise BaselineMissing(f"the snapshot of tick {baseline_tick} is not held", tick=baseline_tick)
            snapshot = codec.apply_delta(base, packet)
        else:
            snapshot = codec.decode_full(packet)
        view = self._view(snapshot, peer_id)
        self._keep(frame.tick, snapshot)
        return view

    def _keep(self, tick: int, snapshot: Snapshot) -> None:
        self._held[tick] = snapshot
        self.newest_tick = max(self.newest_tick, tick)
        if len(self._held) > BASELINES:
            del self._held[min(self._held)]

    def _view(self, snapshot: Snapshot, peer_id: int) -> SnapshotView:
        layout = self._codec.layout
        players = []
        for entity, components in snapshot.entities():
            if entity == OWN + peer_id and EXACT in components and PRIVATE in components:
                row = components[PRIVATE]
                players.append(PlayerView(peer_id, row[0], layout.exact_state(components[EXACT]), _stats_of(row)))
            elif entity != peer_id and entity < OWN and PUBLIC in components:
                players.append(PlayerView(entity, 0, layout.public_state(components[PUBLIC]), InputStats()))
            else:
                raise InvalidValue(f"entity {entity} is not what player {peer_id} is to get")
        return SnapshotView(snapshot.tick, tuple(sorted(players, key=lambda player: player.peer_id)))
