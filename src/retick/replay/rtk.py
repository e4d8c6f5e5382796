"""RTK v1, the recording of any match: writes and reads a whole Replay. docs/formats/rtk.md is the specification.

A file is read block by block, and a block is trusted only if its CRC is correct. At the first block that is cut off or
damaged a lenient reader stops with what it has read, and a strict one raises.
"""

import struct
from collections.abc import Callable, Sequence
from typing import Any

from retick.errors import (
    InvalidValue,
    LimitExceeded,
    ReservedNotZero,
    SeedIsZero,
    TrailingData,
    Truncated,
    UnknownFlags,
)
from retick.replay import rtk_blocks as blocks
from retick.replay.limits import Budget, ReadLimits, budget_for
from retick.replay.recorder import Recorder
from retick.replay.replay import (
    MAX_FRAME,
    MAX_INPUT_SIZE,
    MAX_PLAYERS,
    Arrival,
    Hosting,
    Replay,
    SeatChange,
    View,
    arrival_problem,
    entry_problem,
)

__all__ = [
    "RtkReader",
    "dumps",
    "loads",
]


# Reads the bodies of RTK blocks, one after another, into a Replay. Their framing and CRC have been checked.

CHECK_COST = 256
"""Bytes that a checksum takes in memory while it is read; the same for an arrival, an entry of a server's match, and a
note besides its text."""
ARRIVAL_COST = 256
HOSTING_COST = 256
NOTE_COST = 256


