from hypothesis import given, settings
from hypothesis import strategies as st

from retick.games.runner import CourseBot, Mode, RunnerState
from retick.host.stats import InputStats
from retick.netrunner import NetRunner
from retick.netrunner.client.prediction import PendingCommands, correction_between, replay
from retick.netrunner.messages import PlayerView
from tests.effort import examples

NET = NetRunner()


def ran(seed: int, ticks: int) -> tuple[list[RunnerState], list[object]]:
    """A bot's run: the states after each command, and the commands."""
    bot, builder, state = CourseBot(seed), NET.builder(), NET.motor.spawn(2)
    states, commands = [state], []
    for tick in range(1, ticks + 1):
        intent = bot.decide(state)
        builder.sample(intent, state)
        command = builder.build(intent, seq=tick, tick=tick, epoch=1)
        state = NET.motor.step(state, command)
        states.append(state)
        commands.append(command)
    return states, commands


RUN = ran(3, 1200)


def through_the_wire(tick: int, state: RunnerState) -> PlayerView:
    data = NET.encode_snapshot(tick, [PlayerView(2, tick, state, InputStats())])
    return NET.decode_snapshot(data).players[0]


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(1, 1100), st.integers(0, 60))
def test_a_snapshot_of_the_past_replays_to_the_very_same_bits(tick: int, ahead: int) -> None:
    states, commands = RUN
    pending = PendingCommands()
    for command in commands[max(0, tick - 5) : tick + ahead]:
        pending.add(command)
    authoritative = through_the_wire(tick, states[tick])
    outcome = replay(NET, authoritative, pending, tick=tick, last_ack=0, last_seq=tick + ahead)
    assert outcome.restored == states[tick]
    assert outcome.after == states[tick + ahead]
    assert outcome.replayed == ahead


def test_forgetting_locomotion_leads_elsewhere_on_a_wall() -> None:
    states, commands = RUN
    tick = next(tick for tick, state in enumerate(states) if state.mode == Mode.WALL_RUN and state.mode_ticks == 5)
    pending = PendingCommands()
    for command in commands[tick : tick + 10]:
        pending.add(command)
    authoritative = through_the_wire(tick, states[tick])
    outcome = replay(NET, authoritative, pending, tick=tick, last_ack=0, last_seq=tick + 10, forget=True)
    assert outcome.restored.mode == Mode.AIR
    assert correction_between(states[tick + 10], outcome.after).total > 0.05


def test_commands_that_the_server_has_passed_are_dropped_unless_asked_not_to() -> None:
    states, commands = RUN
    for skip, expected in ((True, 2), (False, 5)):
        pending = PendingCommands()
        for command in commands[10:15]:
            pending.add(command)
        authoritative = PlayerView(2, 5, states[13], InputStats())
        outcome = replay(NET, authoritative, pending, tick=13, last_ack=5, last_seq=15, skip_stale=skip)
        assert outcome.replayed == expected
        assert outcome.stale == 5 - expected


def test_an_ack_beyond_what_was_sent_is_cut_back() -> None:
    states, _ = RUN
    outcome = replay(
        NET, PlayerView(2, 900, states[5], InputStats()), PendingCommands(), tick=5, last_ack=3, last_seq=20
    )
    assert outcome.ack == 20


def test_the_dead_zone_hides_small_corrections_from_the_counters_only() -> None:
    state = NET.motor.spawn(2)
    near = state._replace(x=state.x + 0.002, y=state.y + 0.002)
    correction = correction_between(state, near)
    assert correction.total == 0.0
    assert correction.raw_xz > 0
    far = correction_between(state, state._replace(x=state.x + 0.3, y=state.y - 0.4))
    assert abs(far.total - 0.5) < 1e-9
