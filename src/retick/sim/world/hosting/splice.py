"""One picture of two times: the saved bytes of the present, with what is drawn in the past taken from older bytes.

A client draws it, and a server makes the same one again for ``seen_by``. The members of the world whose class says
``predicted = False`` (lists of things, and parts) are exchanged, but for the things of the player who looks.
docs/formats/world.md describes the bytes. A reference to what is not in the picture is none. A list that would hold too
many things of both times leaves out the newest of the past.
"""

import struct
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from retick.sim.world.declaration import CACHE, ITEMS, LINK, PART, VALUES, Member, members_of
from retick.sim.world.declared import World
from retick.sim.world.forms import Form, TextForm
from retick.sim.world.saving import HEAD

__all__ = ["Apart", "Splicer", "past_members"]

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


def _whole(head: bytes, chunks: Sequence[_Chunk]) -> bytes:
    """Chunks put together; references to what is in none of them are none."""
    data = bytearray(head)
    data += b"".join([chunk.data for chunk in chunks])
    ids: set[int] = set().union(*[chunk.found.ids for chunk in chunks])
    at = len(head)
    for chunk in chunks:
        for link in chunk.found.links:
            where = link - chunk.start + at
            if _ID.unpack_from(data, where)[0] not in ids:
                _ID.pack_into(data, where, 0)
        at += len(chunk.data)
    return bytes(data)


def _taken(data: bytes, at: int, ops: Sequence[_Op]) -> tuple[_Chunk, int]:
    found = _Found()
    end = _passed(data, at, ops, found)
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


class Apart(NamedTuple):
    """A saved state, taken apart."""

    head: bytes
    members: tuple[_Chunk | dict[int, _Chunk], ...]
    """Lists in the past by the ids of their items; everything else as it is."""


class _Stretch(NamedTuple):
    """Members that are taken together."""

    ops: tuple[_Op, ...]
    is_past: bool
    most: int = 0
    """Of a list in the past: the items that it holds."""


class Splicer:
    """Puts pictures of one class of worlds together."""

    def __init__(self, world: type[World]) -> None:
        past = past_members(world)
        self._stretches: list[_Stretch] = []
        for member in members_of(world):
            op = _op_of(member)
            if op is None:
                continue
            if member in past:
                owned = op.code == _ITEMS
                op = _Op(_ITEMS, inner=_ops_of(member.thing, owned=True)) if owned else op
                self._stretches.append(_Stretch((op,), True, member.most if owned else 0))
            elif self._stretches and not self._stretches[-1].is_past:
                self._stretches[-1] = _Stretch((*self._stretches[-1].ops, op), False)
            else:
                self._stretches.append(_Stretch((op,), False))
        self.is_needed: Final = bool(past)
        """Whether anything is drawn in the past."""

    def taken_apart(self, saved: bytes) -> Apart:
        """Saved bytes that a world has checked; each state is taken apart once for all who look."""
        at, members = HEAD.size, []
        for ops, _, most in self._stretches:
            taken, at = _items(saved, at, ops[0].inner) if most else _taken(saved, at, ops)
            members.append(taken)
        return Apart(saved[: HEAD.size], tuple(members))

    def joined(self, present: Apart, past: Apart, seat: int) -> bytes:
        """``present`` with the past members of ``past``, but for the things of the player in ``seat``."""
        chunks: list[_Chunk] = []
        for (_, is_past, most), now, then in zip(self._stretches, present.members, past.members, strict=True):
            if isinstance(now, dict) and isinstance(then, dict):
                shown = {number: chunk for number, chunk in now.items() if chunk.found.owner == seat}
                others = [number for number, chunk in then.items() if chunk.found.owner != seat]
                shown |= {number: then[number] for number in sorted(others)[: most - len(shown)]}
                chunks.append(_Chunk(_COUNT.pack(len(shown)), _Found(), 0))
                chunks += [shown[number] for number in sorted(shown)]
            else:
                assert isinstance(now, _Chunk)
                assert isinstance(then, _Chunk)
                chunks.append(then if is_past else now)
        return _whole(present.head, chunks)

    def spliced(self, present: bytes, past: bytes, seat: int) -> bytes:
        """The same from saved bytes."""
        return self.joined(self.taken_apart(present), self.taken_apart(past), seat)
