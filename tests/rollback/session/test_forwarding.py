"""DROP, REMATCH and RESYNCED of a peer reach those that do not hear it, and passing on comes to an end."""

import itertools
from functools import partial
from random import Random
from typing import Any

import pytest

from retick.errors import InvalidValue
from retick.rollback.events import MatchStarted, PeerDisconnected, PlayersDropped, RematchProposed
from retick.rollback.session.inside import inside_of
from retick.rollback.session.messages.decisions import Drop, encode_drop, encode_rematch
from retick.rollback.session.messages.forward import encode_forward
from retick.rollback.session.messages.kinds import MessageKind, encode_byte_and_number
from retick.rollback.session.peer import Peer, Phase
from retick.testing.mesh import Mesh
from retick.transport.conditions import Conditions
from tests.rollback.session.matches import STAY, assert_all_play, leave, playing_mesh, towards
from tests.toys import Tally

pytestmark = pytest.mark.long


def apart(mesh: Mesh, *pairs: tuple[str, str]) -> None:
    """These no longer hear each other."""
    for first, second in pairs:
        mesh.cut(first, second, 600.0)
    mesh.run(5.0)
    for first, second in pairs:
        assert not towards(mesh, first, second).is_heard


def count_forwards(mesh: Mesh) -> list[tuple[str, int]]:
    """Notes every FORWARD that is received from now on: by whom, and of which kind."""
    noted: list[tuple[str, int]] = []
    for peer in mesh.alive:
        part: Any = inside_of(peer.session).forwarding
        receive = inside_of(peer.session).routes._rows

        def note(sender: Peer, data: bytes, name: str = peer.name, part: Any = part) -> None:
            noted.append((name, data[2]))
            part.receive_forward(sender, data)

        for key in [key for key in receive if key[0] == MessageKind.FORWARD and key[2].name == "RUNNING"]:
            receive[key] = note
    return noted


@pytest.mark.parametrize(
    "pairs",
    [
        [("peer0", "peer1")],
        [("peer0", "peer1"), ("peer2", "peer3")],
        [("peer0", "peer2"), ("peer0", "peer3"), ("peer1", "peer3")],
    ],
    ids=["one path", "two paths", "a chain"],
)
def test_peers_that_do_not_hear_each_other_play_on_and_drop_a_lost_one_together(pairs: list[tuple[str, str]]) -> None:
    mesh = playing_mesh(5)
    apart(mesh, *pairs)
    if len(pairs) == 3:
        # Of the chain 0 - 1 - 2 - 3 peer 4 hears everyone; when it is gone there is only the chain.
        assert all(not peer.events_of(PlayersDropped) for peer in mesh.alive)
    leave(mesh, "peer4")
    mesh.run(3.0)
    for peer in mesh.alive:
        assert len(peer.events_of(PlayersDropped)) == 1
    assert_all_play(mesh, 0)


def connected_by_paths(names: list[str], broken: set[tuple[str, str]]) -> set[frozenset[str]]:
    """The groups of peers that whole paths connect."""
    groups = [{name} for name in names]
    for pair in itertools.combinations(names, 2):
        first, second = (next(group for group in groups if name in group) for name in pair)
        if pair not in broken and first is not second:
            groups.remove(second)
            first |= second
    return {frozenset(group) for group in groups}


