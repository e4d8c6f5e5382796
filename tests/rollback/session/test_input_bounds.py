"""What a peer may leave out, and how far it may be ahead: whoever keeps to the bounds is never expelled."""

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.link import Reason
from retick.rollback.events import MatchEnded, PeerDisconnected
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.input_bounds import DECIDING_SECONDS
from retick.rollback.session.inside import SessionInside, inside_of
from retick.rollback.session.messages.kinds import NO_ACKNOWLEDGEMENTS, NO_INPUTS
from retick.rollback.session.session import RollbackSession
from retick.testing.mesh import Mesh
from retick.testing.scenarios import Scenario
from retick.transport.conditions import Conditions
from retick.wire import rbn1
from tests.checkers.arenas import arena_for
from tests.checkers.chaos import play
from tests.rollback.session.matches import leave, presses, with_a_free_seat
from tests.toys import Tally

pytestmark = pytest.mark.long

GOOD = Conditions(latency=0.03, jitter=0.005, loss=0.02)
SMALL = MatchConfig(
    prediction_window=6, history=16, max_backlog=32, inputs_remembered=160, end_when_alone=False, disconnect_after=3.0
)
"""Everything is forgotten within seconds."""
FOREVER = 0xFFFFFF


class SilentInside(SessionInside):
    """May say nothing about others."""

    accuses = True
    """Whether it tells the others whom it has lost; false DROPs are tested elsewhere."""

    def ask_parts(self, match: Any, now: float) -> bool:
        return self.accuses and super().ask_parts(match, now)

    def on_link_events(self, now: float) -> None:
        if self.accuses:
            super().on_link_events(now)
        else:
            self.link.events()


class Cheat(RollbackSession):
    """A session that changes the input packets it sends; its link is in order."""

    _inside_class = SilentInside
    lie: Callable[[bytes], list[bytes]] | None = None

    def datagrams_to_send(self, *, now: float) -> Any:
        if inside_of(self).match is not None and self.lie is not None:
            for peer, data in inside_of(self).match.packets(now):
                connection = peer.connection
                for each in self.lie(data):
                    assert connection is None or connection.send_unreliable(each) is not None
        return super().datagrams_to_send(now=now)


def changed(data: bytes, **fields: Any) -> bytes:
    return rbn1.encode(rbn1.decode(data, rbn1.ALL_EXTENSIONS)._replace(**fields), rbn1.ALL_EXTENSIONS)


def never_acknowledging(data: bytes) -> list[bytes]:
    return [changed(data, ack_frame=0)]


def silent(data: bytes) -> list[bytes]:
    return []


def make_up_inputs(mesh: Mesh, name: str) -> None:
    """One that acknowledges nothing receives nothing new: from now on it makes its inputs up, sixty times a second."""
    cheat: Any = mesh[name].session
    cheat.lie, inside_of(cheat).accuses = silent, False
    names = {peer.session.peer_id: peer for peer in mesh.alive}

    def send() -> None:
        for peer in inside_of(cheat).players_peers():
            engine = inside_of(names[peer.peer_id].session).match.engine
            [seat] = cheat.local_players
            first = engine.first_missing(seat)
            inputs = (0,) * min(max(engine.frame + 2 - first, 1), 32)
            if peer.connection is not None:
                peer.connection.send_unreliable(rbn1.encode(rbn1.InputPacket(first, 0, inputs)))
        mesh.at(1 / 60, send)

    send()


def mesh_of(players: int, configs: MatchConfig | list[MatchConfig], *, seed: int = 1, link: Conditions = GOOD) -> Mesh:
    """Peers that all could cheat, each with its own settings; the match has begun."""
    each = iter(configs if isinstance(configs, list) else [configs] * players)
    first = configs[0] if isinstance(configs, list) else configs

    def make(sim: Any, **details: Any) -> Cheat:
        return Cheat(sim, **{**details, "config": next(each, first)})

    mesh = Mesh(
        lambda: Tally(players), seed=seed, conditions=link, config=first, press=presses(seed), make_session=make
    )
    mesh.start()
    return mesh


def expelled_by(mesh: Mesh, name: str) -> list[tuple[int, int]]:
    """The peers that somebody has lost, and why."""
    return [(event.peer, event.reason) for event in mesh[name].events_of(PeerDisconnected)]


def assert_all_go_on(mesh: Mesh, names: list[str], seconds: float = 3.0) -> None:
    frames = {name: mesh[name].session.frame for name in names}
    mesh.run(seconds)
    for name, frame in frames.items():
        assert mesh[name].session.frame > frame + 0.8 * seconds * 60, mesh.describe()


