"""One picture of two times: the saved bytes of the present, with what is drawn in the past taken from older bytes.

The members of the world whose class says ``predicted = False`` (lists of things, and parts) are exchanged as whole runs
of bytes; docs/formats/world.md describes these. A reference to what is not in the picture is none.
"""

import struct
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from retick.sim.world.declaration import CACHE, ITEMS, LINK, PART, VALUES, Member, members_of
from retick.sim.world.declared import World
from retick.sim.world.saving import HEAD

__all__ = ["Splicer", "past_members"]

_ID, _COUNT = struct.Struct("<I"), struct.Struct("<H")
_SKIP, _LINK, _MAYBE, _PART, _ITEMS, _VALUES = range(6)


class _Op(NamedTuple):
    """What follows in the bytes of a thing."""

    code: int
    size: int = 0
    """Bytes that are skipped, or of one value."""
    optional: bool = False
    inner: tuple[Any, ...] = ()


class _Found(NamedTuple):
    """What was seen on the way over some bytes."""

    ids: set[int]
    links: list[int]
    """Where references are."""


def past_members(world: type[World]) -> tuple[Member, ...]:
    """The members of a world that are drawn in the past."""
    return tuple(each for each in members_of(world) if each.holds in (ITEMS, PART) and not each.thing.predicted)


def _ops_of(kind: type) -> tuple[_Op, ...]:
    ops: list[_Op] = []
    for member in members_of(kind):
        op = _op_of(member)
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
    assert member.kind is not None
    if member.holds == VALUES:
        return _Op(_VALUES, member.kind.size)
    return _Op(_MAYBE if member.optional else _SKIP, member.kind.size)


def _passed(data: bytes, at: int, ops: Sequence[_Op], found: _Found) -> int:
    """The offset after a thing."""
    for op in ops:
        if op.code == _SKIP:
            at += op.size
        elif op.code == _LINK:
            found.links.append(at)
            at += _ID.size
        elif op.code == _MAYBE:
            at += 1 + (op.size if data[at] else 0)
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


class Splicer:
    """Puts pictures of one class of worlds together."""

    def __init__(self, world: type[World]) -> None:
        past = {member.name for member in past_members(world)}
        self._members = [(_op_of(member), member.name in past) for member in members_of(world)]
        self.is_needed: Final = bool(past)
        """Whether anything is drawn in the past."""

    def spliced(self, present: bytes, past: bytes) -> bytes:
        """``present`` with the past members of ``past``. Both are saved bytes that a world has checked."""
        found = _Found(set(), [])
        out = bytearray(present[: HEAD.size])
        now = then = HEAD.size
        for op, is_past in self._members:
            if op is None:
                continue
            seen, other = _Found(set(), []), _Found(set(), [])
            now_end = _passed(present, now, (op,), other if is_past else seen)
            then_end = _passed(past, then, (op,), seen if is_past else other)
            start = then if is_past else now
            found.ids.update(seen.ids)
            found.links.extend(link - start + len(out) for link in seen.links)
            out += past[then:then_end] if is_past else present[now:now_end]
            now, then = now_end, then_end
        for link in found.links:
            if _ID.unpack_from(out, link)[0] not in found.ids:
                _ID.pack_into(out, link, 0)
        return bytes(out)
