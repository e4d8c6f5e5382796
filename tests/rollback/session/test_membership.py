"""Lost peers and everything else that is decided together: all decide the same, and play on."""

import itertools
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

import pytest

from retick.errors import InvalidValue, UsageError
from retick.link import Reason
from retick.rollback.events import (
    DesyncDetected,
    DesyncReported,
    FramesTakenBack,
    MatchEnded,
    MatchStarted,
    PeerDisconnected,
    PeerUnheard,
    PlayersDropped,
    RematchProposed,
    WatchingStarted,
)
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.agreement import INTERVAL, STEP
from retick.rollback.session.inside import inside_of
from retick.rollback.session.membership import MOST_EXCUSED, TimeAllowance
from retick.rollback.session.messages.agreement import Tail, Wishes
from retick.rollback.session.messages.kinds import MessageKind
from retick.rollback.session.part import MOST_EARLY_BYTES
from retick.rollback.session.peer import Peer, Phase
from retick.rollback.session.session import RollbackSession
from retick.testing.mesh import Mesh
from retick.transport.conditions import Conditions
from tests.effort import first_of
from tests.rollback.session.liars import mute, signed, statement_of
from tests.rollback.session.matches import (
    LINK,
    STAY,
    assert_all_play,
    assert_nobody_saw_a_desync,
    leave,
    playing_mesh,
    started_mesh,
    towards,
)
from tests.toys import Tally

pytestmark = pytest.mark.long


def apart(mesh: Mesh, *pairs: tuple[str, str]) -> None:
    """These no longer hear each other."""
    for first, second in pairs:
        mesh.cut(first, second, 600.0)
    mesh.run(5.0)
    for first, second in pairs:
        assert not towards(mesh, first, second).is_heard


def drops_of(mesh: Mesh, names: list[str]) -> set[frozenset[tuple[Any, int]]]:
    return {frozenset((e.players, e.frame) for e in mesh[name].events_of(PlayersDropped)) for name in names}


# Losing peers.


@pytest.mark.parametrize("seed", range(4))
def test_survivors_drop_a_lost_peer_at_one_frame_though_they_had_different_inputs_from_it(seed: int) -> None:
    mesh = started_mesh(4, seed=seed)
    mesh.play(120)
    # One survivor stops hearing the victim long before the others do.
    mesh.cut("peer3", "peer1", 60.0)
    mesh.run(0.1)
    (seat,) = mesh.crash("peer3").session.local_players
    mesh.run(8.0)
    assert len(drops_of(mesh, [peer.name for peer in mesh.alive])) == 1
    [dropped] = mesh["peer0"].events_of(PlayersDropped)
    mesh.play(600)
    mesh.verify()
    assert_nobody_saw_a_desync(mesh)
    assert all(peer.rows[at][seat] == 0 for peer in mesh.alive for at in range(dropped.frame, 600))


def test_two_peers_lost_at_once_are_dropped_in_one_slot() -> None:
    mesh = started_mesh(5)
    mesh.play(60)
    seats = {mesh.crash("peer1").session.local_players}
    mesh.run(0.02)
    seats.add(mesh.crash("peer4").session.local_players)
    mesh.run(8.0)
    [dropped] = drops_of(mesh, [peer.name for peer in mesh.alive])
    assert {players for players, _ in dropped} == seats
    assert {inside_of(peer.session).membership.agreement.slot for peer in mesh.alive} == {1}
    mesh.play(500)
    mesh.verify()


def test_when_everyone_else_is_gone_the_match_ends_unless_the_config_says_otherwise() -> None:
    mesh = started_mesh(2, config=MatchConfig(disconnect_after=3.0))
    mesh.play(60)
    mesh.crash("peer1")
    mesh.run(6.0)
    assert mesh["peer0"].events_of(MatchEnded)[0].reason == "everyone else has left"


def test_a_drop_is_reported_to_the_application_once_and_its_seat_is_free() -> None:
    mesh = playing_mesh(3)
    (seat,) = mesh["peer2"].session.local_players
    leave(mesh, "peer2")
    for peer in mesh.alive:
        [dropped] = peer.events_of(PlayersDropped)
        assert dropped.players == peer.session.gone == (seat,)
        assert len(peer.events_of(PeerDisconnected)) == 1
    assert_all_play(mesh, 0)


