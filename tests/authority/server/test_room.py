"""A room: cues, bots, and the one stream that decides its states."""

from random import Random
from typing import Any

import pytest
from examples.raiders import Raiders
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retick.authority.messages import Presence, SeatNews
from retick.authority.server import RoomHooks, WorldServerConfig
from retick.errors import UsageError
from retick.host.events import RoomFailed
from retick.replay import verify
from retick.transport import Conditions
from tests.authority.server.clients import Hall, Tape, raider_bot, steady, straight
from tests.authority.server.yard import BREAK, SHOOT, Yard


def test_cues_arrive_once_at_their_tick_and_only_to_those_who_hear_them() -> None:
    heard: list[tuple[int, tuple[Any, ...]]] = []

    class Ear(RoomHooks):
        def ticked(self, room: Any) -> None:
            heard.extend((room.tick, ("shot", walker.player, walker.hits)) for walker in room.world.walkers)

    hall = Hall(Yard, hooks=Ear(), conditions=Conditions(latency=0.04, loss=0.1))
    one, two = hall.join("one", press=steady(SHOOT)), hall.join("two", press=steady(SHOOT))
    hall.run(3.0)
    for client in (one, two):
        shots = [(cue.tick, cue.cue) for cue in client.cues if cue.cue[0] == "shot"]
        assert len(shots) > 100
        assert len(set(shots)) == len(shots)
        assert {cue[1] for _, cue in shots} == {client.seat}
        assert set(shots) <= set(heard)
    late = two if two.seat > one.seat else one
    first = one if late is two else two
    assert [cue.cue for cue in first.cues if cue.cue[0] == "came"][-1] == ("came", late.seat)


def test_a_bot_is_a_player_whose_inputs_come_from_a_function() -> None:
    hall = Hall(Raiders)
    one = hall.join("one", press=steady(0))
    hall.run(0.3)
    seat = hall.room.add_bot(raider_bot, "robot")
    hall.run(1.0)
    assert SeatNews(seat, Presence.BOT, "robot") in one.messages
    assert hall.room.inputs[seat] == int(raider_bot(seat, hall.room.world).packed)
    hall.room.remove_bot(seat)
    hall.run(0.3)
    assert [raider.player for raider in hall.room.world.raiders] == [one.seat]
    with pytest.raises(UsageError, match="no bot"):
        hall.room.remove_bot(one.seat)


def test_bots_fill_seats_and_not_more() -> None:
    room: Any = Hall(Yard).room
    for _ in range(3):
        room.add_bot(lambda player, world: 0)
    with pytest.raises(UsageError, match="no free seat"):
        room.add_bot(lambda player, world: 0)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.integers(0, 2**16),
    st.floats(0, 0.3),
    st.lists(st.sampled_from(["join", "vanish", "bye", "bot", "run"]), min_size=3, max_size=8),
    st.sampled_from([Yard, Raiders]),
)
def test_the_server_its_recording_and_a_straight_run_have_the_same_states(
    seed: int, loss: float, script: list[str], game: Any
) -> None:
    tape = Tape()
    config = WorldServerConfig(timeout=0.5, rejoin_seconds=0.5, checksum_every=7)
    hall = Hall(
        game, config=config, conditions=Conditions(latency=0.03, jitter=0.01, loss=loss), seed=seed, record=tape
    )
    random = Random(seed)
    for number, what in enumerate(script):
        there = list(hall.clients)
        if what == "join":
            buttons = random.getrandbits(12) & ~BREAK
            hall.join(
                f"c{number}",
                press=lambda tick, buttons=buttons: buttons >> tick % 5 & ~BREAK,
                viewed=random.getrandbits(9),
            )  # type: ignore[misc]  # a default argument
        elif what == "vanish" and there:
            hall.vanish(random.choice(there))
        elif what == "bye" and there:
            hall.clients[random.choice(there)].connection.close()
        elif what == "bot" and hall.room.free_seat() is not None:
            hall.room.add_bot(raider_bot if game is Raiders else lambda player, world: SHOOT)
        hall.run(random.uniform(0.1, 0.8))
    state = hall.room.saved
    hall.server.close_room("")
    assert not hall.of(RoomFailed)
    replay = tape.replay()
    verdict = verify(replay, game())
    assert verdict.ok
    assert verdict.compared > replay.end_frame // 8
    world = game()
    world.load(state)
    assert verdict.checksum == world.checksum() == straight(replay, game)
