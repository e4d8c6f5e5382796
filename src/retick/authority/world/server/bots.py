"""Players without a client: a function says what they press. It reads the world and never changes it."""

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

from retick.authority.world.server.saved_room import SavedRoom
from retick.errors import UsageError
from retick.sim.world import Command, World
from retick.sim.world.field_names import thing_fields

__all__ = ["Bot", "bots_of", "check_bot", "check_unchanged", "pressed_by"]

Bot = Callable[[int, Any], Any]
"""``bot(player, world)`` returns the input of the next tick: an integer, or the world's command."""


def check_bot(bot: Any) -> None:
    """Refuse at once what cannot be called with a player and a world, or takes them the other way round."""
    if not callable(bot):
        raise UsageError(f"a bot is a function bot(player, world), not {bot!r}")
    try:
        call = signature(bot)
    except (TypeError, ValueError):  # written in C
        return
    try:
        call.bind(0, None)
    except TypeError:
        raise UsageError(f"a bot is called as bot(player, world), and this one takes {call}") from None
    if list(call.parameters)[:1] == ["world"]:
        raise UsageError(f"a bot is called as bot(player, world), in this order, and this one takes {call}")


def bots_of(saved: SavedRoom, bots: Mapping[int, Bot] | Bot | None) -> dict[int, Bot]:
    """The functions of a saved room's bots by seat; a UsageError for a seat that no bot had."""
    seats = [each.seat for each in saved.seats if each.is_bot]
    if bots is not None and not isinstance(bots, Mapping):
        check_bot(bots)
        return dict.fromkeys(seats, bots)
    given = dict(bots or {})
    for seat, bot in given.items():
        check_bot(bot)
        if seat not in seats:
            raise UsageError(f"no bot had seat {seat!r} in the saved room: those of bots are {seats}")
    return given


def pressed_by(bot: Bot, seat: int, world: World, bits: int) -> int:
    """The input of a bot, checked."""
    pressed = bot(seat, world)
    if isinstance(pressed, Command):
        pressed = pressed.packed
    if not isinstance(pressed, int) or not 0 <= pressed < 1 << bits:
        raise UsageError(f"the bot of seat {seat} pressed {pressed!r}: an input has {bits} bits")
    return pressed


def check_unchanged(world: World, before: bytes) -> None:
    """Refuse a world that is not as it was before the bots were asked: no recording of it would verify."""
    if world.save() == before:
        return
    earlier: Any = type(world)()
    earlier.load(before)
    was, names = dict(thing_fields(earlier)), []
    for name, value in thing_fields(world):
        if was.get(name) != value:
            names.append(name)
    raise UsageError(
        f"something outside of the game has changed the world ({', '.join(names[:5]) or 'a field'}): "
        "bots, hooks and the application only read it"
    )
