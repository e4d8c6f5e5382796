"""Peers that lie about who is in the match: spectators and newcomers have no say, players little."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.rollback.desync.evidence import TIMELINE, Timeline, encode_timeline, split_into_messages
from retick.rollback.events import DesyncReported, MatchEnded, MatchStarted, PeerDisconnected, RematchProposed
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.inside import inside_of
from retick.rollback.session.messages.decisions import Drop, Known, encode_drop, encode_rematch
from retick.rollback.session.messages.join import Meet, StateHeader, encode_chunk, encode_meet, encode_resync
from retick.rollback.session.messages.kinds import MessageKind, encode_byte, encode_byte_and_number
from retick.rollback.session.messages.roster import pack_seats
from retick.rollback.session.peer import Phase, Role
from retick.testing.mesh import Mesh
from retick.transport.conditions import Conditions
from tests.rollback.session.matches import (
    assert_nobody_saw_a_desync,
    leave,
    playing_mesh,
    started_mesh,
    towards,
    with_a_free_seat,
)
from tests.toys import Tally

pytestmark = pytest.mark.long


def assert_play_on(mesh: Mesh, names: list[str]) -> None:
    numbers = {mesh[name].session.peer_id for name in names}
    for name in names:
        assert numbers <= {mesh[name].session.peer_id, *inside_of(mesh[name].session).peers}
    frames = {name: mesh[name].final_frame for name in names}
    mesh.run(3.0)
    assert all(mesh[name].final_frame > frame + 100 for name, frame in frames.items()), mesh.describe()
    mesh.verify()


def evidence(peer_id: int, alarm: int | None) -> bytes:
    line = Timeline(peer_id=peer_id, alarm=alarm, last_agreed=None, first=16, checksums=())
    return bytes((MessageKind.EVIDENCE, 0)) + b"".join(split_into_messages(TIMELINE, encode_timeline(line)))


WORDS = {
    "its host is lost": lambda mesh: encode_drop(Drop(frozenset({0}), (), ()), 2),
    "others are lost": lambda mesh: encode_drop(Drop(frozenset({1, 2}), (), ()), 2),
    "a newcomer": lambda mesh: encode_meet(Meet(200, mesh["peer0"].session.gone, 10, "x")),
    "a proposal": lambda mesh: encode_byte_and_number(MessageKind.PROPOSE, 200, 100),
    "a promise": lambda mesh: encode_byte_and_number(MessageKind.PROMISE, 4, 100),
    "a rematch": lambda mesh: encode_rematch(1),
    "evidence": lambda mesh: evidence(255, 32),
    "a state": lambda mesh: encode_resync(1, StateHeader(1 << 20, 5)),
    "a state that it takes": lambda mesh: encode_byte_and_number(MessageKind.RESYNCED, 1, 5),
}


@pytest.mark.parametrize("word", WORDS)
def test_a_spectator_has_no_say(word: str) -> None:
    mesh = with_a_free_seat(4)
    spectator = mesh.watch("fan", "peer0")
    mesh.run(1.0)
    spectator.session._connection.send_reliable(WORDS[word](mesh))
    mesh.run(1.0)
    assert_play_on(mesh, ["peer0", "peer1", "peer2"])
    mesh.run(9.0)
    for peer in mesh.alive:
        assert peer.events_of(RematchProposed) == peer.events_of(DesyncReported) == []
    mesh.restart("peer3")
    mesh.run_until(lambda: mesh["peer3"].playing, limit=4.0, what="the free seat is taken")


def test_one_who_is_coming_in_accuses_nobody() -> None:
    mesh = with_a_free_seat(4)
    mesh.restart("peer3")
    newcomer: Any = inside_of(mesh["peer3"].session)
    newcomer.newcomer._report_when_level = lambda match: None
    mesh.run_until(
        lambda: newcomer.match is not None and len(newcomer.peers) == 3,
        limit=4.0,
        what="it has a state",
    )
    mesh.run_until(lambda: towards(mesh, "peer3", "peer1").is_connected, limit=2.0, what="it is linked")
    for peer in newcomer.peers.values():
        peer.send(encode_drop(Drop(frozenset(newcomer.peers) - {peer.peer_id}, (), ()), 2))
    mesh.run(1.0)
    mesh.crash("peer3")
    mesh.run(5.0)
    assert_play_on(mesh, ["peer0", "peer1", "peer2"])


def test_only_the_peer_that_lets_people_in_may_announce_one() -> None:
    mesh = with_a_free_seat(4)
    liar = mesh["peer2"].session
    for peer in inside_of(liar).players_peers():
        peer.send(encode_meet(Meet(200, mesh["peer0"].session.gone, 10, "x")))
        peer.send(encode_byte_and_number(MessageKind.PROPOSE, 200, liar.frame + 60))
    mesh.run(1.0)
    mesh.crash("peer2")
    mesh.run(5.0)
    assert_play_on(mesh, ["peer0", "peer1"])
    mesh.restart("peer3")
    mesh.run_until(lambda: mesh["peer3"].playing, limit=4.0, what="the free seat is taken")


def test_a_false_announcement_does_not_turn_anyone_against_the_true_one() -> None:
    mesh = with_a_free_seat(4)
    mesh.restart("peer3")
    honest = inside_of(mesh["peer1"].session)
    mesh.run_until(lambda: any(p.role is Role.NEWCOMER for p in honest.peers.values()), limit=4.0, what="it is known")
    (number,) = [peer.peer_id for peer in honest.peers.values() if peer.role is Role.NEWCOMER]
    meeting = Meet(number, honest.peers[number].players, 10, "x")
    towards(mesh, "peer2", "peer1").send(encode_meet(meeting))
    # The liar says nothing else: a peer that is expelled and sends its own DROP first is tested elsewhere.
    mesh.run(0.06)
    mesh.crash("peer2")
    mesh.run(8.0)
    assert mesh["peer3"].playing
    assert_play_on(mesh, ["peer0", "peer1", "peer3"])


def test_a_false_commit_in_a_drop_lets_nobody_in_while_the_sponsor_is_heard() -> None:
    mesh = with_a_free_seat(4)
    mesh.restart("peer3")
    honest: Any = mesh["peer1"].session
    mesh.run_until(lambda: inside_of(honest).joins.has_promised, limit=4.0, what="it has promised a frame")
    (newcomer,) = [peer for peer in inside_of(honest).peers.values() if peer.role is Role.NEWCOMER]
    lie = Drop(frozenset(), (), ((newcomer.peer_id, pack_seats(newcomer.players), honest.frame + 30),))
    inside_of(honest).receive_message(towards(mesh, "peer1", "peer2"), encode_drop(lie, 2))
    assert newcomer.role is Role.NEWCOMER
    mesh.run_until(lambda: mesh["peer3"].playing, limit=4.0, what="the sponsor lets it in")
    assert_play_on(mesh, ["peer0", "peer1", "peer2", "peer3"])


@pytest.mark.parametrize("far", [False, True])
def test_a_promise_far_ahead_does_not_keep_a_newcomer_out(far: bool) -> None:
    """One that the engines could not have accepted ended the match for all."""
    mesh = with_a_free_seat(4)
    liar: Any = inside_of(mesh["peer2"].session)
    promise = liar.joins.promise

    def lie(match: Any, last: int) -> int:
        # It says nothing else: a peer that is expelled and sends its own DROP first is tested elsewhere.
        mesh.at(0.03, lambda: mesh.crash("peer2"))
        return int(promise(match, last)) | 0x7FFFFFF0 if far else match.engine.frame + match.config.history + 50

    liar.joins.promise = lie
    mesh.restart("peer3")
    mesh.run_until(lambda: mesh["peer3"].playing, limit=12.0, what="it is in")
    (started,) = mesh["peer3"].events_of(MatchStarted)
    assert started.frame < 5000
    assert_play_on(mesh, ["peer0", "peer1", "peer3"])


def test_a_promise_before_it_was_asked_for_lets_nobody_in() -> None:
    """The sponsor has brought in one newcomer before: what was promised for that one says nothing about the next."""
    mesh = with_a_free_seat(4)
    mesh.restart("peer3")
    mesh.run_until(lambda: mesh["peer3"].playing, limit=4.0, what="the first newcomer is in")
    leave(mesh, "peer2")
    sponsor: Any = mesh["peer0"].session
    mesh.restart("peer2")
    mesh.run_until(
        lambda: inside_of(sponsor).sponsor.newcomer is not None, limit=4.0, what="the second one is admitted"
    )
    promise = encode_byte_and_number(
        MessageKind.PROMISE, inside_of(sponsor).sponsor.newcomer.peer_id, sponsor.frame + 60
    )
    towards(mesh, "peer3", "peer0").send(promise)
    mesh.run_until(lambda: mesh["peer2"].playing, limit=6.0, what="the second newcomer is in")
    assert_play_on(mesh, ["peer0", "peer1", "peer2", "peer3"])


def test_a_newcomer_that_does_not_exist_is_not_waited_for() -> None:
    mesh = with_a_free_seat(4)
    sponsor: Any = mesh["peer0"].session
    newcomer = inside_of(sponsor).newest_peer_id + 1
    for peer in inside_of(sponsor).players_peers():
        peer.send(encode_meet(Meet(newcomer, sponsor.gone, sponsor.frame, "nobody")))
        peer.send(encode_byte_and_number(MessageKind.PROPOSE, newcomer, sponsor.frame + 60))
        peer.send(encode_byte_and_number(MessageKind.COMMIT, newcomer, sponsor.frame + 60))
    mesh.run(0.5)
    mesh.crash("peer0")
    mesh.run(6.0)
    assert_play_on(mesh, ["peer1", "peer2"])


def test_inputs_sent_far_ahead_to_one_survivor_do_not_turn_another_against_it() -> None:
    """One that is a frame behind cannot hold all that the other one may know of the lost player."""
    mesh = playing_mesh(3)
    ahead: Any = inside_of(mesh["peer0"].session)
    (player,) = mesh["peer2"].session.local_players
    mesh.crash("peer2")
    mesh.pause("peer1", 0.15)
    mesh.run(0.15)
    engine = ahead.match.engine
    first = engine.first_missing(player)
    engine.add_remote_inputs(player, first, [7] * (engine.frame + engine.history + 1 - first))
    mesh.run(5.0)
    assert_play_on(mesh, ["peer0", "peer1"])
    assert all(event.reason != 12 for name in ("peer0", "peer1") for event in mesh[name].events_of(PeerDisconnected))


def test_a_newcomer_that_hangs_up_on_one_player_and_stays_with_the_sponsor_holds_up_nobody() -> None:
    mesh = with_a_free_seat(4)
    mesh.restart("peer3")
    session: Any = inside_of(mesh["peer3"].session)
    part = session.newcomer
    report = part._report_when_level
    part.peer_gone = lambda peer, reason: None

    def report_and_hang_up(match: Any) -> None:
        was_out = not part._has_joined
        report(match)
        if was_out and part._has_joined:
            towards(mesh, "peer3", "peer1").connection.close()

    part._report_when_level = report_and_hang_up
    mesh.run_until(lambda: part._has_joined, limit=6.0, what="it says that it has all links")
    mesh.run(3.0)
    assert_play_on(mesh, ["peer0", "peer1", "peer2"])


@pytest.mark.parametrize("more", [3, 1 << 24])
def test_inputs_that_are_claimed_and_not_shown_end_nothing(more: int) -> None:
    mesh = playing_mesh(4)
    liar: Any = inside_of(mesh["peer2"].session)
    view = liar.drop_agreement.view

    def lie(*details: Any) -> Drop:
        drop: Drop = view(*details)
        return drop._replace(known=tuple(Known(each.player, each.missing + more, ()) for each in drop.known))

    liar.drop_agreement.view = lie
    mesh.crash("peer3")
    mesh.run(6.0)
    mesh.crash("peer2")
    mesh.run(5.0)
    assert_play_on(mesh, ["peer0", "peer1"])


def test_a_peer_that_sent_two_peers_different_inputs_and_left_ends_nothing() -> None:
    mesh = playing_mesh(4)
    seat = mesh["peer3"].session.local_players[0]
    mesh.cut("peer3", "peer1", 60.0)
    mesh.run(0.1)
    engine = inside_of(mesh["peer1"].session).match.engine
    engine.add_remote_inputs(seat, engine.first_missing(seat), [7])
    mesh.crash("peer3")
    mesh.run(5.0)
    frames = [peer.final_frame for peer in mesh.alive]
    mesh.run(2.0)
    assert all(peer.final_frame > frame + 60 for peer, frame in zip(mesh.alive, frames, strict=True))


def test_a_drop_that_claims_inputs_without_showing_any_raises_nothing() -> None:
    mesh = playing_mesh(4)
    (liar,) = [peer for peer in mesh.alive if peer.session.peer_id == 3]
    (gone,) = [peer for peer in mesh.alive if peer.session.peer_id == 1]
    claim = Known(gone.session.local_players[0], liar.session.frame + 1000, ())
    mesh.crash(gone.name)
    for peer in inside_of(liar.session).players_peers():
        peer.send(encode_drop(Drop(frozenset({1}), (claim,), (), unheard=((1, 10),), serial=99), 2))
    mesh.run(30.0)
    # If it was expelled it plays on alone, in a match that is no longer that of the others.
    mesh.crash(liar.name)
    mesh.run(4.0)
    assert_play_on(mesh, [peer.name for peer in mesh.alive])


def test_a_drop_about_peers_that_never_were_turns_nobody_against_who_passes_it_on() -> None:
    mesh = with_a_free_seat(3)
    mesh.restart("peer2")
    mesh.run_until(lambda: mesh["peer2"].playing, limit=8.0, what="the newcomer plays")
    towards(mesh, "peer0", "peer2").send(encode_drop(Drop(frozenset({200}), (), (), serial=99), 2))
    mesh.run(2.0)
    assert_play_on(mesh, ["peer0", "peer1", "peer2"])
    assert not mesh["peer1"].events_of(PeerDisconnected)[1:]


def test_a_drop_about_oneself_is_a_violation() -> None:
    mesh = playing_mesh(3)
    (liar,) = [peer for peer in mesh.alive if peer.session.peer_id == 2]
    for peer in inside_of(liar.session).players_peers():
        peer.send(encode_drop(Drop(frozenset({2}), (), ()), 2))
    mesh.run(2.0)
    mesh.crash(liar.name)
    mesh.run(4.0)
    assert_play_on(mesh, [peer.name for peer in mesh.alive])
    mesh.restart(liar.name)
    mesh.run_until(lambda: mesh[liar.name].playing, limit=12.0, what="the seat is taken again")


def test_one_who_breaks_the_rules_cannot_turn_the_others_against_whom_it_lied_to() -> None:
    """It is expelled at once, and the others learn that before it can claim that it has lost the honest peer."""
    mesh = playing_mesh(4)
    towards(mesh, "peer3", "peer1").send(encode_meet(Meet(9, (0,), 10, "nowhere")))
    mesh.run(2.0)
    mesh.crash("peer3")
    mesh.run(6.0)
    assert_play_on(mesh, ["peer0", "peer1", "peer2"])


def test_a_match_that_ends_lets_its_spectators_go() -> None:
    mesh = Mesh(lambda: Tally(2), conditions=Conditions(latency=0.05), config=MatchConfig(disconnect_after=3.0))
    mesh.start()
    mesh.play(60)
    watching = mesh.watch("watching", "peer0")
    mesh.run(2.0)
    mesh.crash("peer1")
    mesh.run(10.0)
    assert not mesh["peer0"].session.running
    assert any(isinstance(event, MatchEnded) for event in watching.events)
    assert mesh["peer0"].session.next_timeout() is None


LIES = {
    "a drop that does not decode": bytes((MessageKind.DROP, 9, 9)),
    "a welcome in mid-match": bytes((MessageKind.WELCOME,)) + bytes(60),
    "a state nobody asked for": encode_chunk(0, b"state"),
    "a meeting for a seat that is taken": encode_meet(Meet(9, (0,), 10, "nowhere")),
    "a proposal for one whom it did not announce": encode_byte(MessageKind.PROPOSE, 77),
    "a proposal for one who plays": encode_byte(MessageKind.PROPOSE, 1),
    "an unknown kind": b"\x77",
    "nothing": b"",
}


@pytest.mark.parametrize("lie", LIES)
def test_a_peer_that_breaks_the_rules_is_expelled_and_the_others_play_on(lie: str) -> None:
    mesh = started_mesh(3)
    mesh.play(60)
    liar = mesh["peer2"].session
    for peer in inside_of(liar).players_peers():
        peer.send(LIES[lie])
    if lie == "nothing":
        mesh.run(2.0)
    else:
        mesh.run_until(
            lambda: liar.phase is Phase.ENDED or not inside_of(liar).players_peers(), limit=8.0, what="it is out"
        )
    mesh.crash("peer2")
    mesh.run(6.0)
    assert all(peer.session.running for peer in mesh.alive)
    mesh.play(400)
    mesh.verify()
    assert_nobody_saw_a_desync(mesh)


def test_an_expelled_peer_is_reported_as_disconnected_once() -> None:
    mesh = playing_mesh(3)
    towards(mesh, "peer2", "peer0").send(b"\x77")
    mesh.run(3.0)
    assert len(mesh["peer0"].events_of(PeerDisconnected)) == 1


peer_ids = st.integers(0, 255)
small = st.integers(0, 4)
frames = st.one_of(st.integers(0, 200), st.integers(0, 2**32 - 1))
some_seats = st.sets(st.integers(0, 3), min_size=1, max_size=2).map(lambda seats: tuple(sorted(seats)))
known_inputs = st.builds(
    lambda player, missing, count: Known(player, missing, (9,) * min(count, missing)),
    st.integers(0, 5),
    frames,
    st.integers(0, 96),
)
LIKELY = st.one_of(
    st.builds(lambda kind, tail: bytes((kind,)) + tail, st.integers(0, len(MessageKind)), st.binary(max_size=60)),
    st.builds(
        lambda lost, known, commits, match: encode_drop(Drop(frozenset(lost), tuple(known), tuple(commits), match), 2),
        st.sets(small, max_size=3),
        st.lists(known_inputs, max_size=3),
        st.lists(st.tuples(small, st.integers(1, 15), frames), max_size=2),
        small,
    ),
    st.builds(
        lambda peer_id, seats, frame, match: encode_meet(Meet(peer_id, seats, frame, "x", match)),
        st.one_of(small, peer_ids),
        some_seats,
        frames,
        small,
    ),
    st.builds(encode_byte, st.sampled_from([MessageKind.PROPOSE, MessageKind.CANCEL, MessageKind.REMATCH]), small),
    st.builds(
        encode_byte_and_number,
        st.sampled_from([MessageKind.PROMISE, MessageKind.COMMIT, MessageKind.RESYNCED]),
        small,
        frames,
    ),
    st.builds(lambda match, size, check: encode_resync(match, StateHeader(size, check)), small, frames, frames),
    st.builds(encode_chunk, small, st.binary(max_size=48)),
    st.builds(evidence, small, st.one_of(st.none(), st.integers(0, 100))),
)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["peer0", "peer1", "peer2"]), LIKELY), max_size=12))
def test_whatever_a_peer_sends_nothing_is_raised_and_the_session_runs_or_has_ended(
    messages: list[tuple[str, bytes]],
) -> None:
    mesh = with_a_free_seat(4)
    victim: Any = mesh["peer1"].session
    for sender, message in messages:
        peer = inside_of(victim).peers.get(mesh[sender].session.peer_id)
        if peer is not None:
            inside_of(victim).receive_message(peer, message)
        mesh.run(0.1)
    mesh.run(1.0)
    assert victim.phase in (Phase.RUNNING, Phase.ENDED)
