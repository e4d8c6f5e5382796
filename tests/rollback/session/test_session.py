"""Two peers over links: cost, waiting, sleeping, closing, and what peers that lie and strangers cannot do."""

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.errors import NotSynchronized, UsageError
from retick.games.fighter import Fighter
from retick.link import LinkEndpoint, Reason, Refused
from retick.rollback.events import (
    DesyncDetected,
    DesyncReported,
    InputConflictDetected,
    MatchEnded,
    MatchEvent,
    MatchStarted,
    MessageReceived,
    PeerConnected,
    PeerDisconnected,
    PeerInterrupted,
    PeerResumed,
    Resumed,
    Stalled,
)
from retick.rollback.match.alarm import MOST_FALSE_ALARMS
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.inside import inside_of
from retick.rollback.session.link_config import link_config_for
from retick.rollback.session.messages.connect import Reach, encode_play
from retick.rollback.session.session import Phase, RollbackSession
from retick.testing.mesh import Mesh, MeshHung
from retick.transport.conditions import Conditions
from retick.transport.simulated import MemoryHub
from retick.wire import rbn1
from tests.effort import examples
from tests.rollback.session.matches import fighting, fighting_mesh, tally_press
from tests.toys import Tally

KEY = b"k" * 32
"""With which nobody signs anything here."""

USUAL = Conditions.round_trip(0.1, loss=0.05)


def peer_stats(mesh: Mesh, name: str) -> Any:
    return next(iter(mesh[name].session.stats(now=mesh.network.now).peers.values()))


def test_two_peers_meet_and_play_the_same_match() -> None:
    mesh = fighting_mesh(USUAL)
    mesh.play(600)
    mesh.verify(600)
    for peer, seat in zip(mesh.alive, (0, 1), strict=True):
        started = peer.events_of(MatchStarted)
        assert [event.local_players for event in started] == [(seat,)]
        assert peer.events_of(PeerConnected)
        assert peer.session.stats(now=mesh.network.now).rollbacks > 20
    seeds = {peer.events_of(MatchStarted)[0].seed for peer in mesh.alive}
    assert len(seeds) == 1


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_wire_costs_at_most_66_packets_and_3800_bytes_a_second(seed: int) -> None:
    """Everything included: 60 Hz, 100 ms round trip, 5 % loss."""
    mesh = fighting_mesh(USUAL, seed=seed)
    paths = [mesh.network.path("peer0", "peer1"), mesh.network.path("peer1", "peer0")]
    before = [(path.sent, path.bytes_sent) for path in paths]
    mesh.run(30.0)
    for path, (packets, octets) in zip(paths, before, strict=True):
        assert (path.sent - packets) / 30.0 <= 66
        assert (path.bytes_sent - octets) / 30.0 <= 3.8 * 1000
        assert (path.sent - packets) / 30.0 > 58


@pytest.mark.long
def test_stalls_at_100_ms_and_5_percent_are_rare() -> None:
    mesh = fighting_mesh(USUAL)
    mesh.run(120.0)
    for peer in mesh.alive:
        stats = peer.session.stats(now=mesh.network.now)
        assert stats.stalls < 4
        assert stats.frame > 118 * 60


def test_statistics_tell_what_the_link_is_like() -> None:
    mesh = fighting_mesh(Conditions(latency=0.04, jitter=0.01, loss=0.1))
    mesh.run(20.0)
    for name in ("peer0", "peer1"):
        way = peer_stats(mesh, name)
        assert 0.07 < way.rtt < 0.11
        assert 0.0 < way.jitter < 0.03
        assert 0.03 < way.loss_in < 0.2
        assert 0.03 < way.loss_out < 0.2
        assert way.packets_out > way.packets_in > 900
        assert way.bytes_out > 16 * way.packets_out
        assert 55 < way.packets_per_second_out < 70
        assert 1800 < way.bytes_per_second_out < 3000
        assert 0 < way.unacknowledged < 20
        assert way.dropped == {}
        stats = mesh[name].session.stats(now=mesh.network.now)
        assert sum(stats.rollback_depths.values()) == stats.rollbacks > 0
        assert sum(depth * times for depth, times in stats.rollback_depths.items()) == stats.resimulated_frames
        assert stats.compared_frames > 50
        assert stats.frame > stats.confirmed_frame > 1100


