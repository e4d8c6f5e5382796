"""One stay in a room, from the welcome on: takes snapshots, runs ticks ahead, sends input packets, draws pictures.

Theory of operation. A snapshot is checked and kept when it comes. It is used when the application next runs a tick or
draws: then the world is set to it and resimulated up to the present. So nobody ever sees an unfinished world, and of
several snapshots that come together only the newest costs a resimulation.
"""

from collections import deque
from collections.abc import Callable, Mapping
from math import ceil
from typing import Any, Final, NamedTuple

from retick.authority.client.config import WorldClientConfig, WorldClientStats
from retick.authority.client.cue_book import CueBook
from retick.authority.client.events import PredictionFailed, SnapshotsBack, SnapshotsMissing, WorldClientEvent
from retick.authority.client.measures import (
    PredictedThing,
    PredictedThings,
    all_things,
    counts_of,
    owner_of,
    paired,
    places_of,
)
from retick.authority.client.past import Past, Pictured
from retick.authority.client.picture import Smoothing, WorldPicture
from retick.authority.client.prediction import Prediction
from retick.authority.compact import CompactTables
from retick.authority.frames import LAST_TICK, MOST_INPUTS, InputFrame, encode_input
from retick.authority.holding import HeldSnapshot, Holding
from retick.authority.layout import WorldLayout
from retick.authority.messages import SPECTATOR, RoomWelcome
from retick.errors import InvalidValue, NotSynchronized
from retick.sim.world.hosting import past_members
from retick.sim.world.world import World

# This player's inputs, tick by tick: to predict with, and to send until the server has them.

HELD: Final = 6
"""How many ticks in a row a server repeats the last input that it got."""


class OwnInputs:
    """The inputs of ticks that the server may not have run yet."""

    def __init__(self) -> None:
        self._pressed: dict[int, int] = {}
        self._before = (0, 0)
        """The tick and input that were dropped last."""
        self.acknowledged = 0
        """The tick of the newest input that the server has received."""

    def __len__(self) -> int:
        return len(self._pressed)

    def press(self, tick: int, pressed: int) -> None:
        """Note the input of a tick, in order of ticks; a skipped tick repeats the last input, and then has none."""
        self._pressed[tick] = pressed

    def at(self, tick: int) -> int:
        """The input with which the server runs a tick, as far as known here."""
        found = self._pressed.get(tick)
        if found is not None:
            return found
        newest = max((each for each in self._pressed if each < tick), default=None)
        last, pressed = self._before if newest is None else (newest, self._pressed[newest])
        return pressed if tick - last <= HELD else 0

    def drop_through(self, tick: int) -> None:
        """Drop the inputs up to this tick: the server has run them."""
        while self._pressed:
            oldest = next(iter(self._pressed))
            if oldest > tick:
                return
            self._before = (oldest, self._pressed.pop(oldest))

    def to_send(self, newest: int, last_sent: int) -> tuple[int, ...]:
        """The inputs to send, newest first: all that are not acknowledged, up to what a packet holds."""
        first = max(1, newest - MOST_INPUTS + 1, min(self.acknowledged, last_sent) + 1)
        return tuple(self.at(tick) for tick in range(newest, min(first, newest) - 1, -1))


# Decides when a client runs its ticks, and for which server tick each is meant.
#
# Theory of operation. An input must arrive just before the server runs its tick. Each snapshot says how early the
# newest input was. With the time at which that input was sent, this gives the tick that the server runs next when a
# packet sent now arrives; the delay of the answer does not matter. The client stamps its inputs with that tick plus a
# *lead*: as many ticks as lie between two packets, once more for each packet that may be lost in a row. It approaches
# the right tick by slightly shorter or longer ticks; only from far away it jumps, or waits.

# retick: floats -- seconds of the network; which tick an input is for is decided here, and told to the server


WINDOW: Final = 2.0
"""How many seconds of samples count."""
MOST_SAMPLES: Final = 128
LEFT_OUT: Final = 1
"""How many of the latest arrivals are ignored: one packet may come late."""
FAR: Final = 0.25
"""Seconds from the right tick beyond which the client jumps; a server that is so much later has stood still."""
STRAYS: Final = 3
"""How many samples in a row must be far behind before all others are forgotten."""
STEER: Final = 0.02
"""The share by which a tick is shortened for each tick that the client is late."""
MOST_STEER: Final = 0.1
SPARE: Final = 1
"""Ticks that the lead always includes: loops do not run exactly on time."""
MOST_SENT: Final = 256
"""How many packets have their times remembered."""
FIRST_LOSS: Final = 0.05
"""The share of lost packets that is assumed before it is measured."""
LOSSES: Final = ((0.08, 3), (0.01, 2), (0.002, 1))
"""Pairs: from this share of lost packets on, so many lost in a row must do no harm."""