@pytest.mark.parametrize("players", [3, 4])
def test_two_departures_further_apart_than_any_history_do_not_end_the_match(players: int) -> None:
    """Attack 1: inputs of the first who left are evicted when the second leaves."""
    mesh = playing_mesh(players, conditions=Conditions(latency=0.02))
    seats = [mesh[f"peer{players - 1}"].session.local_players]
    leave(mesh, f"peer{players - 1}")
    mesh.play(mesh.config.inputs_remembered + 600)
    seats.append(mesh[f"peer{players - 2}"].session.local_players)
    leave(mesh, f"peer{players - 2}")
    assert_all_play(mesh, 0)
    for peer in mesh.alive:
        assert [event.players for event in peer.events_of(PlayersDropped)] == seats


def test_one_that_leaves_says_so_with_its_last_inputs_and_nobody_waits_long_for_it() -> None:
    mesh = playing_mesh(4)
    (seat,) = mesh["peer3"].session.local_players
    last = mesh["peer3"].session.frame + mesh.config.input_delay
    mesh["peer3"].session.close("dinner")
    mesh.run(1.0)
    for name in ("peer0", "peer1", "peer2"):
        [gone] = mesh[name].events_of(PeerDisconnected)
        assert (gone.reason, gone.text) == (Reason.GOODBYE, "dinner")
        [dropped] = mesh[name].events_of(PlayersDropped)
        assert (dropped.players, dropped.frame) == ((seat,), last)
        assert mesh[name].session.stats(now=mesh.network.now).stalled_seconds < 0.3
    mesh.crash("peer3")
    assert_all_play(mesh, 0)


@pytest.mark.parametrize("players", [3, 4])
def test_one_accuser_removes_nobody_and_is_named(players: int) -> None:
    """Attack 7: one false word removed any player."""
    mesh = playing_mesh(players)
    liar: Any = inside_of(mesh["peer0"].session)
    victim = mesh["peer2"].session.peer_id
    liar.membership._unheard = lambda: [(victim, int(Reason.TIMEOUT))]
    liar.membership.want_slot()
    mesh.run(30.0)
    for peer in mesh.alive:
        assert peer.events_of(PlayersDropped) == peer.events_of(PeerDisconnected) == []
    for name in [f"peer{number}" for number in range(1, players)]:
        assert mesh[name].events_of(PeerUnheard) == [
            PeerUnheard(peer=victim, by=liar.peer_id, reason=Reason.TIMEOUT, text="nothing heard for too long")
        ]
    assert_all_play(mesh, 0)


@pytest.mark.parametrize("players", first_of([3, 5], 1))
@pytest.mark.parametrize("how", ["goodbye", "silence", "violation"])
def test_a_peer_that_behaves_badly_to_one_and_well_to_the_others_stays_in_the_match(players: int, how: str) -> None:
    """Attack 7: it looks like a broken path, and nobody honest is dropped."""
    mesh = playing_mesh(players)
    bad = towards(mesh, "peer2", "peer0")
    if how == "silence":
        mesh.network.link("peer2", "peer0", Conditions(loss=1.0), LINK)
    elif how == "violation":
        bad.send(bytes((0x77,)))
    elif bad.connection is not None:
        bad.connection.close(Reason.GOODBYE, "bye to you alone")
    mesh.run(20.0)
    assert not towards(mesh, "peer0", "peer2").is_heard
    for peer in mesh.alive:
        assert peer.events_of(PlayersDropped) == []
    assert_all_play(mesh, 0)
    stalled = mesh["peer0"].session.stats(now=mesh.network.now).stalled_seconds
    assert stalled < 2.0


def test_a_peer_that_nobody_hears_any_more_is_dropped_and_the_first_accuser_is_named() -> None:
    mesh = playing_mesh(4)
    victim, accuser = (mesh[name].session.peer_id for name in ("peer3", "peer1"))
    for number, name in enumerate(("peer1", "peer0", "peer2")):
        mesh.at(number * 2.0, partial(mesh[name].session.drop, victim))
    mesh.run(3.5)
    assert all(not peer.events_of(PlayersDropped) for peer in mesh.alive)
    mesh.run(3.0)
    mesh.crash("peer3")
    for peer in mesh.alive:
        assert [event.accuser for event in peer.events_of(PlayersDropped)] == [accuser]
    assert_all_play(mesh, 0)