def test_a_cut_is_waited_for_and_the_match_goes_on_by_itself() -> None:
    mesh = fighting_mesh(Conditions.round_trip(0.05))
    mesh.play(120)
    mesh.cut("peer0", "peer1", 3.0)
    mesh.run(2.5)
    frames = [peer.session.frame for peer in mesh.alive]
    mesh.run(0.3)
    assert [peer.session.frame for peer in mesh.alive] == frames
    for peer in mesh.alive:
        stalled = peer.events_of(Stalled)[-1]
        assert stalled.waiting_for == tuple({0, 1} - set(peer.session.local_players))
        assert peer.events_of(PeerInterrupted)
    mesh.play(400)
    mesh.verify(400)
    for peer in mesh.alive:
        assert peer.events_of(PeerResumed)
        assert len(peer.events_of(Resumed)) == len(peer.events_of(Stalled))
        assert max(event.seconds for event in peer.events_of(Resumed)) > 2.0
        assert not peer.events_of(MatchEnded)


@pytest.mark.parametrize("name", ["peer0", "peer1"])
def test_a_process_stopped_for_five_seconds_goes_on_with_the_match(name: str) -> None:
    mesh = fighting_mesh(USUAL)
    mesh.play(120)
    mesh.pause(name, 5.0)
    mesh.play(600)
    mesh.verify(600)
    for peer in mesh.alive:
        assert not peer.events_of(MatchEnded)
        assert not peer.events_of(DesyncDetected)


def events_of_one_that_reads_them_late(mesh: Mesh, seconds: float) -> list[str]:
    """The names of all events of peer0 in these seconds, read together."""
    session: Any = mesh["peer0"].session
    read, session.events = session.events, list
    mesh.run(seconds)
    return [type(event).__name__ for event in read()]


def test_the_end_of_a_match_comes_after_all_that_happened_in_it() -> None:
    mesh = fighting_mesh(USUAL)
    mesh.crash("peer1")
    assert events_of_one_that_reads_them_late(mesh, 12.0) == [
        "PeerInterrupted",
        "PeerDisconnected",
        "PlayersDropped",
        "Stalled",
        "MatchEnded",
    ]


def test_the_part_of_a_session_that_ends_it_is_the_last_that_is_asked() -> None:
    """Else players would be dropped from a match that has ended."""
    mesh = fighting_mesh(USUAL)
    session: Any = inside_of(mesh["peer0"].session)
    other = session.peers[1]

    def lose_everybody(match: Any, now: float) -> bool:
        session.expel(other)
        return True

    session.lobby.after_frame = lose_everybody
    session.is_quiet = False
    assert events_of_one_that_reads_them_late(mesh, 2.0) == ["PeerDisconnected", "PlayersDropped", "MatchEnded"]


def test_silence_beyond_the_time_out_ends_the_match() -> None:
    mesh = fighting_mesh()
    mesh.play(60)
    mesh.crash("peer1")
    mesh.run(15.0)
    [gone] = mesh["peer0"].events_of(PeerDisconnected)
    assert gone.players == (1,)
    assert mesh["peer0"].events_of(PeerInterrupted)


@pytest.mark.parametrize("seconds", [0.4, 1.0, 1.6])
def test_others_may_be_given_up_as_soon_as_one_likes(seconds: float) -> None:
    mesh = fighting_mesh(Conditions.round_trip(0.05), config=MatchConfig(disconnect_after=seconds))
    mesh.play(300)
    assert not mesh["peer0"].events_of(PeerDisconnected)
    mesh.crash("peer1")
    mesh.run(seconds + 0.2)
    assert mesh["peer0"].events_of(PeerInterrupted)
    assert mesh["peer0"].events_of(PeerDisconnected)


