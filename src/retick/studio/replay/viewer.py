"""One recording with a player: what the page sees of a frame."""

from collections.abc import Callable
from typing import Any

from retick.replay import Replay, ReplayPlayer
from retick.sim.contract import Simulation
from retick.studio.fighter_view import is_fighter
from retick.studio.replay.slices import seek_in_steps
from retick.studio.shown_values import shown_fields
from retick.studio.steps import Steps

__all__ = ["AROUND", "Viewer", "input_rows"]

AROUND = 8
"""Frames before and after the one shown whose inputs are shown too."""


class Viewer:
    """Shows a recording with the game that it is of."""

    def __init__(self, replay: Replay, make: Callable[[], Simulation[Any]]) -> None:
        self.replay = replay
        self.make = make
        self._player: ReplayPlayer[Any] = ReplayPlayer(replay, make())
        self._before: tuple[int, list[tuple[str, str]]] | None = None

    @property
    def is_fighter(self) -> bool:
        return is_fighter(self._player.sim)

    def prepare(self) -> Steps:
        """Runs ahead, so that later jumps are short."""
        player, replay = self._player, self.replay
        while (kept := replay.start_frame + player.kept * player.spacing) <= replay.end_frame:
            yield from seek_in_steps(player, kept)

    def seek(self, frame: int) -> Steps:
        """Moves to a frame of the recording; after the last step ``view`` shows it."""
        if frame > self.replay.start_frame:
            yield from seek_in_steps(self._player, frame - 1)
            self._before = frame - 1, self._fields()[0]
        else:
            self._before = None
        yield from seek_in_steps(self._player, frame)

    def view(self) -> dict[str, Any]:
        """The frame that was sought, as the message ``frame`` has it."""
        frame, sim = self._player.frame, self._player.sim
        fields, more = self._fields()
        recorded = self.replay.checkpoints.get(frame)
        return {
            "frame": frame,
            "fields": fields,
            "left_out": more,
            "changed": self._changed(frame, fields),
            "checksum": f"0x{sim.checksum(self._player.state) & 0xFFFFFFFF:08X}",
            "recorded": None if recorded is None else f"0x{recorded:08X}",
            "inputs": input_rows(self.replay, frame),
        }

    def _fields(self) -> tuple[list[tuple[str, str]], int]:
        return shown_fields(self._player.sim.fields(self._player.state))

    def _changed(self, frame: int, fields: list[tuple[str, str]]) -> list[int]:
        """Places of the fields that are not as they were in the frame before."""
        if self._before is None or self._before[0] != frame - 1:
            return []
        before = dict(self._before[1])
        return [at for at, (name, value) in enumerate(fields) if before.get(name) != value]


def input_rows(replay: Replay, frame: int) -> list[list[Any]]:
    """Frame and inputs, as hexadecimal digits, of the frames around one."""
    first = max(frame - AROUND, replay.start_frame)
    end = min(frame + AROUND + 1, replay.end_frame)
    digits = 2 * replay.input_size
    return [[at, [f"{value:0{digits}X}" for value in replay.inputs_at(at)]] for at in range(first, end)]
