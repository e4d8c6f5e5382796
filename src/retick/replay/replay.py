"""A recorded match as a value, read from and written to both formats.

The simple case is ``Replay(seed=1, frames=...)``: two players of 16 buttons from the start of a match. Frames are
numbered as in the match, from ``start_frame`` on. The input of frame ``f`` leads from the state at ``f`` to the
state at ``f + 1``, so a replay of ``n`` frames has the states ``start_frame`` to ``start_frame + n``.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple, Protocol, Self

from retick.errors import UsageError
from retick.sim.prng import check_seed

# A frame's inputs as bytes: player by player, little-endian, each of the game's input size.

MAX_PLAYERS: Final = 16
MAX_INPUT_SIZE: Final = 8
MAX_FRAME: Final = 0xFFFFFFFF


def pack_inputs(inputs: Sequence[int], num_players: int, input_size: int) -> bytes:
    """Pack one frame's inputs, one integer per player."""
    if isinstance(inputs, str | bytes) or not isinstance(inputs, Sequence):
        raise UsageError(f"a frame must be a sequence with one integer for each player, not {inputs!r}")
    if len(inputs) != num_players:
        raise UsageError(f"a frame has {num_players} inputs, one for each player, not {len(inputs)}")
    largest = (1 << (8 * input_size)) - 1
    for player, value in enumerate(inputs):
        if not isinstance(value, int) or not 0 <= value <= largest:
            raise UsageError(
                f"input of player {player} must be an integer of {8 * input_size} bits (0 to {largest}), not {value!r}"
            )
    return b"".join(int(value).to_bytes(input_size, "little") for value in inputs)


def unpack_inputs(row: bytes, input_size: int) -> tuple[int, ...]:
    """Unpack the inputs that ``pack_inputs`` packed."""
    return tuple(int.from_bytes(row[at : at + input_size], "little") for at in range(0, len(row), input_size))


def pack_frames(frames: Any, num_players: int, input_size: int) -> bytes:
    """Pack many frames; ``frames`` are packed bytes, which are checked, or a sequence of each frame's inputs."""
    if isinstance(frames, bytes | bytearray | memoryview):
        packed = bytes(frames)
        width = num_players * input_size
        if len(packed) % width:
            raise UsageError(
                f"packed frames must be a multiple of {width} bytes "
                f"({num_players} players of {input_size}), not {len(packed)}"
            )
        return packed
    if isinstance(frames, str) or not isinstance(frames, Iterable):
        raise UsageError(f"frames must be bytes or a sequence of inputs for each frame, not {type(frames).__name__}")
    return b"".join(pack_inputs(inputs, num_players, input_size) for inputs in frames)


# Arrivals: when the recording peer received which remote inputs, so that its rollbacks can be repeated.

MAX_BATCH = 0xFFFF
"""The most frames in one batch."""


class Arrival(NamedTuple):
    """A batch of one remote player's inputs that the recording peer received at one moment."""

    local_frame: int
    """The frame that the recording peer was about to advance."""
    player: int
    """The seat that the inputs belong to."""
    first_frame: int
    """The first frame of the batch."""
    frames: int
    """How many frames the batch has."""


class Seating(Protocol):
    """What the rules about arrivals need; a Replay, a Recorder and a reader of RTK all provide it."""

    @property
    def num_players(self) -> int: ...

    @property
    def local_players(self) -> tuple[int, ...]: ...

    @property
    def start_frame(self) -> int: ...


def arrival_problem(arrival: Arrival, seating: Seating, before: int) -> str | None:
    """The error in an arrival that follows one at local frame ``before``; None if it is valid."""
    local_frame, player, first_frame, frames = arrival
    known = isinstance(local_frame, int) and isinstance(player, int)
    if not (known and isinstance(first_frame, int) and isinstance(frames, int)):
        return "an arrival is four integers"
    if not before <= local_frame <= MAX_FRAME:
        return f"arrivals must be in order of their local frame, and the one before has frame {before}"
    if not 0 <= player < seating.num_players or player in seating.local_players:
        return "the player must be a remote seat"
    if first_frame < seating.start_frame:
        return f"its first frame is before the recording's start at frame {seating.start_frame}"
    if not 1 <= frames <= MAX_BATCH or first_frame + frames - 1 > MAX_FRAME:
        return f"a batch holds 1 to {MAX_BATCH} frames, none beyond {MAX_FRAME}"
    return None


# What a recording adds for a match that a server ran: who joined and left, and how far behind players saw the others.

MOST_BEHIND = 600
"""In frames: a replay keeps as many states as its farthest view needs."""


class SeatChange(NamedTuple):
    """A player joined or left."""

    frame: int
    """The change happens right before the inputs of this frame."""
    player: int
    joins: bool


class View(NamedTuple):
    """From a frame on, a player saw the others ``behind`` frames in the past."""

    frame: int
    player: int
    behind: int
    """In frames, 1 or more."""


