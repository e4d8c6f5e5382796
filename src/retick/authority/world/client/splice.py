"""One picture of two times: the saved bytes of the present, with what is drawn in the past taken from older bytes.

The members of the world whose class says ``predicted = False`` (lists of things, and parts) are exchanged, but for the
things of our own player. docs/formats/world.md describes the bytes. A reference to what is not in the picture is none.
"""

import struct
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from retick.sim.world.declaration import CACHE, ITEMS, LINK, PART, VALUES, Member, members_of
from retick.sim.world.declared import World
from retick.sim.world.forms import Form, TextForm
from retick.sim.world.saving import HEAD

__all__ = ["Splicer", "past_members"]

_ID, _COUNT = struct.Struct("<I"), struct.Struct("<H")
_SKIP, _LINK, _MAYBE, _PART, _ITEMS, _VALUES, _OWNER, _TEXT = range(8)


class _Op(NamedTuple):
    """What follows in the bytes of a thing."""

    code: int
    size: int = 0
    """Bytes that are skipped, or of one value."""
    optional: bool = False
    inner: tuple[Any, ...] = ()


class _Found:
    """What was seen on the way over some bytes."""

    __slots__ = ("ids", "links", "owner")

    def __init__(self) -> None:
        self.ids: set[int] = set()
        self.links: list[int] = []
        """Where references are."""
        self.owner: int | None = None
        """The player of the item, if it has one."""


def past_members(world: type[World]) -> tuple[Member, ...]:
    """The members of a world that are drawn in the past."""
    return tuple(each for each in members_of(world) if each.holds in (ITEMS, PART) and not each.thing.predicted)


def _ops_of(kind: type, *, owned: bool = False) -> tuple[_Op, ...]:
    """The fields of a class; ``owned``: whose the thing is is looked at."""
    ops: list[_Op] = []
    for member in members_of(kind):
        op = _Op(_OWNER) if owned and member.is_player else _op_of(member)
        if op is not None and op.code == _SKIP and ops and ops[-1].code == _SKIP:
            ops[-1] = _Op(_SKIP, ops[-1].size + op.size)
        elif op is not None:
            ops.append(op)
    return tuple(ops)


def _op_of(member: Member) -> _Op | None:
    if member.holds == CACHE:
        return None
    if member.holds == LINK:
        return _Op(_LINK)
    if member.holds == PART:
        return _Op(_PART, optional=member.optional, inner=_ops_of(member.thing))
    if member.holds == ITEMS:
        return _Op(_ITEMS, inner=_ops_of(member.thing))
    if isinstance(member.form, TextForm):
        return _Op(_TEXT, optional=member.optional)
    if member.holds == VALUES:
        return _Op(_VALUES, _value_size(member))
    return _Op(_MAYBE if member.optional else _SKIP, _value_size(member))


def _value_size(member: Member) -> int:
    """Bytes of a scalar, a vector or a rectangle."""
    if isinstance(member.form, Form):
        return member.form.kind.size * len(member.form.names)
    assert member.kind is not None
    return member.kind.size


def _passed(data: bytes, at: int, ops: Sequence[_Op], found: _Found) -> int:
    """The offset after a thing."""
    for op in ops:
        if op.code == _SKIP:
            at += op.size
        elif op.code == _LINK:
            found.links.append(at)
            at += _ID.size
        elif op.code == _OWNER:
            found.owner = data[at]
            at += 1
        elif op.code == _MAYBE:
            at += 1 + (op.size if data[at] else 0)
        elif op.code == _TEXT:
            is_there = not op.optional or data[at] != 0
            at += op.optional
            at += _COUNT.size + _COUNT.unpack_from(data, at)[0] if is_there else 0
        elif op.code == _VALUES:
            at += _COUNT.size + op.size * _COUNT.unpack_from(data, at)[0]
        elif op.code == _ITEMS:
            count = _COUNT.unpack_from(data, at)[0]
            at += _COUNT.size
            for _ in range(count):
                found.ids.add(_ID.unpack_from(data, at)[0])
                at = _passed(data, at + _ID.size, op.inner, found)
        else:
            is_there = not op.optional or data[at] != 0
            at += op.optional
            at = _passed(data, at, op.inner, found) if is_there else at
    return at


class _Chunk(NamedTuple):
    """Some bytes, with what is in them."""

    data: bytes
    found: _Found
    start: int
    """Where they began: from here its references are counted."""


class _Picture:
    """Bytes that are put together."""

    def __init__(self, head: bytes) -> None:
        self.data = bytearray(head)
        self._ids: set[int] = set()
        self._links: list[int] = []

    def add(self, chunk: _Chunk) -> None:
        self._ids |= chunk.found.ids
        self._links += [link - chunk.start + len(self.data) for link in chunk.found.links]
        self.data += chunk.data

    def done(self) -> bytes:
        """All bytes; references to what is not there are none."""
        for link in self._links:
            if _ID.unpack_from(self.data, link)[0] not in self._ids:
                _ID.pack_into(self.data, link, 0)
        return bytes(self.data)


def _taken(data: bytes, at: int, op: _Op) -> tuple[_Chunk, int]:
    found = _Found()
    end = _passed(data, at, (op,), found)
    return _Chunk(data[at:end], found, at), end


def _items(data: bytes, at: int, ops: Sequence[_Op]) -> tuple[dict[int, _Chunk], int]:
    """The items of a list by their ids, and the offset after it."""
    items = {}
    (count,) = _COUNT.unpack_from(data, at)
    at += _COUNT.size
    for _ in range(count):
        (number,) = _ID.unpack_from(data, at)
        found = _Found()
        found.ids.add(number)
        end = _passed(data, at + _ID.size, ops, found)
        items[number] = _Chunk(data[at:end], found, at)
        at = end
    return items, at


class Splicer:
    """Puts pictures of one class of worlds together."""

    def __init__(self, world: type[World]) -> None:
        past = {member.name for member in past_members(world)}
        self._members: list[tuple[_Op, bool]] = []
        for member in members_of(world):
            op = _op_of(member)
            if op is not None and op.code == _ITEMS and member.name in past:
                op = _Op(_ITEMS, inner=_ops_of(member.thing, owned=True))
            if op is not None:
                self._members.append((op, member.name in past))
        self.is_needed: Final = bool(past)
        """Whether anything is drawn in the past."""

    def spliced(self, present: bytes, past: bytes, seat: int) -> bytes:
        """``present`` with the past members of ``past``, but for the things of the player in ``seat``.

        Both are saved bytes that a world has checked.
        """
        picture = _Picture(present[: HEAD.size])
        now = then = HEAD.size
        for op, is_past in self._members:
            if is_past and op.code == _ITEMS:
                here, now = _items(present, now, op.inner)
                there, then = _items(past, then, op.inner)
                shown = {number: chunk for number, chunk in there.items() if chunk.found.owner != seat}
                shown |= {number: chunk for number, chunk in here.items() if chunk.found.owner == seat}
                picture.data += _COUNT.pack(len(shown))
                for number in sorted(shown):
                    picture.add(shown[number])
            else:
                (new, now), (old, then) = _taken(present, now, op), _taken(past, then, op)
                picture.add(old if is_past else new)
        return picture.done()
