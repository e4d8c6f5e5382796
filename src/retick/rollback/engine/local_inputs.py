"""The inputs of the local players: in which frame a press takes effect (a compiled kernel).

Theory of operation. A press takes effect ``delay`` frames after it was given. Every frame gets exactly one input for
each local player, in order, and none that was filed ever changes: others may have it already. ``upto`` is the first
frame without a local input. If the delay grows, the frames in between get what was pressed last; if it shrinks, as
many presses find that their frame has an input already, and are passed over.
"""

from typing import Any

from retick.errors import UsageError
from retick.sim.contract import Frame

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.rollback.engine.inputs import InputHistory, fits
else:
    from retick.rollback.engine.inputs import InputHistory, fits

__all__ = ["LocalInputs"]


@cython.cclass
class LocalInputs:
    """Files what local players press under the frames in which it takes effect."""

    if not cython.compiled:
        players: tuple[int, ...]
        delay: int
        upto: int
        start: int
        is_single: bool
        first_player: int
        inputs: InputHistory

    def __init__(self, inputs: InputHistory, players: Any, is_single: Any, start: Frame) -> None:
        """``is_single``: presses are given as one input, and not as one a player."""
        self.inputs = inputs
        self.players = players
        self.is_single = is_single
        self.first_player = players[0] if players else 0
        self.delay = 0
        self.start = self.upto = start

    def press(self, pressed: Any, current: cython.longlong) -> cython.int:
        """File what is pressed in frame ``current``."""
        target: cython.longlong = current + self.delay
        index: cython.int = 0
        if self.is_single:
            self.check(self.first_player, pressed)
        else:
            if not isinstance(pressed, (tuple, list)) or len(pressed) != len(self.players):
                raise UsageError(f"advance takes {len(self.players)} local inputs, not {pressed!r}")
            for value in pressed:
                self.check(self.players[index], value)
                index += 1
        self.hold(target)
        # If the delay shrank, this frame has its input already, and the press is passed over.
        if self.upto == target:
            if self.is_single:
                self.inputs.confirm(self.first_player, target, pressed)
            else:
                for index in range(len(pressed)):
                    self.inputs.confirm(self.players[index], target, pressed[index])
            self.upto += 1
        return 0

    def hold(self, target: cython.longlong) -> cython.int:
        """Give the frames before ``target`` what was pressed last, as others will have guessed; at the start, 0."""
        at: cython.longlong
        player: cython.int
        held: cython.ulonglong
        while self.upto < target:
            at = ((self.upto - 1) & self.inputs.mask) * self.inputs.num_players
            for player in self.players:
                held = self.inputs.used[at + player] if self.upto > self.start else 0
                self.inputs.confirm(player, self.upto, held)
            self.upto += 1
        return 0

    def check(self, player: cython.int, value: Any) -> cython.int:
        if not fits(value, self.inputs.largest_input):
            raise UsageError(
                f"input of player {player} must be an integer from 0 to {self.inputs.largest_input}, not {value!r}"
            )
        return 0
