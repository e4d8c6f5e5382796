"""What a spectator sees when matches follow each other, when its source changes, and when it asks the wrong peer."""

from random import Random
from typing import Any

import pytest

from retick.rollback.events import (
    MatchEnded,
    MessageReceived,
    RosterChanged,
    RosterPeer,
    SourceChanged,
    WatchingStarted,
)
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.inside import inside_of
from retick.rollback.session.messages.join import (
    Chunk,
    Feed,
    StateHeader,
    Welcome,
    decode_feed,
    encode_chunk,
    encode_feed,
    encode_welcome,
)
from retick.rollback.session.messages.kinds import MessageKind
from retick.rollback.session.messages.profile import encode_list
from retick.rollback.session.messages.roster import RosterEntry
from retick.rollback.spectate import spectator as spectator_module
from retick.rollback.spectate.spectator import MOST_WAITING, SpectatorSession
from retick.testing.mesh import Mesh, MeshSpectator
from retick.transport.conditions import Conditions
from tests.toys import Tally

STAY = MatchConfig(end_when_alone=False, disconnect_after=3.0)


def mesh_of(players: int) -> Mesh:
    dice = Random(3)
    mesh = Mesh(
        lambda: Tally(players),
        conditions=Conditions(latency=0.05, jitter=0.005),
        config=STAY,
        press=lambda player, state: dice.choice((0, 1, 2, 9)),
    )
    mesh.start()
    mesh.play(60)
    return mesh


def kinds_of(spectator: MeshSpectator) -> list[type]:
    """Its events, without those about names."""
    return [type(event) for event in spectator.events if not isinstance(event, RosterChanged)]


def frames_shown(spectator: MeshSpectator) -> list[tuple[int, int]]:
    """The last frame of each match that it showed, as it goes on showing."""
    ends: list[tuple[int, int]] = []
    session: Any = spectator.session
    show = session._show

    def noted(beginning: Any) -> None:
        ends.append((session.match_number, session.frame))
        show(beginning)

    session._show = noted
    return ends


@pytest.mark.parametrize("again", ["rematch", "resync"])
def test_a_match_is_shown_to_its_last_final_frame_before_the_next_begins(again: str) -> None:
    mesh = mesh_of(2)
    spectator = mesh.watch("fan", "peer1")
    mesh.run(2.0)
    ends = frames_shown(spectator)
    final = mesh["peer1"].final_frame
    for peer in mesh.alive:
        peer.session.rematch() if again == "rematch" else peer.session.resync(0)
    mesh.run(4.0)
    ((number, frame),) = ends
    assert (number, spectator.session.match_number) == (0, 1)
    assert frame >= final
    assert kinds_of(spectator) == [WatchingStarted, WatchingStarted]
    assert spectator.session.frame > 100
    mesh.verify()
    assert len(spectator.checksums) > 1


def test_a_spectator_that_moves_to_a_peer_in_the_next_match_begins_there_anew() -> None:
    mesh = mesh_of(3)
    spectator = mesh.watch("fan", "peer1")
    mesh.run(2.0)
    for name in ("peer0", "peer2"):
        mesh[name].session.rematch()
    mesh.run(0.5)
    # The source plays the next match, and is gone before it has said so.
    mesh.cut("peer1", "fan", 60.0)
    mesh["peer1"].session.rematch()
    mesh.run(0.3)
    mesh.crash("peer1")
    mesh.run(10.0)
    assert any(isinstance(event, SourceChanged) for event in spectator.events)
    assert spectator.session.match_number == 1
    mesh.verify()
    assert len(spectator.checksums) > 1


