"""What a server does with a declared world. Games call none of this: they write ``join``, ``leave`` and ``advance``.

::

    world = Tanks()
    begin(world, seed)                  # start, and nobody is there yet
    set_host(world, host)               # who answers seen_by and send
    cues = player_joins(world, 3)       # between two ticks
    cues = tick(world, inputs)
"""

from collections.abc import Hashable, Sequence
from typing import Any, Protocol

from retick.errors import SchemaError
from retick.sim.world.declaration import ITEMS, PART, members_of
from retick.sim.world.declared import World
from retick.sim.world.marks import Visible
from retick.sim.world.places import shut

__all__ = ["Host", "begin", "check_owners", "make_read_only", "player_joins", "player_leaves", "set_host", "tick"]


class Host(Protocol):
    """Who runs a world and answers what only a server can."""

    def seen_by(self, player: int, /) -> Any:
        """The world as that player saw it: another instance, which is read-only."""

    def send(self, data: bytes, to: tuple[int, ...] | None, reliable: bool, /) -> None:
        """Send bytes of the application to these players; None: to all."""


def set_host(world: World, host: Host | None) -> None:
    """Who answers ``seen_by`` and ``send`` of this instance; without a host it is the present, and nothing is sent."""
    world._host = host


def make_read_only(world: World) -> None:
    """From here on only ``load`` changes this instance; a write into it is a UsageError that names the field."""
    shut(world)


def begin(world: World, seed: int) -> None:
    """Put the world at its start, before anybody has joined."""
    check_owners(type(world))
    world._here = None
    world._begin(seed)


def player_joins(world: World, player: int) -> tuple[Hashable, ...]:
    """Let the world's ``join`` run, between two ticks; returns its cues."""
    world._here = None
    return world._heard(world.join, world._seat(player))


def player_leaves(world: World, player: int) -> tuple[Hashable, ...]:
    """Let the world's ``leave`` run, between two ticks; returns its cues."""
    world._here = None
    return world._heard(world.leave, world._seat(player))


def tick(world: World, inputs: Sequence[int]) -> tuple[Hashable, ...]:
    """Advance the world, one input a seat; returns the cues. A server needs no saved state for that."""
    world._here = None
    return world._advance(inputs)


def check_owners(cls: type[World]) -> None:
    """Refuse a field for the owner's eyes in an item that does not say whose it is. Rollback does not ask."""
    _check_item(cls, cls.__name__)


def _check_item(cls: Any, name: str) -> None:
    """Of an item, or of the world itself: with its parts."""
    _check_fields(cls, name, any(member.is_player for member in members_of(cls)))


def _check_fields(cls: Any, name: str, is_owned: bool) -> None:
    for member in members_of(cls):
        where = f"{cls.__name__}.{member.name}"
        if member.visible is Visible.OWNER and not is_owned:
            raise SchemaError(
                f"{where} is OwnerOnly, and {name} does not say whose it is: give it a field of the type Player"
            )
        if member.holds == PART:
            _check_fields(member.thing, name, is_owned)
        elif member.holds == ITEMS:
            _check_item(member.thing, member.thing.__name__)
