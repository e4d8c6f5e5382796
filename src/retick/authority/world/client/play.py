"""One stay in a room, from the welcome on: snapshots in, ticks run ahead, packets with inputs out, pictures.

Theory of operation. A snapshot that comes is checked and kept at once. It is used when the application next runs a tick
or looks: then the world is put there and run again up to the present. So nobody ever sees a world half done, and of
several snapshots that come at once only the newest costs a resimulation.
"""

# retick: floats -- seconds of the network, and drawing

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from retick.authority.world.client.clock import FAR, InputClock
from retick.authority.world.client.config import WorldClientConfig
from retick.authority.world.client.cue_book import CueBook
from retick.authority.world.client.events import PredictionFailed, SnapshotsBack, SnapshotsMissing, WorldClientEvent
from retick.authority.world.client.identity import Guesses, Place, paired, places_of
from retick.authority.world.client.measures import all_things, counts_of, owner_of
from retick.authority.world.client.own_inputs import OwnInputs
from retick.authority.world.client.past import Past, Pictured
from retick.authority.world.client.picture import Canvas
from retick.authority.world.client.prediction import Prediction
from retick.authority.world.client.smoothing import Smoothing
from retick.authority.world.client.stats import WorldClientStats
from retick.authority.world.compact import CompactTables
from retick.authority.world.frames import LAST_TICK, MOST_INPUTS, InputFrame, encode_input
from retick.authority.world.holding import Held, Holding
from retick.authority.world.layout import Layout
from retick.authority.world.messages import SPECTATOR, Welcome
from retick.errors import InvalidValue, NotSynchronized
from retick.sim.world.declared import World
from retick.sim.world.hosting.splice import past_members

__all__ = ["Play"]

Places = dict[int, Place]

LAST_SNAPSHOT: Final = LAST_TICK - 0xFFFF
"""The last tick of a snapshot, so that the inputs after it have ticks too."""
LONGEST_PROBE: Final = 0.75
"""Seconds that the first tick waits for the answer of the server."""
FINEST_VIEW: Final = 16
"""Parts of a tick in which the server is told what was seen."""


class _Drawn(NamedTuple):
    """A prediction that was shown."""

    places: Places
    guesses: Guesses
    base: bytes
    """The state that it started from."""


class _View(NamedTuple):
    """A moment of the past that was drawn."""

    tick: float
    pictured: Pictured


def _jumps_in(known: Mapping[int, Any], number: int, place: Place) -> tuple[int | None, ...]:
    """How often a thing had jumped in the state of a base; one that was not there yet starts at 0."""
    if number in known:
        return counts_of(known[number])
    return tuple(None if count is None else 0 for count in place.jumps)