def test_an_orderly_goodbye_is_no_time_out() -> None:
    mesh = fighting_mesh(Conditions.round_trip(0.1))
    mesh.play(60)
    mesh["peer1"].session.close("good game")
    mesh.run(1.0)
    [gone] = mesh["peer0"].events_of(PeerDisconnected)
    assert gone.text == "good game"
    assert mesh["peer1"].events_of(MatchEnded)


def test_messages_of_the_application_arrive_in_order_in_spite_of_loss() -> None:
    mesh = fighting_mesh(Conditions.round_trip(0.1, loss=0.3))
    for number in range(50):
        assert mesh["peer0"].session.send_message(b"line %d" % number)
    mesh.run(10.0)
    received = [event.data for event in mesh["peer1"].events_of(MessageReceived)]
    assert received == [b"line %d" % number for number in range(50)]
    mesh.play(300)
    mesh.verify(300)


def test_nothing_can_be_played_before_everyone_is_there() -> None:
    session = RollbackSession(Fighter(), entropy=Random(1).randbytes)
    assert session.phase is Phase.GATHERING
    assert not session.due(now=0.0)
    for call in (
        lambda: session.advance(0, now=0.0),
        lambda: session.state,
        lambda: session.frame,
        lambda: session.stats(now=0.0),
    ):
        with pytest.raises(NotSynchronized):
            call()
    for seats in (0, 3):
        with pytest.raises(UsageError, match="seats"):
            RollbackSession(Fighter(), entropy=Random(1).randbytes, seats=seats)


def test_one_peer_of_several_plays_no_more_seats_than_a_packet_carries() -> None:
    with pytest.raises(UsageError, match="at most 8 seats, not 9"):
        RollbackSession(Tally(10), entropy=Random(1).randbytes, seats=9)
    assert RollbackSession(Tally(10), entropy=Random(1).randbytes, seats=10).running
    hub = MemoryHub()
    hub.attach("host", RollbackSession(Tally(10), entropy=Random(1).randbytes))
    stranger = LinkEndpoint(link_config_for(Tally(10), MatchConfig()), entropy=Random(2).randbytes)
    hub.attach("stranger", stranger)
    stranger.dial("host", seats=9, data=encode_play(Reach(12, 2), key=KEY))
    for frame in range(60):
        hub.exchange(now=frame / 60)
    [refused] = stranger.events()
    assert isinstance(refused, Refused)
    assert refused.reason == Reason.SEATS


def test_a_message_to_nobody_is_not_sent_and_one_to_a_stranger_is_misuse() -> None:
    session = RollbackSession(Fighter(), entropy=Random(1).randbytes)
    assert not session.send_message(b"hello?")
    with pytest.raises(UsageError, match="no peer 3 in this match"):
        session.send_message(b"hello?", peer=3)
    mesh = fighting_mesh()
    mesh["peer0"].session.close("enough")
    mesh.run(1.0)
    assert not mesh["peer1"].session.send_message(b"hello?")


def test_a_peer_that_sends_to_one_that_does_not_read_has_to_wait() -> None:
    """Neither side's memory grows, and nothing is lost when the reader comes back."""
    hub, sides = MemoryHub(), []
    for name, address in (("host", None), ("joiner", "host")):
        sides.append(RollbackSession(Fighter(), entropy=Random(name).randbytes, host_address=address))
        hub.attach(name, sides[-1])
    host, joiner = sides
    sent = 0
    for frame in range(1200):
        hub.exchange(now=frame / 60)
        joiner.events()
        if joiner.running and frame < 900:
            while joiner.send_message(b"%6d" % sent + bytes(1000)):
                sent += 1
    assert sent < 2000
    assert len(inside_of(host).happened) < 600
    heard: list[MatchEvent] = []
    for frame in range(1200, 2400):
        hub.exchange(now=frame / 60)
        heard += host.events()
    lines = [event.data for event in heard if isinstance(event, MessageReceived)]
    assert lines == [b"%6d" % number + bytes(1000) for number in range(sent)]


