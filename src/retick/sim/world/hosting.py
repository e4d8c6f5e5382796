"""How a server runs a declared world: the calls that only a server makes, and a world with its last states.

It knows nothing of connections, clients or packets.
"""

import struct
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Final, NamedTuple, Protocol

from retick.errors import SchemaError, UsageError
from retick.sim.world.members import Member, Visible, members_of
from retick.sim.world.saved import HEAD
from retick.sim.world.storage import cues_of, shut
from retick.sim.world.world import World

# What a server does with a declared world. Games call none of this: they write ``join``, ``leave`` and ``advance``.
#
# ::
#
#     world = Tanks()
#     begin(world, seed)                  # start, with nobody there yet
#     set_host(world, host)               # the host answers seen_by and send
#     cues = player_joins(world, 3)       # between two ticks
#     cues = tick(world, inputs)


class WorldHost(Protocol):
    """Runs a world, and answers what only a server can."""

    def seen_by(self, player: int, /) -> Any:
        """The world as that player saw it: another instance, which is read-only."""

    def send(self, data: bytes, to: tuple[int, ...] | None, reliable: bool, /) -> None:
        """Send bytes of the application to these players; None sends to all."""


def set_host(world: World, host: WorldHost | None) -> None:
    """Let ``host`` answer ``seen_by`` and ``send``; without a host, ``seen_by`` is the present and nothing is sent."""
    world._host = host


def make_read_only(world: World) -> None:
    """Let only ``load`` change this instance from now on; any other write raises a UsageError that names the field."""
    shut(world)


def begin(world: World, seed: int) -> None:
    """Put the world at its start, before anybody has joined."""
    check_owners(type(world))
    world._here = None
    world._begin(seed)


def player_joins(world: World, player: int) -> tuple[Hashable, ...]:
    """Run the world's ``join``, between two ticks; returns its cues."""
    world._here = None
    return cues_of(world, world.join, world._seat(player))


def player_leaves(world: World, player: int) -> tuple[Hashable, ...]:
    """Run the world's ``leave``, between two ticks; returns its cues."""
    world._here = None
    return cues_of(world, world.leave, world._seat(player))


def tick(world: World, inputs: Sequence[int]) -> tuple[Hashable, ...]:
    """Advance the world with one input per seat; returns the cues. A server needs no saved state for this."""
    world._here = None
    return world._advance(inputs)


def check_owners(cls: type[World]) -> None:
    """Refuse an OwnerOnly field in an item that does not name its owner. Rollback does not check this."""
    _check_item(cls, cls.__name__)


def _check_item(cls: Any, name: str) -> None:
    """Check an item, or the world itself, together with its parts."""
    _check_fields(cls, name, any(member.is_player for member in members_of(cls)))


def _check_fields(cls: Any, name: str, is_owned: bool) -> None:
    for member in members_of(cls):
        where = f"{cls.__name__}.{member.name}"
        if member.visible is Visible.OWNER and not is_owned:
            raise SchemaError(
                f"{where} is OwnerOnly, and {name} does not say whose it is: give it a field of the type Player"
            )
        inside = member.kind.inside
        if inside is not None:
            if member.kind.most:
                _check_item(inside, inside.__name__)
            else:
                _check_fields(inside, name, is_owned)


# Combines two times into one picture: the saved bytes of the present, with things drawn in the past from older bytes.
#
# A client draws it, and a server makes the same picture again for ``seen_by``. The members of the world whose class
# says ``predicted = False`` (lists of things, and parts) are replaced, except the things of the player who looks.
# docs/formats/world.md describes the bytes. A reference to a thing outside the picture becomes None. A list that would
# hold too many things of both times leaves out the newest of the past.

_ID, _COUNT = struct.Struct("<I"), struct.Struct("<H")


class _Op(NamedTuple):
    """What comes next in the bytes of a thing."""

    size: int
    """How many bytes to skip; for each element, if they are counted."""
    is_optional: bool = False
    """Whether a byte says first if there is anything."""
    is_counted: bool = False
    """Whether two bytes say first how many there are."""
    inner: tuple[Any, ...] | None = None
    """What is in a thing; each of several has its id before it."""
    is_link: bool = False
    is_owner: bool = False


