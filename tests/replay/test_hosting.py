"""Who joined and left, and what players saw, in recordings of servers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError, EncodeError, InvalidValue, ReservedNotZero, UsageError
from retick.replay import Hosting, Recorder, Replay, SeatChange, View, dumps, loads
from retick.replay.replay import MOST_BEHIND
from retick.replay.rtk_blocks import SEAT, VIEW, BlockType, encode_block

frames = st.integers(0, 20)
seats = st.lists(st.builds(SeatChange, frames, st.integers(0, 2), st.booleans())).map(sorted).map(tuple)
views = st.lists(st.builds(View, frames, st.integers(0, 2), st.integers(1, MOST_BEHIND))).map(sorted).map(tuple)


def recording(hosting: Hosting | None, count: int = 21) -> Replay:
    return Replay(seed=1, frames=bytes(3 * count), num_players=3, input_size=1, hosting=hosting)


@given(seats, views)
def test_a_recording_of_a_server_comes_back_as_it_was(seats: tuple[SeatChange, ...], views: tuple[View, ...]) -> None:
    replay = recording(Hosting(seats, views))
    assert loads(dumps(replay)) == replay


@given(seats, views, st.data())
def test_a_file_that_was_cut_off_has_all_entries_of_the_frames_that_it_has(
    seats: tuple[SeatChange, ...], views: tuple[View, ...], data: st.DataObject
) -> None:
    recorder = Recorder(seed=1, num_players=3, input_size=1, hosted=True, block_frames=4)
    for frame in range(21):
        for change in seats:
            if change.frame == frame:
                recorder.add_seat(change.player, change.joins)
        for view in views:
            if view.frame == frame:
                recorder.add_view(view.player, view.behind)
        recorder.add_frame([1, 2, 3])
    recorder.finish()
    whole = recorder.drain()
    try:
        cut = loads(whole[: data.draw(st.integers(0, len(whole)))])
    except DecodeError:
        return
    assert cut.hosting == Hosting(seats, views).before(cut.end_frame)


def test_a_match_of_peers_has_no_such_entries() -> None:
    recorder = Recorder(seed=1)
    with pytest.raises(UsageError, match="not hosted"):
        recorder.add_seat(0, True)
    assert loads(dumps(recording(None))).hosting is None


@pytest.mark.parametrize(
    "entry",
    [SeatChange(0, 3, True), SeatChange(-1, 0, True), View(0, 0, 0), View(0, 0, MOST_BEHIND + 1), View(0, -1, 1)],
    ids=str,
)
def test_entries_that_cannot_be_are_refused(entry: SeatChange | View) -> None:
    hosting = Hosting(seats=(entry,)) if isinstance(entry, SeatChange) else Hosting(views=(entry,))
    with pytest.raises(UsageError):
        recording(hosting)


def test_entries_out_of_order_are_refused() -> None:
    with pytest.raises(UsageError, match="in order"):
        recording(Hosting(seats=(SeatChange(5, 0, True), SeatChange(4, 0, False))))


def test_a_recording_of_a_server_has_nothing_of_peers_and_is_no_rplk() -> None:
    with pytest.raises(UsageError, match="no local players"):
        Replay(seed=1, frames=bytes(4), local_players=(0,), hosting=Hosting())
    with pytest.raises(EncodeError, match="server"):
        dumps(Replay(seed=1, frames=bytes(4), hosting=Hosting()), format="rplk")


def started(hosted: bool = True) -> bytes:
    recorder = Recorder(seed=1, num_players=3, input_size=1, hosted=hosted)
    recorder.add_frame([0, 0, 0])
    recorder.flush()
    return recorder.drain()


@pytest.mark.parametrize(
    ("kind", "body", "error"),
    [
        (BlockType.SEATS, SEAT.pack(0, 0, 1, 0), InvalidValue),  # its inputs were read before
        (BlockType.SEATS, SEAT.pack(1, 3, 1, 0), InvalidValue),
        (BlockType.SEATS, SEAT.pack(1, 0, 2, 0), ReservedNotZero),
        (BlockType.SEATS, SEAT.pack(1, 0, 1, 1), ReservedNotZero),
        (BlockType.SEATS, SEAT.pack(2, 0, 1, 0) + SEAT.pack(1, 0, 0, 0), InvalidValue),
        (BlockType.VIEWS, VIEW.pack(1, 0, 0, 0), InvalidValue),
        (BlockType.VIEWS, VIEW.pack(1, 0, 0, MOST_BEHIND + 1), InvalidValue),
        (BlockType.VIEWS, VIEW.pack(1, 0, 1, 1), ReservedNotZero),
        (BlockType.VIEWS, b"1234567", DecodeError),
        (BlockType.RESYNC, bytes(8), InvalidValue),
        (BlockType.ARRIVALS, bytes(12), InvalidValue),
    ],
)
def test_wrong_blocks_are_errors(kind: BlockType, body: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        loads(started() + encode_block(kind, body))


def test_entries_in_a_match_of_peers_are_an_error() -> None:
    with pytest.raises(InvalidValue, match="of peers has no SEATS"):
        loads(started(hosted=False) + encode_block(BlockType.SEATS, SEAT.pack(1, 0, 1, 0)))