# Acknowledgements.


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("config", [SMALL, MatchConfig(end_when_alone=False)])
def test_one_who_acknowledges_nothing_is_expelled_with_a_reason_of_its_own(config: MatchConfig, players: int) -> None:
    mesh = mesh_of(players, config)
    mesh.run(2.0)
    cheat = mesh["peer1"].session
    make_up_inputs(mesh, "peer1")
    seconds = config.max_backlog / 60
    mesh.run(0.9 * seconds)
    assert expelled_by(mesh, "peer0") == []
    mesh.run(0.1 * seconds + 3.0)
    assert expelled_by(mesh, "peer0") == [(cheat.peer_id, NO_ACKNOWLEDGEMENTS)]
    [event] = mesh["peer0"].events_of(PeerDisconnected)
    assert event.text == "acknowledges no inputs"
    assert_all_go_on(mesh, [f"peer{number}" for number in range(players) if number != 1])


def test_one_who_acknowledges_late_stays() -> None:
    mesh = mesh_of(3, SMALL)

    def late(data: bytes) -> list[bytes]:
        ack = rbn1.decode(data, rbn1.ALL_EXTENSIONS).ack_frame
        return [changed(data, ack_frame=max(ack - 12, 0))]

    cheat: Any = mesh["peer1"].session
    cheat.lie = late
    assert_all_go_on(mesh, ["peer0", "peer1", "peer2"], 20.0)
    assert expelled_by(mesh, "peer0") == expelled_by(mesh, "peer2") == []


@pytest.mark.parametrize("joins", [True, False])
def test_a_newcomer_that_acknowledges_nothing_is_sent_away_and_crashes_nobody(joins: bool) -> None:
    """Whether it says that it has caught up, or not."""
    mesh = mesh_of(3, SMALL)
    mesh.run(1.0)
    leave(mesh, "peer2")
    mesh.restart("peer2", every=FOREVER)
    newcomer: Any = mesh["peer2"].session
    newcomer.lie = never_acknowledging
    if not joins:
        inside_of(newcomer).newcomer._report_when_level = lambda match: None
    mesh.run(12.0)
    assert (newcomer.peer_id, NO_ACKNOWLEDGEMENTS) in expelled_by(mesh, "peer0") + expelled_by(mesh, "peer1")
    assert newcomer.peer_id not in inside_of(mesh["peer0"].session).peers | inside_of(mesh["peer1"].session).peers
    assert_all_go_on(mesh, ["peer0", "peer1"])
    mesh.crash("peer2")
    mesh.restart("peer2")
    mesh.run_until(lambda: mesh["peer2"].playing, limit=6.0, what="an honest newcomer gets in")
    assert_all_go_on(mesh, ["peer0", "peer1", "peer2"])


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 1 << 20))
def test_with_the_smallest_settings_a_newcomer_gets_in_and_nobody_is_expelled(seed: int) -> None:
    mesh = mesh_of(3, SMALL, seed=seed, link=Conditions(latency=0.05, jitter=0.02, loss=0.1))
    mesh.run(1.0)
    leave(mesh, "peer2")
    mesh.restart("peer2")
    mesh.run_until(lambda: mesh["peer2"].playing, limit=15.0, what="it is back")
    mesh.run(8.0)
    mesh.verify()
    for peer in mesh.alive:
        assert inside_of(peer.session).match.engine.held_from() > 200
        assert {event.reason for event in peer.events_of(PeerDisconnected)} <= {Reason.DENIED, Reason.TIMEOUT}
        for each in peer.session.stats(now=mesh.network.now).peers.values():
            assert "InputsTooFarAhead" not in each.dropped


# The clock.


