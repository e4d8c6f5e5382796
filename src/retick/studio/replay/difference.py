"""Two recordings compared: the first inputs that differ, the first state that differs, and its fields."""

from collections.abc import Callable
from typing import Any

from retick.errors import UsageError
from retick.replay import Comparison, Replay, ReplayPlayer, compare
from retick.replay.comparison import first_difference, frame_to_compare
from retick.sim.contract import Simulation
from retick.sim.fields import FieldDifference, field_differences
from retick.studio.replay.viewer import seek_in_steps
from retick.studio.room import Steps
from retick.studio.shown import shown_value

MOST_DIFFERENCES = 200


class Difference:
    """A comparison in steps; ``result`` is None until it ends."""

    def __init__(self, ours: Replay, theirs: Replay) -> None:
        if ours.game_id and theirs.game_id and ours.game_id != theirs.game_id:
            raise UsageError(f"recordings of two games: {ours.game_id[:80]!r} and {theirs.game_id[:80]!r}")
        self._ours = ours
        self._theirs = theirs
        self.result: dict[str, Any] | None = None

    def run(self, make: Callable[[], Simulation[Any]]) -> Steps:
        """Compare in steps; states only from the first inputs that differ, since before only the start can differ."""
        players = [ReplayPlayer(replay, make(), max_checkpoints=2) for replay in (self._ours, self._theirs)]
        frame = frame_to_compare(self._ours, self._theirs)
        states = None
        if frame is not None:
            for player in players:
                yield from seek_in_steps(player, frame)
            states = players[0].state, players[1].state
        found = compare(self._ours, self._theirs, players[0].sim, states=states)
        fields = found.state
        if frame is not None and not fields and found.first_frame is not None:
            for later in range(frame + 1, min(found.frames) + 1):
                checksums = {player.sim.checksum(player.seek(later)) for player in players}
                if len(checksums) > 1:
                    frame = later
                    fields = field_differences(*(player.sim.fields(player.state) for player in players))
                    break
                yield
        self.result = _result(found, frame if fields else None, fields)

    def read_inputs(self) -> None:
        """Find only the first inputs that differ, which needs no game."""
        ours, theirs = self._ours, self._theirs
        if (ours.num_players, ours.input_size) != (theirs.num_players, theirs.input_size):
            raise UsageError("recordings whose inputs have different shapes cannot be compared")
        first = first_difference(ours, theirs)
        same = first is None and (ours.seed, ours.start_state) == (theirs.seed, theirs.start_state)
        inputs = None if first is None else (ours.inputs_at(first), theirs.inputs_at(first))
        found = Comparison(
            same=same,
            setup=() if ours.seed == theirs.seed else (FieldDifference("seed", ours.seed, theirs.seed),),
            frames=(ours.end_frame, theirs.end_frame),
            first_frame=first,
            inputs=inputs,
            state=(),
            checksum_frame=None,
            checksums=None,
        )
        self.result = _result(found, None, ())


def _result(found: Comparison, frame: int | None, fields: tuple[FieldDifference, ...]) -> dict[str, Any]:
    places = [place for place in (found.first_frame, frame, found.checksum_frame) if place is not None]
    return {
        "same": found.same,
        "frame": frame if frame is not None else min(places, default=None),
        "input_frame": found.first_frame,
        "inputs": None if found.inputs is None else [[f"{value:X}" for value in row] for row in found.inputs],
        "state_frame": frame,
        "fields": [[name, shown_value(here), shown_value(there)] for name, here, there in fields[:MOST_DIFFERENCES]],
        "setup": [[name, shown_value(here), shown_value(there)] for name, here, there in found.setup],
        "checksum_frame": found.checksum_frame,
        "lasts": list(found.frames),
    }
