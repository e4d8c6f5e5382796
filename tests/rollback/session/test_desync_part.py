"""Sessions that investigate by themselves: every peer's application is told the same report."""

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from retick.audit.desync.bundle import bundle_of
from retick.link import Reason
from retick.rollback.desync.evidence import TIMELINE, Timeline, encode_timeline, split_into_messages
from retick.rollback.desync.report import DesyncReport
from retick.rollback.events import DesyncDetected, DesyncReported, PeerDisconnected
from retick.rollback.match.alarm import AlarmState
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.desync_part import MOST_REFUSED
from retick.rollback.session.inside import inside_of
from retick.rollback.session.messages.agreement import OfferedState
from retick.rollback.session.messages.kinds import MessageKind
from retick.rollback.session.session import RollbackSession
from retick.sim.world import WorldSimulation
from retick.transport import Conditions, SimulatedNetwork
from retick.wire import rbn1
from tests.rollback.desync.planted import FieldChanged, UnsavedAttribute, WrongBranch
from tests.rollback.engine.engines import Script, script_of
from tests.toys import TallyState

pytestmark = pytest.mark.long

BAD = Conditions(latency=0.04, jitter=0.01, loss=0.03)


class PeerLoop:
    """A session with a game's loop, and all that it was told."""

    def __init__(self, network: SimulatedNetwork, number: int, sim: Any, script: Script) -> None:
        self.network = network
        self.script = script
        self.address = f"m{number}"
        entropy = random.Random(number).randbytes
        self.session = RollbackSession(
            sim, entropy=entropy, config=MatchConfig(), host_address="m0" if number else None
        )
        self.told: list[Any] = []
        network.attach(self.address, self.session, polled=True)
        network.every(1 / 120, self.turn, owner=self.address)

    def turn(self) -> None:
        self.told += self.network.poll(self.address)
        if self.session.due(now=self.network.now):
            row = self.script(self.session.frame)
            self.session.advance(row[self.session.local_players[0]], now=self.network.now)

    @property
    def reports(self) -> list[DesyncReport]:
        return [event.report for event in self.told if isinstance(event, DesyncReported)]


def peers_of(sims: Sequence[Any], *, seed: int) -> list[PeerLoop]:
    network = SimulatedNetwork(seed=seed, conditions=BAD)
    peers = [PeerLoop(network, number, sim, script_of(seed, len(sims))) for number, sim in enumerate(sims)]
    assert network.run_while(lambda: not all(peer.session.running for peer in peers), limit=20.0)
    return peers


def the_report(peers: Sequence[PeerLoop], *, limit: float = 30.0) -> DesyncReport:
    network = peers[0].network
    assert network.run_while(lambda: not all(peer.reports for peer in peers), limit=limit)
    network.run(until=network.now + 1.0)
    assert [peer.reports for peer in peers] == [peers[0].reports] * len(peers)
    (report,) = peers[0].reports
    return report


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_both_peers_of_a_fight_tell_the_same_report(seed: int) -> None:
    peers = peers_of([FieldChanged(), FieldChanged(at=70 + seed)], seed=seed)
    report = the_report(peers)
    assert (report.first_differing, report.exact, report.silent) == (71 + seed, True, ())
    assert [field.name for field in report.fields] == ["p1.x"]


@pytest.mark.parametrize("seed", [1, 2])
def test_all_four_tell_who_diverged_from_whom(seed: int) -> None:
    peers = peers_of([WrongBranch(4, at=60 if number == 2 else None) for number in range(4)], seed=seed)
    culprit = peers[2].session.peer_id
    report = the_report(peers)
    assert report.groups[-1] == (culprit,)
    assert len(report.groups[0]) == 3
    assert report.exact


def test_an_unsaved_attribute_is_reported_by_all_four() -> None:
    report = the_report(peers_of([WorldSimulation(UnsavedAttribute(4)) for _ in range(4)], seed=1))
    assert [field.name for field in report.fields] == ["totals[0]"]


def test_a_peer_that_vanishes_meanwhile_is_not_waited_for_long() -> None:
    peers = peers_of([WrongBranch(4, at=60 if number == 2 else None) for number in range(4)], seed=1)
    network = peers[0].network
    assert network.run_while(lambda: not any(isinstance(e, DesyncDetected) for m in peers for e in m.told), limit=20.0)
    gone = peers.pop(3)
    network.detach(gone.address)
    report = the_report(peers)
    assert report.first_differing is not None
    assert set(report.silent) <= {gone.session.peer_id}


