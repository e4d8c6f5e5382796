"""Peers that lie about who is in the match: spectators and newcomers have no say, players little."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.rollback.desync.evidence import TIMELINE, Timeline, encode_timeline, split_into_messages
from retick.rollback.events import DesyncReported, MatchEnded, MatchStarted, PeerDisconnected, RematchProposed
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.inside import inside_of
from retick.rollback.session.messages.agreement import (
    HASH_SIZE,
    OfferedState,
    ReadyNewcomer,
    Signature,
    SignedItem,
    Statement,
    Tail,
    Taken,
    ToldOutcome,
    Wishes,
    encode_decided,
    encode_item,
    encode_outcome,
    encode_statement,
    encode_taken,
)
from retick.rollback.session.messages.join import Chunk, Meet, encode_chunk, encode_joined, encode_meet
from retick.rollback.session.messages.kinds import MessageKind, encode_byte
from retick.rollback.session.messages.roster import MemberTerms
from retick.rollback.session.peer import Phase, Role
from retick.sim.contract import input_size_of
from retick.testing.mesh import Mesh
from retick.transport.conditions import Conditions
from tests.rollback.session.liars import mute, signed, statement_of
from tests.rollback.session.matches import (
    assert_nobody_saw_a_desync,
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
    "its host is lost": lambda mesh: statement_of(mesh, "peer2", unheard=((0, 10),)),
    "others are lost": lambda mesh: statement_of(mesh, "peer2", unheard=((0, 10), (1, 10))),
    "a newcomer": lambda mesh: encode_meet(Meet(200, mesh["peer0"].session.gone, 10, "x")),
    "that it is a member": lambda mesh: encode_joined(),
    "a rematch": lambda mesh: statement_of(mesh, "peer2", wishes=Wishes(rematch=())),
    "a pause": lambda mesh: statement_of(mesh, "peer2", wishes=Wishes(pause=True)),
    "evidence": lambda mesh: evidence(255, 32),
    "a state": lambda mesh: statement_of(mesh, "peer2", wishes=Wishes(resync=OfferedState(2, 1 << 20, 5))),
    "a decision": lambda mesh: encode_decided(0),
    "an outcome": lambda mesh: encode_outcome(ToldOutcome(0, bytes(HASH_SIZE), (0,), ())),
    "a frame of a newcomer": lambda mesh: encode_taken(Taken(1, bytes(HASH_SIZE), 100, bytes(HASH_SIZE))),
    "a question for a state": lambda mesh: encode_byte(MessageKind.ASK, 1),
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
    history = inside_of(mesh["peer0"].session).membership.agreement.history
    for peer in newcomer.peers.values():
        unheard = tuple((peer_id, 10) for peer_id in newcomer.peers if peer_id != peer.peer_id)
        said = Statement(0, history, newcomer.peer_id, wishes=Wishes(pause=True), unheard=unheard)
        peer.send(signed(newcomer, MessageKind.STATEMENT, encode_statement(said, input_size_of(newcomer.sim))))
    mesh.run(1.0)
    mesh.crash("peer3")
    mesh.run(5.0)
    assert_play_on(mesh, ["peer0", "peer1", "peer2"])


def test_only_the_peer_that_lets_people_in_may_announce_one() -> None:
    mesh = with_a_free_seat(4)
    liar = mesh["peer2"].session
    for peer in inside_of(liar).players_peers():
        peer.send(encode_meet(Meet(200, mesh["peer0"].session.gone, 10, "x")))
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
    mesh.run(0.06)
    mesh.crash("peer2")
    mesh.run(8.0)
    assert mesh["peer3"].playing
    assert_play_on(mesh, ["peer0", "peer1", "peer3"])


def test_a_newcomer_that_one_player_alone_knows_does_not_play() -> None:
    mesh = with_a_free_seat(4)
    (player,) = mesh["peer0"].session.gone
    invented = ReadyNewcomer(200, MemberTerms((player,), bytes(31) + b"1"))
    liar: Any = inside_of(mesh["peer2"].session)
    liar.joins.ready_newcomer = lambda match: invented
    liar.membership.want_slot()
    mesh.run(2.0)
    assert 200 not in inside_of(mesh["peer0"].session).peers
    assert mesh["peer0"].session.gone == (player,)
    assert_play_on(mesh, ["peer0", "peer1", "peer2"])


@pytest.mark.parametrize("far", [1 << 20, (1 << 31) - 1])
def test_a_far_stop_does_not_keep_a_newcomer_out(far: int) -> None:
    """One that the engines could not have accepted ended the match for all."""
    mesh = with_a_free_seat(4)
    liar: Any = inside_of(mesh["peer2"].session)
    liar.membership._next_stop = lambda match: far
    mesh.restart("peer3")
    mesh.run_until(lambda: mesh["peer3"].playing, limit=12.0, what="it is in")
    (started,) = mesh["peer3"].events_of(MatchStarted)
    assert started.frame < 5000
    assert_play_on(mesh, ["peer0", "peer1", "peer3"])


def test_a_newcomer_that_does_not_exist_is_not_waited_for() -> None:
    mesh = with_a_free_seat(4)
    sponsor: Any = mesh["peer0"].session
    newcomer = inside_of(sponsor).joins.next_peer_id()
    assert newcomer is not None
    for peer in inside_of(sponsor).players_peers():
        peer.send(encode_meet(Meet(newcomer, sponsor.gone, sponsor.frame, "nobody")))
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
    part: Any = inside_of(mesh["peer3"].session).newcomer
    part.peer_gone = lambda peer, reason: None
    mesh.run_until(lambda: part._joined_at is not None, limit=6.0, what="it says that it has all links")
    towards(mesh, "peer3", "peer1").connection.close()
    mesh.run(3.0)
    assert_play_on(mesh, ["peer0", "peer1", "peer2"])


@pytest.mark.parametrize("more", [3, 1 << 24])
def test_inputs_that_are_claimed_and_not_shown_end_nothing(more: int) -> None:
    mesh = playing_mesh(4)
    liar: Any = inside_of(mesh["peer2"].session).membership
    tails = liar._tails

    def lie(*details: Any) -> tuple[Tail, ...]:
        return tuple(Tail(each.player, each.missing + more, ()) for each in tails(*details))

    liar._tails = lie
    mesh.crash("peer3")
    mesh.run(6.0)
    mesh.crash("peer2")
    mesh.run(6.0)
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


def test_a_statement_about_peers_that_never_were_turns_nobody_against_who_passes_it_on() -> None:
    mesh = with_a_free_seat(3)
    mesh.restart("peer2")
    mesh.run_until(lambda: mesh["peer2"].playing, limit=8.0, what="the newcomer plays")
    mute(mesh, "peer0")
    towards(mesh, "peer0", "peer2").send(statement_of(mesh, "peer0", unheard=((200, 10),)))
    mesh.run(2.0)
    assert not mesh["peer1"].events_of(PeerDisconnected)[1:]
    assert not mesh["peer2"].events_of(PeerDisconnected)


def test_an_item_that_a_stranger_has_countersigned_is_a_violation() -> None:
    mesh = playing_mesh(3)
    item = statement_of(mesh, "peer2")
    inside = inside_of(mesh["peer2"].session)
    forged = SignedItem(MessageKind.STATEMENT, (Signature(9, bytes(64)), Signature(inside.peer_id, bytes(64))), item)
    towards(mesh, "peer2", "peer0").send(encode_item(forged))
    mesh.run(0.5)
    assert [event.peer for event in mesh["peer0"].events_of(PeerDisconnected)] == [inside.peer_id]


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
    "a statement that does not decode": bytes((MessageKind.STATEMENT, 9, 9)),
    "an outcome that does not decode": bytes((MessageKind.OUTCOME, 9, 9)),
    "a welcome in mid-match": bytes((MessageKind.WELCOME,)) + bytes(60),
    "a state nobody asked for": encode_chunk(Chunk(0, b"state", 1)),
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
seat_tails = st.builds(
    lambda player, missing, count: Tail(player, missing, (9,) * min(count, missing)),
    st.integers(0, 5),
    frames,
    st.integers(0, 96),
)
wishes = st.builds(
    Wishes,
    st.booleans(),
    st.one_of(st.none(), st.permutations(range(4)).map(tuple)),
    st.one_of(st.none(), st.builds(OfferedState, small, frames, frames)),
    st.lists(peer_ids, max_size=3).map(tuple),
)
statements = st.builds(
    lambda slot, author, stop, wish, unheard, tails, leaves: Statement(
        slot, bytes(32), author, stop, wish, None, leaves, tuple((each, 10) for each in unheard - {author}), tails
    ),
    small,
    small,
    frames,
    wishes,
    st.sets(small, max_size=3),
    st.lists(seat_tails, max_size=3, unique_by=lambda tail: tail.player).map(tuple),
    st.one_of(st.none(), st.just("bye")),
)
LIKELY = st.one_of(
    st.builds(lambda kind, tail: bytes((kind,)) + tail, st.integers(0, len(MessageKind)), st.binary(max_size=60)),
    statements,
    st.builds(
        lambda peer_id, seats, frame, match: encode_meet(Meet(peer_id, seats, frame, "x", match)),
        st.one_of(small, peer_ids),
        some_seats,
        frames,
        small,
    ),
    st.builds(encode_byte, st.sampled_from([MessageKind.CANCEL, MessageKind.ASK]), small),
    st.builds(encode_decided, frames),
    st.builds(
        lambda slot, lost, bodies: encode_outcome(ToldOutcome(slot, bytes(32), tuple(lost), tuple(bodies))),
        small,
        st.sets(small, max_size=3),
        st.lists(statements.map(lambda said: encode_statement(said, 2)), max_size=3),
    ),
    st.builds(lambda slot, frame: encode_taken(Taken(slot, bytes(32), frame, bytes(32))), small, frames),
    st.builds(lambda *chunk: encode_chunk(Chunk(*chunk)), small, st.binary(max_size=48), small),
    st.builds(evidence, small, st.one_of(st.none(), st.integers(0, 100))),
)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["peer0", "peer1", "peer2"]), LIKELY), max_size=12))
def test_whatever_a_peer_sends_nothing_is_raised_and_the_session_runs_or_has_ended(
    messages: list[tuple[str, bytes | Statement]],
) -> None:
    mesh = with_a_free_seat(4)
    victim: Any = mesh["peer1"].session
    for sender, sent in messages:
        peer = inside_of(victim).peers.get(mesh[sender].session.peer_id)
        if peer is not None:
            # Statements are of the sender, and mostly of the present slot: only then are they looked at.
            changes = {} if isinstance(sent, bytes) else sent._asdict() | {"author": mesh[sender].session.peer_id}
            present = {name: value for name, value in changes.items() if name not in {"slot", "history"}}
            message = sent if isinstance(sent, bytes) else statement_of(mesh, sender, **present)
            inside_of(victim).receive_message(peer, message)
        mesh.run(0.1)
    mesh.run(1.0)
    assert victim.phase in (Phase.RUNNING, Phase.ENDED)
