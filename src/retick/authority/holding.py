"""A client's end of snapshots: what it holds, and the world that follows from it.

A snapshot changes this only after every check has passed, those of the world included. So an acknowledged snapshot is
one that was used.
"""

import struct
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from retick.authority.compact import CompactTables, KnownSnapshot, decode_body
from retick.authority.delta_sender import BASELINES
from retick.authority.deltas import carried_on
from retick.authority.frames import Cue, SnapshotFrame, decode_snapshot
from retick.authority.layout import FIRST_SEAT, WORD, WorldLayout, is_sent
from retick.authority.rows import Rows
from retick.errors import InvalidValue, LimitExceeded
from retick.sim.world.members import Member, members_of
from retick.sim.world.saved import HEAD, MAGIC, VERSION, unpack_world
from retick.snapshot import Snapshot
from retick.snapshot.compact.coder import Statistics
from retick.snapshot.replication import BaselineRing

# Turns entities into a world: the saved bytes of the world that a receiver knows, which the world then loads.
#
# So everything that loading guarantees holds here too: it reuses the objects of the same id and class, checks
# everything before it changes anything, and raises only DecodeErrors. A field that is not sent has its declared
# default. Items are in the order of their ids. An item whose holder is missing is left out, and a reference to a
# missing thing is none.

_ID, _COUNT = struct.Struct("<I"), struct.Struct("<H")


class Seat(NamedTuple):
    """What a receiver knows of a player."""

    connected: bool
    input: int
    """The player's input in the last tick."""


class _Known(NamedTuple):
    """The items of a snapshot while bytes are made of them."""

    ids: frozenset[int]
    held: dict[tuple[int, int], list[tuple[int, Sequence[int]]]]
    """The items for each component and holder, by ascending id."""


_Writer = Callable[[Sequence[int], int, _Known], bytes]
"""Makes the saved bytes of one field from an entity's numbers, its id, and everything known."""


class Restorer:
    """Makes states of one class of worlds."""

    def __init__(self, layout: WorldLayout) -> None:
        self._layout = layout
        self._lists = {
            (component.parent, component.path, component.part): index
            for index, component in enumerate(layout.components)
            if component.part >= 0
        }
        self._writers: list[list[_Writer]] = []
        for index, component in enumerate(layout.components[:-1]):
            leading = 1 if index == 0 or component.has_holder else 0
            self._writers.append(_Planner(self, index, leading).of_class(component.kind, ()))

    def list_index(self, parent: int, path: tuple[int, ...], part: int) -> int:
        """The component of a list inside the entities of another component."""
        return self._lists[parent, path, part]

    def saved(self, rows: Rows) -> bytes:
        """The saved bytes; raises DecodeError if the entities do not make a world. ``World.load`` checks the rest."""
        if not len(rows) or rows.ids[0] != 0 or rows.kinds[0] != 0:
            raise InvalidValue("the world itself is not in the snapshot")
        known = _Known(frozenset(rows.ids), {})
        seats = len(self._layout.components) - 1
        root: Sequence[int] = ()
        for entity, kind, numbers in rows.entities():
            self._check(entity, kind)
            if kind == 0:
                root = numbers
            elif kind != seats:
                holder = numbers[0] if self._layout.components[kind].has_holder else 0
                known.held.setdefault((kind, holder), []).append((entity, numbers))
        stamp = self._layout.world._stamp
        return HEAD.pack(MAGIC, VERSION, stamp, root[0]) + self.entity(0, 0, root, known)

    def seats(self, rows: Rows) -> dict[int, Seat]:
        """The seats that the receiver knows of."""
        last = len(self._layout.components) - 1
        found = {}
        for entity, kind, numbers in rows.entities():
            if kind == last:
                self._check(entity, kind)
                found[entity - FIRST_SEAT] = Seat(numbers[0] == 1, numbers[1])
        return found

    def entity(self, kind: int, entity: int, numbers: Sequence[int], known: _Known) -> bytes:
        """The saved fields of one entity."""
        return b"".join([writer(numbers, entity, known) for writer in self._writers[kind]])

    def _check(self, entity: int, kind: int) -> None:
        if kind == 0:
            fits = entity == 0
        elif kind == len(self._layout.components) - 1:
            fits = FIRST_SEAT <= entity < FIRST_SEAT + self._layout.players
        else:
            fits = 0 < entity < FIRST_SEAT
        if not fits:
            raise InvalidValue(f"entity {entity} cannot be a {self._layout.components[kind].name}")