def test_a_liar_that_runs_ahead_does_not_drive_the_clock() -> None:
    wide = MatchConfig(prediction_window=100, input_delay=20, history=200, end_when_alone=False)
    mesh = mesh_of(2, [MatchConfig(end_when_alone=False), wide])
    victim, liar = mesh["peer0"].session, mesh["peer1"].session
    liar.lie, inside_of(liar).accuses = silent, False

    def rush() -> None:
        """All that may be ahead, a thousand times a second."""
        connection = inside_of(liar).peers[0].connection
        first = inside_of(victim).match.engine.first_missing(1)
        newest = inside_of(victim).match.engine.local_frontier - 1
        for start in range(first, newest + 160, 16):
            connection.send_unreliable(rbn1.encode(rbn1.InputPacket(start, newest, (0,) * 16)))
        mesh.network.flush("peer1")
        mesh.at(0.001, rush)

    rush()
    frames = []
    for _ in range(300):
        frames.append(victim.frame)
        mesh.run(0.1)
    most = max(late - early for early, late in zip(frames, frames[100:], strict=False))
    assert 550 < most <= 600 + 128 + 1
    assert mesh["peer0"].session.stats(now=mesh.network.now).peers[1].dropped["InputsTooFarAhead"] > 100
    assert frames[-1] <= 30 * 60 + 128 + 1


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("seconds", [0.5, 5.0])
def test_a_peer_that_was_paused_catches_up_and_all_go_on_at_the_same_pace(players: int, seconds: float) -> None:
    mesh = mesh_of(players, MatchConfig())
    mesh.run(3.0)
    mesh.pause("peer1", seconds)
    mesh.run(seconds + 0.3)
    frames = {peer.name: peer.session.frame for peer in mesh.alive}
    assert max(frames.values()) - min(frames.values()) <= 6
    mesh.run(10.0)
    ran = [peer.session.frame - frames[peer.name] for peer in mesh.alive]
    assert all(590 <= frames <= 606 for frames in ran)
    assert expelled_by(mesh, "peer0") == []


@pytest.mark.parametrize(("players", "seed"), [(2, 5), (3, 7), (3, 8), (4, 11), (4, 12)])
def test_nothing_that_an_honest_peer_sends_is_too_far_ahead(players: int, seed: int) -> None:
    """Also with troubles of all kinds, newcomers, and a window and a delay of their own for each."""
    scenario = Scenario.drawn(seed, peers=players, frames=400)
    dice = Random(seed)
    arena = arena_for(players)
    makers = [
        replace(scenario.config, prediction_window=dice.randint(0, 30), input_delay=dice.randint(1, 9))
        for _ in range(4)
    ]

    meshes: list[Mesh] = []

    def make_mesh(*arguments: Any, make_session: Any, **details: Any) -> Mesh:
        def make(sim: Any, **given: Any) -> RollbackSession:
            session: RollbackSession = make_session(sim, **{**given, "config": dice.choice(makers)})
            return session

        meshes.append(Mesh(*arguments, **details, make_session=make))
        return meshes[0]

    play(scenario, arena, make_mesh=make_mesh)
    for peer in meshes[0].alive:
        for each in peer.session.stats(now=meshes[0].network.now).peers.values():
            assert "InputsTooFarAhead" not in each.dropped


# Silence.


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_silent_player_is_expelled_and_only_it(players: int) -> None:
    mesh = mesh_of(players, MatchConfig(end_when_alone=False))
    mesh.run(2.0)
    cheat: Any = mesh["peer1"].session
    cheat.lie, inside_of(cheat).accuses = silent, False
    mesh.run(9.5)
    honest = [f"peer{number}" for number in range(players) if number != 1]
    assert all(expelled_by(mesh, name) == [] for name in honest)
    mesh.run(2.0)
    assert {lost for name in honest for lost, _ in expelled_by(mesh, name)} == {cheat.peer_id}
    assert expelled_by(mesh, "peer0") == [(cheat.peer_id, NO_INPUTS)]
    [event] = mesh["peer0"].events_of(PeerDisconnected)
    assert event.text == "sends no inputs"
    assert_all_go_on(mesh, honest)


reaches = st.tuples(st.integers(0, 20), st.integers(0, 9)).filter(lambda reach: sum(reach) > 0)


@settings(max_examples=25, deadline=None)
@given(reaches=st.lists(reaches, min_size=3, max_size=4), seed=st.integers(0, 1 << 20), data=st.data())
def test_only_the_silent_one_is_blamed_whatever_the_windows_and_delays(
    reaches: list[tuple[int, int]], seed: int, data: st.DataObject
) -> None:
    configs = [
        MatchConfig(
            prediction_window=window, input_delay=delay, input_timeout=2.0, disconnect_after=3.0, end_when_alone=False
        )
        for window, delay in reaches
    ]
    # Nothing is lost: its last inputs reach all of the others, or none.
    mesh = mesh_of(len(reaches), configs, seed=seed, link=Conditions(latency=0.02, jitter=0.02))
    mesh.run(1.0)
    index = data.draw(st.integers(0, len(reaches) - 1))
    cheat: Any = mesh[f"peer{index}"].session
    cheat.lie, inside_of(cheat).accuses = silent, False
    mesh.run(4.0)
    honest = [peer for peer in mesh.alive if peer.session is not cheat]
    assert {lost for peer in honest for lost, _ in expelled_by(mesh, peer.name)} == {cheat.peer_id}
    assert any(reason == NO_INPUTS for peer in honest for _, reason in expelled_by(mesh, peer.name))
    frames = [peer.session.frame for peer in honest]
    mesh.run(2.0)
    assert all(peer.session.frame > frame + 60 for peer, frame in zip(honest, frames, strict=True)), mesh.describe()