@pytest.mark.parametrize("seed", range(10))
def test_whatever_paths_break_those_that_are_connected_play_on_as_one(seed: int) -> None:
    dice = Random(seed)
    mesh = playing_mesh(dice.choice((3, 4, 5)), seed=seed)
    names = list(mesh.peers)
    pairs = list(itertools.combinations(names, 2))
    broken = set(dice.sample(pairs, dice.randint(1, len(pairs) // 2)))
    for pair in broken:
        mesh.at(dice.uniform(0.0, 4.0), partial(mesh.cut, *pair, 6000.0))
    victim = dice.choice(names)
    mesh.at(dice.uniform(0.0, 6.0), partial(mesh.crash, victim))
    mesh.run(20.0)
    for group in connected_by_paths([name for name in names if name != victim], broken):
        sessions = [mesh[name].session for name in group]
        others = tuple(sorted({seat for name in names if name not in group for seat in seats_of(mesh, name)}))
        assert [session.gone for session in sessions] == [others] * len(group)
        frames = {name: mesh[name].final_frame for name in group}
        mesh.run(2.0)
        assert all(mesh[name].final_frame > frame + 60 for name, frame in frames.items()), mesh.describe()
        end = min(mesh[name].final_frame for name in group)
        assert len({tuple(mesh[name].rows[frame] for frame in range(end)) for name in group}) == 1


def seats_of(mesh: Mesh, name: str) -> tuple[int, ...]:
    seats: tuple[int, ...] = mesh[name].session.local_players
    return seats


def test_a_rematch_begins_though_two_do_not_hear_each_other() -> None:
    mesh = playing_mesh(3)
    apart(mesh, ("peer0", "peer1"))
    for peer in mesh.alive:
        peer.session.rematch()
    mesh.run(2.0)
    assert {event.peer for event in mesh["peer0"].events_of(RematchProposed)} == {
        mesh[name].session.peer_id for name in ("peer1", "peer2")
    }
    assert_all_play(mesh, 1)


def test_a_path_that_breaks_after_the_message_was_sent_brings_it_all_the_same() -> None:
    mesh = playing_mesh(3)
    mesh.cut("peer0", "peer1", 600.0)
    mesh["peer0"].session.rematch()
    mesh.run(1.0)
    mesh["peer1"].session.rematch()
    mesh["peer2"].session.rematch()
    mesh.run(6.0)
    assert_all_play(mesh, 1)


def test_the_match_goes_on_from_one_state_though_two_do_not_hear_each_other() -> None:
    mesh = playing_mesh(3)
    apart(mesh, ("peer0", "peer1"))
    source = mesh["peer2"].session.peer_id
    for peer in mesh.alive:
        peer.session.resync(source)
    mesh.run(2.0)
    assert_all_play(mesh, 1)


def test_passing_on_comes_to_an_end() -> None:
    mesh = playing_mesh(5)
    noted = count_forwards(mesh)
    apart(mesh, ("peer0", "peer1"), ("peer2", "peer3"), ("peer0", "peer2"))
    leave(mesh, "peer4")
    mesh.run(5.0)
    total = len(noted)
    assert 0 < total < 60
    mesh.run(10.0)
    assert len(noted) == total


def test_nothing_is_forwarded_while_all_hear_each_other() -> None:
    mesh = playing_mesh(4)
    noted = count_forwards(mesh)
    mesh["peer0"].session.rematch()
    leave(mesh, "peer3")
    mesh.run(5.0)
    assert noted == []


def test_what_is_said_to_come_from_a_peer_that_is_heard_is_not_used() -> None:
    """A third peer cannot part two that hear each other."""
    mesh = playing_mesh(3)
    origin = mesh["peer1"].session.peer_id
    victim = mesh["peer2"].session.peer_id
    lie = Drop(frozenset({victim}), (), (), unheard=((victim, 10),), serial=99)
    for message in (encode_drop(lie, 2), encode_rematch(1)):
        towards(mesh, "peer2", "peer0").send(encode_forward(origin, message))
    mesh.run(1.0)
    session = inside_of(mesh["peer0"].session)
    assert session.hearing.unheard_by(origin) == {}
    assert mesh["peer0"].events_of(RematchProposed) == mesh["peer0"].events_of(PeerDisconnected) == []
    assert_all_play(mesh, 0)


def test_an_older_message_does_not_replace_a_newer_one() -> None:
    mesh = playing_mesh(3)
    apart(mesh, ("peer0", "peer1"))
    origin = mesh["peer1"].session.peer_id
    session = inside_of(mesh["peer0"].session)
    helper = towards(mesh, "peer2", "peer0")
    newest = session.forwarding._newest[origin, MessageKind.DROP]
    helper.send(encode_forward(origin, encode_drop(Drop(frozenset(), (), (), serial=0), 2)))
    mesh.run(0.5)
    assert session.forwarding._newest[origin, MessageKind.DROP] == newest
    for number in (2, 1, 1):
        helper.send(encode_forward(origin, encode_rematch(number)))
    for checksum in (7, 8, 7, *range(100, 140)):
        helper.send(encode_forward(origin, encode_byte_and_number(MessageKind.RESYNCED, 1, checksum)))
    mesh.run(0.5)
    assert session.forwarding._newest[origin, MessageKind.REMATCH][1] == 2
    assert len(session.forwarding._resynced[origin]) == 16
    assert_all_play(mesh, 0)


def test_a_bad_message_that_was_passed_on_is_counted_and_nobody_is_blamed() -> None:
    mesh = playing_mesh(3)
    apart(mesh, ("peer0", "peer1"))
    origin = mesh["peer1"].session.peer_id
    for message in (
        bytes((MessageKind.DROP,)),
        bytes((MessageKind.REMATCH,)),
        encode_drop(Drop(frozenset({origin}), (), (), serial=99), 2),
    ):
        towards(mesh, "peer2", "peer0").send(encode_forward(origin, message))
    mesh.run(1.0)
    helper = towards(mesh, "peer0", "peer2")
    assert helper.is_heard
    assert helper.exchange is not None
    assert helper.exchange.dropped["BadForward"] == 3
    assert_all_play(mesh, 0)


def test_who_forwards_another_kind_breaks_the_rules() -> None:
    mesh = playing_mesh(3)
    towards(mesh, "peer2", "peer0").send(encode_forward(1, bytes((MessageKind.COMMIT, 1, 0, 0, 0, 0))))
    mesh.run(1.0)
    assert not towards(mesh, "peer0", "peer2").is_heard
    assert_all_play(mesh, 0)


def test_what_others_say_before_our_start_is_handled_when_it_comes() -> None:
    """One joiner has START, another still waits for it: a REMATCH of the first must not part them."""
    mesh = Mesh(lambda: Tally(3), config=STAY, conditions=Conditions(latency=0.01))
    mesh.run_until(lambda: mesh["peer1"].session.phase is Phase.LINKING, limit=5.0, what="all call each other")
    late, early = mesh["peer2"].session, mesh["peer1"].session
    mesh.link("peer0", "peer2", Conditions(latency=1.0), Conditions(latency=0.01))
    mesh.run_until(lambda: bool(early.running), limit=5.0, what="one has its START")
    early.rematch()
    mesh.run(0.2)
    assert late.phase is Phase.LINKING
    mesh.run(1.5)
    assert mesh["peer2"].events_of(RematchProposed) == [RematchProposed(peer=early.peer_id)]
    mesh["peer0"].session.rematch()
    late.rematch()
    mesh.run(3.0)
    assert_all_play(mesh, 1)


def test_no_more_messages_than_a_few_wait_for_a_start() -> None:
    mesh = Mesh(lambda: Tally(3), config=STAY, conditions=Conditions(latency=0.01))
    mesh.run_until(lambda: mesh["peer1"].session.phase is Phase.LINKING, limit=5.0, what="all call each other")
    lobby = inside_of(mesh["peer2"].session).lobby
    flooder = Peer(9, (1,))
    for _ in range(64):
        lobby.hold(flooder, encode_rematch(1))
    with pytest.raises(InvalidValue, match="before START"):
        lobby.hold(flooder, encode_rematch(1))
    lobby._early.clear()
    with pytest.raises(InvalidValue, match="before START"):
        lobby.hold(flooder, bytes(20_000))


def test_newcomers_wait_while_two_players_do_not_hear_each_other_and_the_sponsor_is_one_of_them() -> None:
    mesh = playing_mesh(4)
    leave(mesh, "peer3")
    apart(mesh, ("peer0", "peer1"))
    mesh.restart("peer3", through="peer0")
    mesh.run(4.0)
    assert not mesh["peer3"].playing
    leave(mesh, "peer1")
    mesh.run_until(lambda: mesh["peer3"].playing, limit=8.0, what="the path was broken to one that has left")
    assert_all_play(mesh, 0)


def test_a_newcomer_learns_who_does_not_hear_whom() -> None:
    mesh = playing_mesh(4)
    leave(mesh, "peer3")
    apart(mesh, ("peer1", "peer2"))
    mesh.restart("peer3", through="peer0")
    mesh.run_until(lambda: mesh["peer3"].playing, limit=8.0, what="it is in")
    mesh.run(1.0)
    newcomer = inside_of(mesh["peer3"].session)
    first, second = (mesh[name].session.peer_id for name in ("peer1", "peer2"))
    assert not newcomer.hearing.hears(first, second)
    assert len(mesh["peer3"].events_of(MatchStarted)) == 1
    leave(mesh, "peer0")
    assert_all_play(mesh, 0)


def test_a_flood_of_messages_to_be_passed_on_fills_no_queue_and_the_newest_comes_through() -> None:
    mesh = playing_mesh(4)
    apart(mesh, ("peer1", "peer2"))
    flooder, between, last = (mesh[name].session for name in ("peer2", "peer0", "peer1"))
    queue = towards(mesh, "peer0", "peer1").connection
    assert queue is not None
    unheard = ((last.peer_id, 10),)
    # Rows that no engine reads, so that each message is long.
    commits = tuple((250, 1, frame) for frame in range(250))
    for serial in range(1000, 1400):
        drop = Drop(frozenset(), (), commits, 0, frozenset(), unheard, (), serial)
        inside_of(between).forwarding.received(flooder.peer_id, encode_drop(drop, 2))
    assert queue.queued_bytes <= 192 * 1024
    mesh.run(8.0)
    newest: Any = inside_of(last).forwarding
    assert newest._newest[flooder.peer_id, MessageKind.DROP] == encode_drop(drop, 2)
    assert_all_play(mesh, 0)