def test_a_spectator_that_is_ahead_of_its_new_source_waits_for_it() -> None:
    mesh = mesh_of(3)
    spectator = mesh.watch("fan", "peer1", delay=0)
    mesh.run(1.0)
    before = spectator.session.frame
    for address in ("peer0", "peer2"):
        inside_of(mesh[address].session).match.barrier = mesh[address].session.frame - 6
    session: Any = spectator.session
    mesh.run(0.3)
    for address in ("peer0", "peer2"):
        inside_of(mesh[address].session).match.barrier = None
    mesh["peer1"].session.close()
    mesh.run(5.0)
    assert session.frame > before + 100
    assert kinds_of(spectator) == [WatchingStarted, SourceChanged]
    first = session.start_frame
    assert sorted(spectator.rows) == list(range(first, session.frame))


def test_a_spectator_feeds_nobody_and_says_so() -> None:
    mesh = mesh_of(2)
    mesh.watch("fan", "peer1")
    mesh.run(1.0)
    second = SpectatorSession(Tally(2), "fan", entropy=Random(5).randbytes, config=STAY)
    mesh.network.attach("second", second)
    mesh.run(1.0)
    assert second.events() == [MatchEnded(reason="this peer only watches: call one that plays")]


def test_a_match_that_is_over_is_refused_with_that_reason() -> None:
    mesh = mesh_of(2)
    inside_of(mesh["peer0"].session).end("enough")
    late = SpectatorSession(Tally(2), "peer0", entropy=Random(5).randbytes, config=STAY)
    mesh.network.attach("late", late)
    mesh.run(1.0)
    assert late.events() == [MatchEnded(reason="the match is over here")]


def test_a_state_that_was_cut_short_by_the_next_one_does_not_turn_the_spectator_away() -> None:
    session: Any = SpectatorSession(Tally(2), "there", entropy=Random(5).randbytes, config=STAY)
    sim = Tally(2)
    state = sim.initial_state(7)
    packed = sim.pack_state(state)
    entry = RosterEntry(0, (0, 1), "there")
    welcome = Welcome(0, 255, bytes(16), 8.0, 7, 1, 0, StateHeader(len(packed), sim.checksum(state)), (), (entry,))
    session._on_message(encode_welcome(welcome._replace(match=0, seed=1)))
    session._on_message(encode_chunk(Chunk(0, packed[:10])))
    session._on_message(encode_welcome(welcome))
    session._on_message(encode_chunk(Chunk(0, packed)))
    assert session.events() == [WatchingStarted(seed=7, frame=0)]
    assert session.state == state


def test_frames_that_nobody_records_are_not_kept_for_ever() -> None:
    session: Any = SpectatorSession(Tally(2), "there", entropy=Random(5).randbytes, config=STAY)
    session._state = Tally(2).initial_state(1)
    for _ in range(MOST_WAITING + 10):
        session._rows.append((1, 2))
        session.advance(now=0.0)
    assert len(session.drain_final_inputs()) == MOST_WAITING
    assert session.drain_final_inputs() == []


def test_a_source_whose_frames_do_not_fit_a_message_is_left_for_another() -> None:
    mesh = mesh_of(2)
    spectator = mesh.watch("fan", "peer1")
    mesh.run(0.05)
    session: Any = spectator.session
    game = Tally(2)
    state = game.initial_state(1)
    data = game.pack_state(state)
    entries = (RosterEntry(1, (1,), "peer1"), RosterEntry(0, (0,), "peer0"))
    header = StateHeader(len(data), game.checksum(state))
    session._others = ["peer0"]
    for message in (
        encode_welcome(Welcome(1, 255, bytes(16), 8.0, 7, 0, 0xFFFFFFFF, header, (), entries)),
        encode_chunk(Chunk(0, data)),
        encode_feed(Feed(0xFFFFFFFF, bytes(8), ())),
    ):
        session._on_message(message)
    mesh.run(0.2)
    mesh.crash("peer1")
    mesh.run(8.0)
    assert session.source == "peer0"
    assert session.frame > 0


def say(mesh: Mesh, *messages: bytes) -> None:
    """The only spectator of peer1 is sent these messages."""
    feed: Any = inside_of(mesh["peer1"].session).spectator_feed
    [peer] = feed._spectators
    for message in messages:
        peer.send(message)