@pytest.mark.parametrize("seed", range(6))
def test_both_get_a_report_although_the_first_to_know_closes_at_once(seed: int) -> None:
    peers = peers_of([FieldChanged(), FieldChanged(at=70)], seed=seed)
    network = peers[0].network

    def leave() -> bool:
        for peer in peers:
            if peer.reports and peer.session.running:
                peer.session.close("desync")
        return network.now < 12.0

    network.run_while(leave, limit=12.0)
    for peer in peers:
        (report,) = peer.reports
        assert report.first_differing == 71


def test_the_event_carries_what_a_bundle_is_made_from() -> None:
    peers = peers_of([FieldChanged(), FieldChanged(at=70)], seed=1)
    report = the_report(peers)
    for peer in peers:
        (event,) = [event for event in peer.told if isinstance(event, DesyncReported)]
        assert event.investigation is not None
        bundle = bundle_of(event.investigation, peer.session.sim)
        assert bundle.report == report
        assert bundle.around is not None


class Counting(WrongBranch):
    """Counts how often each frame's checksum is asked for."""

    def __init__(self, num_players: int) -> None:
        super().__init__(num_players)
        self.asked: Counter[int] = Counter()

    def checksum(self, state: TallyState) -> int:
        self.asked[state.frame] += 1
        return super().checksum(state)


def timeline_of(peer_id: int, count: int) -> bytes:
    line = Timeline(peer_id=peer_id, alarm=16, last_agreed=None, first=0, checksums=(0,) * count)
    (message,) = split_into_messages(TIMELINE, encode_timeline(line))
    return message


def send_evidence(liar: RollbackSession, message: bytes, times: int) -> None:
    for peer in inside_of(liar).players_peers():
        for _ in range(times):
            peer.send(bytes((MessageKind.EVIDENCE, 0)) + message)


def test_nonsense_as_evidence_stops_nobody() -> None:
    peers = peers_of([WrongBranch(3) for _ in range(3)], seed=2)
    network = peers[0].network
    send_evidence(peers[1].session, b"nonsense", MOST_REFUSED)
    frames = [peer.session.frame for peer in peers]
    network.run(until=network.now + 3.0)
    assert all(peer.session.frame > frame + 120 for peer, frame in zip(peers, frames, strict=True))
    assert not any(peer.reports for peer in peers)


def test_a_peer_that_goes_on_with_nonsense_is_expelled() -> None:
    peers = peers_of([WrongBranch(3) for _ in range(3)], seed=2)
    network, liar = peers[0].network, peers.pop(1)
    send_evidence(liar.session, b"nonsense", MOST_REFUSED + 1)
    network.run(until=network.now + 3.0)
    told = [event.reason for peer in peers for event in peer.told if isinstance(event, PeerDisconnected)]
    assert set(told) == {Reason.VIOLATION}
    for peer in peers:
        assert liar.session.peer_id not in inside_of(peer.session).peers
        assert peer.session.running


def test_evidence_makes_the_game_compute_nothing_twice() -> None:
    """Alarms that are not true, one after the other: no frame's checksum is asked for more than once by them."""
    sims = [Counting(3) for _ in range(3)]
    peers = peers_of(sims, seed=2)
    network, liar, victim = peers[0].network, peers[1].session, sims[0]
    network.run(until=network.now + 3.0)
    for alarm in (16, 32, 48, 64, 80, 96):
        victim.asked.clear()
        first = peers[0].session.frame
        send_evidence(liar, false_evidence(liar.peer_id, alarm)[2:], 1)
        send_evidence(liar, timeline_of(liar.peer_id, 900), 1)
        network.run(until=network.now + 9.0)
        run = peers[0].session.frame - first
        # One for each frame that was held when the alarm came, and those of the match itself, every 16 frames.
        assert sum(victim.asked.values()) <= MatchConfig().history + 8 + run // 8
        assert max(victim.asked.values()) <= 2


class Once(WrongBranch):
    """Errs at one frame, if it is the odd one."""

    odd = False

    def step(self, state: TallyState, inputs: Sequence[int]) -> TallyState:
        after = super().step(state, inputs)
        return after._replace(mixed=0) if self.odd and state.frame == 80 else after


def diverged(seed: int) -> list[PeerLoop]:
    sims = [Once(3) for _ in range(3)]
    sims[2].odd = True
    peers = peers_of(sims, seed=seed)
    the_report(peers)
    return peers