class Offset:
    """The offset of another clock from our own time in ticks, from samples with a varying delay."""

    __slots__ = ("_samples", "_strays")

    def __init__(self) -> None:
        self._samples: deque[tuple[float, float]] = deque(maxlen=MOST_SAMPLES)
        self._strays = 0

    def add(self, value: float, now: float, far: float) -> None:
        """Add a sample; being ``far`` ticks behind means that the other clock has stood still."""
        while self._samples and self._samples[0][0] < now - WINDOW:
            self._samples.popleft()
        self._strays = self._strays + 1 if self._samples and value < self.greatest() - far else 0
        if self._strays == STRAYS:
            self._samples.clear()
            self._strays = 0
        self._samples.append((now, value))

    @property
    def is_known(self) -> bool:
        return bool(self._samples)

    def greatest(self, left_out: int = 0) -> float:
        """The greatest sample, ignoring the top ``left_out`` if there are enough."""
        values = sorted((value for _, value in self._samples), reverse=True)
        return values[min(left_out, len(values) // 4)]

    def spread(self) -> float:
        """The spread of the samples, without the strays at the lower end."""
        values = sorted(value for _, value in self._samples)
        return values[-1] - values[len(values) // 10]


class InputClock:
    """The timing of one stay in a room."""

    def __init__(self, rate: int, packet_ticks: int) -> None:
        self._rate = rate
        self._packet_ticks = packet_ticks
        self._interval = 1.0 / rate
        self._snapshots = Offset()
        self._arrivals = Offset()
        self._sent: dict[int, float] = {}
        self._at: float | None = None
        self._losses = 0
        self.loss_measured(FIRST_LOSS)

    # Measurements.

    def snapshot_came(self, tick: int, now: float) -> None:
        self._snapshots.add(tick - self._rate * now, now, FAR * self._rate)

    def input_sent(self, tick: int, now: float) -> None:
        if len(self._sent) == MOST_SENT:
            del self._sent[next(iter(self._sent))]
        self._sent[tick] = now

    def input_came(self, tick: int, margin: int, now: float) -> None:
        """Note how many ticks early an input was, as the server says."""
        sent = self._sent.pop(tick, None)
        if sent is not None:
            self._arrivals.add(tick - margin - self._rate * sent, now, FAR * self._rate)

    def loss_measured(self, loss: float) -> None:
        survived = next((count for share, count in LOSSES if loss >= share), 0)
        self._losses = min(survived, MOST_INPUTS // self._packet_ticks - 1)

    # Estimates.

    @property
    def lead(self) -> int:
        """How many ticks early the newest input of a packet should be."""
        return self._packet_ticks - 1 + self._packet_ticks * self._losses + SPARE

    def server_tick(self, now: float) -> float:
        """The estimated tick of the newest snapshot, as if they came continuously and without jitter."""
        return self._snapshots.greatest() + self._rate * now

    @property
    def jitter(self) -> float:
        """By how many ticks snapshots come late."""
        return self._snapshots.spread()

    def right_tick(self, now: float, rtt: float) -> float:
        """The tick for which an input sent now should be meant."""
        if self._arrivals.is_known:
            return self._arrivals.greatest(LEFT_OUT) + self._rate * now + self.lead
        return self.server_tick(now) + self._rate * rtt + 1 + self.lead

    @property
    def has_place(self) -> bool:
        """Whether the server has said how early an input was."""
        return self._arrivals.is_known

    # Pacing.

    @property
    def next_at(self) -> float | None:
        """When the next tick is due; None before the first."""
        return self._at

    def is_due(self, now: float) -> bool:
        return self._at is None or now >= self._at

    def phase(self, now: float) -> float:
        """The part of the present tick that has passed, from 0 to 1."""
        if self._at is None:
            return 1.0
        return min(max(1.0 - (self._at - now) / self._interval, 0.0), 1.0)

    def placed(self, tick: int, now: float, rtt: float, far: float = FAR) -> int:
        """The tick to run now instead of ``tick``: a later one if more than ``far`` seconds behind."""
        right = self.right_tick(now, rtt)
        return max(tick, ceil(right)) if right - tick > far * self._rate else tick

    def ran(self, tick: int, now: float, rtt: float) -> None:
        """Plan the next tick, after one was run."""
        late = self.right_tick(now, rtt) - tick
        if self._at is None or now - self._at > FAR:
            self._at = now
        if late < -FAR * self._rate:
            self._at = now - late * self._interval
            return
        steer = min(max(late * STEER, -MOST_STEER), MOST_STEER)
        self._at += self._interval * (1.0 - steer)


# retick: floats -- seconds of the network, and drawing


Places = dict[int, PredictedThing]

LAST_SNAPSHOT: Final = LAST_TICK - 0xFFFF
"""The last tick that a snapshot may have, so that the inputs after it have ticks too."""
LONGEST_PROBE: Final = 0.75
"""The most seconds that the first tick waits for the server's answer."""
FINEST_VIEW: Final = 16
"""The parts of a tick in which the server is told what was seen."""


class _Drawn(NamedTuple):
    """A prediction that was shown."""

    places: Places
    guesses: PredictedThings
    base: bytes
    """The state that it started from."""


class _View(NamedTuple):
    """A moment of the past that was drawn."""

    tick: float
    pictured: Pictured


def _jumps_in(known: Mapping[int, Any], number: int, place: PredictedThing) -> tuple[int | None, ...]:
    """How often a thing had jumped in a base state; a thing that did not exist there starts at 0."""
    if number in known:
        return counts_of(known[number])
    return tuple(None if count is None else 0 for count in place.jumps)


class Play:
    """A client's stay in a room."""

    def __init__(
        self, world: World, layout: WorldLayout, welcome: RoomWelcome, config: WorldClientConfig,
        stats: WorldClientStats, cues: CueBook, tell: Callable[[WorldClientEvent], None],
        compact: CompactTables | None = None,
    ) -> None:  # fmt: skip
        """``compact``: given if the server makes compact snapshots."""
        self.seat = None if welcome.seat == SPECTATOR else welcome.seat
        self.next_tick = 0
        """The next tick to run; 0 before the first snapshot."""
        self._layout = layout
        self._config = config
        self._stats = stats
        self._cues = cues
        self._tell = tell
        # Every input is in at least two packets, whatever the tick rate.
        self._packet_ticks = max(1, min(round(welcome.tick_rate / config.packets_per_second), MOST_INPUTS // 2))
        self._clock = InputClock(welcome.tick_rate, self._packet_ticks)
        self._holding = Holding(layout, compact)
        self._own = OwnInputs()
        self._prediction = Prediction(world, self.seat)
        self._past = Past(welcome.tick_rate, welcome.snapshot_ticks)
        self._smoothing = Smoothing(config.smoothing, config.longest_smoothed)
        self._held: HeldSnapshot | None = None
        self._is_settled = True
        self._is_stalled = self._has_failed = False
        self._last_sent = 0
        self._since: float | None = None
        """When the first snapshot came; None before."""
        self._seen: _View | None = None
        """What was shown last: the next input comes from a player who saw that."""
        in_past = bool(past_members(type(world)))
        self._views_past = in_past if config.views_past is None else config.views_past

    # Snapshots.

    @property
    def is_ready(self) -> bool:
        """Whether a first snapshot has come."""
        return self._held is not None

    def receive(self, payload: bytes, now: float) -> None:
        """Receive a snapshot; raises DecodeError, and changes nothing, if it cannot be used."""
        if len(payload) >= 5 and int.from_bytes(payload[1:5], "little") > LAST_SNAPSHOT:
            raise InvalidValue(f"the tick of a snapshot is at most {LAST_SNAPSHOT}")
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
        """A packet that only asks how early it is, for a tick that was already run; None after the server's answer."""
        if self._held is None or self.next_tick or self._clock.has_place or self.seat is None:
            return None
        self._since = now if self._since is None else self._since
        tick = self._holding.newest_tick + 1
        self._clock.input_sent(tick, now)
        return encode_input(InputFrame(tick, tick - 1, 0, (0,)), self._layout.input_bits)

    def loss_measured(self, loss: float) -> None:
        self._clock.loss_measured(loss)

    def settle(self, now: float) -> None:
        """Use the newest snapshot, if that was not done yet: predict the present again."""
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
        """Smooth the changes since the earlier prediction."""
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
        """The things that have moved now, and that jumped in the earlier prediction after its base."""
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
        """Report an error in the game's code, once."""
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
        """Whether a tick should be run now."""
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
        """Whether the first tick can be run: one round trip after the first snapshot, or if nobody answers."""
        waited = 0.0 if self._since is None else now - self._since
        return self.seat is None or self._clock.has_place or waited > LONGEST_PROBE

    @property
    def _last_allowed(self) -> int:
        return self._holding.newest_tick + self._config.most_ahead

    def advance(self, pressed: int, now: float, rtt: float) -> bytes | None:
        """Run a tick with this input; returns the packet that is due, if any."""
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
        """The tick to run next; after a pause, a later one than planned."""
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
        """What our player sees of the past while it presses its input."""
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
        """The part of the present tick that has passed."""
        return self._clock.phase(now)

    def _move_past(self, now: float) -> None:
        self._past.move(self._clock.server_tick(now), self._clock.jitter, now)

    def draw(self, canvas: WorldPicture, now: float, *, before: bool = False) -> None:
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