def test_more_players_than_a_roster_can_name_are_refused_at_once() -> None:
    with pytest.raises(UsageError, match="at most 16 players, not 17"):
        RollbackSession(Tally(17), entropy=Random(1).randbytes)


def test_both_ends_of_a_sealed_link_have_the_same_words_and_a_plain_one_has_none() -> None:
    for sealed in (True, False):
        hub = MemoryHub()
        sessions = [
            RollbackSession(Tally(2), entropy=Random(place).randbytes, host_address=address, sealed=sealed)
            for place, address in enumerate((None, "host"))
        ]
        for name, session in zip(("host", "joiner"), sessions, strict=True):
            hub.attach(name, session)
        for turn in range(200):
            hub.exchange(now=turn / 50)
        assert all(session.running for session in sessions)
        if sealed:
            words = [session.words(1 - place) for place, session in enumerate(sessions)]
            assert words[0] == words[1]
            assert len(words[0]) == 4
        else:
            with pytest.raises(UsageError, match="no sealed link to a peer 1"):
                sessions[0].words(1)
        with pytest.raises(UsageError, match="no sealed link to a peer 7"):
            sessions[0].words(7)


def test_another_game_is_refused_with_words_to_show() -> None:
    mesh = Mesh({"peer0": Fighter, "peer1": lambda: Tally(2)}, seats={"peer0": 1, "peer1": 1})
    with pytest.raises(MeshHung, match="the match starts"):
        mesh.start(limit=3.0)
    [gone] = mesh["peer1"].events_of(PeerDisconnected)
    assert gone.text


@pytest.mark.parametrize("players", [3, 5, 8])
def test_more_peers_meet_and_play_the_same_match(players: int) -> None:
    mesh = Mesh(lambda: Tally(players), conditions=Conditions.round_trip(0.08, loss=0.03), press=tally_press)
    mesh.start()
    mesh.play(200)
    mesh.verify(200)
    assert all(peer.session.stats(now=mesh.network.now).rollbacks > 10 for peer in mesh.alive)


def test_several_seats_at_one_peer() -> None:
    mesh = Mesh(lambda: Tally(4), seats={"a": 2, "b": 1, "c": 1}, conditions=USUAL, press=tally_press)
    mesh.start()
    mesh.play(200)
    mesh.verify(200)
    assert sorted(peer.session.local_players for peer in mesh.alive) == [(0, 1), (2,), (3,)]


# Bad input.


class Liar(RollbackSession):
    """A session that changes the RBN1 packets it sends; its link is in order."""

    def __init__(self, *arguments: Any, **details: Any) -> None:
        super().__init__(*arguments, **details)
        self.lie: Any = None

    def datagrams_to_send(self, *, now: float) -> Any:
        if inside_of(self).match is not None and self.lie is not None:
            for peer, data in inside_of(self).match.packets(now):
                connection = peer.connection
                assert connection is not None
                for each in self.lie(data):
                    connection.send_unreliable(each)
        return super().datagrams_to_send(now=now)


def lying_mesh() -> tuple[Mesh, Liar]:
    mesh = Mesh(
        Fighter,
        press=fighting(),
        conditions=Conditions.round_trip(0.05),
        make_session=lambda sim, **details: (Liar if "host_address" in details else RollbackSession)(sim, **details),
    )
    mesh.start()
    mesh.play(60)
    liar = mesh["peer1"].session
    assert isinstance(liar, Liar)
    return mesh, liar


def changed(data: bytes, **fields: Any) -> bytes:
    packet = rbn1.decode(data, rbn1.ALL_EXTENSIONS)
    return rbn1.encode(packet._replace(**fields), rbn1.ALL_EXTENSIONS)


