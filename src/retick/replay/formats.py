"""``dumps`` and ``loads`` for both formats: chooses the format to write, and recognises the one to read."""

from typing import Any, Final, Literal

from retick.errors import BadMagic, Truncated, UsageError
from retick.replay import rplk, rtk, rtk_blocks
from retick.replay.limits import Budget, ReadLimits
from retick.replay.replay import Replay

Format = Literal["rplk", "rtk"]
Octets = bytes | bytearray | memoryview
MAGICS: Final[dict[bytes, Format]] = {rplk.MAGIC: "rplk", rtk_blocks.MAGIC: "rtk"}


def dumps(replay: Replay, *, format: Format | None = None) -> bytes:  # noqa: A002 - the word users look for
    """Write a replay as bytes: RPLK if that holds all of it, else RTK, unless ``format`` decides.

    With ``format="rplk"``, checksums, arrivals, the game's name and the metadata are left out. Raises EncodeError for a
    match that RPLK cannot hold.
    """
    if not isinstance(replay, Replay):
        raise UsageError(f"dumps takes a Replay, not {type(replay).__name__}")
    if format is None:
        whole = rplk.misfit(replay) is None and not rplk.extras(replay)
        format = "rplk" if whole else "rtk"  # noqa: A001 - see above
    if format == "rplk":
        return rplk.dumps(replay)
    if format == "rtk":
        return rtk.dumps(replay)
    raise UsageError(f"a replay is written as 'rplk' or 'rtk', not {format!r}")


def loads(data: Octets, *, strict: bool = False, limits: ReadLimits | Budget | None = None) -> Replay:
    """Read a replay from ``data``, RPLK or RTK, or raise DecodeError.

    An RTK recording that was cut off is returned with its good part and ``truncated`` set; with ``strict`` it is an
    error. RPLK is always strict: its one CRC covers everything. For a recording inside another file, pass the
    ``Budget`` of that file as its limits.
    """
    octets = _octets(data)
    if format_of(octets) == "rplk":
        return rplk.loads(octets, limits=limits)
    return rtk.loads(octets, strict=strict, limits=limits)


def format_of(data: Octets) -> Format:
    """Which format ``data`` starts as, by its first four bytes."""
    start = bytes(_octets(data)[:4])
    found = MAGICS.get(start)
    if found:
        return found
    if any(magic.startswith(start) for magic in MAGICS):
        raise Truncated(
            f"a replay starts with 4 bytes that name its format, not {len(start)}", needed=4, available=len(start)
        )
    raise BadMagic(f"neither RPLK nor RTK: it starts with {start!r}")


def facts_of(replay: Replay) -> dict[str, Any]:
    """A recording's facts, for people to read."""
    final = replay.final_checksum
    state = replay.start_state
    return {
        "game": f"{replay.game_id} version {replay.game_version}" if replay.game_id else None,
        "players": replay.num_players,
        "input_bytes": replay.input_size,
        "seed": replay.seed,
        "start_frame": replay.start_frame,
        "start_state": None if state is None else f"{len(state)} byte{'s' * (len(state) != 1)}",
        "frames": len(replay),
        "resyncs": list(replay.resyncs),
        "seconds_at_60": round(len(replay) / 60, 2),
        "checksums": len(replay.checkpoints),
        "final_checksum": None if final is None else f"0x{final:08X}",
        "recorded_by": list(replay.local_players),
        "arrivals": len(replay.arrivals),
        "run_by_a_server": replay.hosting is not None,
        "truncated": replay.truncated,
        "metadata": dict(replay.metadata),
    }


def _octets(data: Octets) -> memoryview:
    """A view of single bytes, even of a buffer with larger items."""
    if not isinstance(data, Octets):
        raise UsageError(f"a replay is read from bytes, not {type(data).__name__}")
    view = memoryview(data)
    return view.cast("B") if view.c_contiguous else memoryview(view.tobytes())