class _Planner:
    """Goes over the fields of a component in order, as the layout did; texts come last."""

    def __init__(self, restorer: Restorer, index: int, first: int) -> None:
        self._restorer = restorer
        self._index = index
        component = restorer._layout.components[index]
        self._fields = component.fields
        self._texts = {(plan.path, plan.part): plan.out for plan in component.texts}
        self._at = first

    def of_class(self, cls: Any, path: tuple[int, ...]) -> list[_Writer]:
        """The writers of all fields of a class."""
        return [
            self._of_member(member, plan, path)
            for member, plan in zip(members_of(cls), cls._declared.fields, strict=True)
        ]

    def _of_member(self, member: Member, plan: Any, path: tuple[int, ...]) -> _Writer:
        kind = member.kind
        if not is_sent(member):
            return _constant(member.saved(plan.default))
        if kind.inside is not None:
            if kind.most:
                return self._items(kind.most, self._restorer.list_index(self._index, path, plan.part))
            return self._part(member, plan, path)
        if kind.target is not None:
            return _link(self._next())
        if kind.most and kind.numbers:
            return self._values(member)
        if kind.most:
            at = self._texts[path, plan.part]
            flag, write = at - 1 if member.optional else -1, _text(at, -(-kind.most // WORD))
        else:
            flag, write = self._next() if member.optional else -1, self._value(member)
        if flag < 0:
            return write
        return lambda numbers, entity, known: b"\x01" + write(numbers, entity, known) if numbers[flag] else b"\x00"

    def _next(self) -> int:
        self._at += 1
        return self._at - 1

    def _value(self, member: Member) -> _Writer:
        """The writer of a scalar, a vector or a rectangle."""
        codes, width = _packed_as(member)
        at, pack = self._at, struct.Struct(f"<{codes}").pack
        self._at += width
        if width == 1:
            made = self._fields[at]
            return lambda numbers, _entity, _known: pack(made.raw_of(numbers[at]))
        each = self._fields[at : at + width]

        def write(numbers: Sequence[int], _entity: int, _known: _Known) -> bytes:
            return pack(*[made.raw_of(number) for made, number in zip(each, numbers[at : at + width], strict=True)])

        return write

    def _part(self, member: Member, plan: Any, path: tuple[int, ...]) -> _Writer:
        flag = self._next() if member.optional else -1
        inner = self.of_class(member.kind.inside, (*path, plan.part))

        def write(numbers: Sequence[int], entity: int, known: _Known) -> bytes:
            if flag >= 0 and not numbers[flag]:
                return b"\x00"
            return (b"\x01" if flag >= 0 else b"") + b"".join([each(numbers, entity, known) for each in inner])

        return write

    def _values(self, member: Member) -> _Writer:
        codes, width = _packed_as(member)
        # The numbers of all values have the same form; only their defaults differ.
        at, made = self._at, self._fields[self._at + 1]
        self._at += 1 + member.kind.most * width

        def write(numbers: Sequence[int], _entity: int, _known: _Known) -> bytes:
            count = numbers[at]
            raws = [made.raw_of(number) for number in numbers[at + 1 : at + 1 + count * width]]
            return struct.pack(f"<H{codes * count}", count, *raws)

        return write

    def _items(self, most: int, kind: int) -> _Writer:
        restorer, where = self._restorer, self._restorer._layout.components[kind].name

        def write(_numbers: Sequence[int], entity: int, known: _Known) -> bytes:
            items = known.held.get((kind, entity), [])
            if len(items) > most:
                raise LimitExceeded(
                    f"{where} holds at most {most}, not {len(items)}",
                    what=where,
                    limit=most,
                    actual=len(items),
                )
            packed = [_ID.pack(item) + restorer.entity(kind, item, numbers, known) for item, numbers in items]
            return _COUNT.pack(len(items)) + b"".join(packed)

        return write


def _packed_as(member: Member) -> tuple[str, int]:
    """The struct letters of a value's numbers, and how many there are."""
    codes = "".join(kind.code for _, kind in member.kind.numbers)
    return codes, len(codes)


def _text(at: int, words: int) -> _Writer:
    def write(numbers: Sequence[int], _entity: int, _known: _Known) -> bytes:
        held = b"".join([word.to_bytes(WORD, "little") for word in numbers[at + 1 : at + 1 + words]])
        return _COUNT.pack(numbers[at]) + held[: numbers[at]]

    return write


def _link(at: int) -> _Writer:
    def write(numbers: Sequence[int], _entity: int, known: _Known) -> bytes:
        return _ID.pack(numbers[at] if numbers[at] in known.ids else 0)

    return write


def _constant(data: bytes) -> _Writer:
    return lambda _numbers, _entity, _known: data


class HeldSnapshot(NamedTuple):
    """A snapshot that was used."""

    frame: SnapshotFrame
    saved: bytes
    """The saved bytes of the world as this client knows it: ``world.load`` takes them."""
    seats: dict[int, Seat]
    """The players that the client knows of."""
    cues: tuple[Cue, ...]
    """The cues that no earlier snapshot brought."""


class _Kept(NamedTuple):
    rows: Rows
    columns: Snapshot | None
    """The compact fields, from which compact snapshots are predicted; None if there are none."""


class Holding:
    """The snapshots that a client holds."""

    def __init__(self, layout: WorldLayout, compact: CompactTables | None = None) -> None:
        """``compact``: the tables of the server's compact snapshots, if it makes them."""
        self._layout = layout
        self._compact = compact
        self._restorer = Restorer(layout)
        self._held: BaselineRing[_Kept] = BaselineRing(BASELINES)
        self._learned: BaselineRing[Statistics] = BaselineRing(BASELINES)
        """The statistics of snapshots from the newest base on: no older one can be the next base."""
        self._next_cue = 0

    @property
    def newest_tick(self) -> int:
        """The tick of the newest used snapshot, to be acknowledged; 0 before the first."""
        return self._held.last_tick or 0

    def read_snapshot(self, payload: bytes) -> HeldSnapshot | None:
        """Use a snapshot; None if it is not newer than the newest.

        Raises DecodeError if it is wrong, and its subclass BaselineMissing if its base is not held.
        """
        frame = decode_snapshot(payload)
        if frame.tick <= self.newest_tick:
            return None
        kept, learned = self._read_compact(frame) if frame.is_compact else self._read_plain(frame)
        saved = self._restorer.saved(kept.rows)
        seats = self._restorer.seats(kept.rows)
        world = self._layout.world
        unpack_world(saved, world._declared, world._stamp)
        # The server continues from this base until it knows of a newer one.
        base = frame.tick - frame.back
        self._held.insert(frame.tick, kept, keep=base)
        if learned is not None:
            self._learned.insert(frame.tick, learned, keep=base)
            if frame.back:
                self._learned.drop_before(base)
        return HeldSnapshot(frame, saved, seats, self._new_cues(frame))

    def _read_plain(self, frame: SnapshotFrame) -> tuple[_Kept, Statistics | None]:
        rows = self._held.require(frame.tick - frame.back).rows if frame.back else Rows.none()
        if frame.apart:
            earlier = self._held.require(rows.tick - frame.apart).rows
            rows = carried_on(rows, earlier, frame.tick, self._layout)
        rows = decode_body(rows, frame.tick, frame.body, self._layout)
        if self._compact is None:
            return _Kept(rows, None), None
        learned = self._learned.require(frame.tick - frame.back) if frame.back else None
        known = self._compact.known(rows, learned)
        return _Kept(rows, known.columns), known.statistics

    def _read_compact(self, frame: SnapshotFrame) -> tuple[_Kept, Statistics]:
        tick = frame.tick - frame.back
        base = self._held.require(tick)
        if self._compact is None or base.columns is None:
            raise InvalidValue("a compact snapshot came, and none was asked for")
        start = KnownSnapshot(base.rows, base.columns, self._learned.require(tick))
        known = self._compact.decode(start, frame.tick, frame.body, self._older)
        return _Kept(known.rows, known.columns), known.statistics

    def _older(self, tick: int) -> Snapshot | None:
        kept = self._held.get(tick)
        return None if kept is None else kept.columns

    def _new_cues(self, frame: SnapshotFrame) -> tuple[Cue, ...]:
        known = max(0, self._next_cue - frame.serial)
        self._next_cue = max(self._next_cue, frame.serial + len(frame.cues))
        return frame.cues[known:]