class RtkReader:
    """Everything read so far. Each block is checked completely before anything of it is kept."""

    def __init__(self, budget: Budget) -> None:
        self.ended = False
        """Whether the END block was read."""
        self.start_frame = 0
        self.num_players = 0
        self.local_players: tuple[int, ...] = ()
        self._budget = budget
        self._head: dict[str, Any] | None = None
        self._state_due = False
        self._state: bytes | None = None
        self._width = 0
        self._frames = bytearray()
        self._checks: dict[int, int] = {}
        self._resyncs: dict[int, bytes] = {}
        self._last_check = -1
        self._arrivals: list[Arrival] = []
        self._is_hosted = False
        self._seats: list[SeatChange] = []
        self._views: list[View] = []
        self._metadata: dict[str, str] = {}
        self._readers: dict[int, Callable[[bytes], None]] = {
            blocks.BlockType.HEAD: self._read_head,
            blocks.BlockType.STATE: self._read_state,
            blocks.BlockType.INPUTS: self._read_inputs,
            blocks.BlockType.CHECKS: self._read_checks,
            blocks.BlockType.ARRIVALS: self._read_arrivals,
            blocks.BlockType.META: self._read_meta,
            blocks.BlockType.END: self._read_end,
            blocks.BlockType.RESYNC: self._read_resync,
            blocks.BlockType.SEATS: self._read_seats,
            blocks.BlockType.VIEWS: self._read_views,
        }

    @property
    def playable(self) -> bool:
        """Whether enough was read to start the match: HEAD, and STATE if HEAD announces it."""
        return self._head is not None and not self._state_due

    @property
    def end_frame(self) -> int:
        """The frame after the last one read."""
        return self.start_frame + (len(self._frames) // self._width if self._width else 0)

    def read_block(self, block_type: int, body: bytes) -> None:
        """Add the content of one block, or raise DecodeError."""
        if (block_type == blocks.BlockType.HEAD) != (self._head is None):
            raise InvalidValue("an RTK recording starts with its only HEAD block")
        if (block_type == blocks.BlockType.STATE) != self._state_due and self._head is not None:
            raise InvalidValue("a STATE block must follow HEAD if HEAD announces one, and must not otherwise")
        if block_type >= blocks.FIRST_OPTIONAL_TYPE:
            return
        if block_type not in self._readers:
            raise InvalidValue(f"RTK block type {block_type} is unknown")
        self._readers[block_type](body)

    def replay(self, *, truncated: bool) -> Replay:
        """The recording read so far."""
        assert self._head is not None
        return Replay(
            frames=bytes(self._frames),
            start_state=self._state,
            checkpoints=self._checks,
            # Without a following frame, nothing continued from this state.
            resyncs={frame: state for frame, state in self._resyncs.items() if frame < self.end_frame},
            arrivals=tuple(self._arrivals),
            hosting=Hosting(tuple(self._seats), tuple(self._views)) if self._is_hosted else None,
            metadata=self._metadata,
            truncated=truncated,
            **self._head,
        )

    def _read_head(self, body: bytes) -> None:
        _expect_at_least(blocks.HEAD.size, body, "HEAD")
        players, size, seats, seed, start, version, flags, name_size = blocks.HEAD.unpack_from(body)
        _expect_exactly(blocks.HEAD.size + name_size, body, "HEAD")
        if not 1 <= players <= MAX_PLAYERS:
            raise InvalidValue(f"an RTK recording has 1 to {MAX_PLAYERS} players, not {players}")
        if not 1 <= size <= MAX_INPUT_SIZE:
            raise InvalidValue(f"an RTK input takes 1 to {MAX_INPUT_SIZE} bytes, not {size}")
        if seats >> players:
            raise InvalidValue(f"RTK local seats 0x{seats:04X} are not all among {players} players")
        if seed == 0:
            raise SeedIsZero("RTK seed is 0")
        if flags & ~(blocks.HAS_STATE | blocks.WAS_HOSTED):
            raise UnknownFlags(f"RTK flags 0x{flags:02X} are not all known")
        if start and not flags & blocks.HAS_STATE:
            raise InvalidValue(f"an RTK recording that starts at frame {start} needs a STATE")
        if flags & blocks.WAS_HOSTED and seats:
            raise InvalidValue("an RTK recording of a server has no local seats")
        game_id = _text(body[blocks.HEAD.size :], "game id")
        self._is_hosted = bool(flags & blocks.WAS_HOSTED)
        self._state_due = bool(flags & blocks.HAS_STATE)
        self._width = players * size
        self.num_players = players
        self.start_frame = start
        self.local_players = tuple(seat for seat in range(players) if seats >> seat & 1)
        self._head = {
            "seed": seed,
            "num_players": players,
            "input_size": size,
            "start_frame": start,
            "game_id": game_id,
            "game_version": version,
            "local_players": self.local_players,
        }

    def _read_state(self, body: bytes) -> None:
        self._state = body
        self._state_due = False

    def _read_inputs(self, body: bytes) -> None:
        _expect_at_least(blocks.INPUTS.size, body, "INPUTS")
        first, count = blocks.INPUTS.unpack_from(body)
        _expect_exactly(blocks.INPUTS.size + count * self._width, body, "INPUTS")
        if count == 0:
            raise InvalidValue("an RTK INPUTS block holds 1 frame or more")
        if first != self.end_frame:
            raise InvalidValue(f"RTK inputs go on at frame {self.end_frame}, not {first}")
        if first + count > MAX_FRAME:
            raise InvalidValue(f"RTK frames are numbered up to {MAX_FRAME}, not {first + count}")
        self._budget.spend("frames", count, "RTK inputs")
        self._frames += memoryview(body)[blocks.INPUTS.size :]

    def _read_checks(self, body: bytes) -> None:
        self._expect_records(body, blocks.CHECK.size, len(self._checks), CHECK_COST, "checks")
        for frame, checksum in blocks.CHECK.iter_unpack(body):
            if not max(self._last_check + 1, self.start_frame) <= frame <= self.end_frame:
                raise InvalidValue(f"the RTK check of frame {frame} is out of order, or of a frame without inputs")
            self._checks[frame] = checksum
            self._last_check = frame

    def _read_seats(self, body: bytes) -> None:
        self._expect_hosted("SEATS")
        self._expect_records(body, blocks.SEAT.size, len(self._seats), HOSTING_COST, "seats")
        for frame, player, joins, reserved in blocks.SEAT.iter_unpack(body):
            if reserved or joins > 1:
                raise ReservedNotZero("an RTK seat says 0 or 1, and its reserved bytes are zeros")
            change = SeatChange(frame, player, bool(joins))
            self._check_hosting(change, self._seats)
            self._seats.append(change)

    def _read_views(self, body: bytes) -> None:
        self._expect_hosted("VIEWS")
        self._expect_records(body, blocks.VIEW.size, len(self._views), HOSTING_COST, "views")
        for frame, player, reserved, behind in blocks.VIEW.iter_unpack(body):
            if reserved:
                raise ReservedNotZero("the reserved byte of an RTK view is not 0")
            view = View(frame, player, behind)
            self._check_hosting(view, self._views)
            self._views.append(view)

    def _expect_hosted(self, what: str, hosted: bool = True) -> None:
        if self._is_hosted != hosted:
            raise InvalidValue(f"an RTK recording of {'peers' if hosted else 'a server'} has no {what}")

    def _check_hosting(self, entry: SeatChange | View, so_far: Sequence[SeatChange | View]) -> None:
        """Check an entry. Frames whose inputs were read are closed: their entries must precede their inputs."""
        before = max(self.end_frame, so_far[-1].frame if so_far else 0)
        problem = entry_problem(entry, self.num_players, before)
        if problem:
            raise InvalidValue(f"RTK {entry}: {problem}")

    def _read_resync(self, body: bytes) -> None:
        self._expect_hosted("RESYNC", False)
        _expect_at_least(blocks.RESYNC.size, body, "RESYNC")
        [frame] = blocks.RESYNC.unpack_from(body)
        if frame != self.end_frame or frame in self._resyncs:
            raise InvalidValue(f"an RTK recording at frame {self.end_frame} cannot go on from a state of frame {frame}")
        self._expect_room(len(self._resyncs) + 1, "resyncs")
        self._resyncs[frame] = body[blocks.RESYNC.size :]

    def _read_arrivals(self, body: bytes) -> None:
        self._expect_hosted("ARRIVALS", False)
        self._expect_records(body, blocks.ARRIVAL.size, len(self._arrivals), ARRIVAL_COST, "arrivals")
        before = self._arrivals[-1].local_frame if self._arrivals else self.start_frame
        for local, first, count, player, reserved in blocks.ARRIVAL.iter_unpack(body):
            if reserved:
                raise ReservedNotZero("the reserved byte of an RTK arrival is not 0")
            arrival = Arrival(local, player, first, count)
            problem = arrival_problem(arrival, self, before)
            if problem:
                raise InvalidValue(f"RTK {arrival}: {problem}")
            self._budget.spend("frames in arrivals", count, "RTK arrivals")
            self._arrivals.append(arrival)
            before = local

    def _read_meta(self, body: bytes) -> None:
        at = 0
        while at < len(body):
            key, at = _sized(body, at, blocks.META_KEY, "metadata key")
            value, at = _sized(body, at, blocks.META_VALUE, "metadata value")
            if not key:
                raise InvalidValue("an RTK metadata key is empty")
            self._budget.spend("bytes", NOTE_COST + 4 * (len(key) + len(value)), "RTK metadata")
            self._metadata[_text(key, "metadata key")] = _text(value, "metadata value")
            self._expect_room(len(self._metadata), "metadata")

    def _read_end(self, body: bytes) -> None:
        _expect_exactly(blocks.END.size, body, "END")
        frames, checks, arrivals, known, reserved, checksum = blocks.END.unpack(body)
        if any(reserved):
            raise ReservedNotZero("the reserved bytes of the RTK END block are not zeros")
        if known > 1 or (not known and checksum):
            raise InvalidValue("HasChecksum of the RTK END block is 0 or 1, and with 0 its checksum is 0")
        found = (self.end_frame - self.start_frame, len(self._checks), len(self._arrivals))
        if found != (frames, checks, arrivals):
            raise InvalidValue(f"RTK totals are {(frames, checks, arrivals)}, and {found} were read")
        if known and self._checks.setdefault(self.end_frame, checksum) != checksum:
            raise InvalidValue(f"the RTK recording has two checksums for its final frame {self.end_frame}")
        self.ended = True

    def _expect_records(self, body: bytes, size: int, so_far: int, cost: int, what: str) -> None:
        if len(body) % size:
            raise Truncated(f"RTK {what} take {size} bytes each", needed=size, available=len(body) % size)
        self._expect_room(so_far + len(body) // size, what)
        self._budget.spend("bytes", cost * (len(body) // size), f"RTK {what}")

    def _expect_room(self, count: int, what: str) -> None:
        limit = self._budget.limits.max_records
        if count > limit:
            raise LimitExceeded(f"{count} RTK {what}, over the limit of {limit}", what=what, limit=limit, actual=count)


def _expect_at_least(size: int, body: bytes, what: str) -> None:
    if len(body) < size:
        raise Truncated(f"an RTK {what} block takes {size} bytes, not {len(body)}", needed=size, available=len(body))


def _expect_exactly(size: int, body: bytes, what: str) -> None:
    _expect_at_least(size, body, what)
    if len(body) > size:
        raise TrailingData(f"an RTK {what} block takes {size} bytes, not {len(body)}", extra=len(body) - size)


def _sized(body: bytes, at: int, size: struct.Struct, what: str) -> tuple[bytes, int]:
    """Read a length and that many bytes; returns them with the offset after them."""
    start = at + size.size
    length = size.unpack_from(body, at)[0] if start <= len(body) else 0
    if start + length > len(body):
        raise Truncated(f"an RTK {what} is cut off", needed=start + length - at, available=len(body) - at)
    return body[start : start + length], start + length


def _text(data: bytes, what: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InvalidValue(f"an RTK {what} is not UTF-8: {error.reason}") from None


FRAMES_PER_BLOCK = 36_000


def dumps(replay: Replay) -> bytes:
    """Write a replay as RTK; a ``truncated`` one has no END block."""
    recorder = Recorder(
        seed=replay.seed,
        num_players=replay.num_players,
        input_size=replay.input_size,
        start_frame=replay.start_frame,
        start_state=replay.start_state,
        game_id=replay.game_id,
        game_version=replay.game_version,
        local_players=replay.local_players,
        metadata=replay.metadata,
        hosted=replay.hosting is not None,
        block_frames=FRAMES_PER_BLOCK,
    )
    frame = replay.start_frame
    for stop, entry in _hosted(replay):
        recorder.add_packed(replay.packed(frame, stop))
        frame = stop
        if isinstance(entry, SeatChange):
            recorder.add_seat(entry.player, entry.joins)
        else:
            recorder.add_view(entry.player, entry.behind)
    for resync, state in replay.resyncs.items():
        recorder.add_packed(replay.packed(frame, resync))
        recorder.add_resync(state)
        frame = resync
    recorder.add_packed(replay.packed(frame, replay.end_frame))
    for frame, checksum in replay.checkpoints.items():
        if replay.truncated or frame != replay.end_frame:
            recorder.add_checksum(frame, checksum)
    for arrival in replay.arrivals:
        recorder.add_arrival(*arrival)
    if replay.truncated:
        recorder.flush()
    else:
        recorder.finish(replay.final_checksum)
    return recorder.drain()


def _hosted(replay: Replay) -> list[tuple[int, SeatChange | View]]:
    """The entries of a server's match besides inputs, each with its frame."""
    if replay.hosting is None:
        return []
    entries: list[SeatChange | View] = [*replay.hosting.seats, *replay.hosting.views]
    return sorted(((entry.frame, entry) for entry in entries), key=lambda pair: pair[0])


def loads(data: bytes | memoryview, *, strict: bool = False, limits: ReadLimits | Budget | None = None) -> Replay:
    """Read a replay. One that was cut off comes back ``truncated``; if ``strict``, it raises."""
    view = memoryview(data)
    budget = budget_for(limits, len(view))
    reader = RtkReader(budget)
    at = blocks.check_prefix(view)
    while not reader.ended:
        try:
            block = blocks.next_block(view, at)
        except blocks.Unproven as cut:
            if strict or not reader.playable:
                raise cut.error from None
            return reader.replay(truncated=True)
        reader.read_block(block.type, blocks.decode_body(block, at, budget))
        at = block.end
    if at != len(view):
        raise TrailingData(f"{len(view) - at} bytes after RTK's END block", extra=len(view) - at)
    return reader.replay(truncated=False)
