"""The rollback engine: it runs frames on guessed inputs, and resimulates those whose guesses were wrong.

Theory of operation. The inputs of frame ``f`` lead from the state before ``f`` to the state before ``f + 1``.
``advance`` runs one frame with the local inputs and what is known or guessed of the others. ``add_remote_inputs`` only
files inputs and notes the earliest frame that was run with a wrong guess. The next call that advances, or that reads
the state or the statistics, first resimulates from that frame: once, however many inputs came in between. Confirmed
inputs never change: a batch that contradicts one is refused as a whole.

There is no network in here, and no clock: a session feeds it.
"""

from collections.abc import Sequence
from typing import Any

from retick.errors import HistoryEvicted, ProtocolViolation, UsageError
from retick.rollback.engine.checks import NEWEST_FRAME, check_settings, evicted, local_seats, window_full
from retick.rollback.engine.inputs import Predictor
from retick.rollback.engine.rings import ring_for
from retick.rollback.engine.stats import EngineStats
from retick.sim.contract import Frame, Input, Player, input_size_of

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.rollback.engine.arrivals import check_batch, check_run, copy_confirmed, learn, learn_run
    from cython.cimports.retick.rollback.engine.inputs import UNSEEN, InputHistory, fits
    from cython.cimports.retick.rollback.engine.local_inputs import LocalInputs
    from cython.cimports.retick.rollback.engine.states import StateRing
else:
    from retick.rollback.engine.arrivals import check_batch, check_run, copy_confirmed, learn, learn_run
    from retick.rollback.engine.inputs import UNSEEN, InputHistory, fits
    from retick.rollback.engine.local_inputs import LocalInputs
    from retick.rollback.engine.states import StateRing

__all__ = ["EngineStats", "RollbackEngine"]

NO_INPUTS = InputHistory(1, (), 1, 1, 0, None)
NO_STATES = StateRing()
NO_LOCAL = LocalInputs(NO_INPUTS, (), False, 0)