def test_two_groups_that_do_not_hear_each_other_play_two_matches() -> None:
    mesh = playing_mesh(4)
    for first in ("peer0", "peer1"):
        for second in ("peer2", "peer3"):
            mesh.cut(first, second, 600.0)
    mesh.run(20.0)
    left, right = (
        tuple(sorted(seat for name in names for seat in mesh[name].session.local_players))
        for names in (("peer0", "peer1"), ("peer2", "peer3"))
    )
    gone = [mesh[f"peer{number}"].session.gone for number in range(4)]
    assert gone == [right, right, left, left]
    frames = [peer.final_frame for peer in mesh.alive]
    mesh.run(3.0)
    assert all(peer.final_frame > frame + 120 for peer, frame in zip(mesh.alive, frames, strict=True))


def test_peers_with_a_shorter_history_drop_a_lost_peer_like_the_others() -> None:
    """Inputs that one peer has may not fit into the history of another."""
    configs = iter([STAY, STAY, replace(STAY, history=16, prediction_window=8)])

    def make(sim: Any, **details: Any) -> RollbackSession:
        return RollbackSession(sim, **{**details, "config": next(configs)})

    dice = Random(3)
    mesh = Mesh(lambda: Tally(3), config=STAY, conditions=LINK, make_session=make, press=lambda *_: dice.choice((0, 5)))
    mesh.start()
    mesh.play(60)
    mesh.cut("peer2", "peer1", 60.0)
    mesh.run(0.1)
    leave(mesh, "peer1")
    assert_all_play(mesh, 0)


def test_the_application_can_show_a_peer_out_of_the_lobby_and_keep_it_out() -> None:
    mesh = Mesh(lambda: Tally(3), seats={"peer0": 1, "peer1": 1}, config=STAY, conditions=LINK)
    mesh.run(1.0)
    host = mesh["peer0"].session
    host.drop(1, ban=True)
    mesh.run(1.0)
    assert inside_of(host).peers == {}
    assert mesh["peer1"].events_of(MatchEnded)[0].reason == "shown out"
    mesh.seats["peer1"] = 1
    mesh.crash("peer1")
    again = mesh._enter("peer1", {"host_address": "peer0"})
    mesh.run(1.0)
    assert again.events_of(MatchEnded)[0].reason == "refused: this address is banned"


def test_a_peer_that_is_not_there_cannot_be_dropped() -> None:
    mesh = playing_mesh(3)
    for peer_id in (0, 7):
        with pytest.raises(UsageError, match=f"there is no peer {peer_id} in this match"):
            mesh["peer0"].session.drop(peer_id)


def test_with_two_peers_a_drop_is_final_at_once() -> None:
    mesh = playing_mesh(2)
    mesh["peer0"].session.drop(1)
    assert mesh["peer0"].session.events()
    mesh.run(1.0)
    assert mesh["peer1"].events_of(PlayersDropped)[0].players == (0,)


# Peers that do not hear each other.


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
        # When peer 4, which hears everyone, is gone, there is only the chain 0 - 1 - 2 - 3.
        assert all(not peer.events_of(PlayersDropped) for peer in mesh.alive)
    leave(mesh, "peer4")
    mesh.run(4.0)
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


@pytest.mark.parametrize("seed", first_of(range(10), 3))
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
    mesh.run(40.0)
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
    assert_all_play(mesh, 1)


def test_the_match_goes_on_from_one_state_though_two_do_not_hear_each_other() -> None:
    mesh = playing_mesh(3)
    apart(mesh, ("peer0", "peer1"))
    source = mesh["peer2"].session.peer_id
    for peer in mesh.alive:
        peer.session.resync(source)
    mesh.run(2.0)
    assert_all_play(mesh, 1)


