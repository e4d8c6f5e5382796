"""RTK v1, the recording of any match: a whole Replay to bytes and back. docs/formats/rtk.md is the specification.

A file is read block by block, and a block is believed only if its CRC is right. At the first block that is cut off or
damaged a lenient reader stops with what it has read, and a strict one raises.
"""

from retick.errors import TrailingData
from retick.replay.hosting import SeatChange, View
from retick.replay.limits import Budget, ReadLimits, budget_for
from retick.replay.recorder import Recorder
from retick.replay.replay import Replay
from retick.replay.rtk_blocks import MAGIC, Unproven, check_prefix, decode_body, next_block
from retick.replay.rtk_reader import RtkReader

__all__ = ["MAGIC", "dumps", "loads"]

FRAMES_PER_BLOCK = 36_000


def dumps(replay: Replay) -> bytes:
    """The replay as RTK; one that is ``truncated`` is written without an END block."""
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
    """What a server's match has beside inputs, by its frame."""
    if replay.hosting is None:
        return []
    entries: list[SeatChange | View] = [*replay.hosting.seats, *replay.hosting.views]
    return sorted(((entry.frame, entry) for entry in entries), key=lambda pair: pair[0])


def loads(data: bytes | memoryview, *, strict: bool = False, limits: ReadLimits | Budget | None = None) -> Replay:
    """The replay in ``data``. One that was cut off comes back ``truncated``, or raises if ``strict``."""
    view = memoryview(data)
    budget = budget_for(limits, len(view))
    reader = RtkReader(budget)
    at = check_prefix(view)
    while not reader.ended:
        try:
            block = next_block(view, at)
        except Unproven as cut:
            if strict or not reader.playable:
                raise cut.error from None
            return reader.replay(truncated=True)
        reader.read_block(block.type, decode_body(block, at, budget))
        at = block.end
    if at != len(view):
        raise TrailingData(f"{len(view) - at} bytes after RTK's END block", extra=len(view) - at)
    return reader.replay(truncated=False)