LIES = {
    "acks from the future": (lambda data: [data, changed(data, ack_frame=5000)], "AckFromTheFuture"),
    "inputs from the future": (lambda data: [data, changed(data, start_frame=100_000)], "InputsTooFarAhead"),
    "contradictions": (
        lambda data: [
            data,
            changed(data, inputs=tuple(each ^ 1 for each in rbn1.decode(data, rbn1.ALL_EXTENSIONS).inputs)),
        ],
        "InputConflict",
    ),
    "checksums of no frame": (
        lambda data: [data, changed(data, checksum_frame=0x40000000, checksum=1, time_sync=None)],
        "ChecksumOfNoFrame",
    ),
    "garbage": (lambda data: [data, b"RBN1" + data[:9], b"?" * 50], "Truncated"),
    "another shape": (lambda data: [data, changed(data, input_size=4)], "WrongShape"),
    "a flood": (lambda data: [data] + [b"\0" * 30] * 50, "BadMagic"),
}


@pytest.mark.parametrize("name", LIES)
def test_a_peer_that_lies_is_counted_and_the_match_goes_on_unharmed(name: str) -> None:
    lie, reason = LIES[name]
    mesh, liar = lying_mesh()
    liar.lie = lie
    mesh.run(5.0)
    liar.lie = None
    mesh.play(500)
    mesh.verify(500)
    honest = mesh["peer0"]
    assert peer_stats(mesh, "peer0").dropped[reason] > 50
    assert not honest.events_of(DesyncDetected)
    assert not honest.events_of(MatchEnded)
    assert len(honest.events_of(InputConflictDetected)) == (1 if name == "contradictions" else 0)
    assert len(honest.events) < 30


def test_false_checksums_raise_a_few_alarms_and_the_match_goes_on() -> None:
    mesh, liar = lying_mesh()
    liar.lie = lambda data: [
        changed(data, checksum=1) if rbn1.decode(data, rbn1.ALL_EXTENSIONS).checksum is not None else data
    ]
    mesh.play(3600)
    mesh.verify(3600)
    assert len(mesh["peer0"].events_of(DesyncDetected)) == MOST_FALSE_ALARMS
    assert not mesh["peer1"].events_of(DesyncDetected)
    reports = [event.report for event in mesh["peer0"].events_of(DesyncReported)]
    assert [report.first_differing for report in reports] == [None] * MOST_FALSE_ALARMS


def test_strangers_are_counted_and_forgotten() -> None:
    mesh = fighting_mesh()
    dice = Random(7)
    mesh.play(30)
    for _ in range(2000):
        data = dice.randbytes(dice.randrange(80))
        mesh["peer0"].session.receive_datagram(data, f"stranger{dice.randrange(9)}", now=mesh.network.now)
    assert sum(mesh["peer0"].session.dropped.values()) >= 1900
    mesh.play(200)
    mesh.verify(200)


def test_a_stranger_who_knows_the_format_cannot_speak_for_a_peer() -> None:
    """Copies of real datagrams, sent from elsewhere, change nothing."""
    mesh = fighting_mesh()
    host = mesh["peer0"].session
    real = host.receive_datagram
    copies: list[bytes] = []

    def listening(data: bytes, address: Any, *, now: float) -> None:
        copies.append(data)
        real(data, address, now=now)

    host.receive_datagram = listening  # type: ignore[method-assign]  # to hear what arrives
    mesh.play(60)
    before = host.stats(now=mesh.network.now)
    for data in copies:
        real(data, "stranger", now=mesh.network.now)
    after = host.stats(now=mesh.network.now)
    assert (before.confirmed_frame, before.frame) == (after.confirmed_frame, after.frame)
    assert host.dropped["duplicate"] > 0
    mesh.play(200)
    mesh.verify(200)


RUNNING = fighting_mesh()