@cython.cclass
class RollbackEngine:
    """Runs a game for any number of players, any of them local; the text of the module says how."""

    if not cython.compiled:
        sim: Any
        history: int
        local_players: tuple[int, ...]
        prediction_window: int | None
        current: int
        start: int
        window: int
        wrong_from: int
        resimulated_from: int
        num_players: int
        inputs: InputHistory
        local: LocalInputs
        states: StateRing
        rollbacks: int
        resimulated: int
        deepest: int

    def __cinit__(self, *_arguments: Any, **_options: Any) -> None:
        # Compiled only: a subclass that never calls __init__ gets errors, and not a crash.
        self.inputs = NO_INPUTS
        self.local = NO_LOCAL
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
        inputs_remembered: Frame = 4096,
    ) -> None:
        """An engine at ``start_frame``, holding ``state``.

        ``history`` is how many frames can be resimulated. ``prediction_window`` is how many frames may be run
        before everyone's input for them is confirmed: 0 is lockstep, None leaves history as the only bound.
        ``input_delay`` is how many frames after a press a local input takes effect. ``sparse_saving`` saves few
        states, for worlds whose save is expensive. ``inputs_remembered`` is how many frames of inputs are kept, at
        least; four histories are always. Inputs are small: with more of them than of states, a late contradiction is
        distinguished from an honest duplicate for over a minute at 60 Hz.
        """
        check_settings(sim.num_players, history, prediction_window, start_frame, inputs_remembered)
        self.sim = sim
        self.num_players = sim.num_players
        self.history = history
        self.local_players = local_seats(sim.num_players, local_player, local_players)
        self.prediction_window = prediction_window
        self.window = -1 if prediction_window is None else prediction_window
        self.start = self.current = start_frame
        self.wrong_from = self.resimulated_from = -1
        self.rollbacks = self.resimulated = self.deepest = 0
        self.inputs = InputHistory(
            sim.num_players,
            self.local_players,
            max(4 * history, inputs_remembered),
            input_size_of(sim),
            start_frame,
            predictor,
        )
        self.local = LocalInputs(self.inputs, self.local_players, local_players is None, start_frame)
        self.states = ring_for(sim, history + 1, bool(sparse_saving))
        self.states.put(start_frame, state)
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
    def final_state_frame(self) -> int:
        """The newest frame whose state (the one before it) can never change again."""
        self.resimulate()
        return self.final_frame() + 1

    @property
    def state(self) -> Any:
        """The present state, with every input that was added so far."""
        self.resimulate()
        return self.states.state_at(self.current, self.inputs)

    @property
    def stats(self) -> EngineStats:
        self.resimulate()
        return EngineStats(self.rollbacks, self.resimulated, self.deepest)

    @property
    def input_delay(self) -> int:
        """Frames from a press to its effect, for local inputs."""
        return self.local.delay

    @property
    def local_frontier(self) -> int:
        """The first frame for which no local input was given yet."""
        return self.local.upto

    def advance(self, pressed: Any) -> None:
        """Run one frame. ``pressed`` is the local player's input, or one a seat when ``local_players`` was given.

        If the game raises, the frame is not run, and the next call tries it again; the press stays as it was given.
        """
        self.resimulate()
        if self.current >= UNSEEN:
            raise UsageError(f"frames are numbered up to {NEWEST_FRAME}, and that one was run: start another match")
        if self.window >= 0 and self.current > self.inputs.confirmed_by_others() + self.window:
            raise window_full(self.current, self.inputs.confirmed_by_others(), self.window)
        self.local.press(pressed, self.current)
        self.inputs.fill(self.current)
        self.states.simulate(self.current, self.current + 1, self.final_frame(), self.inputs)
        self.current += 1

    def can_advance(self) -> bool:
        """Whether the prediction window lets the next frame run."""
        return self.window < 0 or self.current <= self.inputs.confirmed_by_others() + self.window

    def add_remote_inputs(self, player: Player, start_frame: Frame, inputs: Sequence[Input]) -> int:
        """File a remote player's inputs from ``start_frame`` on; returns how many of them were new.

        The batch is accepted whole or refused whole. Inputs that are known already are passed over; one that
        contradicts a confirmed input raises InputConflict, and one that contradicts a guess that can no longer be
        resimulated raises HistoryEvicted.
        """
        self.check_seat(player)
        self.check_frames(start_frame, len(inputs))
        seat: cython.int = player
        frame: cython.longlong = start_frame
        news: cython.int = 0
        found: cython.int
        check_batch(self.inputs, seat, frame, inputs, self.current, self.history)
        for value in inputs:
            found = learn(self.inputs, seat, frame, value, self.current)
            news += found > 0
            if found == 2:
                self.note_wrong(frame)
            frame += 1
        return news

    def add_run(
        self, player: cython.int, first: cython.longlong, values: cython.p_ulonglong, at: cython.int, count: cython.int
    ) -> cython.int:
        """``add_remote_inputs`` for a run (``arrivals``), of a seat that is not local, and frames that were checked."""
        check_run(self.inputs, player, first, values, at, count, self.current, self.history)
        wrong: cython.longlong = learn_run(self.inputs, player, first, values, at, count, self.current)
        if wrong >= 0:
            self.note_wrong(wrong)
        return 0

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
        """Refuse what is no frame number, and frames further ahead than history reaches back."""
        if not fits(first, NEWEST_FRAME):
            raise UsageError(f"a frame is an integer from 0 to {NEWEST_FRAME}, not {first!r}")
        last: cython.longlong = first
        if count > 0:
            last += count - 1
        if last > self.current + self.history:
            raise ProtocolViolation(
                f"frame {last} is {last - self.current} frames in the future of frame {self.current}; "
                f"with history={self.history} no more than {self.history} are accepted"
            )
        return 0

    def note_wrong(self, frame: cython.longlong) -> cython.int:
        """If ``frame`` was run, it was run with another input than the true one."""
        if frame < self.current and (self.wrong_from < 0 or frame < self.wrong_from):
            self.wrong_from = frame
        return 0

    def resimulate(self) -> cython.int:
        """Run the frames again from the earliest one that is known to be wrong."""
        guessed: cython.longlong = self.inputs.predict_again(self.oldest(), self.current)
        first: cython.longlong = self.wrong_from
        if guessed >= 0 and (first < 0 or guessed < first):
            first = guessed
        if first < 0:
            return 0
        # Until all of it was run: if the game raises on the way, the next call starts from here again.
        self.wrong_from = first
        self.states.simulate(first, self.current, self.final_frame(), self.inputs)
        self.wrong_from = -1
        self.rollbacks += 1
        self.resimulated += self.current - first
        if self.current - first > self.deepest:
            self.deepest = self.current - first
        if self.resimulated_from < 0 or first < self.resimulated_from:
            self.resimulated_from = first
        return 0

    def oldest(self) -> cython.longlong:
        """The oldest frame whose state is held."""
        return max(self.start, self.current - self.history)

    def held_from(self) -> cython.longlong:
        """The oldest frame whose inputs are held for sure: those of ``history`` frames ahead may be in the ring."""
        return max(self.start, self.current + self.history + 1 - self.inputs.capacity)

    def final_frame(self) -> cython.longlong:
        """The newest frame that was run and will never be resimulated."""
        return min(self.inputs.confirmed_by_all(), self.current - 1)

    def fill_delay(self) -> None:
        """Give the frames that the delay has put before the next press what is held: at the start, nothing pressed.

        ``advance`` does it too, but then too late for others who wait for these inputs before they run a frame.
        """
        self.local.hold(self.current + self.local.delay)

    def set_input_delay(self, frames: Frame) -> None:
        """Change the delay of local inputs from the next frame on; ``LocalInputs`` says what fills the gap."""
        if not isinstance(frames, int) or not 0 <= frames <= self.history:
            raise UsageError(f"input_delay must be from 0 to history ({self.history}) frames, not {frames!r}")
        self.local.delay = frames

    def set_prediction_window(self, frames: Frame) -> None:
        """Change from the next frame on how many frames may run before everyone's inputs for them are confirmed."""
        check_settings(self.num_players, self.history, frames, self.start, 1)
        self.prediction_window = self.window = frames

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
        self.inputs.dropped_from[seat] = first
        for at in range(max(first, self.oldest()), self.current):
            if self.inputs.confirm(seat, at, 0):
                self.note_wrong(at)
                if at + 1 < self.current:
                    self.inputs.mark_dirty(seat, at + 1)

    def restore_player(self, player: Player, frame: Frame) -> None:
        """Let a dropped player send inputs again, from ``frame`` on; all peers must agree on the frame.

        The frame may be up to three histories ahead: a peer that is behind must be able to accept it too.
        """
        self.check_seat(player)
        if not fits(frame, NEWEST_FRAME) or frame > self.current + 3 * self.history:
            self.check_frames(frame, 1)
        seat: cython.int = player
        at: cython.longlong
        dropped: cython.longlong = self.inputs.dropped_from[seat]
        if frame < max(dropped, self.current):
            raise UsageError(f"player {player} can return at frame {self.current} or later, not at {frame}")
        for at in range(max(dropped, self.oldest()), frame):
            self.inputs.confirm(seat, at, 0)
        self.inputs.restore(seat, frame, self.current + self.history + 1)

    def state_at(self, frame: Frame) -> Any:
        """The state before ``frame``, if it is in history."""
        self.resimulate()
        self._check_held(frame)
        return self.states.state_at(frame, self.inputs)

    def checksum_at(self, frame: Frame) -> int:
        """The checksum of the state before ``frame``, if it is in history."""
        self.resimulate()
        self._check_held(frame)
        return self.states.checksum_at(frame, self.inputs)  # type: ignore[no-any-return]  # mypy sees kernels untyped

    def inputs_of(self, player: Player, first: Frame, end: Frame) -> list[int]:
        """The confirmed inputs of one player for frames ``first`` to ``end - 1``."""
        self.check_player(player)
        if not (fits(first, NEWEST_FRAME) and isinstance(end, int)):
            raise self._evicted(first, f"the confirmed inputs from {first!r} up to {end!r} were asked for")
        at: cython.longlong
        seat: cython.int = player
        found = []
        for at in range(first, min(end, NEWEST_FRAME + 1)):
            if not self.inputs.is_confirmed(seat, at):
                raise self._evicted(at, f"the confirmed input of player {player} was asked for")
            found.append(self.inputs.used[(at & self.inputs.mask) * self.num_players + seat])
        return found

    def copy_inputs(
        self, player: cython.int, first: cython.longlong, count: cython.int, values: cython.p_ulonglong, to: cython.int
    ) -> cython.int:
        """The same as a run, without a check of the seat, for callers that got it from the engine."""
        missing: cython.longlong = copy_confirmed(self.inputs, player, first, count, values, to)
        if missing >= 0:
            raise self._evicted(missing, f"the confirmed input of player {player} was asked for")
        return 0

    def inputs_at(self, frame: Frame) -> tuple[int, ...]:
        """The inputs of all players for a frame that was run, guesses included."""
        self.resimulate()
        if not fits(frame, NEWEST_FRAME) or frame >= self.current or not self.inputs.holds(frame):
            raise self._evicted(frame, "its inputs were asked for")
        return self.inputs.inputs_at(frame)  # type: ignore[no-any-return]  # mypy sees kernels untyped

    def first_missing(self, player: Player) -> int:
        """The first frame for which ``player``'s input is not confirmed with all before it.

        For a dropped player it stays at the frame of the drop: what follows is not the player's own.
        """
        self.check_player(player)
        return self.missing_from(player)

    def missing_from(self, player: cython.int) -> cython.longlong:
        """The same without a check of the seat, for callers that got it from the engine."""
        return min(self.inputs.upto[player], self.inputs.dropped_from[player])

    def is_missing(self, player: Player, frame: Frame) -> bool:
        """Whether an input of ``player`` for ``frame`` or before is still to come; not of one who is dropped."""
        self.check_player(player)
        return self.inputs.upto[player] <= frame and self.inputs.upto[player] < self.inputs.dropped_from[player]

    def drain_resimulated(self) -> int:
        """The earliest frame that was resimulated since the last call; -1 if none."""
        self.resimulate()
        first = self.resimulated_from
        self.resimulated_from = -1
        return first

    def _check_held(self, frame: Frame) -> None:
        if not fits(frame, UNSEEN) or not self.oldest() <= frame <= self.current:
            raise self._evicted(frame, "its state was asked for")

    def _evicted(self, frame: Any, why: Any) -> HistoryEvicted:
        return evicted(frame, why, self.current, self.history, self.oldest())