@dataclass(frozen=True, slots=True)
class Hosting:
    """All seat changes and views, each in order of frames."""

    seats: tuple[SeatChange, ...] = ()
    views: tuple[View, ...] = ()

    @property
    def farthest(self) -> int:
        """The most frames that anybody saw in the past; 1 if nobody looked back."""
        return max((view.behind for view in self.views), default=1)

    def before(self, end: int) -> "Hosting":
        """The entries for frames before ``end``."""
        return Hosting(
            tuple(each for each in self.seats if each.frame < end),
            tuple(each for each in self.views if each.frame < end),
        )

    def check(self, num_players: int, start_frame: int) -> None:
        """Raise a UsageError unless these entries fit a recording of ``num_players``."""
        for entries in (self.seats, self.views):
            _check_entries(entries, num_players, start_frame)


def _check_entries(entries: Iterable[SeatChange | View], num_players: int, before: int) -> None:
    for entry in entries:
        problem = entry_problem(entry, num_players, before)
        if problem:
            raise UsageError(f"{entry}: {problem}")
        before = entry.frame


def entry_problem(entry: SeatChange | View, num_players: int, before: int) -> str | None:
    """The error in an entry that may not precede frame ``before``; None if it is valid."""
    if not all(isinstance(number, int) for number in entry):
        return "an entry is three integers"
    if not before <= entry.frame <= MAX_FRAME:
        return f"entries are in order of their frames, and this one is for frame {before} or later"
    if not 0 <= entry.player < num_players:
        return f"seats are 0 to {num_players - 1}"
    if isinstance(entry, View) and not 1 <= entry.behind <= MOST_BEHIND:
        return f"a player sees 1 to {MOST_BEHIND} frames behind"
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """A recorded match. Only ``seed`` and ``frames`` are required; the defaults fit the simple case."""

    seed: int
    """The seed of the game's first state: 1 to 4294967295."""
    frames: bytes = field(repr=False)
    """Packed inputs of all frames. A sequence with one tuple of inputs per frame is also accepted, and packed."""
    num_players: int = 2
    input_size: int = 2
    """Bytes per input of one player, 1 to 8."""
    start_frame: int = 0
    """The number of the first frame."""
    start_state: bytes | None = field(default=None, repr=False)
    """The state at ``start_frame``, packed by the game; None if the seed makes it."""
    game_id: str = ""
    """The id of the game; empty if unknown."""
    game_version: int = 0
    """The version of the game's rules; 0 if unknown."""
    local_players: tuple[int, ...] = ()
    """The seats of the peer that recorded."""
    checkpoints: Mapping[int, int] = field(default_factory=dict, hash=False, repr=False)
    """Checksums of states by frame, for some frames; includes the final state if it is known."""
    resyncs: Mapping[int, bytes] = field(default_factory=dict, hash=False, repr=False)
    """Packed states by frame, from which that frame and later ones continue: peers agreed on them after a desync. The
    state at such a frame, and its checksum, are still those that the earlier inputs led to."""
    arrivals: tuple[Arrival, ...] = field(default=(), repr=False)
    """When each batch of remote inputs arrived, in order; empty if not recorded."""
    hosting: Hosting | None = field(default=None, repr=False)
    """Who joined and left a match that a server ran, and what players saw. None if all players were there from the
    start."""
    metadata: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Notes of the recording program; playing needs none of them."""
    truncated: bool = False
    """Whether the recording was cut off before its end; then this is the good part of it."""

    def __post_init__(self) -> None:
        checked_shape(self.num_players, self.input_size, self.start_frame, self.game_id, self.game_version)
        if self.start_state is not None and not isinstance(self.start_state, bytes):
            raise UsageError(f"start_state must be bytes or None, not {type(self.start_state).__name__}")
        self._set(seed=check_seed(self.seed))
        self._set(frames=pack_frames(self.frames, self.num_players, self.input_size))
        if self.end_frame > MAX_FRAME:
            raise UsageError(f"frames are numbered up to {MAX_FRAME}, and this replay would end at {self.end_frame}")
        self._set(local_players=checked_seats(self.local_players, self.num_players))
        self._set(checkpoints=_checked_checkpoints(self), arrivals=_checked_arrivals(self))
        self._set(metadata=_checked_metadata(self.metadata), resyncs=_checked_resyncs(self))
        if self.hosting is not None:
            self.hosting.check(self.num_players, self.start_frame)
            if self.resyncs or self.arrivals or self.local_players:
                raise UsageError("a match that a server ran has no resyncs, no arrivals and no local players")
            self._set(hosting=self.hosting.before(self.end_frame))

    def _set(self, **normalised: Any) -> None:
        for name, value in normalised.items():
            object.__setattr__(self, name, value)

    @property
    def width(self) -> int:
        """How many bytes one frame takes."""
        return self.num_players * self.input_size

    @property
    def frame_count(self) -> int:
        return len(self.frames) // self.width

    @property
    def end_frame(self) -> int:
        """The frame of the final state, one after the last frame with inputs."""
        return self.start_frame + self.frame_count

    @property
    def final_checksum(self) -> int | None:
        """The recorded checksum of the final state; None if there is none."""
        return self.checkpoints.get(self.end_frame)

    @property
    def tick_rate(self) -> int | None:
        """Frames a second of the match, from the note ``tick_rate``; None if the recording does not know it."""
        text = self.metadata.get(TICK_RATE, "")
        rate = int(text) if text.isascii() and text.isdecimal() and len(text) <= 4 else 0
        return rate if 1 <= rate <= MOST_TICKS else None

    @property
    def names(self) -> dict[int, str]:
        """The name of the player of each seat, from the notes ``name.0`` and so on. Anybody may have written them."""
        found = {player: self.metadata.get(name_key(player), "") for player in range(self.num_players)}
        return {player: name for player, name in found.items() if name}

    def __len__(self) -> int:
        return self.frame_count

    def inputs_at(self, frame: int) -> tuple[int, ...]:
        """The inputs of all players at a frame."""
        if not isinstance(frame, int) or not self.start_frame <= frame < self.end_frame:
            raise UsageError(f"there is no frame {frame}: frames go from {self.start_frame} to {self.end_frame - 1}")
        return unpack_inputs(self.packed(frame, frame + 1), self.input_size)

    def packed(self, first: int, end: int) -> bytes:
        """The packed inputs of frames ``first`` to ``end - 1``."""
        if not self.start_frame <= first <= end <= self.end_frame:
            raise UsageError(f"frames {first} to {end} are not within {self.start_frame} to {self.end_frame}")
        base = self.start_frame
        return self.frames[(first - base) * self.width : (end - base) * self.width]

    def replace(self, **changes: Any) -> Self:
        """Copy the replay with some fields changed."""
        return replace(self, **changes)


def checked_shape(num_players: int, input_size: int, start_frame: int, game_id: str, game_version: int) -> None:
    """Raise a UsageError unless a recording can have this shape."""
    bounds = (
        ("num_players", num_players, 1, MAX_PLAYERS),
        ("input_size", input_size, 1, MAX_INPUT_SIZE),
        ("start_frame", start_frame, 0, MAX_FRAME),
        ("game_version", game_version, 0, 0xFFFFFFFF),
    )
    for name, value, least, greatest in bounds:
        if not isinstance(value, int) or not least <= value <= greatest:
            raise UsageError(f"{name} must be an integer from {least} to {greatest}, not {value!r}")
    if not isinstance(game_id, str):
        raise UsageError(f"game_id must be text, not {game_id!r}")


def checked_seats(seats: Sequence[int], num_players: int) -> tuple[int, ...]:
    """The seats in ascending order without repetition; raises UsageError if one does not exist."""
    for seat in seats:
        if not isinstance(seat, int) or not 0 <= seat < num_players:
            raise UsageError(f"there is no player {seat!r}: seats are 0 to {num_players - 1}")
    return tuple(sorted(set(seats)))


def _checked_checkpoints(replay: Replay) -> dict[int, int]:
    if not isinstance(replay.checkpoints, Mapping):
        raise UsageError(f"checkpoints are checksums by frame, not {replay.checkpoints!r}")
    for frame, checksum in replay.checkpoints.items():
        if not isinstance(frame, int) or not replay.start_frame <= frame <= replay.end_frame:
            raise UsageError(
                f"a checksum of frame {frame!r} is outside of the replay ({replay.start_frame} to {replay.end_frame})"
            )
        if not isinstance(checksum, int) or not 0 <= checksum <= 0xFFFFFFFF:
            raise UsageError(f"the checksum of frame {frame} must be an integer of 32 bits, not {checksum!r}")
    return dict(sorted(replay.checkpoints.items()))


def _checked_resyncs(replay: Replay) -> dict[int, bytes]:
    for frame, state in replay.resyncs.items():
        if not isinstance(frame, int) or not replay.start_frame <= frame < replay.end_frame:
            raise UsageError(f"no frame of the replay goes on from a state of frame {frame!r}")
        if not isinstance(state, bytes):
            raise UsageError(f"the state of frame {frame} must be bytes, not {type(state).__name__}")
    return dict(sorted(replay.resyncs.items()))


def _checked_arrivals(replay: Replay) -> tuple[Arrival, ...]:
    try:
        arrivals = tuple(each if type(each) is Arrival else Arrival(*each) for each in replay.arrivals)
    except TypeError:
        raise UsageError("arrivals are a sequence of local frame, player, first frame and number of frames") from None
    before = replay.start_frame
    for arrival in arrivals:
        problem = arrival_problem(arrival, replay, before)
        if problem:
            raise UsageError(f"{arrival}: {problem}")
        before = arrival.local_frame
    return arrivals


TICK_RATE = "tick_rate"
"""The note with the frames a second of a match."""
MOST_TICKS = 1000


def name_key(player: int) -> str:
    """The key of the note with the name of a seat's player."""
    return f"name.{player}"


def _checked_metadata(metadata: Mapping[str, str]) -> dict[str, str]:
    for key, value in metadata.items():
        if not isinstance(key, str) or not isinstance(value, str):
            raise UsageError(f"keys and values of metadata must be text, not {key!r}: {value!r}")
    return dict(metadata)
