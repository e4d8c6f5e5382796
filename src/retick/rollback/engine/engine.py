"""The rollback engine: advance on guesses, take the truth when it comes, and run again what was wrong.

Theory of operation. Frame ``f``'s inputs drive the state before ``f`` to the state before ``f + 1``. ``advance``
runs one frame with the local input and the best knowledge of the others'. ``add_remote_inputs`` only takes
inputs in and notes the earliest frame that they prove wrong; whoever advances next, or reads the state or the
statistics, first pays for one rollback to that frame, however many inputs came in between. Inputs that are
sure never change again: what contradicts them is refused, whole batch and all.

There is no network in here, and no clock: a session feeds it.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from retick.errors import HistoryEvicted, InputConflict, PredictionLimit, ProtocolViolation, UsageError
from retick.rollback.engine.checks import NEWEST_FRAME, check_settings, local_seats
from retick.rollback.engine.inputs import Predictor
from retick.rollback.engine.states import ring_for
from retick.sim.contract import Frame, Input, Player, input_size_of

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.rollback.engine.inputs import UNSEEN, InputHistory, fits
    from cython.cimports.retick.rollback.engine.states import StateRing
else:
    from retick.rollback.engine.inputs import UNSEEN, InputHistory, fits
    from retick.rollback.engine.states import StateRing

__all__ = ["EngineStats", "RollbackEngine"]

# Inputs are small, and remembering more of them than of the states tells a late contradiction from an honest
# duplicate for over a minute at 60 Hz.
INPUTS_REMEMBERED = 4096

NO_INPUTS = InputHistory(1, (), 1, 1, 0, None)
NO_STATES = StateRing()


class EngineStats(NamedTuple):
    """What rolling back has cost so far."""

    rollbacks: int
    """How often frames were run again."""
    resimulated_frames: int
    """How many frames were run again, all rollbacks together."""
    deepest_rollback: int
    """The most frames that one rollback ran again."""


@cython.cclass
class RollbackEngine:
    """Any number of players, any of them local; see the module's text for how it works."""

    if not cython.compiled:
        sim: Any
        history: int
        local_players: tuple[int, ...]
        prediction_window: int | None
        current: int
        start: int
        window: int
        wrong_from: int
        redone_from: int
        delay: int
        local_upto: int
        num_players: int
        single: bool
        first_seat: int
        inputs: InputHistory
        states: StateRing
        rollbacks: int
        resimulated: int
        deepest: int

    def __cinit__(self, *_arguments: Any, **_options: Any) -> None:
        # Compiled only: a subclass that never calls __init__ gets errors, and not a crash.
        self.inputs = NO_INPUTS
        self.states = NO_STATES

    def __init__(
        self,
        sim: Any,
        state: Any,
        *,
        local_player: Player | None = None,
        local_players: Sequence[Player] | None = None,
        history: Frame = 128,
        prediction_window: Frame | None = None,
        input_delay: Frame = 0,
        predictor: Predictor | None = None,
        sparse_saving: object = False,
        start_frame: Frame = 0,
    ) -> None:
        """An engine at ``start_frame``, holding ``state``.

        ``history`` is how many frames can be run again. ``prediction_window`` is how many frames may be run
        before everyone's input for them is sure: 0 is lockstep, None leaves history as the only bound.
        ``input_delay`` is how many frames later than pressed a local input takes effect.
        """
        check_settings(sim.num_players, history, prediction_window, start_frame)
        self.sim = sim
        self.num_players = sim.num_players
        self.history = history
        self.local_players = local_seats(sim.num_players, local_player, local_players)
        self.single = local_players is None
        self.first_seat = self.local_players[0] if self.local_players else 0
        self.prediction_window = prediction_window
        self.window = -1 if prediction_window is None else prediction_window
        self.start = self.current = self.local_upto = start_frame
        self.wrong_from = self.redone_from = -1
        self.rollbacks = self.resimulated = self.deepest = 0
        self.inputs = InputHistory(
            sim.num_players,
            self.local_players,
            max(4 * history, INPUTS_REMEMBERED),
            input_size_of(sim),
            start_frame,
            predictor,
        )
        self.states = ring_for(sim, history + 1, bool(sparse_saving))
        self.states.put(start_frame, state)
        self.delay = 0
        self.set_input_delay(input_delay)

    @property
    def frame(self) -> int:
        """The frame that the next ``advance`` runs; the present state is the one before it."""
        return self.current

    @property
    def confirmed_frame(self) -> int:
        """The newest frame that, with all before it, is confirmed for every player; -1 before any."""
        return self.inputs.confirmed_by_all()

    @property
    def start_frame(self) -> int:
        """The frame that the engine began with."""
        return self.start

    @property
    def remote_confirmed(self) -> int:
        """The newest frame that, with all before it, is confirmed for every player who is not local."""
        return self.inputs.confirmed_by_others()

    @property
    def final_state_frame(self) -> int:
        """The newest frame whose state (the one before it) can never change again."""
        self.settle()
        return self.final_frame() + 1

    @property
    def state(self) -> Any:
        """The present state, with every input that was added so far."""
        self.settle()
        return self.states.state_at(self.current, self.inputs)

    @property
    def stats(self) -> EngineStats:
        self.settle()
        return EngineStats(self.rollbacks, self.resimulated, self.deepest)

    @property
    def input_delay(self) -> int:
        """Frames between pressing and taking effect, for local inputs."""
        return self.delay

    @property
    def local_frontier(self) -> int:
        """The first frame for which no local input was given yet."""
        return self.local_upto

    def advance(self, pressed: Any) -> None:
        """Run one frame. ``pressed`` is the local player's input, or one a seat when ``local_players`` was given.

        Where the game raises, the frame is not run, and the next call tries it again; the press stands as given.
        """
        self.settle()
        if self.current >= UNSEEN:
            raise UsageError(f"frames are numbered up to {NEWEST_FRAME}, and that one was run: start another match")
        if self.window >= 0 and self.current > self.inputs.confirmed_by_others() + self.window:
            confirmed = self.inputs.confirmed_by_others()
            raise PredictionLimit(
                f"frame {self.current} would run {self.current - confirmed} frames past the newest confirmed "
                f"remote input ({confirmed}), and the prediction window is {self.window}: wait for inputs",
                frame=self.current,
                confirmed_frame=confirmed,
                window=self.window,
            )
        self.give_local(pressed)
        self.inputs.fill(self.current)
        self.states.simulate(self.current, self.current + 1, self.final_frame(), self.inputs)
        self.current += 1

    def can_advance(self) -> bool:
        """Whether the prediction window lets the next frame run."""
        return self.window < 0 or self.current <= self.inputs.confirmed_by_others() + self.window

    def add_remote_inputs(self, player: Player, start_frame: Frame, inputs: Sequence[Input]) -> int:
        """Take in a remote player's inputs from ``start_frame`` on; how many of them were news.

        The batch is taken whole or refused whole. Inputs that are known already are passed over; one that
        contradicts an input that is confirmed raises InputConflict, and one that contradicts a guess that can
        no longer be run again raises HistoryEvicted.
        """
        self.check_seat(player)
        self.check_frames(start_frame, len(inputs))
        seat: cython.int = player
        frame: cython.longlong = start_frame
        news: cython.int = 0
        self.check_batch(seat, frame, inputs)
        for value in inputs:
            if self.is_news(seat, frame):
                news += 1
                if self.inputs.confirm(seat, frame, value) and frame < self.current:
                    self.note_wrong(seat, frame)
                else:
                    self.note_dirty(seat, frame + 1)
            frame += 1
        return news

    def check_remote_inputs(self, player: Player, start_frame: Frame, inputs: Sequence[Input]) -> None:
        """Raise what ``add_remote_inputs`` would raise, and change nothing."""
        self.check_seat(player)
        self.check_frames(start_frame, len(inputs))
        self.check_batch(player, start_frame, inputs)

    def is_news(self, player: cython.int, frame: cython.longlong) -> cython.bint:
        """Whether an input for this frame is still wanted: not before our start, not of one who left, not known."""
        if frame < self.start or frame >= self.inputs.gone_from[player] or self.inputs.is_sure(player, frame):
            return False
        return frame >= self.current or self.inputs.holds(frame)

    def check_player(self, player: Any) -> cython.int:
        if not fits(player, self.num_players - 1):
            raise UsageError(f"player must be from 0 to {self.num_players - 1}, not {player!r}")
        return 0

    def check_seat(self, player: Any) -> cython.int:
        self.check_player(player)
        if self.inputs.local[player]:
            raise UsageError(f"player {player} is local here: its inputs are given to advance()")
        return 0

    def check_frames(self, first: Any, count: cython.longlong) -> cython.int:
        """Refuse frames that are none, or that lie further ahead than history reaches back."""
        if not fits(first, NEWEST_FRAME):
            raise UsageError(f"a frame is an integer from 0 to {NEWEST_FRAME}, not {first!r}")
        last: cython.longlong = first
        if count > 0:
            last += count - 1
        if last > self.current + self.history:
            raise ProtocolViolation(
                f"frame {last} is {last - self.current} frames in the future of frame {self.current}; "
                f"with history={self.history} no more than {self.history} are taken"
            )
        return 0

    def check_batch(self, player: cython.int, first: cython.longlong, values: Any) -> cython.int:
        """Raise if any input of the batch must be refused; change nothing."""
        frame: cython.longlong = first
        known: cython.ulonglong
        for value in values:
            if not fits(value, self.inputs.largest_input):
                raise UsageError(
                    f"input of player {player} for frame {frame} must be an integer from 0 to "
                    f"{self.inputs.largest_input}, not {value!r}"
                )
            if self.inputs.holds(frame) and frame < self.inputs.gone_from[player]:
                known = self.inputs.used[(frame & self.inputs.mask) * self.num_players + player]
                if known != value:
                    if self.inputs.is_sure(player, frame):
                        raise InputConflict(
                            f"player {player} sent {value} for frame {frame}, which was confirmed as {known}",
                            player=player,
                            frame=frame,
                            confirmed=known,
                            received=value,
                        )
                    if frame < self.oldest():
                        raise self._evicted(frame, f"player {player} pressed {value} and not {known}")
            elif self.is_lost(player, frame):
                raise self._evicted(frame, f"player {player} pressed {value}, and what was guessed is forgotten")
            frame += 1
        return 0

    def is_lost(self, player: cython.int, frame: cython.longlong) -> cython.bint:
        """Whether a frame was run on a guess that nobody can compare any more: its row has gone to a newer frame."""
        if frame < self.inputs.upto[player] or frame >= self.current:
            return False
        return frame < self.inputs.gone_from[player] and not self.inputs.holds(frame)

    def note_wrong(self, player: cython.int, frame: cython.longlong) -> cython.int:
        """Frame ``frame`` was run with another input than the true one."""
        if self.wrong_from < 0 or frame < self.wrong_from:
            self.wrong_from = frame
        return self.note_dirty(player, frame + 1)

    def note_dirty(self, player: cython.int, frame: cython.longlong) -> cython.int:
        """Guesses from ``frame`` on were made from less than is known now."""
        if frame < self.current and frame < self.inputs.dirty[player]:
            self.inputs.dirty[player] = frame
            self.inputs.any_dirty = True
        return 0

    def settle(self) -> cython.int:
        """Run again from the earliest frame that is known to be wrong."""
        guessed: cython.longlong = self.inputs.predict_anew(self.oldest(), self.current)
        first: cython.longlong = self.wrong_from
        if guessed >= 0 and (first < 0 or guessed < first):
            first = guessed
        if first < 0:
            return 0
        # Until all of it was run: where a game raises on the way, the next to ask runs it again from here.
        self.wrong_from = first
        self.states.simulate(first, self.current, self.final_frame(), self.inputs)
        self.wrong_from = -1
        self.rollbacks += 1
        self.resimulated += self.current - first
        if self.current - first > self.deepest:
            self.deepest = self.current - first
        if self.redone_from < 0 or first < self.redone_from:
            self.redone_from = first
        return 0

    def oldest(self) -> cython.longlong:
        """The oldest frame whose state is held."""
        return max(self.start, self.current - self.history)

    def final_frame(self) -> cython.longlong:
        """The newest frame that was run and cannot be run differently any more."""
        return min(self.inputs.confirmed_by_all(), self.current - 1)

    def give_local(self, pressed: Any) -> cython.int:
        """File the local inputs under the frame they take effect in, so that each frame has one, in order."""
        target: cython.longlong = self.current + self.delay
        index: cython.int = 0
        if self.single:
            self.check_press(self.first_seat, pressed)
        else:
            if not isinstance(pressed, (tuple, list)) or len(pressed) != len(self.local_players):
                raise UsageError(f"advance takes {len(self.local_players)} local inputs, not {pressed!r}")
            for value in pressed:
                self.check_press(self.local_players[index], value)
                index += 1
        while self.local_upto < target:
            self.hold_local()
        # Where the delay shrank, this frame's input was given already, and the press finds no frame.
        if self.local_upto == target:
            if self.single:
                self.inputs.confirm(self.first_seat, target, pressed)
            else:
                for index in range(len(pressed)):
                    self.inputs.confirm(self.local_players[index], target, pressed[index])
            self.local_upto += 1
        return 0

    def fill_delay(self) -> None:
        """Give the frames that the delay has put before the next press what is held: at the start, nothing pressed.

        ``advance`` does it too, but then too late for others who wait for these inputs before they run a frame.
        """
        while self.local_upto < self.current + self.delay:
            self.hold_local()

    def check_press(self, player: cython.int, value: Any) -> cython.int:
        if not fits(value, self.inputs.largest_input):
            raise UsageError(
                f"input of player {player} must be an integer from 0 to {self.inputs.largest_input}, not {value!r}"
            )
        return 0

    def hold_local(self) -> cython.int:
        """The delay grew: give the next frame what was pressed last, as the others will have guessed."""
        at: cython.longlong = ((self.local_upto - 1) & self.inputs.mask) * self.num_players
        seat: cython.int
        held: cython.ulonglong
        for seat in self.local_players:
            held = self.inputs.used[at + seat] if self.local_upto > self.start else 0
            self.inputs.confirm(seat, self.local_upto, held)
        self.local_upto += 1
        return 0

    def set_input_delay(self, frames: Frame) -> None:
        """Change the delay of local inputs from the next frame on.

        A growing delay holds the last input over the frames in between; a shrinking one passes over as many
        presses. Either way each frame gets exactly one input, in order, and none that was sent changes.
        """
        if not isinstance(frames, int) or not 0 <= frames <= self.history:
            raise UsageError(f"input_delay must be from 0 to history ({self.history}) frames, not {frames!r}")
        self.delay = frames

    def drop_player(self, player: Player, frame: Frame) -> None:
        """From ``frame`` on, simulate ``player`` on neutral input; all peers must agree on the frame."""
        self.check_seat(player)
        self.check_frames(frame, 1)
        seat: cython.int = player
        at: cython.longlong
        first: cython.longlong = max(frame, self.start)
        for at in range(first, self.oldest()):
            if self.inputs.holds(at) and self.inputs.used[(at & self.inputs.mask) * self.num_players + seat] != 0:
                raise self._evicted(at, f"player {player} left at frame {frame}")
        self.inputs.gone_from[seat] = first
        for at in range(max(first, self.oldest()), self.current):
            if self.inputs.confirm(seat, at, 0):
                self.note_wrong(seat, at)

    def restore_player(self, player: Player, frame: Frame) -> None:
        """Let a player who left send inputs again, from ``frame`` on; all peers must agree on the frame."""
        self.check_seat(player)
        self.check_frames(frame, 1)
        seat: cython.int = player
        at: cython.longlong
        gone: cython.longlong = self.inputs.gone_from[seat]
        if frame < max(gone, self.current):
            raise UsageError(f"player {player} can return at frame {self.current} or later, not at {frame}")
        for at in range(max(gone, self.oldest()), frame):
            self.inputs.confirm(seat, at, 0)
        for at in range(frame, self.current + self.history + 1):
            if self.inputs.holds(at):
                self.inputs.sure[(at & self.inputs.mask) * self.num_players + seat] = 0
        self.inputs.gone_from[seat] = NEWEST_FRAME + 1
        self.inputs.upto[seat] = frame
        self.inputs.newest[seat] = frame - 1

    def state_at(self, frame: Frame) -> Any:
        """The state before ``frame``, if it is in history."""
        self.settle()
        self._check_held(frame)
        return self.states.state_at(frame, self.inputs)

    def checksum_at(self, frame: Frame) -> int:
        """The checksum of the state before ``frame``, if it is in history."""
        self.settle()
        self._check_held(frame)
        return self.states.checksum_at(frame, self.inputs)  # type: ignore[no-any-return]  # mypy sees kernels untyped

    def inputs_of(self, player: Player, first: Frame, end: Frame) -> list[int]:
        """The confirmed inputs of one player for frames ``first`` to ``end - 1``."""
        self.check_player(player)
        if not (fits(first, NEWEST_FRAME) and isinstance(end, int)):
            raise self._evicted(first, f"the confirmed inputs from {first!r} up to {end!r} were asked for")
        return self.sure_inputs(player, first, min(end, NEWEST_FRAME + 1))

    def sure_inputs(self, player: cython.int, first: cython.longlong, end: cython.longlong) -> list[int]:
        """The same for callers who took the seat from us: a seat that does not exist is not noticed."""
        at: cython.longlong
        found = []
        for at in range(first, end):
            if not self.inputs.is_sure(player, at):
                raise self._evicted(at, f"the confirmed input of player {player} was asked for")
            found.append(self.inputs.used[(at & self.inputs.mask) * self.num_players + player])
        return found

    def inputs_at(self, frame: Frame) -> tuple[int, ...]:
        """The inputs of all players for a frame that was run, guesses included."""
        self.settle()
        if not fits(frame, NEWEST_FRAME) or frame >= self.current or not self.inputs.holds(frame):
            raise self._evicted(frame, "its inputs were asked for")
        return self.inputs.inputs_at(frame)  # type: ignore[no-any-return]  # mypy sees kernels untyped

    def first_missing(self, player: Player) -> int:
        """The first frame for which ``player``'s input is not confirmed with all before it.

        For a player who left it stays at the frame of leaving: what follows is not the player's own.
        """
        self.check_player(player)
        return self.missing_from(player)

    def missing_from(self, player: cython.int) -> cython.longlong:
        """The same for callers who took the seat from us: a seat that does not exist is not noticed."""
        return min(self.inputs.upto[player], self.inputs.gone_from[player])

    def take_redone(self) -> int:
        """The earliest frame that was run again since this was last asked; -1 if none."""
        self.settle()
        first = self.redone_from
        self.redone_from = -1
        return first

    def _check_held(self, frame: Frame) -> None:
        if not fits(frame, UNSEEN) or not self.oldest() <= frame <= self.current:
            raise self._evicted(frame, "its state was asked for")

    def _evicted(self, frame: Any, why: Any) -> HistoryEvicted:
        return HistoryEvicted(
            f"frame {frame!r} is not in history ({why}): at frame {self.current} with history={self.history} "
            f"the frames from {self.oldest()} on are held; raise history to reach further back",
            frame=frame,
            current=self.current,
            history=self.history,
        )
