"""Predicts the present on a client: loads the newest snapshot, and resimulates inputs that the server has not run yet.

Theory of operation. The game's own code runs the whole world: own inputs as they were pressed, those of others as the
snapshot has them. A snapshot rounds its numbers. So after loading, each rounded number becomes, of all values that the
server may have had, the one nearest to our own earlier prediction: the prediction itself, if it rounds to the same.
That is never farther from the truth than the prediction was, and things do not tremble.
"""

import traceback
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final

from retick.authority.client.measures import (
    PredictedThing,
    PredictedThings,
    all_things,
    births_in,
    difference,
    measures_of,
    next_id_in,
    paired,
    place_of,
)
from retick.authority.client.past import Pictured, mix
from retick.authority.holding import HeldSnapshot
from retick.errors import DecodeError
from retick.sim.world.hosting import Apart, Splicer, make_read_only, past_members, set_host
from retick.sim.world.hosting import tick as run_tick
from retick.sim.world.world import World

# ``seen_by`` in a prediction: what our own player saw when it pressed the input that a tick runs on.
#
# The server rewinds what a client draws in the past. To get the same hits, the client runs its own shots against the
# picture that was shown. For all other players, and without a picture, it is the world that runs.

# retick: floats -- drawing; what is predicted from it decides nothing


class SeenTime:
    """The pictures of the ticks that are resimulated, and a read-only world that shows one of them."""

    def __init__(self, kind: type[World], seat: int | None) -> None:
        self._seat = seat
        self._splicer = Splicer(kind)
        self._members = past_members(kind)
        self._pictures: dict[int, Pictured] = {}
        self._past: dict[int, Apart] = {}
        """Each tick with the past of its picture, for those that were asked for."""
        self._then = self._later = self._shown = kind()
        self._tick = 0
        self._present: bytes | None = None
        """The state in which the running tick began; None while none runs."""
        self._is_shown = False
        if self._splicer.is_needed:
            self._later, self._shown = kind(), kind()
            make_read_only(self._shown)

    def __len__(self) -> int:
        return len(self._pictures)

    def answer(self, world: World) -> None:
        """Answer ``seen_by`` of this instance from now on."""
        if self._splicer.is_needed and self._seat is not None:
            set_host(world, _Host(self, world))

    def note(self, tick: int, pictured: Pictured) -> None:
        """Note what the player saw who pressed the input of a tick."""
        if self._splicer.is_needed:
            self._pictures[tick] = pictured

    def drop_through(self, tick: int) -> None:
        """Forget the ticks up to this one: the server has run them."""
        for known in (self._pictures, self._past):
            for old in [each for each in known if each <= tick]:
                del known[old]

    def begin(self, tick: int, present: bytes) -> None:
        """Note that a tick starts from this state."""
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
                return world  # a server gave one id to two things
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
    """Answers ``seen_by`` and ``send`` for one instance."""

    def __init__(self, seen: SeenTime, world: World) -> None:
        self._seen, self._world = seen, world

    def seen_by(self, player: int, /) -> Any:
        return self._seen.by(player, self._world)

    def send(self, data: bytes, to: tuple[int, ...] | None, reliable: bool, /) -> None:
        """Do nothing: only a server sends."""


# retick: floats -- only comparisons, + and -; what is predicted here decides nothing


LONGEST_TEXT: Final = 4000
"""The most characters of an error that are reported."""