@pytest.mark.parametrize("seed", [1, 2])
def test_a_state_that_nobody_named_is_not_gone_on_from(seed: int) -> None:
    peers = diverged(seed)
    network, liar, victim = peers[0].network, peers[2].session, peers[1].session
    for session in (peers[0].session, victim):
        session.resync(peers[0].session.peer_id)
    network.run(until=network.now + 0.5)
    inside_of(liar).resyncing.offered = OfferedState(liar.peer_id, 32, 7)
    network.run(until=network.now + 0.5)
    assert inside_of(victim).membership.wishes[liar.peer_id].resync == OfferedState(liar.peer_id, 32, 7)
    liar.resync(peers[0].session.peer_id)
    network.run(until=network.now + 4.0)
    assert [inside_of(peer.session).match.number for peer in peers if inside_of(peer.session).match] == [1, 1, 1]
    assert all(len(peer.reports) == 1 for peer in peers)


def test_peers_that_named_different_ones_do_not_go_on() -> None:
    peers = diverged(1)
    for peer in peers:
        peer.session.resync(peer.session.peer_id)
    network = peers[0].network
    network.run(until=network.now + 3.0)
    assert [inside_of(peer.session).match.number for peer in peers if inside_of(peer.session).match] == [0, 0, 0]


class Late(WrongBranch):
    """Errs at a frame long after the match has begun, if it is the odd one."""

    odd = False

    def step(self, state: TallyState, inputs: Sequence[int]) -> TallyState:
        after = super().step(state, inputs)
        return after._replace(mixed=0) if self.odd and state.frame == 1100 else after


def false_evidence(peer_id: int, alarm: int | None) -> bytes:
    line = Timeline(peer_id=peer_id, alarm=alarm, last_agreed=None, first=16, checksums=())
    (message,) = split_into_messages(TIMELINE, encode_timeline(line))
    return bytes((MessageKind.EVIDENCE, 0)) + message


@pytest.mark.parametrize("alarm", [None, 32])
def test_an_alarm_that_was_false_does_not_hide_one_that_is_true(alarm: int | None) -> None:
    sims = [Late(3) for _ in range(3)]
    sims[2].odd = True
    peers = peers_of(sims, seed=3)
    liar = peers[1].session
    for peer in inside_of(liar).players_peers():
        peer.send(false_evidence(liar.peer_id, alarm))
    network = peers[0].network
    network.run_while(lambda: not all(m.reports and m.reports[-1].first_differing for m in peers), limit=40.0)
    for peer in peers:
        assert [report.first_differing for report in peer.reports] == [None, 1101]
        assert peer.reports[-1] == peers[0].reports[-1]


def test_a_false_checksum_does_not_hide_a_true_desync_of_two() -> None:
    peers = peers_of([Late(2), Late(2)], seed=3)
    peers[1].session.sim.odd = True
    network, match = peers[0].network, inside_of(peers[0].session).match
    assert match is not None
    network.run(until=network.now + 3.0)
    # The frame of the newest comparison to come, so that it is judged as soon as it is final here.
    frame = match.engine.final_state_frame // 16 * 16 + 16
    known = match.engine.first_missing(1) - 1
    inputs = tuple(match.engine.inputs_of(1, known, known + 1))
    assert match.receive(match.exchanges[0], rbn1.encode(rbn1.InputPacket(known, 0, inputs, frame, 1)), network.now)
    assert network.run_while(lambda: not peers[0].reports, limit=20.0)
    assert peers[0].reports[0].first_differing is None
    assert match.alarm.state is AlarmState.FALSE
    assert network.run_while(lambda: len(peers[0].reports) < 2, limit=40.0)
    assert [report.first_differing for report in peers[0].reports] == [None, 1101]
    assert match.alarm.state is AlarmState.REPORTED


def test_a_peer_that_raises_false_alarms_again_and_again_is_investigated_a_few_times() -> None:
    peers = peers_of([WrongBranch(2) for _ in range(2)], seed=3)
    network, liar = peers[0].network, peers[1].session
    for alarm in range(32, 32 + 16 * 20, 16):
        inside_of(liar).peers[0].send(false_evidence(1, alarm))
        network.run(until=network.now + 9.0)
    assert 2 <= len(peers[0].reports) <= 6


def test_evidence_of_another_match_is_none_of_this_one() -> None:
    peers = peers_of([WrongBranch(2) for _ in range(2)], seed=3)
    network, liar = peers[0].network, peers[1].session
    message = false_evidence(1, 32)
    inside_of(liar).peers[0].send(message[:1] + b"\x01" + message[2:])
    network.run(until=network.now + 12.0)
    assert peers[0].reports == []
