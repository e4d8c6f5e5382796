"""One recording with a player, which makes the page's view of a frame."""

from collections.abc import Callable
from typing import Any

from retick.replay import Replay, ReplayPlayer, Verdict
from retick.replay.verification import Verification
from retick.sim.contract import Simulation
from retick.studio.room import Steps
from retick.studio.shown import is_fighter, shown_fields

STRIDE = 64
"""Frames that are run in one step."""


def seek_in_steps(player: ReplayPlayer[Any], frame: int) -> Steps:
    """Move a player to a frame in short steps."""
    start, spacing = player.replay.start_frame, player.spacing
    kept = start + min((frame - start) // spacing, player.kept - 1) * spacing
    if not kept < player.frame <= frame:
        player.seek(kept)
    while player.frame < frame:
        player.seek(min(frame, player.frame + STRIDE))
        yield


AROUND = 8
"""Number of frames before and after the shown one whose inputs are shown too."""


class Viewer:
    """Shows a recording with its game."""

    def __init__(self, replay: Replay, make: Callable[[], Simulation[Any]]) -> None:
        self.replay = replay
        self.make = make
        self._player: ReplayPlayer[Any] = ReplayPlayer(replay, make())
        self._before: tuple[int, list[tuple[str, str]]] | None = None

    @property
    def is_fighter(self) -> bool:
        return is_fighter(self._player.sim)

    def prepare(self) -> Steps:
        """Run ahead, so that later jumps are short."""
        player, replay = self._player, self.replay
        while (kept := replay.start_frame + player.kept * player.spacing) <= replay.end_frame:
            yield from seek_in_steps(player, kept)

    def seek(self, frame: int) -> Steps:
        """Move to a frame of the recording; after the last step, ``view`` shows it."""
        if frame > self.replay.start_frame:
            yield from seek_in_steps(self._player, frame - 1)
            self._before = frame - 1, self._fields()[0]
        else:
            self._before = None
        yield from seek_in_steps(self._player, frame)

    def view(self) -> dict[str, Any]:
        """The present frame in a ``frame`` message."""
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
        """Indexes of the fields that differ from the frame before."""
        if self._before is None or self._before[0] != frame - 1:
            return []
        before = dict(self._before[1])
        return [at for at, (name, value) in enumerate(fields) if before.get(name) != value]


def input_rows(replay: Replay, frame: int) -> list[list[Any]]:
    """Number and hexadecimal inputs of the frames around one."""
    first = max(frame - AROUND, replay.start_frame)
    end = min(frame + AROUND + 1, replay.end_frame)
    digits = 2 * replay.input_size
    return [[at, [f"{value:0{digits}X}" for value in replay.inputs_at(at)]] for at in range(first, end)]


MOST_COLUMNS = 1200
MOST_MARKS = 100
LANES = 16
"""Bits of an input that have their own row; higher bits share the last one."""


class ReplayStrip:
    """The strip above the scrubber: a recording in at most 1,200 columns, each some frames wide.

    First come the inputs, which need no game. Then the recording is run once from start to end, to compare its
    checksums and, for the fighter, to note the hit points at the end of each column.
    """

    def __init__(self, replay: Replay, *, most_columns: int = MOST_COLUMNS) -> None:
        self._replay = replay
        self.per = max(1, -(-len(replay) // most_columns))
        """Frames per column."""
        self._inputs: list[list[int]] = [[] for _ in range(replay.num_players)]
        self._health: list[list[int]] = []
        self.done = replay.start_frame
        """The frame up to which the recording was run."""
        self.verdict: Verdict | None = None

    def to_json(self) -> dict[str, Any]:
        replay, verdict = self._replay, self.verdict
        return {
            "first": replay.start_frame,
            "last": replay.end_frame,
            "per": self.per,
            "inputs": self._inputs,
            "health": self._health or None,
            "resyncs": list(replay.resyncs)[:MOST_MARKS],
            "done": self.done,
            "verdict": None if verdict is None else _verdict_json(verdict),
        }

    def read_inputs(self) -> Steps:
        """Find the bits that are set in any frame, for each column and player."""
        replay, size = self._replay, self._replay.input_size
        for first in range(replay.start_frame, replay.end_frame, self.per):
            packed = replay.packed(first, min(first + self.per, replay.end_frame))
            for player, column in enumerate(self._inputs):
                bits = 0
                for byte in range(size):
                    # The set holds at most 256 values, however many frames the column has.
                    for value in set(packed[player * size + byte :: replay.width]):
                        bits |= value << (8 * byte)
                column.append(bits & (1 << LANES) - 1 | (bits >> LANES != 0) << LANES - 1)
            yield

    def run(self, make: Callable[[], Simulation[Any]]) -> Steps:
        """Run the whole recording; at the end there is a verdict."""
        replay, game = self._replay, make()
        running = Verification(replay, game)
        if is_fighter(game):
            self._health = [[], []]
        for first in range(replay.start_frame, replay.end_frame, self.per):
            end = min(first + self.per, replay.end_frame)
            while running.frame < end:
                running.run_to(min(running.frame + STRIDE, end))
                self.done = running.frame
                yield
            if self._health:
                self._health[0].append(running.state.p1.hp)
                self._health[1].append(running.state.p2.hp)
        self.verdict = running.verdict()


def _verdict_json(verdict: Verdict) -> dict[str, Any]:
    if not verdict.ok:
        word = "differs"
    else:
        word = "verified" if verdict.compared else "unknown"
    return {
        "word": word,
        "text": str(verdict),
        "compared": verdict.compared,
        "last_good": verdict.last_good_frame,
        "first_bad": verdict.first_bad_frame,
    }
