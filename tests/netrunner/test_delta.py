"""Delta snapshots: exact for their own player, small, and right whatever is lost."""

from contextlib import suppress
from math import dist, pi
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.authority import InputStats
from retick.errors import BaselineMissing, DecodeError, InvalidValue
from retick.games.runner import COURSE, CourseBot
from retick.netrunner import NetRunner, PlayerView
from retick.netrunner.delta import DELTA_SNAPSHOT, DeltaCodec, DeltaReceiver, ProfileDeltaSender
from retick.netrunner.runner import RunnerLayout
from tests.effort import examples
from tests.netrunner.declared_games import wide_profile

NET = NetRunner()

CODEC = DeltaCodec(RunnerLayout(COURSE))


def crowd(players: int, ticks: int) -> list[list[PlayerView]]:
    """Bots on the course: everyone's view after each third tick."""
    bots = [(CourseBot(seed), NET.builder()) for seed in range(players)]
    states = [NET.motor.spawn(2 + seed) for seed in range(players)]
    frames = []
    for tick in range(1, ticks + 1):
        for index, (bot, builder) in enumerate(bots):
            intent = bot.decide(states[index])
            builder.sample(intent, states[index])
            states[index] = NET.motor.step(states[index], builder.build(intent, seq=tick, tick=tick, epoch=1))
        if tick % 3 == 0:
            stats = InputStats(tick * 2, 0, tick, 1, 2, 0, 3, 6, 130.5, 8.25)
            frames.append([PlayerView(2 + index, tick, state, stats) for index, state in enumerate(states)])
    return frames


CROWD = crowd(16, 900)


def test_ones_own_player_is_exact_to_the_bit_and_the_others_are_near() -> None:
    sender, receiver = ProfileDeltaSender(CODEC), DeltaReceiver(CODEC)
    for number, views in enumerate(CROWD):
        tick = 3 * number + 3
        view = receiver.decode(sender.encode(sender.share(tick, views), 5), 5)
        sender.acknowledge(receiver.newest_tick)
        assert view.tick == tick
        for found, true in zip(view.players, views, strict=True):
            assert found.peer_id == true.peer_id
            if found.peer_id == 5:
                assert found == true
            else:
                assert dist(found.state.position, true.state.position) <= 3**0.5 / 512 + 1e-9
                assert dist(found.state.velocity, true.state.velocity) <= 3**0.5 / 32 + 1e-9
                turn = (found.state.yaw - true.state.yaw + pi) % (2 * pi) - pi
                assert abs(turn) <= pi / 4096 + 1e-9
                assert found.state.mode == true.state.mode
                assert found.state.locomotion.wall_normal == true.state.locomotion.wall_normal
                assert found.stats == InputStats()


def test_sixteen_runners_fit_the_budget() -> None:
    """At most 350 bytes on average and 470 at the 95th percentile, acknowledged after a round trip of 130 ms."""
    sender, receiver = ProfileDeltaSender(CODEC), DeltaReceiver(CODEC)
    sizes: list[int] = []
    for number, views in enumerate(CROWD):
        data = sender.encode(sender.share(3 * number + 3, views), 9)
        receiver.decode(data, 9)
        sizes.append(len(data))
        sender.acknowledge(receiver.newest_tick - 6)
    steady = sorted(sizes[40:])
    assert sum(steady) / len(steady) <= 350
    assert steady[int(len(steady) * 0.95)] < 470
    assert sizes[0] > max(steady)