def test_one_that_sends_an_input_now_and_then_is_expelled_as_well() -> None:
    mesh = mesh_of(3, MatchConfig(end_when_alone=False))
    mesh.run(2.0)
    cheat: Any = mesh["peer1"].session
    sent_at = [mesh.network.now, mesh.network.now]

    def drip(data: bytes) -> list[bytes]:
        now = mesh.network.now
        if now - sent_at[-1] > 0.1 and now - sent_at[0] < 3.0:
            return []
        if now - sent_at[0] >= 3.0:
            sent_at[:] = [now, now]
        packet = rbn1.decode(data, rbn1.ALL_EXTENSIONS)
        return [changed(data, inputs=packet.inputs[:1])]

    cheat.lie, inside_of(cheat).accuses = drip, False
    mesh.run(15.0)
    assert expelled_by(mesh, "peer0") == [(cheat.peer_id, NO_INPUTS)]
    assert_all_go_on(mesh, ["peer0", "peer2"])


def test_one_that_is_only_slow_stays() -> None:
    """A process that gets a seventh of the time that it needs."""
    mesh = mesh_of(3, MatchConfig(end_when_alone=False))

    def slow() -> None:
        mesh.pause("peer1", 0.3)
        mesh.at(0.35, slow)

    slow()
    mesh.run(60.0)
    assert all(expelled_by(mesh, peer.name) == [] for peer in mesh.alive)
    assert all(peer.session.frame > 60 * 60 / 10 for peer in mesh.alive)


@pytest.mark.parametrize("window", [0, 3, 12])
def test_one_that_stands_at_a_promised_frame_is_not_blamed(window: int) -> None:
    """The longest that a sponsor may keep a player there is six seconds."""
    configs = [MatchConfig(prediction_window=each, input_delay=2, end_when_alone=False) for each in (12, window, 5)]
    mesh = mesh_of(3, configs)
    mesh.run(2.0)
    held = inside_of(mesh["peer1"].session).match
    held.barrier = held.engine.frame + 5
    mesh.run(7.0)
    held.barrier = None
    assert_all_go_on(mesh, ["peer0", "peer1", "peer2"])
    assert all(expelled_by(mesh, peer.name) == [] for peer in mesh.alive)


@pytest.mark.parametrize("paused", [["peer1"], ["peer0"], ["peer0", "peer2"]])
def test_a_process_that_was_stopped_is_a_matter_of_the_link(paused: list[str]) -> None:
    mesh = mesh_of(3, MatchConfig(disconnect_after=60.0, input_timeout=4.0))
    mesh.run(2.0)
    for name in paused:
        mesh.pause(name, 20.0)
    mesh.run(21.0)
    assert_all_go_on(mesh, ["peer0", "peer1", "peer2"])
    assert all(expelled_by(mesh, peer.name) == [] for peer in mesh.alive)


def test_one_that_is_heard_just_often_enough_to_keep_its_link_is_expelled_too() -> None:
    mesh = mesh_of(2, MatchConfig(end_when_alone=False))
    mesh.run(2.0)
    cheat: Any = mesh["peer1"].session
    cheat.lie = silent

    def sleep() -> None:
        mesh.pause("peer1", 6.0)
        mesh.at(6.1, sleep)

    sleep()
    mesh.run(18.0)
    assert expelled_by(mesh, "peer0") == [(cheat.peer_id, NO_INPUTS)]


def test_the_silent_one_learns_why() -> None:
    mesh = mesh_of(2, MatchConfig(input_timeout=1.0))
    mesh.run(1.0)
    cheat: Any = mesh["peer1"].session
    cheat.lie = silent
    mesh.run(4.0)
    assert (0, NO_INPUTS) in expelled_by(mesh, "peer1")
    assert [event.reason for event in mesh["peer0"].events_of(MatchEnded)] == ["everyone else has left"]


def test_after_a_reported_desync_people_have_time_to_agree() -> None:
    mesh = with_a_free_seat(3)
    match = inside_of(mesh["peer0"].session).match
    match.alarm.open()
    match.alarm.resolve(found=True, frame=1)
    inside_of(mesh["peer1"].session).match.barrier = mesh["peer1"].session.frame
    mesh.run(DECIDING_SECONDS - 2.0)
    assert mesh["peer0"].events_of(PeerDisconnected)[1:] == []
    mesh.run(4.0)
    assert [event.reason for event in mesh["peer0"].events_of(PeerDisconnected)][1:] == [NO_INPUTS]
