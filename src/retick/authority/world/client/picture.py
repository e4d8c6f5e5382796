"""The instances of a world that an application draws; none of them is ever run."""

# retick: floats -- drawing; nothing is simulated from it

from retick.authority.world.client.measures import all_things
from retick.authority.world.client.past import Pictured, mix
from retick.authority.world.client.prediction import load_fields, rebuild_shown
from retick.authority.world.client.smoothing import Smoothing
from retick.errors import DecodeError
from retick.sim.world.declaration import ITEMS, PART, members_of
from retick.sim.world.declared import World
from retick.sim.world.hosting.splice import Splicer, past_members

__all__ = ["Canvas", "Screen"]


class Screen:
    """What all pictures of one client share."""

    def __init__(self, kind: type[World]) -> None:
        self._splicer = Splicer(kind)
        self._past = past_members(kind)
        self._all = tuple(member for member in members_of(kind) if member.holds in (ITEMS, PART))
        self._later = kind()
        self._loaded: bytes | None = None

    @property
    def shows_past(self) -> bool:
        """Whether anything is drawn in the past."""
        return self._splicer.is_needed

    def later(self, saved: bytes) -> World:
        """An instance in this state, only to be read."""
        if saved is not self._loaded:
            load_fields(self._later, saved)
            self._loaded = saved
        return self._later

    def spliced(self, present: bytes, past: bytes, seat: int) -> bytes:
        return self._splicer.spliced(present, past, seat)

    def mix(self, world: World, pictured: Pictured, seat: int | None) -> None:
        """Move what is in the past to the drawn moment: for one without a seat, everything."""
        if pictured.later is not None:
            members = self._all if seat is None else self._past
            mix(world, self.later(pictured.later), members, pictured.share, seat)


class Canvas:
    """One instance to draw. It is the same object each time."""

    def __init__(self, kind: type[World], screen: Screen) -> None:
        self.world = kind()
        self._screen = screen

    def draw_present(self, present: bytes, pictured: Pictured, seat: int, smoothing: Smoothing, now: float) -> None:
        """The predicted present of a player, with what is in the past as it was."""
        world = self.world
        if not self._screen.shows_past:
            load_fields(world, present)
        else:
            try:
                load_fields(world, self._screen.spliced(present, pictured.earlier, seat))
            except DecodeError:
                # A server that gives one id to two things: then everything is shown in the present.
                load_fields(world, present)
            else:
                self._screen.mix(world, pictured, seat)
        if len(smoothing):
            smoothing.draw(all_things(world), now)
        rebuild_shown(world)

    def draw_past(self, pictured: Pictured) -> None:
        """Everything as it was: for one who does not play."""
        load_fields(self.world, pictured.earlier)
        self._screen.mix(self.world, pictured, None)
        rebuild_shown(self.world)