class _Found:
    """What a pass over some bytes has found."""

    __slots__ = ("ids", "links", "owner")

    def __init__(self) -> None:
        self.ids: set[int] = set()
        self.links: list[int] = []
        """The offsets of references."""
        self.owner: int | None = None
        """The owner of the item, if it has one."""


def past_members(world: type[World]) -> tuple[Member, ...]:
    """The members of a world that are drawn in the past."""
    return tuple(each for each in members_of(world) if each.kind.inside is not None and not each.kind.inside.predicted)


def _ops_of(kind: type, *, owned: bool = False) -> tuple[_Op, ...]:
    """Operations that walk the fields of a class; ``owned`` also looks for the thing's owner."""
    ops: list[_Op] = []
    for member in members_of(kind):
        op = _op_of(member)
        if owned and member.is_player:
            op = op._replace(is_owner=True)
        if ops and op == _Op(op.size) and ops[-1] == _Op(ops[-1].size):
            ops[-1] = _Op(ops[-1].size + op.size)
        else:
            ops.append(op)
    return tuple(ops)


def _op_of(member: Member) -> _Op:
    kind = member.kind
    inner = None if kind.inside is None else _ops_of(kind.inside)
    return _Op(kind.size, member.optional, kind.most > 0, inner, is_link=kind.target is not None)


def _passed(data: bytes, at: int, ops: Sequence[_Op], found: _Found) -> int:
    """Walk over one thing; returns the offset after it."""
    for size, is_optional, is_counted, inner, is_link, is_owner in ops:
        if is_optional:
            at += 1
            if not data[at - 1]:
                continue
        if is_counted:
            count = _COUNT.unpack_from(data, at)[0]
            at += _COUNT.size
            if inner is None:
                at += size * count
                continue
            for _ in range(count):
                found.ids.add(_ID.unpack_from(data, at)[0])
                at = _passed(data, at + _ID.size, inner, found)
            continue
        if inner is not None:
            at = _passed(data, at, inner, found)
        elif is_link:
            found.links.append(at)
        elif is_owner:
            found.owner = data[at]
        at += size
    return at


class _Chunk(NamedTuple):
    """Some bytes, with the references found in them."""

    data: bytes
    found: _Found
    start: int
    """The offset at which the bytes began: its references are counted from here."""


def _whole(head: bytes, chunks: Sequence[_Chunk]) -> bytes:
    """Put chunks together; references to things in none of them become None."""
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
    """The items of a list by their ids, and the offset after the list."""
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
    """A saved state, split into its members."""

    head: bytes
    members: tuple[_Chunk | dict[int, _Chunk], ...]
    """Lists in the past as items by their ids; everything else unsplit."""


class _Stretch(NamedTuple):
    """Neighbouring members that are copied together."""

    ops: tuple[_Op, ...]
    is_past: bool
    most: int = 0
    """The most items of a list in the past; unused for other members."""


class Splicer:
    """Combines pictures of one class of worlds."""

    def __init__(self, world: type[World]) -> None:
        past = past_members(world)
        self._stretches: list[_Stretch] = []
        for member in members_of(world):
            op = _op_of(member)
            if member in past:
                if op.is_counted:
                    op = op._replace(inner=_ops_of(member.kind.inside, owned=True))
                self._stretches.append(_Stretch((op,), True, member.kind.most))
            elif self._stretches and not self._stretches[-1].is_past:
                self._stretches[-1] = _Stretch((*self._stretches[-1].ops, op), False)
            else:
                self._stretches.append(_Stretch((op,), False))
        self.is_needed: Final = bool(past)
        """Whether anything is drawn in the past."""

    def taken_apart(self, saved: bytes) -> Apart:
        """Split saved bytes that a world has checked; one split of a state serves all who look."""
        at, members = HEAD.size, []
        for ops, _, most in self._stretches:
            taken, at = _items(saved, at, ops[0].inner or ()) if most else _taken(saved, at, ops)
            members.append(taken)
        return Apart(saved[: HEAD.size], tuple(members))

    def joined(self, present: Apart, past: Apart, seat: int) -> bytes:
        """``present`` with the past members of ``past``, except the things of the player in ``seat``."""
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
        """Combine two saved states for the player in ``seat``, as ``joined`` does with split ones."""
        return self.joined(self.taken_apart(present), self.taken_apart(past), seat)