SOME_KIND = st.builds(lambda kind, tail: bytes((kind,)) + tail, st.integers(0, 255), st.binary(max_size=90))
ANY_ADDRESS = st.sampled_from(["peer0", "peer1", "nobody", ("127.0.0.1", 9)])


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(st.tuples(st.one_of(st.binary(max_size=120), SOME_KIND), ANY_ADDRESS), max_size=20))
def test_any_bytes_from_any_address_raise_nothing_and_change_nothing(datagrams: list[tuple[bytes, Any]]) -> None:
    session = RUNNING["peer0"].session
    before = (session.frame, session.phase, inside_of(session).match.engine.confirmed_frame)
    for data, address in datagrams:
        session.receive_datagram(data, address, now=RUNNING.network.now)
    session.datagrams_to_send(now=RUNNING.network.now)
    assert (session.frame, session.phase, inside_of(session).match.engine.confirmed_frame) == before


def test_the_match_that_got_all_those_bytes_goes_on() -> None:
    RUNNING.play(RUNNING["peer0"].final_frame + 120)
    RUNNING.verify()


@pytest.mark.parametrize("delay", [1, 6])
def test_a_window_of_zero_is_lockstep_over_the_wire(delay: int) -> None:
    config = MatchConfig(prediction_window=0, input_delay=delay)
    mesh = fighting_mesh(Conditions.round_trip(0.1), config=config)
    mesh.play(300, limit=60.0)
    mesh.verify(300)
    assert all(peer.session.stats(now=mesh.network.now).rollbacks == 0 for peer in mesh.alive)


class Forgetful(RollbackSession):
    """Uses what its base has not made yet."""

    def __init__(self) -> None:
        pass


def test_a_session_without_its_parts_raises_and_does_not_end_the_process() -> None:
    session = Forgetful()
    with pytest.raises(AttributeError):
        session.receive_datagram(bytes(20), "somebody", now=0.0)
    with pytest.raises(AttributeError):
        session.datagrams_to_send(now=0.0)
    session = RollbackSession(Tally(), entropy=Random(1).randbytes)
    inside_of(session).link = None  # type: ignore[assignment]  # what must not be
    for call in (session.datagrams_to_send, session.handle_timeout):
        with pytest.raises(AttributeError, match="'NoneType' object has no attribute"):
            call(now=0.0)


def test_delay_and_window_change_while_the_match_runs_up_to_those_of_the_config() -> None:
    config = MatchConfig(input_delay=8, prediction_window=20)
    mesh = fighting_mesh(Conditions(latency=0.05), config=config)
    mesh.play(60)
    session = mesh["peer0"].session
    before = session.stats(now=mesh.network.now).deepest_rollback
    for peer in mesh.alive:
        peer.session.adjust(input_delay=0, prediction_window=3)
    mesh.play(120)
    engine = inside_of(session).match.engine
    assert (engine.input_delay, engine.prediction_window) == (0, 3)
    stats = session.stats(now=mesh.network.now)
    assert stats.stalls > 0, "3 frames do not span 50 ms"
    session.adjust(input_delay=8)
    assert (engine.input_delay, engine.prediction_window) == (8, 3)
    mesh.play(60)
    assert before <= stats.deepest_rollback
    assert not any(peer.events_of(DesyncDetected) for peer in mesh.alive)


@pytest.mark.parametrize("wrong", [{"input_delay": 9}, {"prediction_window": 21}, {"input_delay": -1},
                                   {"input_delay": 0, "prediction_window": 0}])  # fmt: skip
def test_an_adjustment_that_others_were_not_told_of_is_refused_and_changes_nothing(wrong: dict[str, int]) -> None:
    mesh = fighting_mesh(config=MatchConfig(input_delay=8, prediction_window=20))
    mesh.play(10)
    with pytest.raises(UsageError):
        mesh["peer0"].session.adjust(**wrong)
    engine = inside_of(mesh["peer0"].session).match.engine
    assert (engine.input_delay, engine.prediction_window) == (8, 20)