class Play:
    """What a client has in a room."""

    def __init__(
        self, world: World, layout: Layout, welcome: Welcome, config: WorldClientConfig, stats: WorldClientStats,
        cues: CueBook, tell: Callable[[WorldClientEvent], None], compact: CompactTables | None = None,
    ) -> None:  # fmt: skip
        """``compact``: if the server makes compact snapshots."""
        self.seat = None if welcome.seat == SPECTATOR else welcome.seat
        self.next_tick = 0
        """The next tick to run; 0 before the first snapshot."""
        self._layout = layout
        self._config = config
        self._stats = stats
        self._cues = cues
        self._tell = tell
        # Every input is in two packets at least, however many ticks there are a second.
        self._packet_ticks = max(1, min(round(welcome.tick_rate / config.packets_per_second), MOST_INPUTS // 2))
        self._clock = InputClock(welcome.tick_rate, self._packet_ticks)
        self._holding = Holding(layout, compact)
        self._own = OwnInputs()
        self._prediction = Prediction(world, self.seat)
        self._past = Past(welcome.tick_rate, welcome.snapshot_ticks)
        self._smoothing = Smoothing(config.smoothing, config.longest_smoothed)
        self._held: Held | None = None
        self._is_settled = True
        self._is_stalled = self._has_failed = False
        self._last_sent = 0
        self._since: float | None = None
        """When the first snapshot came."""
        self._seen: _View | None = None
        """What was shown last: what is pressed next is pressed by one who saw that."""
        in_past = bool(past_members(type(world)))
        self._views_past = in_past if config.views_past is None else config.views_past

    # Snapshots.

    @property
    def is_ready(self) -> bool:
        """Whether a first snapshot has come."""
        return self._held is not None

    def receive(self, payload: bytes, now: float) -> None:
        """A snapshot came; a DecodeError if it cannot be used, and then nothing has changed."""
        if len(payload) >= 5 and int.from_bytes(payload[1:5], "little") > LAST_SNAPSHOT:
            raise InvalidValue(f"a snapshot is of a tick up to {LAST_SNAPSHOT}")
        held = self._holding.read_snapshot(payload)
        if held is None:
            self._stats.stale_snapshots += 1
            return
        frame = held.frame
        self._stats.snapshots += 1
        self._stats.snapshot_bytes += len(payload)
        self._stats.margin = frame.margin
        self._clock.snapshot_came(frame.tick, now)
        self._clock.input_came(frame.newest, frame.margin, now)
        self._own.acknowledged = max(self._own.acknowledged, min(frame.newest, self.next_tick))
        self._past.add(frame.tick, held.saved)
        self._cues.happened(held.cues, frame.tick)
        self._held = held
        self._is_settled = False
        if self._is_stalled:
            self._is_stalled = False
            self._tell(SnapshotsBack(tick=frame.tick))

    def probe(self, now: float) -> bytes | None:
        """A packet that only asks how early it is, until the server has said so once: for a tick that has been run."""
        if self._held is None or self.next_tick or self._clock.has_place or self.seat is None:
            return None
        self._since = now if self._since is None else self._since
        tick = self._holding.newest_tick + 1
        self._clock.input_sent(tick, now)
        return encode_input(InputFrame(tick, tick - 1, 0, (0,)), self._layout.input_bits)

    def loss_measured(self, loss: float) -> None:
        self._clock.loss_measured(loss)

    def settle(self, now: float) -> None:
        """Use the newest snapshot, if that was not done: predict the present anew."""
        held = self._held
        if held is None or self._is_settled:
            return
        self._is_settled = True
        if self.seat is None:
            return
        prediction = self._prediction
        earlier = self._drawn() if prediction.tick > held.frame.tick else None
        self._stats.resimulated += prediction.restart(held, self._own.at)
        self._own.drop_through(held.frame.tick)
        prediction.seen.drop_through(held.frame.tick)
        self._note_failure()
        self._correct(earlier, now)
        self._cues.predicted(prediction.base + 1, prediction.cues, prediction.base)

    def _drawn(self) -> _Drawn:
        prediction = self._prediction
        base, guesses = prediction.history[prediction.base], prediction.guesses()
        return _Drawn(places_of(prediction.world, self.seat, guesses.first), guesses, base)

    def _correct(self, earlier: _Drawn | None, now: float) -> None:
        """Smooth what has changed since the earlier prediction."""
        stats, smoothing = self._stats, self._smoothing
        after = places_of(self._prediction.world, self.seat, earlier.guesses.first if earlier is not None else 0)
        before: Places = {}
        elsewhere: set[int] = set()
        if earlier is not None:
            apart = earlier.guesses.apart_from(self._prediction.guesses())
            names = paired(earlier.places, after, earlier.guesses.first, apart)
            before = {new: earlier.places[old] for new, old in names.items()}
            smoothing.rename(names)
            elsewhere = self._put_elsewhere(earlier.base, before, after, names)
        correction = smoothing.correct(before, after, self._own_things(), now, elsewhere)
        stats.last_correction = correction.distance
        stats.largest_correction = max(stats.largest_correction, correction.distance)
        stats.corrections += correction.is_above_step
        stats.teleports += correction.jumped
        stats.snaps += smoothing.snaps
        smoothing.snaps = 0

    def _put_elsewhere(self, base: bytes, before: Places, after: Places, names: Mapping[int, int]) -> set[int]:
        """The things that have moved, and that the earlier prediction had put elsewhere since its base."""
        moved = [
            number
            for number, old in before.items()
            if old.values != after[number].values and any(count is not None for count in old.jumps)
        ]
        known = self._prediction.things_in(base) if moved else {}
        return {each for each in moved if _jumps_in(known, names[each], before[each]) != before[each].jumps}

    def _own_things(self) -> set[int]:
        things = all_things(self._prediction.world)
        return {number for number, thing in things.items() if owner_of(thing) == self.seat}

    def _note_failure(self) -> None:
        """Tell of an error in the game's code, once."""
        failure = self._prediction.failure
        if failure is not None and not self._has_failed:
            self._stats.failures += 1
            self._tell(PredictionFailed(tick=self._prediction.tick, error=failure))
        self._has_failed = failure is not None

    # Ticks.

    @property
    def next_at(self) -> float | None:
        """When the next tick is due; None before the first."""
        return self._clock.next_at

    def due(self, now: float) -> bool:
        """Whether a tick is to be run now."""
        if self._held is None:
            return False
        if self.next_tick > self._last_allowed:
            if not self._is_stalled:
                self._is_stalled = True
                self._stats.stalls += 1
                self._tell(SnapshotsMissing(tick=self._holding.newest_tick))
            return False
        if not self.next_tick and not self._has_place(now):
            return False
        return self._clock.is_due(now)

    def _has_place(self, now: float) -> bool:
        """Whether the first tick can be run: one round trip after the first snapshot, or when nobody answers."""
        waited = 0.0 if self._since is None else now - self._since
        return self.seat is None or self._clock.has_place or waited > LONGEST_PROBE

    @property
    def _last_allowed(self) -> int:
        return self._holding.newest_tick + self._config.most_ahead

    def advance(self, pressed: int, now: float, rtt: float) -> bytes | None:
        """Run a tick with what is pressed; returns the packet that is due, if one is."""
        if self._held is None or self.next_tick > self._last_allowed:
            raise NotSynchronized("no tick can be run while snapshots are missing: ask due first")
        self.settle(now)
        tick = self._placed(now, rtt)
        self._stats.inputs += 1
        if self.seat is not None:
            self._own.press(tick, pressed)
            prediction = self._prediction
            view = self._view()
            if view is not None:
                prediction.seen.note(tick, view.pictured)
            first = prediction.tick + 1
            prediction.run_through(tick, self._own.at)
            self._note_failure()
            made = {each: prediction.cues.get(each, ()) for each in range(first, tick + 1)}
            self._cues.predicted(first, made, prediction.base)
        self.next_tick = tick + 1
        self._clock.ran(tick, now, rtt)
        self._move_past(now)
        return self._packet(tick, now) if tick - self._last_sent >= self._packet_ticks else None

    def _placed(self, now: float, rtt: float) -> int:
        """The tick that is run next; a later one than planned after a pause."""
        newest = self._holding.newest_tick
        far = FAR if self.next_tick > newest else 0.0
        tick = max(newest + 1, min(self._clock.placed(self.next_tick, now, rtt, far), self._last_allowed))
        self._stats.jumps += self.next_tick > 0 and tick > self.next_tick
        return tick

    def _packet(self, tick: int, now: float) -> bytes:
        inputs = (0,) if self.seat is None else self._own.to_send(tick, self._last_sent)
        view = self._view()
        viewed = 0 if view is None else max(0, round((tick - view.tick) * FINEST_VIEW))
        self._last_sent = tick
        self._stats.packets += 1
        self._clock.input_sent(tick, now)
        return encode_input(InputFrame(tick, self._holding.newest_tick, viewed, inputs), self._layout.input_bits)

    def _view(self) -> _View | None:
        """What our player sees of the past while it presses something."""
        if not self._views_past or self.seat is None:
            return None
        drawn = self._past.drawn_tick
        if self._seen is None and drawn is not None:
            return _View(drawn, self._past.pictured())
        return self._seen

    # Pictures.

    @property
    def drawn_tick(self) -> float | None:
        """The tick at which the past is drawn."""
        return self._past.drawn_tick

    def phase(self, now: float) -> float:
        """Which part of the present tick has passed."""
        return self._clock.phase(now)

    def _move_past(self, now: float) -> None:
        self._past.move(self._clock.server_tick(now), self._clock.jitter, now)

    def draw(self, canvas: Canvas, now: float, *, before: bool = False) -> None:
        """Show the present in an instance, or with ``before`` the tick before it."""
        self.settle(now)
        self._move_past(now)
        pictured = self._past.pictured()
        assert self._past.drawn_tick is not None
        self._seen = _View(self._past.drawn_tick, pictured)
        if self.seat is None:
            canvas.draw_past(pictured)
        else:
            prediction = self._prediction
            saved = prediction.before if before else prediction.present
            canvas.draw_present(saved, pictured, self.seat, self._smoothing, now)
