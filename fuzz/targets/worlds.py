"""Readers of a declared world's server and clients: inputs, snapshots with their bodies, messages."""

from collections.abc import Sequence
from enum import Enum
from typing import Annotated, Any
from zlib import crc32

from fuzz.target import Bug, Target, name_of, of
from retick.authority.compact import CompactTables, KnownSnapshot, decode_body
from retick.authority.deltas import encode_body
from retick.authority.frames import (
    InputFrame,
    decode_input,
    decode_note,
    decode_snapshot,
    encode_input,
    encode_note,
    encode_snapshot,
)
from retick.authority.holding import Holding
from retick.authority.layout import layout_of
from retick.authority.messages import (
    Ended,
    Gone,
    LossNotice,
    Presence,
    RoomMessage,
    RoomOver,
    RoomWelcome,
    SeatNews,
    WorldMessage,
    decode_message,
    encode_message,
)
from retick.authority.rows import Rows
from retick.authority.server.saved_room import SavedRoom, SavedSeat, decode_room, encode_room
from retick.authority.views import Receiver, Stage, encode_cue
from retick.sim import (
    F64,
    I16,
    U8,
    U64,
    Angle,
    Dice,
    FRect,
    Most,
    OwnerOnly,
    Player,
    Range,
    Rect,
    Ref,
    Thing,
    Vector2,
    World,
)
from retick.wire.values import decode_value, decode_value_at, encode_value

__all__ = ["TARGETS"]


class _Mode(Enum):
    IDLE = 1
    BUSY = 2
    DONE = 3


class _Spot(Thing):
    x: Annotated[F64, Range(0, 100, step=1 / 8)] = 0.0
    y: F64 = 0.0


class _Load(Thing):
    of: Ref["_Cart"] = None


class _Cart(Thing):
    player: Player = 255
    spot: _Spot
    way: Angle = 0.0
    maybe: _Spot | None = None
    mode: _Mode = _Mode.IDLE
    secret: Annotated[U8, OwnerOnly] = 0
    name: Annotated[str, Most(12)] = "cart"
    pos: Annotated[Vector2, Range(0, 100, step=1 / 8)] = Vector2(3, 4)
    box: Rect = Rect(1, 2, 3, 4)
    shade: FRect | None = None
    note: Annotated[str | None, Most(8), OwnerOnly] = None
    trail: Annotated[list[Vector2], Most(2)]
    loads: Annotated[list[_Load], Most(2)]


class _Yard(World):
    """A world with a field of every kind."""

    num_players = 2
    carts: Annotated[list[_Cart], Most(3)]
    values: Annotated[list[I16], Most(3)]
    sum: U64
    dice: Dice

    def advance(self, inputs: Sequence[int], /) -> None:
        for cart in self.carts:
            cart.spot.x += 1 + inputs[0]
            cart.way += 0.25
            cart.pos += (1, 0.5)
            cart.box.x += inputs[0]
            cart.trail = [*cart.trail, cart.pos][-2:]
            cart.name = f"c\u00e4rt {inputs[0]}"
        self.values = [*self.values, inputs[1]][-3:]


LAYOUT = layout_of(_Yard)


def _packets(compact: CompactTables | None = None) -> tuple[list[bytes], Rows]:
    """Snapshots of a few ticks, each from the last one, and the rows of the second."""
    yard = _Yard()
    yard.carts = [_Cart(player=0, maybe=_Spot(x=3.0)), _Cart(mode=_Mode.DONE)]
    yard.carts[0].note, yard.carts[0].shade = "turn", FRect(0, 0, 1.5, -2)
    yard.carts[0].loads = [_Load(of=yard.carts[1])]
    stage = Stage(LAYOUT, yard)
    receiver = Receiver(stage, 0, compact=compact)
    made = []
    for tick in (1, 4, 7, 10):
        yard.advance((tick, 2))
        if tick == 7:
            yard.carts.pop()
            yard.carts.append(_Cart())
        receiver.hear(tick, encode_cue(("shot", tick, 0.5)))
        stage.survey(tick, [1, None])
        made.append(receiver.snapshot(margin=1, newest=tick))
        receiver.acknowledge(tick)
    stage.survey(4, [1, None])
    return made, receiver.rows()[0]


COMPACT = CompactTables(LAYOUT, sealed=True)
"""A codec without a check, so that bodies are reached."""
PACKETS, BASE = _packets()
COMPACT_PACKETS, _ = _packets(COMPACT)
BODIES = [decode_snapshot(packet).body for packet in PACKETS]
FULL, MOVED = BODIES[0], encode_body(BASE, Rows.none(4), LAYOUT)


def _read_full(data: bytes) -> Rows:
    return decode_body(Rows.none(), 1, data, LAYOUT)


def _read_delta(data: bytes) -> Rows:
    return decode_body(BASE, 5, data, LAYOUT)


def _law_of_bodies(base: Rows) -> Any:
    def law(data: bytes, rows: Rows) -> None:
        again = encode_body(base, rows, LAYOUT)
        if len(again) > len(data) or not decode_body(base, rows.tick, again, LAYOUT).same_as(rows):
            raise Bug("what was read does not write the same")

    return law