class Prediction:
    """One world, predicted ahead of the server."""

    def __init__(self, world: World, seat: int | None) -> None:
        self.world = world
        self._seat = seat
        self._earlier = type(world)()
        self.seen = SeenTime(type(world), seat)
        """What was on the screen when the input of each tick was pressed."""
        for each in (world, self._earlier):
            self.seen.answer(each)
        self.base = 0
        """The tick of the snapshot that the prediction starts from."""
        self.tick = 0
        """The tick that was run last."""
        self.history: dict[int, bytes] = {}
        """Saved bytes of each tick from the base to the present."""
        self.cues: dict[int, tuple[Hashable, ...]] = {}
        """The cues of each tick after the base that our own input caused."""
        self.failure: str | None = None
        """The error of the game's code, if any; then nothing is predicted until the next snapshot."""
        self._others: list[int] = []

    @property
    def present(self) -> bytes:
        """The saved bytes of the present."""
        return self.history[self.tick]

    @property
    def before(self) -> bytes:
        """The saved bytes of the tick before the present, if known."""
        return self.history.get(self.tick - 1, self.present)

    def restart(self, held: HeldSnapshot, own: Callable[[int], int]) -> int:
        """Restart from a snapshot, and run up to the tick where we were; returns how many ticks were run."""
        through, tick = self.tick, held.frame.tick
        finer = self.history.get(tick) if self.failure is None else None
        first = next_id_in(self.history[self.base]) if finer is not None else 0
        self.failure = None
        saved = self._placed(held.saved, finer, first)
        self._others = [held.seats[seat].input if seat in held.seats else 0 for seat in range(self.world.num_players)]
        self.base = self.tick = tick
        self.history = {tick: saved}
        self.cues = {}
        return self.run_through(through, own)

    def _placed(self, saved: bytes, finer: bytes | None, first: int) -> bytes:
        """Load a snapshot, moved towards our own prediction of that tick if there is one.

        ``first``: the lowest id that was a guess in that prediction.
        """
        world = self.world
        load_fields(world, saved)
        if finer is not None:
            load_fields(self._earlier, finer)
            keep_finer(world, self._earlier, first)
            saved = world.save()
        try:
            world.rebuild()
        except Exception:
            # The game's code cannot use this state.
            self._fail()
        return saved

    def _fail(self) -> None:
        self.failure = traceback.format_exc()[-LONGEST_TEXT:]
        self.cues = {}

    def guesses(self) -> PredictedThings:
        """Things made after the base, whose ids the server may give to others."""
        return PredictedThings(self.base, next_id_in(self.history[self.base]), births_in(self.history))

    def things_in(self, saved: bytes) -> dict[int, Any]:
        """The things of a predicted state; look at them at once."""
        load_fields(self._earlier, saved)
        return all_things(self._earlier)

    def run_through(self, tick: int, own: Callable[[int], int]) -> int:
        """Run the ticks up to ``tick`` with our own input for each; returns how many were run."""
        count = 0
        while self.tick < tick:
            self._run(self.tick + 1, own)
            count += 1
        return count

    def _run(self, tick: int, own: Callable[[int], int]) -> None:
        inputs: Sequence[int] = self._others
        if self._seat is not None:
            inputs = [own(tick) if seat == self._seat else each for seat, each in enumerate(self._others)]
        if self.failure is None:
            self.seen.begin(tick, self.history[tick - 1])
            try:
                cues = run_tick(self.world, inputs)
                self.history[tick] = self.world.save()
                self.cues[tick] = self._own_cues(tick, cues, inputs, own) if cues else ()
            except Exception:
                # A client does not have what it cannot see, and a server may send any state: the game's code was not
                # written for that, and must not end the program.
                self._fail()
                load_fields(self.world, self.history[self.base])
                rebuild_shown(self.world)
            finally:
                self.seen.end()
        if self.failure is not None:
            self.history = {self.base: self.history[self.base], tick: self.history[self.base]}
        self.tick = tick

    def _own_cues(
        self, tick: int, cues: Sequence[Hashable], inputs: Sequence[int], own: Callable[[int], int]
    ) -> tuple[Hashable, ...]:
        """The cues of a tick that our own input caused: without the input, the tick does not give them.

        Cues of other players depend on inputs that are only guessed.
        """
        if self._seat is None:
            return ()
        pressed = inputs[self._seat]
        # Releasing a button may cause something, too.
        instead = 0 if pressed else own(tick - 1)
        if pressed == instead:
            return ()
        self._earlier.load(self.history[tick - 1])
        changed = [instead if seat == self._seat else each for seat, each in enumerate(inputs)]
        try:
            others = run_tick(self._earlier, changed)
        except Exception:
            return ()  # this tick never happens, so an error in it does not matter
        return tuple((Counter(cues) - Counter(others)).elements())


def load_fields(world: World, saved: bytes) -> None:
    """Load everything but the caches, which need everything in place; raises DecodeError if it cannot be loaded."""
    world._load_fields(saved)


def rebuild_shown(world: World) -> None:
    """Make the caches of an instance that is only shown."""
    try:
        world.rebuild()
    except Exception:
        # The game's ``rebuild`` cannot use this state, and the prediction has reported it.
        return


def keep_finer(world: World, predicted: World, first: int) -> None:
    """Move rounded numbers of a snapshot as near to the prediction as the rounding allows.

    ``first``: the lowest id that was a guess in the prediction.
    """
    things: dict[int, Any] = all_things(world)
    known: dict[int, Any] = all_things(predicted)
    names = paired(_new_places(known, first), _new_places(things, first), first)
    for number, thing in things.items():
        other = known.get(number if number < first else names.get(number, -1))
        if other is None or type(other) is not type(thing):
            continue
        for measure in measures_of(type(thing)):
            if not measure.step:
                continue
            rounded, half = measure.of(thing), measure.step / 2
            away = difference(measure.of(other), rounded, measure.is_angle)
            if away and abs(away) <= measure.step:
                measure.put(thing, rounded + min(max(away, -half), half))


def _new_places(things: dict[int, Any], first: int) -> dict[int, PredictedThing]:
    return {number: place_of(thing) for number, thing in things.items() if number >= first}
