"""Records a match as it is played: frames, checksums and arrivals go in, RTK bytes to append come out.

No file is opened here: ``drain`` returns the finished blocks, and the caller appends them to a file. The recorder
keeps only what was not drained, so an hour of play needs no more memory than ten seconds.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Self

from retick.errors import EncodeError, UsageError
from retick.replay.replay import (
    MAX_FRAME,
    Arrival,
    SeatChange,
    View,
    arrival_problem,
    checked_seats,
    checked_shape,
    entry_problem,
    pack_frames,
    pack_inputs,
)
from retick.replay.rtk_blocks import (
    ARRIVAL,
    CHECK,
    END,
    HAS_STATE,
    HEAD,
    INPUTS,
    MAX_BODY,
    META_KEY,
    META_VALUE,
    PREFIX,
    RESYNC,
    SEAT,
    VIEW,
    WAS_HOSTED,
    BlockType,
    encode_block,
)
from retick.sim.contract import NamesItself, PacksState, Simulation, input_size_of
from retick.sim.prng import check_seed

RECORDS_PER_BLOCK = 4096
"""The most checksums, arrivals, or entries of a server's match in one block."""


class Recorder:
    """Turns confirmed frames into RTK blocks. Recorded content never changes."""

    def __init__(
        self,
        *,
        seed: int,
        num_players: int = 2,
        input_size: int = 2,
        start_frame: int = 0,
        start_state: bytes | None = None,
        game_id: str = "",
        game_version: int = 0,
        local_players: Sequence[int] = (),
        metadata: Mapping[str, str] | None = None,
        hosted: bool = False,
        block_frames: int = 600,
    ) -> None:
        """``hosted``: a server runs the match, and players come and go, as told by ``add_seat``."""
        checked_shape(num_players, input_size, start_frame, game_id, game_version)
        if start_frame and start_state is None:
            raise UsageError(f"a recording that starts at frame {start_frame} needs the state at that frame")
        if block_frames < 1:
            raise UsageError(f"a block holds 1 frame or more, not {block_frames}")
        self.seed = check_seed(seed)
        self.num_players = num_players
        self.input_size = input_size
        self.start_frame = start_frame
        self.local_players = checked_seats(local_players, num_players)
        self.frame = start_frame
        """The next frame to record."""
        self.finished = False
        self._width = num_players * input_size
        self._block_bytes = min(block_frames * self._width, 1 << 20)
        self._block_bytes -= self._block_bytes % self._width
        self._due = bytearray(PREFIX)
        self._inputs = bytearray()
        self._resync: bytes | None = None
        """The state that the next frame continues from, if the last frame did not lead to it."""
        self.hosted = hosted
        self._seats = bytearray()
        self._views = bytearray()
        self._checks = bytearray()
        self._arrivals = bytearray()
        self._check_count = self._arrival_count = 0
        self._last_check = start_frame - 1
        self._last_checksum = 0
        self._last_arrival = start_frame
        self._write_head(start_state, game_id, game_version)
        for key, value in (metadata or {}).items():
            self.add_metadata(key, value)

    @classmethod
    def for_game(cls, game: Simulation[Any], *, seed: int, state: Any = None, **options: Any) -> Self:
        """A recorder with the players, input size and name of ``game``.

        ``state`` is the state of the match at ``start_frame``. It is written into the recording unless the seed gives
        it: after a resync, a match begins at frame 0 from another state.
        """
        if isinstance(game, NamesItself):
            options = {"game_id": game.game_id, "game_version": game.game_version} | options
        packed = None if state is None else _packed_start(game, seed, state, options.get("start_frame", 0))
        if packed is not None:
            options["start_state"] = packed
        return cls(seed=seed, num_players=game.num_players, input_size=input_size_of(game), **options)

    def add_frame(self, inputs: Sequence[int]) -> None:
        """Record the next frame: one confirmed input per player."""
        self.add_packed(pack_inputs(inputs, self.num_players, self.input_size))

    def add_packed(self, frames: bytes) -> None:
        """Record any number of frames, already packed."""
        self._check_running()
        packed = pack_frames(frames, self.num_players, self.input_size)
        end = self.frame + len(packed) // self._width
        if end > MAX_FRAME:
            raise UsageError(f"frames are numbered up to {MAX_FRAME}, and this would lead to {end}")
        if packed:
            self._write_resync()
        for at in range(0, len(packed), self._block_bytes):
            part = packed[at : at + self._block_bytes]
            self._inputs += part
            self.frame += len(part) // self._width
            if len(self._inputs) >= self._block_bytes:
                self.flush()

    def add_resync(self, state: bytes) -> None:
        """Record that the next frame continues from ``state``, on which peers agreed; frame numbers go on."""
        self._check_running()
        if len(state) > MAX_BODY - RESYNC.size:
            raise EncodeError(f"a state to go on from takes up to {MAX_BODY - RESYNC.size} bytes, not {len(state)}")
        self._resync = bytes(state)

    def add_seat(self, player: int, joins: bool) -> None:
        """Record that a player joins or leaves right before the next frame, in a match that a server runs."""
        self._check_hosting(SeatChange(self.frame, player, joins))
        self._seats += SEAT.pack(self.frame, player, joins, 0)
        self._flush_entries(self._seats, SEAT.size)

    def add_view(self, player: int, behind: int) -> None:
        """Record that, from the next frame on, a player sees the others ``behind`` frames in the past."""
        self._check_hosting(View(self.frame, player, behind))
        self._views += VIEW.pack(self.frame, player, 0, behind)
        self._flush_entries(self._views, VIEW.size)

    def _check_hosting(self, entry: SeatChange | View) -> None:
        self._check_running()
        problem = entry_problem(entry, self.num_players, self.frame) if self.hosted else "the recorder is not hosted"
        if problem:
            raise UsageError(f"{entry}: {problem}")

    def add_checksum(self, frame: int, checksum: int) -> None:
        """Record the checksum of the state at ``frame``, which must be the one that the recorded inputs lead to."""
        self._check_running()
        if not isinstance(frame, int) or not self._last_check < frame <= self.frame:
            raise UsageError(
                f"checksums are recorded in order, for states that the recorded inputs lead to: after frame "
                f"{self._last_check} up to frame {self.frame}, not {frame}"
            )
        if not isinstance(checksum, int) or not 0 <= checksum <= 0xFFFFFFFF:
            raise UsageError(f"the checksum of frame {frame} must be an integer of 32 bits, not {checksum!r}")
        self._checks += CHECK.pack(frame, checksum)
        self._check_count += 1
        self._last_check = frame
        self._last_checksum = checksum
        self._flush_entries(self._checks, CHECK.size)

    def add_arrival(self, local_frame: int, player: int, first_frame: int, frames: int) -> None:
        """Record that a batch of remote inputs reached the engine before it advanced ``local_frame``."""
        self._check_running()
        arrival = Arrival(local_frame, player, first_frame, frames)
        problem = arrival_problem(arrival, self, self._last_arrival)
        if problem:
            raise UsageError(f"{arrival}: {problem}")
        self._arrivals += ARRIVAL.pack(local_frame, first_frame, frames, player, 0)
        self._arrival_count += 1
        self._last_arrival = local_frame
        self._flush_entries(self._arrivals, ARRIVAL.size)

    def add_metadata(self, key: str, value: str) -> None:
        """Add a note; a later value for the same key replaces an earlier one."""
        self._check_running()
        name, text = _utf8(key), _utf8(value)
        if not 1 <= len(name) <= 255 or len(text) > 65535:
            raise EncodeError(f"metadata keys take 1 to 255 bytes and values up to 65535; {key!r} does not fit")
        body = META_KEY.pack(len(name)) + name + META_VALUE.pack(len(text)) + text
        self._due += encode_block(BlockType.META, body)

    def _flush_entries(self, entries: bytearray, size: int) -> None:
        if len(entries) >= RECORDS_PER_BLOCK * size:
            self.flush()

    @property
    def waiting(self) -> int:
        """How many frames ``drain`` holds back because their block is still open."""
        return len(self._inputs) // self._width

    def flush(self) -> None:
        """Close the open blocks, so that ``drain`` returns everything recorded so far."""
        # Entries that precede a frame's inputs precede them in the file too: a file may be cut off anywhere.
        if self._seats:
            self._due += encode_block(BlockType.SEATS, bytes(self._seats))
        if self._views:
            self._due += encode_block(BlockType.VIEWS, bytes(self._views))
        if self._inputs:
            count = len(self._inputs) // self._width
            self._due += encode_block(BlockType.INPUTS, INPUTS.pack(self.frame - count, count) + self._inputs)
        # Checks and arrivals follow the inputs that they refer to.
        if self._checks:
            self._due += encode_block(BlockType.CHECKS, bytes(self._checks))
        if self._arrivals:
            self._due += encode_block(BlockType.ARRIVALS, bytes(self._arrivals))
        self._seats.clear()
        self._views.clear()
        self._inputs.clear()
        self._checks.clear()
        self._arrivals.clear()

    def finish(self, checksum: int | None = None) -> None:
        """End the recording; ``checksum`` is that of the final state, if known."""
        self._check_running()
        if checksum is not None and (not isinstance(checksum, int) or not 0 <= checksum <= 0xFFFFFFFF):
            raise UsageError(f"the final checksum must be an integer of 32 bits, not {checksum!r}")
        if checksum is not None and self._last_check == self.frame and self._last_checksum != checksum:
            raise UsageError(
                f"the final checksum 0x{checksum:08X} contradicts the one recorded for frame {self.frame}, "
                f"0x{self._last_checksum:08X}"
            )
        self.flush()
        frames = self.frame - self.start_frame
        known = checksum is not None
        body = END.pack(frames, self._check_count, self._arrival_count, known, bytes(3), checksum or 0)
        self._due += encode_block(BlockType.END, body)
        self.finished = True

    def drain(self) -> bytes:
        """The bytes to append now, each returned once; empty while no block is finished."""
        due, self._due = self._due, bytearray()
        return bytes(due)

    def _write_resync(self) -> None:
        if self._resync is not None:
            self.flush()
            self._due += encode_block(BlockType.RESYNC, RESYNC.pack(self.frame) + self._resync)
            self._resync = None

    def _write_head(self, start_state: bytes | None, game_id: str, game_version: int) -> None:
        name = _utf8(game_id)
        if len(name) > 255:
            raise EncodeError(f"a game id takes up to 255 bytes, not {len(name)}")
        seats = sum(1 << seat for seat in self.local_players)
        flags = (0 if start_state is None else HAS_STATE) | (WAS_HOSTED if self.hosted else 0)
        fixed = (self.num_players, self.input_size, seats, self.seed, self.start_frame, game_version, flags, len(name))
        self._due += encode_block(BlockType.HEAD, HEAD.pack(*fixed) + name)
        if start_state is not None:
            self._due += encode_block(BlockType.STATE, start_state)

    def _check_running(self) -> None:
        if self.finished:
            raise UsageError("the recording is finished: start another")


def _packed_start(game: Simulation[Any], seed: int, state: Any, start_frame: int) -> bytes | None:
    """The first state as bytes; None if ``initial_state`` gives it, or if it cannot be packed."""
    if not isinstance(game, PacksState):
        return None
    try:
        packed = game.pack_state(state)
    except UsageError:  # a world whose saves are not bytes
        return None
    # In this order: creating the initial state moves a mutable world away from ``state``, which must be saved before.
    is_initial = start_frame == 0 and game.pack_state(game.initial_state(seed)) == packed
    return None if is_initial else packed


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise EncodeError(f"{text!r} cannot be written as UTF-8: {error.reason}") from None