@pytest.mark.long
@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32), st.floats(0.0, 0.6), st.integers(0, 12))
def test_whatever_is_lost_each_snapshot_that_arrives_is_right(seed: int, loss: float, lag: int) -> None:
    dice = Random(seed)
    sender, receiver = ProfileDeltaSender(CODEC), DeltaReceiver(CODEC)
    acks: list[int] = []
    arrived = 0
    for number, views in enumerate(CROWD[:60]):
        present = [view for view in views if view.peer_id == 5 or (number // 20 + view.peer_id) % 5]
        data = sender.encode(sender.share(3 * number + 3, present), 5)
        if dice.random() >= loss:
            view = receiver.decode(data, 5)
            arrived += 1
            assert [player.peer_id for player in view.players] == [player.peer_id for player in present]
            assert next(player for player in view.players if player.peer_id == 5) in present
        acks.append(receiver.newest_tick)
        if dice.random() >= loss:
            sender.acknowledge(acks[max(0, number - lag)])
    assert arrived or loss > 0


def test_a_delta_against_a_snapshot_that_is_not_held_says_so() -> None:
    sender, receiver = ProfileDeltaSender(CODEC), DeltaReceiver(CODEC)
    sender.encode(sender.share(3, CROWD[0]), 5)
    sender.acknowledge(3)
    with pytest.raises(BaselineMissing):
        receiver.decode(sender.encode(sender.share(6, CROWD[1]), 5), 5)


def test_an_ack_of_what_was_never_sent_changes_nothing() -> None:
    sender, receiver = ProfileDeltaSender(CODEC), DeltaReceiver(CODEC)
    sender.acknowledge(4_000_000_000)
    receiver.decode(sender.encode(sender.share(3, CROWD[0]), 5), 5)
    sender.acknowledge(2)
    assert receiver.decode(sender.encode(sender.share(6, CROWD[1]), 5), 5).tick == 6


def test_a_client_silent_for_long_gets_a_full_snapshot_again() -> None:
    sender, receiver = ProfileDeltaSender(CODEC), DeltaReceiver(CODEC)
    first = sender.encode(sender.share(3, CROWD[0]), 5)
    receiver.decode(first, 5)
    sender.acknowledge(3)
    for number in range(1, 100):
        last = sender.encode(sender.share(3 + 3 * number, CROWD[number]), 5)
    assert DeltaReceiver(CODEC).decode(last, 5).tick == 300


def exchange() -> tuple[DeltaReceiver, bytes]:
    sender, receiver = ProfileDeltaSender(CODEC), DeltaReceiver(CODEC)
    receiver.decode(sender.encode(sender.share(3, CROWD[0]), 5), 5)
    sender.acknowledge(3)
    return receiver, sender.encode(sender.share(6, CROWD[1]), 5)


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(st.tuples(st.integers(1, 400), st.integers(0, 255)), max_size=8), st.integers(0, 400))
def test_spoiled_deltas_decode_or_are_refused_and_spoil_nothing(spoils: list[tuple[int, int]], cut: int) -> None:
    receiver, good = exchange()
    bad = bytearray(good)
    for at, value in spoils:
        bad[1 + at % (len(bad) - 1)] = value
    try:
        receiver.decode(bytes(bad[: max(1, len(bad) - cut)]), 5)
    except DecodeError:
        assert receiver.newest_tick == 3
    receiver, good = exchange()
    assert receiver.decode(good, 5).tick == 6


@settings(max_examples=examples(150), deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_decode_or_raise_a_decode_error(data: bytes) -> None:
    receiver, _ = exchange()
    with suppress(DecodeError):
        receiver.decode(bytes((DELTA_SNAPSHOT,)) + data, 5)


def test_a_tick_beyond_the_last_leaves_no_trace() -> None:
    sender, receiver = CODEC.sender(), CODEC.receiver()
    state = NET.motor.spawn(2)
    shared = sender.share(0xFFFFFFFF, [PlayerView(2, 0, state, InputStats())])
    with pytest.raises(InvalidValue):
        receiver.decode(sender.encode(shared, 2), 2)
    assert receiver.newest_tick == 0


@pytest.mark.parametrize("players", [1, 2, 16])
def test_no_delta_snapshot_passes_its_stated_largest(players: int) -> None:
    """Everyone gone, everyone new, every counter at its highest."""
    profile = wide_profile(6, steps=1000)
    codec = DeltaCodec(profile.layout)
    stats = InputStats._make((*[2**32 - 1] * 7, 255, 4000.0, 4000.0))
    state = profile.motor.spawn(2)

    def views(first: int) -> list[PlayerView]:
        return [PlayerView(first + number, 2**32 - 1, state, stats) for number in range(players)]

    sender = codec.sender()
    first = sender.encode(sender.share(1, views(2)), 2)
    sender.acknowledge(1)
    later = sender.encode(sender.share(2, views(900)), 900)
    assert max(len(first), len(later)) <= codec.largest(players)


@pytest.mark.long
@pytest.mark.parametrize("loss", [0.0, 0.3])
def test_compact_ones_are_exact_too_and_half_as_long(loss: float) -> None:
    rng = Random(4)
    plain, compact = ((CODEC.sender(compact=kind), CODEC.receiver(compact=kind)) for kind in (False, True))
    sizes = {False: 0, True: 0}
    for number, views in enumerate(CROWD):
        shared = CODEC.share(3 * number + 3, views)
        arrives = rng.random() >= loss
        seen = []
        for kind, (sender, receiver) in ((False, plain), (True, compact)):
            data = sender.encode(shared, 5)
            sizes[kind] += len(data) if number > 60 else 0
            if arrives:
                seen.append(receiver.decode(data, 5))
                sender.acknowledge(receiver.newest_tick)
        assert len(set(map(repr, seen))) <= 1
    assert sizes[True] < 0.55 * sizes[False]


@pytest.mark.long
def test_sixteen_runners_take_150_bytes_on_average_when_compact() -> None:
    sender, receiver = CODEC.sender(compact=True), CODEC.receiver(compact=True)
    sizes: list[int] = []
    for number, views in enumerate(CROWD):
        data = sender.encode(sender.share(3 * number + 3, views), 9)
        receiver.decode(data, 9)
        sizes.append(len(data))
        sender.acknowledge(receiver.newest_tick - 9)
    assert sum(sizes[60:]) / len(sizes[60:]) <= 150
    assert max(sizes) <= CODEC.largest(16)


def test_a_sealed_link_saves_the_four_bytes_of_the_check_and_a_plain_one_wants_them() -> None:
    codec = DeltaCodec(RunnerLayout(COURSE), sealed=True)
    sealed, checked = codec.sender(compact=True), CODEC.sender(compact=True)
    plain, any_form = CODEC.receiver(compact=True), codec.receiver(compact=True)
    for number, views in enumerate(CROWD[:2]):
        shared = CODEC.share(3 * number + 3, views)
        bare, with_check = sealed.encode(shared, 5), checked.encode(shared, 5)
        assert any_form.decode((bare, with_check)[number], 5).tick == shared.fanout.tick
        if number:
            assert len(bare) == len(with_check) - 4
            with pytest.raises(DecodeError, match="no check"):
                plain.decode(bare, 5)
        assert plain.decode(with_check, 5).tick == shared.fanout.tick
        sealed.acknowledge(shared.fanout.tick)
        checked.acknowledge(shared.fanout.tick)


@pytest.mark.long
@pytest.mark.parametrize("start", [3, 300, 3000])
@pytest.mark.parametrize("late", [1, 3, 6])
def test_a_room_that_has_run_for_long_sends_deltas_too_and_again_after_a_silence(start: int, late: int) -> None:
    """Acknowledgements come some snapshots late, and then none for more ticks than a baseline may be back."""
    sender, receiver = CODEC.sender(compact=True), CODEC.receiver(compact=True)
    full: list[int] = []
    for number in range(240):
        data = sender.encode(CODEC.share(start + 3 * number, CROWD[number % 20]), 5)
        receiver.decode(data, 5)
        if data[5] == 0:
            full.append(number)
        if number >= late and not 40 <= number < 140:
            sender.acknowledge(start + 3 * (number - late))
    first = [number for number in full if number < 40]
    again = [number for number in full if number >= 40]
    assert first == list(range(late + 1))
    assert again
    assert again[-1] <= 140 + late + 1


def test_a_compact_baseline_too_far_back_is_not_used_and_a_bad_packet_changes_nothing() -> None:
    sender, receiver = CODEC.sender(compact=True), CODEC.receiver(compact=True)
    receiver.decode(sender.encode(CODEC.share(3, CROWD[0]), 5), 5)
    sender.acknowledge(3)
    data = sender.encode(CODEC.share(6, CROWD[1]), 5)
    for at in range(6, len(data)):
        with pytest.raises(DecodeError):
            receiver.decode(data[:at] + bytes((data[at] ^ 0x55,)) + data[at + 1 :], 5)
    with pytest.raises(DecodeError):
        receiver.decode(data, 6)  # of another player
    assert receiver.newest_tick == 3
    assert receiver.decode(data, 5).tick == 6
    far = sender.encode(CODEC.share(600, CROWD[2]), 5)
    assert far[5] == 0
    assert receiver.decode(far, 5).tick == 600