# Runs a world tick by tick, as a server does, with the states that players have seen. Replays run it the same way.
#
# One stream decides everything: the seed, and for each tick who joined and left before it, the inputs, and how many
# ticks in the past each player saw the others. The same stream gives the same states wherever it runs.

Send = Callable[[bytes, tuple[int, ...] | None, bool], None]


def _send_nothing(data: bytes, to: tuple[int, ...] | None, reliable: bool, /) -> None:
    """Send nothing: for runs without clients."""


class HostedWorld:
    """A world, its tick, and its last states."""

    def __init__(self, world: World, *, most_past: int, send: Send = _send_nothing) -> None:
        """Keep ``most_past`` states, the newest included; ``send`` is what ``world.send`` does."""
        if most_past < 1:
            raise UsageError(f"at least 1 state is kept, not {most_past}")
        check_owners(type(world))
        self.world = world
        self.tick = 0
        """How many ticks have run."""
        self.send = send
        self._past: deque[bytes] = deque(maxlen=most_past)
        self._behind: Sequence[int] = ()
        self._splicer = Splicer(type(world))
        self._apart: dict[int, Apart] = {}
        """Tick to its split state, for those that were looked at."""
        self._shown: dict[tuple[int, int | None], Any] = {}
        """The tick of the past members and the player (None for nobody), to the read-only instance that shows it."""
        self._spare: list[Any] = []
        """Instances that can be reused."""
        set_host(world, self)

    @property
    def past(self) -> tuple[bytes, ...]:
        """The last states, newest last: each as it was right after its tick, before others joined or left."""
        return tuple(self._past)

    @property
    def saved(self) -> bytes:
        """The newest saved state."""
        return self._past[-1]

    def begin(self, seed: int) -> None:
        """Put the world at its start, before anybody has joined."""
        self._restart(0)
        begin(self.world, seed)
        self._past.append(self.world.save())

    def resume(self, saved: bytes, tick: int, past: Iterable[bytes] = ()) -> None:
        """Continue from a saved state; ``past`` are those before it. Raises DecodeError if the bytes are no state."""
        self.world.load(saved)
        self._restart(tick)
        self._past.extend(past)
        self._past.append(saved)

    def join(self, player: int) -> tuple[Hashable, ...]:
        """Let a player join from the next tick on; returns the cues."""
        self._behind = ()
        return player_joins(self.world, player)

    def leave(self, player: int) -> tuple[Hashable, ...]:
        """Let a player leave; returns the cues."""
        self._behind = ()
        return player_leaves(self.world, player)

    def advance(self, inputs: Sequence[int], behind: Sequence[int]) -> tuple[Hashable, ...]:
        """Run a tick: one input per seat, and how many ticks behind this one each player saw the others, 1 or more."""
        self._behind = behind
        cues = tick(self.world, inputs)
        self.tick += 1
        self._past.append(self.world.save())
        self._apart.pop(self.tick - len(self._past), None)
        self._forget_shown()
        return cues

    def seen_by(self, player: int, /) -> Any:
        """The state with which the tick began, as ``world.seen_by`` returns it.

        In it, things with ``predicted = False`` that belong to others are as they were that many ticks ago, or in the
        oldest state that is kept.
        """
        behind = self._behind[player] if player < len(self._behind) else 1
        behind = max(1, min(behind, len(self._past))) if self._splicer.is_needed else 1
        then = self.tick + 1 - behind
        key = (then, None if behind == 1 else player)
        if key not in self._shown:
            shown = self._spare.pop() if self._spare else self._made()
            shown.load(self.saved if behind == 1 else self._spliced(then, player))
            self._shown[key] = shown
        return self._shown[key]

    def _spliced(self, then: int, player: int) -> bytes:
        return self._splicer.joined(self._taken_apart(self.tick), self._taken_apart(then), player)

    def _taken_apart(self, tick: int) -> Apart:
        if tick not in self._apart:
            self._apart[tick] = self._splicer.taken_apart(self._past[tick - self.tick - 1])
        return self._apart[tick]

    def _made(self) -> Any:
        made = type(self.world)()
        make_read_only(made)
        return made

    def _forget_shown(self) -> None:
        self._spare += self._shown.values()
        self._shown.clear()

    def _restart(self, tick: int) -> None:
        self.tick = tick
        self._past.clear()
        self._apart.clear()
        self._forget_shown()
        self._behind = ()