def test_nothing_is_read_of_a_source_after_it_has_broken_the_rules() -> None:
    mesh = mesh_of(2)
    spectator = mesh.watch("fan", "peer1")
    mesh.run(2.0)
    session: Any = spectator.session
    read: list[int] = []
    session._receive[MessageKind.FEED] = lambda data: read.append(decode_feed(data).first)
    say(mesh, b"nonsense", encode_feed(Feed(0, bytes(8), ())), encode_feed(Feed(0, bytes(8), ())))
    mesh.run(1.0)
    assert session.source == "peer0"
    assert 0 not in read


def test_a_state_of_an_earlier_match_is_not_read() -> None:
    unpacked: list[bytes] = []
    mesh = mesh_of(2)
    spectator = mesh.watch("fan", "peer1")
    mesh.run(2.0)
    session: Any = spectator.session
    session._sim.unpack_state = unpacked.append
    session._welcome = session._welcome._replace(match=2)
    say(mesh, encode_welcome(session._welcome._replace(match=1)), encode_chunk(Chunk(0, bytes(24))))
    mesh.run(1.0)
    assert unpacked == []
    assert session.source == "peer0"


def ends(spectator: MeshSpectator) -> list[MatchEnded]:
    return [event for event in spectator.events if isinstance(event, MatchEnded)]


def test_the_end_is_told_after_the_last_frame_was_shown() -> None:
    mesh = mesh_of(2)
    spectator = mesh.watch("crowd", "peer0", delay=60)
    mesh.run(3.0)
    session = spectator.session
    for name in ("peer0", "peer1"):
        mesh[name].session.close("over")
    mesh.run_until(lambda: session.ended, limit=5.0, what="the feed has ended")
    assert session.waiting > 30
    assert ends(spectator) == []
    mesh.run(5.0)
    assert session.waiting == 0
    assert len(ends(spectator)) == 1


def test_a_spectator_knows_who_plays_and_hears_what_it_is_sent() -> None:
    mesh = mesh_of(2)
    fan: Any = mesh.watch("fan", "peer1")
    mesh.run(1.0)
    assert (
        fan.session.roster
        == mesh["peer1"].session.roster
        == (RosterPeer(0, (0,), "", b""), RosterPeer(1, (1,), "", b""))
    )
    assert not mesh["peer0"].session.send_message(b"nobody watches here", spectators=True)
    assert mesh["peer1"].session.send_message(b"hello", spectators=True)
    mesh.run(1.0)
    [message] = [event for event in fan.events if isinstance(event, MessageReceived)]
    assert (message.peer, message.data) == (mesh["peer1"].session.peer_id, b"hello")
    assert [mesh[name].events_of(MessageReceived) for name in ("peer0", "peer1")] == [[], []]


def test_messages_that_a_spectator_does_not_read_wait_and_none_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spectator_module, "MOST_UNREAD", 3)
    mesh = mesh_of(2)
    fan: Any = mesh.watch("fan", "peer1").session
    mesh.run(1.0)
    read, fan.events = fan.events, list
    for number in range(20):
        assert mesh["peer1"].session.send_message(bytes((number,)), spectators=True)
        mesh.run(0.2)
    assert len(fan._events) < 8
    fan.events = read
    mesh.run(3.0)
    found = [event.data for event in mesh.spectators["fan"].events if isinstance(event, MessageReceived)]
    assert found == [bytes((number,)) for number in range(20)]


def test_a_list_with_a_seat_twice_ends_the_watching_through_that_peer() -> None:
    mesh = mesh_of(2)
    mesh.watch("fan", "peer1")
    mesh.run(1.0)
    [peer] = inside_of(mesh["peer1"].session).spectator_feed.peers()
    peer.send(encode_list((RosterPeer(0, (0,), "", b""), RosterPeer(1, (0,), "", b""))))
    mesh.run(1.0)
    assert any(isinstance(event, SourceChanged) for event in mesh.spectators["fan"].events)