def items_sent(mesh: Mesh, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of signatures of each item that is sent from now on."""
    sent: list[int] = []
    send = Peer.send

    def note(peer: Peer, data: bytes) -> bool:
        if data[0] in (MessageKind.STATEMENT, MessageKind.CONSENT):
            sent.append(data[1])
        return send(peer, data)

    monkeypatch.setattr(Peer, "send", note)
    return sent


def test_nothing_is_passed_on_while_all_hear_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    mesh = playing_mesh(4)
    sent = items_sent(mesh, monkeypatch)
    mesh["peer0"].session.rematch()
    mesh.run(2.0)
    assert set(sent) == {1}
    assert len(sent) == 2 * 4 * 3


def test_passing_on_comes_to_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    mesh = playing_mesh(5)
    sent = items_sent(mesh, monkeypatch)
    apart(mesh, ("peer0", "peer1"), ("peer2", "peer3"), ("peer0", "peer2"))
    leave(mesh, "peer4")
    mesh.run(5.0)
    total = len(sent)
    assert max(sent) > 1
    mesh.run(10.0)
    assert len(sent) == total


def test_newcomers_wait_while_two_players_do_not_hear_each_other_and_the_sponsor_is_one_of_them() -> None:
    mesh = playing_mesh(4)
    leave(mesh, "peer3")
    apart(mesh, ("peer0", "peer1"))
    mesh.restart("peer3", through="peer0")
    mesh.run(4.0)
    assert not mesh["peer3"].playing
    leave(mesh, "peer1")
    mesh.run(6.0)
    mesh.run_until(lambda: mesh["peer3"].playing, limit=8.0, what="the path was broken to one that has left")
    assert_all_play(mesh, 0)


# Before all have begun.


def test_what_others_say_before_our_start_is_handled_when_it_comes() -> None:
    """One joiner has START, another still waits for it: the first one's wish must not part them."""
    mesh = Mesh(lambda: Tally(3), config=STAY, conditions=Conditions(latency=0.01))
    mesh.run_until(lambda: mesh["peer1"].session.phase is Phase.LINKING, limit=5.0, what="all call each other")
    late, early = mesh["peer2"].session, mesh["peer1"].session
    mesh.link("peer0", "peer2", Conditions(latency=1.0), Conditions(latency=0.01))
    mesh.run_until(lambda: bool(early.running), limit=5.0, what="one has its START")
    early.rematch()
    mesh.run(0.2)
    assert late.phase is Phase.LINKING
    mesh.run(2.5)
    assert mesh["peer2"].events_of(RematchProposed) == [RematchProposed(peer=early.peer_id)]
    mesh["peer0"].session.rematch()
    late.rematch()
    mesh.run(3.0)
    assert_all_play(mesh, 1)


def test_evidence_of_one_that_has_begun_waits_for_our_start() -> None:
    """One lie about a checksum in the first frames made the one that noticed it break the rules for another one."""
    mesh = Mesh(lambda: Tally(3), config=STAY, conditions=Conditions(latency=0.01))
    mesh.run_until(lambda: mesh["peer1"].session.phase is Phase.LINKING, limit=5.0, what="all call each other")
    late, early = mesh["peer2"].session, mesh["peer1"].session
    mesh.link("peer0", "peer2", Conditions(latency=1.0), Conditions(latency=0.01))
    mesh.run_until(lambda: bool(early.running), limit=5.0, what="one has its START")
    match = inside_of(early).match
    match.alarm.detect(DesyncDetected(peer=0, frame=0, ours=1, theirs=2, last_agreed=-1))
    mesh.run(0.2)
    assert late.phase is Phase.LINKING
    mesh.run(8.0)
    assert [peer.name for peer in mesh.alive if peer.events_of(PeerDisconnected)] == []
    [reported] = mesh["peer2"].events_of(DesyncReported)
    assert early.peer_id not in reported.report.silent


def test_no_more_messages_than_a_few_wait_for_a_start() -> None:
    mesh = Mesh(lambda: Tally(3), config=STAY, conditions=Conditions(latency=0.01))
    mesh.run_until(lambda: mesh["peer1"].session.phase is Phase.LINKING, limit=5.0, what="all call each other")
    lobby, flooder = inside_of(mesh["peer2"].session).lobby, towards(mesh, "peer2", "peer0")
    for _ in range(64):
        lobby.hold(flooder, b"\x04 a statement")
    with pytest.raises(InvalidValue, match="too early"):
        lobby.hold(flooder, b"\x04 a statement")
    lobby._early.clear()
    with pytest.raises(InvalidValue, match="too early"):
        lobby.hold(flooder, bytes(MOST_EARLY_BYTES + 1))


# Members that break the rules of a slot.


def in_one_match(mesh: Mesh, names: list[str]) -> None:
    """These are members for each other, with the same history, and play on."""
    insides = [inside_of(mesh[name].session) for name in names]
    ids = {inside.peer_id for inside in insides}
    assert all(ids <= {inside.peer_id, *inside.peers} for inside in insides), mesh.describe()
    assert len({inside.membership.agreement.history for inside in insides}) == 1
    frames = [mesh[name].final_frame for name in names]
    mesh.run(3.0)
    assert all(mesh[name].final_frame > frame + 100 for name, frame in zip(names, frames, strict=True)), mesh.describe()
    end = min(mesh[name].final_frame for name in names)
    assert len({tuple(mesh[name].rows[at] for at in range(end)) for name in names}) == 1


@pytest.mark.parametrize("players", [3, 4, 5])
def test_one_that_says_nothing_in_a_slot_is_lost_at_its_end_and_holds_it_no_longer(players: int) -> None:
    mesh = playing_mesh(players)
    names = [f"peer{number}" for number in range(players - 1)]
    mute(mesh, f"peer{players - 1}")
    mesh["peer0"].session.pause()
    seconds = STAY.disconnect_after + min(2, players - 2) * STEP
    mesh.run(seconds - 0.5)
    assert all(not mesh[name].events_of(PlayersDropped) for name in names)
    mesh.run(1.5)
    assert all(len(mesh[name].events_of(PlayersDropped)) == 1 for name in names)
    assert mesh["peer1"].session.paused_by == (mesh["peer0"].session.peer_id,)
    mesh["peer0"].session.resume()
    mesh.run(1.0)
    in_one_match(mesh, names)


@pytest.mark.parametrize("players", [3, 4, 5])
def test_one_that_makes_two_statements_is_lost_and_the_others_stay_together(players: int) -> None:
    mesh = playing_mesh(players)
    names = [f"peer{number}" for number in range(players - 1)]
    liar = f"peer{players - 1}"
    mute(mesh, liar)
    for number, name in enumerate(names):
        towards(mesh, liar, name).send(statement_of(mesh, liar, wishes=Wishes(pause=bool(number % 2))))
    mesh.run(STAY.disconnect_after + 5 * STEP + 1.0)
    lost = {event.players for name in names for event in mesh[name].events_of(PlayersDropped)}
    assert lost == {mesh[liar].session.local_players}
    in_one_match(mesh, names)


def test_one_whose_statement_reaches_a_single_peer_is_heard_by_all_through_it() -> None:
    """Attack 1: what one peer is told, and nobody else, costs nobody a seat."""
    mesh = playing_mesh(4)
    mute(mesh, "peer3")
    pause = statement_of(mesh, "peer3", wishes=Wishes(pause=True))
    towards(mesh, "peer3", "peer0").send(pause)
    mesh.run(1.5)
    assert {inside_of(mesh[f"peer{n}"].session).membership.agreement.is_open for n in range(3)} == {True}
    mesh.run(STAY.disconnect_after + 5 * STEP)
    in_one_match(mesh, ["peer0", "peer1", "peer2"])


def test_a_statement_about_oneself_or_of_another_shows_its_sender_out() -> None:
    mesh = playing_mesh(4)
    own = mesh["peer3"].session.peer_id
    towards(mesh, "peer3", "peer0").send(statement_of(mesh, "peer3", unheard=((own, 10),)))
    towards(mesh, "peer3", "peer1").send(statement_of(mesh, "peer3", author=own ^ 1))
    inside = inside_of(mesh["peer3"].session)
    inside.sign = lambda data: bytes(64)
    towards(mesh, "peer3", "peer2").send(statement_of(mesh, "peer3"))
    mesh.run(0.5)
    for name in ("peer0", "peer1", "peer2"):
        assert [event.reason for event in mesh[name].events_of(PeerDisconnected)] == [Reason.VIOLATION]
    mesh.crash("peer3")
    mesh.run(1.0)
    assert_all_play(mesh, 0)


@pytest.mark.parametrize("changes", [{"slot": 7}, {"history": bytes(32)}])
def test_a_statement_of_another_slot_or_match_changes_nothing(changes: dict[str, Any]) -> None:
    mesh = playing_mesh(3)
    item = statement_of(mesh, "peer2", **changes)
    for name in ("peer0", "peer1"):
        towards(mesh, "peer2", name).send(item)
    mesh.run(1.0)
    agreement = inside_of(mesh["peer0"].session).membership.agreement
    assert not agreement.is_open
    assert agreement.refused["AnotherSlot"] == 1
    assert_all_play(mesh, 0)


def test_messages_of_a_slot_to_come_wait_up_to_a_bound() -> None:
    mesh = playing_mesh(3)
    inside = inside_of(mesh["peer2"].session)
    item = statement_of(mesh, "peer2", slot=inside.membership.agreement.slot + 1)
    for _ in range(64):
        towards(mesh, "peer2", "peer0").send(item)
    mesh.run(0.5)
    assert mesh["peer0"].events_of(PeerDisconnected) == []
    towards(mesh, "peer2", "peer0").send(item)
    mesh.run(0.5)
    assert [event.reason for event in mesh["peer0"].events_of(PeerDisconnected)] == [Reason.VIOLATION]


def test_one_that_opens_slots_without_end_slows_nobody_down() -> None:
    mesh = playing_mesh(3)
    restless: Any = inside_of(mesh["peer2"].session).membership
    restless._has_news = lambda: True
    frame = mesh["peer0"].session.frame
    mesh.run(10.0)
    assert mesh["peer0"].session.frame > frame + 570
    slots = inside_of(mesh["peer0"].session).membership.agreement.slot
    assert 15 < slots <= 10.0 / INTERVAL + 1


def test_one_that_opens_slots_without_end_and_sends_no_inputs_is_lost_in_the_end() -> None:
    mesh = playing_mesh(4)
    restless: Any = inside_of(mesh["peer3"].session)
    restless.membership._has_news = lambda: True
    restless.membership._next_stop = lambda match: match.engine.frame
    mesh["peer3"].session.due = lambda *, now: False
    mesh.run(STAY.input_timeout + 2 * MOST_EXCUSED + STAY.disconnect_after + 10.0)
    in_one_match(mesh, ["peer0", "peer1", "peer2"])
    assert mesh["peer0"].session.gone == mesh["peer3"].session.local_players


def test_what_is_counted_is_forgiven_little_by_little() -> None:
    patience = TimeAllowance(10.0)
    for second in range(9):
        assert patience.use(1, 1.0), second
    assert not patience.use(1, 1.0)
    patience.pass_time(20.0)
    assert patience.use(1, 1.0)
    assert not patience.use(1, 1.0)
    assert patience.use(2, 5.0)
    patience.forget(1)
    assert patience.use(1, 9.0)


# Last inputs of those that are lost.


class Recorder:
    """What a session records, as one list of the inputs of each frame."""

    def __init__(self) -> None:
        self._frame = 0
        self._rows: dict[int, tuple[int, ...]] = {}

    def begin(self, game: Any, *, frame: int, **details: Any) -> None:
        self._frame = frame

    def add_frame(self, inputs: Any, /) -> None:
        self._rows[self._frame] = tuple(inputs)
        self._frame += 1

    def add_checksum(self, checksum: int, /) -> None: ...

    def flush(self) -> None: ...

    def end(self, checksum: int, /) -> None: ...

    def rows(self) -> dict[int, tuple[int, ...]]:
        return self._rows


def lying_about(mesh: Mesh, liar: str, victim: str, change: Any) -> None:
    """The liar states other tails of the victim's player than it has."""
    membership = inside_of(mesh[liar].session).membership
    tails = membership._tails

    def lie(*details: Any) -> tuple[Tail, ...]:
        return tuple(change(tail) for tail in tails(*details))

    membership._tails = lie


@pytest.mark.parametrize(
    "change",
    [
        lambda tail: tail._replace(inputs=tuple(value ^ 1 for value in tail.inputs)),
        lambda tail: tail._replace(missing=tail.missing + 200, inputs=(7,) * 300),
        lambda tail: tail._replace(missing=0, inputs=()),
        lambda tail: tail._replace(inputs=()),
        lambda tail: tail._replace(missing=tail.missing + 3, inputs=(*tail.inputs, 7, 7, 7)),
        lambda tail: tail._replace(missing=1 << 30, inputs=(7,)),
    ],
    ids=["false inputs", "far ahead", "nothing", "shows nothing", "three more", "next year"],
)
@pytest.mark.parametrize("seed", first_of(range(3), 1))
def test_one_that_lies_about_the_last_inputs_of_a_lost_peer_parts_nobody(change: Any, seed: int) -> None:
    mesh = playing_mesh(4, seed=seed)
    lying_about(mesh, "peer2", "peer3", change)
    mesh.cut("peer3", "peer1", 60.0)
    mesh.run(0.08)
    mesh.crash("peer3")
    mesh.run(12.0)
    honest = ["peer0", "peer1"]
    assert len(drops_of(mesh, honest)) == 1
    in_one_match(mesh, honest)
    for name in honest:
        assert mesh[name].events_of(MatchStarted)[1:] == []


def test_a_lost_peer_that_told_each_of_the_others_something_else_parts_nobody() -> None:
    mesh = playing_mesh(4)
    seat = mesh["peer3"].session.local_players[0]
    for number, name in enumerate(("peer0", "peer1", "peer2")):
        mesh.cut("peer3", name, 60.0)
        engine = inside_of(mesh[name].session).match.engine
        engine.add_remote_inputs(seat, engine.first_missing(seat), [7 + number] * (4 + number))
    mesh.run(0.1)
    mesh.crash("peer3")
    mesh.run(8.0)
    names = ["peer0", "peer1", "peer2"]
    assert len(drops_of(mesh, names)) == 1
    in_one_match(mesh, names)


def test_final_frames_that_a_liar_makes_us_take_back_run_again_for_all_who_keep_them() -> None:
    """One survivor alone has the last inputs, and has run them as final; a liar states others."""
    recorded = Recorder()
    dice = Random(1)
    mesh = Mesh(
        lambda: Tally(4),
        config=STAY,
        conditions=LINK,
        make_session=dict.fromkeys(("peer1", "peer2", "peer3"), RollbackSession)
        | {"peer0": partial(RollbackSession, record=recorded)},
        press=lambda *_: dice.choice((0, 5)),
    )
    mesh.start()
    mesh.play(60)
    watcher = mesh.watch("fan", "peer0")
    mesh.run(1.0)
    seat = mesh["peer3"].session.local_players[0]
    for name in ("peer1", "peer2"):
        mesh.cut("peer3", name, 60.0)
        inside_of(mesh[name].session).input_forwarding._ask = lambda *details: None
    first = inside_of(mesh["peer1"].session).match.engine.first_missing(seat)

    def lie(tail: Tail) -> Tail:
        known = tail.inputs[: max(min(first, tail.missing) - tail.first, 0)]
        return tail._replace(missing=first + 6, inputs=known + (77,) * (first + 6 - tail.first - len(known)))

    lying_about(mesh, "peer2", "peer3", lie)
    mesh.run(0.15)
    mesh.crash("peer3")
    mesh.run(10.0)
    [taken] = mesh["peer0"].events_of(FramesTakenBack)
    [dropped] = mesh["peer1"].events_of(PlayersDropped)
    assert first <= taken.frame == dropped.frame < first + 6
    assert mesh["peer1"].events_of(FramesTakenBack) == []
    in_one_match(mesh, ["peer0", "peer1"])
    assert_nobody_saw_a_desync(mesh)
    mesh.run(1.0)
    for frame in range(first, taken.frame + 10):
        assert recorded.rows()[frame] == mesh["peer1"].rows[frame]
    # Who has seen the frames as they were goes on from another state.
    assert len([event for event in watcher.events if isinstance(event, WatchingStarted)]) == 2
    shown = watcher.session.frame
    assert all(watcher.rows[frame] == mesh["peer1"].rows[frame] for frame in range(shown - 60, shown))


def test_a_session_signs_one_statement_and_one_consent_in_a_slot() -> None:
    mesh = playing_mesh(4)
    seen: dict[tuple[int, int, int], set[bytes]] = {}
    for peer in mesh.alive:
        inside = inside_of(peer.session)
        sign = inside.sign

        def note(data: bytes, sign: Any = sign, own: int = inside.peer_id) -> bytes:
            if data.startswith(b"retick agreement 1"):
                kind, slot, author = data[18], int.from_bytes(data[19:23], "little"), data[55]
                if author == own:
                    seen.setdefault((own, slot, kind), set()).add(data)
            return sign(data)

        inside.membership.agreement._sign = note
    mesh["peer0"].session.pause()
    mesh["peer1"].session.pause()
    mesh.run(0.3)
    mesh["peer0"].session.resume()
    leave(mesh, "peer3")
    mesh["peer1"].session.resume()
    mesh.run(3.0)
    assert len(seen) > 12
    assert {len(items) for items in seen.values()} == {1}


def test_items_are_signed_for_what_they_are() -> None:
    """The signature of a statement is worth nothing under a consent."""
    mesh = playing_mesh(3)
    inside = inside_of(mesh["peer2"].session)
    data = bytearray(signed(inside, MessageKind.STATEMENT, statement_of(mesh, "peer2")[67:]))
    data[0] = MessageKind.CONSENT
    towards(mesh, "peer2", "peer0").send(bytes(data))
    mesh.run(0.5)
    assert [event.reason for event in mesh["peer0"].events_of(PeerDisconnected)] == [Reason.VIOLATION]
