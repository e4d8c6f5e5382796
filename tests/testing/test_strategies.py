"""What the strategies promise: rows that fit the game, and schedules in which every input arrives in time."""

from hypothesis import given
from hypothesis import strategies as st

from retick.games.fighter import Fighter
from retick.testing.strategies import arrival_schedules, input_rows


@given(input_rows(Fighter(), min_frames=2, max_frames=9))
def test_rows_have_an_input_of_the_games_width_for_each_player(rows: list[tuple[int, ...]]) -> None:
    assert 2 <= len(rows) <= 9
    assert all(len(row) == 2 and all(0 <= value < 1 << 16 for value in row) for row in rows)


@given(st.data(), st.integers(2, 4), st.integers(1, 40), st.integers(2, 16))
def test_every_remote_input_arrives_while_its_frame_can_still_be_rolled_back_to(
    data: st.DataObject, players: int, frames: int, history: int
) -> None:
    schedule = data.draw(arrival_schedules(players=players, frames=frames, history=history))
    assert len(schedule) == frames
    first_arrival: dict[tuple[int, int], int] = {}
    for now, batches in enumerate(schedule):
        for player, first, size in batches:
            for frame in range(first, first + size):
                first_arrival.setdefault((player, frame), now)
    assert set(first_arrival) == {(player, frame) for player in range(1, players) for frame in range(frames)}
    assert all(now <= frame + history - 1 for (_, frame), now in first_arrival.items())
