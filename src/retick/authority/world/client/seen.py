"""``seen_by`` in a prediction: what our own player saw when it pressed what a tick runs on.

The server rewinds what a client draws in the past. So that both come to the same hits, the client runs its own shots
against the picture that was shown. For all other players, and where there was no picture, it is the world that runs.
"""

# retick: floats -- drawing; what is predicted from it decides nothing

from typing import Any

from retick.authority.world.client.past import Pictured, mix
from retick.errors import DecodeError
from retick.sim.world.declared import World
from retick.sim.world.hosting import make_read_only, set_host
from retick.sim.world.hosting.splice import Apart, Splicer, past_members

__all__ = ["Seen"]


class Seen:
    """The pictures of the ticks that are run again, and a read-only world that shows one of them."""

    def __init__(self, kind: type[World], seat: int | None) -> None:
        self._seat = seat
        self._splicer = Splicer(kind)
        self._members = past_members(kind)
        self._pictures: dict[int, Pictured] = {}
        self._past: dict[int, Apart] = {}
        """Tick to what was in the past of its picture, of those that were asked for."""
        self._then = self._later = self._shown = kind()
        self._tick = 0
        self._present: bytes | None = None
        """The state that the tick starts from; None while none is run."""
        self._is_shown = False
        if self._splicer.is_needed:
            self._later, self._shown = kind(), kind()
            make_read_only(self._shown)

    def __len__(self) -> int:
        return len(self._pictures)

    def answer(self, world: World) -> None:
        """From now on ``seen_by`` of this instance is answered here."""
        if self._splicer.is_needed and self._seat is not None:
            set_host(world, _Host(self, world))

    def note(self, tick: int, pictured: Pictured) -> None:
        """The input of a tick was pressed by one who saw this."""
        if self._splicer.is_needed:
            self._pictures[tick] = pictured

    def drop_through(self, tick: int) -> None:
        """The server has run these ticks."""
        for known in (self._pictures, self._past):
            for old in [each for each in known if each <= tick]:
                del known[old]

    def begin(self, tick: int, present: bytes) -> None:
        """A tick is run from this state."""
        self._tick, self._present, self._is_shown = tick, present, False

    def end(self) -> None:
        self._present = None

    def by(self, player: int, world: World) -> World:
        """What a player saw, for an instance that runs the tick."""
        if self._present is None or player != self._seat or self._tick not in self._pictures:
            return world
        if not self._is_shown:
            present = self._splicer.taken_apart(self._present)
            try:
                self._shown.load(self._splicer.joined(present, self._past_of(self._tick), player))
            except DecodeError:
                return world  # a server that gives one id to two things
            self._is_shown = True
        return self._shown

    def _past_of(self, tick: int) -> Apart:
        if tick not in self._past:
            earlier, later, share = self._pictures[tick]
            self._then._load_fields(earlier)
            if later is not None:
                self._later._load_fields(later)
                mix(self._then, self._later, self._members, share, self._seat)
            self._past[tick] = self._splicer.taken_apart(self._then.save())
        return self._past[tick]


class _Host:
    """Answers one instance."""

    def __init__(self, seen: Seen, world: World) -> None:
        self._seen, self._world = seen, world

    def seen_by(self, player: int, /) -> Any:
        return self._seen.by(player, self._world)

    def send(self, data: bytes, to: tuple[int, ...] | None, reliable: bool, /) -> None:
        """Only a server sends."""