def _shown(rows: Rows) -> str:
    return repr([(entity, kind, list(numbers)) for entity, kind, numbers in rows.entities()])


def _law_of_snapshots(data: bytes, frame: Any) -> None:
    again = encode_snapshot(
        tick=frame.tick, back=frame.back, apart=None if frame.is_compact else frame.apart, margin=frame.margin,
        newest=frame.newest,
        serial=frame.serial, cues=[(cue.tick, encode_value(cue.cue)) for cue in frame.cues], body=frame.body,
    )  # fmt: skip
    if again != data:
        raise Bug("what was read does not write the same")


def _hold(data: bytes) -> Any:
    """Read a third snapshot, plain or compact, at a client that holds two."""
    client = Holding(LAYOUT, COMPACT)
    for packet in COMPACT_PACKETS[:2]:
        client.read_snapshot(packet)
    return client.read_snapshot(data)


def _known() -> list[KnownSnapshot]:
    """The first two snapshots, which both ends know."""
    first = COMPACT.known(decode_body(Rows.none(), 1, decode_snapshot(COMPACT_PACKETS[0]).body, LAYOUT), None)
    return [first, COMPACT.decode(first, 4, decode_snapshot(COMPACT_PACKETS[1]).body, lambda _tick: None)]


KNOWN = _known()
COMPACT_BODIES = tuple(decode_snapshot(packet).body for packet in COMPACT_PACKETS[1:])


def _read_compact(data: bytes) -> Rows:
    return COMPACT.decode(KNOWN[1], 7, data, {1: KNOWN[0].columns}.get).rows


def _law_of_compact(_data: bytes, rows: Rows) -> None:
    again, _ = COMPACT.encode(KNOWN[1], rows, [KNOWN[0].columns])
    if not _read_compact(again).same_as(rows):
        raise Bug("what was read does not write the same")


def _law_of_holding(_data: bytes, held: Any) -> None:
    if held is not None:
        yard = _Yard()
        yard.load(held.saved)
        if yard.save() != held.saved:
            raise Bug("what was read does not save the same")


MESSAGES: tuple[WorldMessage, ...] = (
    RoomWelcome(1, 8, 60, 3, 300), RoomMessage(b"hello"), SeatNews(2, Presence.PLAYING, "Ann"),
    RoomOver(Ended.FAULT, "sorry"), LossNotice(Gone.TOO_MANY, 9),
)  # fmt: skip
VALUES = (None, True, 7, -70, 1.5, 0.1, "shot", "x" * 40, b"data", ("shot", 3, (1.5, None)), tuple(range(40)))

ROOM = SavedRoom(
    schema=LAYOUT.hash, seed=7, tick=90, world=_Yard().save(),
    seats=(SavedSeat(0, b"t" * 16, "Ann", False), SavedSeat(1, bytes(16), "", True)),
)  # fmt: skip


def _crc_right(data: bytes) -> bytes:
    """Correct the checksum of these bytes, so that later checks are reached."""
    return data[:-4] + crc32(data[:-4]).to_bytes(4, "little") if len(data) > 4 else data


def _read_room(data: bytes) -> SavedRoom:
    return decode_room(_crc_right(data))


def _law_of_rooms(data: bytes, room: SavedRoom) -> None:
    if encode_room(room) != _crc_right(data):
        raise Bug("what was read does not write the same")


TARGETS: tuple[Target, ...] = (
    Target(name="world/room", read=_read_room, seeds=(encode_room(ROOM),), decoders=(name_of(decode_room),),
           law=_law_of_rooms),
    of("world/value", decode_value, *map(encode_value, VALUES), write=encode_value, also=(decode_value_at,)),
    of("world/input", decode_input, encode_input(InputFrame(9, 4, 33, (1, 1, 2)), 16), args=(16,), write=encode_input),
    of("world/snapshot", decode_snapshot, *PACKETS, *COMPACT_PACKETS, law=_law_of_snapshots),
    of("world/note", decode_note, encode_note(b"hi"), write=encode_note),
    of("world/message", decode_message, *map(encode_message, MESSAGES), write=encode_message),
    Target(name="world/body-full", read=_read_full, seeds=(FULL, b"\xe0"), decoders=(name_of(decode_body),),
           law=_law_of_bodies(Rows.none()), show=_shown),
    Target(name="world/body-delta", read=_read_delta, seeds=(MOVED, BODIES[1]), decoders=(name_of(decode_body),),
           law=_law_of_bodies(BASE), show=_shown),
    Target(name="world/holding", read=_hold, seeds=(*PACKETS, *COMPACT_PACKETS),
           decoders=(name_of(Holding.read_snapshot),), law=_law_of_holding),
    Target(name="world/compact", read=_read_compact, seeds=COMPACT_BODIES,
           decoders=(name_of(CompactTables.decode),), law=_law_of_compact, show=_shown),
)  # fmt: skip
