"""Coming back by itself: who keeps the match, who comes back to it, and what nobody can do with that."""

from functools import partial
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import pytest

from retick import replay
from retick.link import Accept, Connected, LinkEndpoint, Reason, Refuse, Refused, Request
from retick.link.addresses import pack_address
from retick.replay import LiveRecording
from retick.rollback.engine.cues import CueStarted
from retick.rollback.events import (
    MatchEnded,
    MatchStarted,
    PeerConnected,
    PlayersDropped,
    PlayersReturned,
    Reconnecting,
    SourceChanged,
    Stalled,
)
from retick.rollback.match.config import MatchConfig
from retick.rollback.session import returns
from retick.rollback.session.inside import inside_of
from retick.rollback.session.link_config import link_config_for, reach_of
from retick.rollback.session.messages.connect import encode_acceptance, encode_play
from retick.rollback.session.messages.kinds import ASK_SPONSOR
from retick.rollback.session.session import Phase, RollbackSession
from retick.testing.mesh import Mesh, MeshPeer
from retick.transport.conditions import Conditions
from tests.effort import first_of
from tests.rollback.session.matches import LINK, LOSSY, assert_all_play, presses
from tests.toys import Tally

KEY = b"k" * 32
"""With which nobody signs anything here."""

pytestmark = pytest.mark.long

QUICK = MatchConfig(disconnect_after=2.0, longest_reconnect=20.0)
"""Silence is noticed after two seconds."""
TRYING = partial(RollbackSession, reconnect=True)


def trying_mesh(
    players: int,
    *,
    seed: int = 1,
    config: MatchConfig = QUICK,
    conditions: Conditions = LINK,
    make_session: Any = TRYING,
    game: Any = None,
) -> Mesh:
    """Peers that come back by themselves, and have played for a second."""
    mesh = Mesh(
        game or (lambda: Tally(players)),
        seats={f"peer{number}": 1 for number in range(players)},
        seed=seed,
        conditions=conditions,
        config=config,
        press=presses(seed),
        make_session=make_session,
    )
    mesh.start()
    mesh.play(60)
    return mesh


def part(mesh: Mesh, groups: list[tuple[str, ...]], seconds: float) -> None:
    """Nothing passes between groups of peers for a while."""
    for one, other in combinations(groups, 2):
        for first in one:
            for second in other:
                mesh.cut(first, second, seconds)


def seats_of(mesh: Mesh) -> dict[str, tuple[int, ...]]:
    return {peer.name: peer.session.local_players for peer in mesh.alive}


def all_together(mesh: Mesh) -> bool:
    count = len(mesh.alive) - 1
    return all(
        peer.playing and len(inside_of(peer.session).players_peers()) == count and not peer.session.reconnecting
        for peer in mesh.alive
    )


def assert_one_match(mesh: Mesh, before: dict[str, tuple[int, ...]], limit: float = 15.0) -> None:
    mesh.run_until(lambda: all_together(mesh), limit=limit, what="all are together again")
    assert seats_of(mesh) == before
    mesh.run(0.5)
    assert_all_play(mesh, 0)


@pytest.mark.parametrize("seconds", [2.2, 3.0, 5.5, 12.0])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_of_two_whose_link_was_cut_the_lower_id_keeps_the_match_and_the_other_comes_back(
    seconds: float, seed: int
) -> None:
    mesh = trying_mesh(2, seed=seed, conditions=LOSSY)
    before, token = seats_of(mesh), mesh["peer1"].session.seat_token
    mesh.cut("peer0", "peer1", seconds)
    mesh.run(seconds)
    assert_one_match(mesh, before)
    keeper, comer = mesh["peer0"], mesh["peer1"]
    assert [event.players for event in keeper.events_of(PlayersReturned)] == [before["peer1"]]
    assert len(keeper.events_of(MatchStarted)) == 1
    assert [event.frame > 0 for event in comer.events_of(MatchStarted)] == [False, True]
    assert not any(peer.events_of(MatchEnded) for peer in mesh.alive)
    assert comer.session.seat_token != token


def test_a_cut_of_one_direction_only_is_healed_too() -> None:
    for deaf, loud in (("peer0", "peer1"), ("peer1", "peer0")):
        mesh = trying_mesh(2)
        before = seats_of(mesh)
        mesh.link(loud, deaf, Conditions(latency=0.05, loss=1.0), LINK)
        mesh.run(5.0)
        mesh.link(loud, deaf, LINK, LINK)
        assert_one_match(mesh, before)


def test_it_happens_again_and_again() -> None:
    mesh = trying_mesh(2)
    before = seats_of(mesh)
    for _ in range(4):
        mesh.cut("peer0", "peer1", 4.0)
        mesh.run(4.0)
        assert_one_match(mesh, before, limit=30.0)
        mesh.run(1.0)
    assert len(inside_of(mesh["peer1"].session).reconnect._lost) <= 1


def test_a_process_that_was_stopped_for_longer_than_the_timeout_comes_back() -> None:
    for name in ("peer0", "peer1"):
        mesh = trying_mesh(2)
        before = seats_of(mesh)
        mesh.pause(name, 7.0)
        mesh.run(7.0)
        assert_one_match(mesh, before)


@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.parametrize("alone", ["peer0", "peer1", "peer2"])
def test_one_that_is_alone_comes_back_to_those_who_played_on(players: int, alone: str) -> None:
    mesh = trying_mesh(players)
    before = seats_of(mesh)
    others = tuple(name for name in before if name != alone)
    part(mesh, [(alone,), others], 6.0)
    mesh.run(6.0)
    assert [mesh[name].session.reconnecting for name in others] == [False] * len(others)
    assert mesh[alone].session.reconnecting
    assert mesh[alone].session.frame < mesh[others[0]].session.frame - 100
    assert_one_match(mesh, before)


@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize("seed", first_of([1, 2, 3, 4], 1))
def test_when_everybody_was_alone_all_are_together_again(players: int, seed: int) -> None:
    mesh = trying_mesh(players, seed=seed, config=MatchConfig(disconnect_after=2.0, longest_reconnect=60.0))
    before, dice = seats_of(mesh), Random(seed)
    for first, second in combinations(before, 2):
        mesh.cut(first, second, dice.uniform(5.0, 9.0))
    mesh.run(9.0)
    assert_one_match(mesh, before, limit=50.0)
    assert not any(peer.events_of(MatchEnded) for peer in mesh.alive)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_when_everybody_was_alone_and_the_lowest_id_is_dead_the_next_one_keeps_the_match(seed: int) -> None:
    mesh = trying_mesh(4, seed=seed, config=MatchConfig(disconnect_after=2.0, longest_reconnect=60.0))
    mesh.crash("peer0")
    before = seats_of(mesh)
    part(mesh, [(name,) for name in before], 6.0)
    mesh.run(6.0)
    keeper = min(mesh.alive, key=lambda peer: peer.session.peer_id)
    assert_one_match(mesh, before, limit=40.0)
    assert [peer.name for peer in mesh.alive if len(peer.events_of(MatchStarted)) == 1] == [keeper.name]


def test_two_groups_play_on_apart_and_each_was_told_who_is_missing() -> None:
    mesh = trying_mesh(4)
    before = seats_of(mesh)
    groups = [("peer0", "peer3"), ("peer1", "peer2")]
    part(mesh, groups, 6.0)
    mesh.run(12.0)
    for group, missing in (groups, groups[::-1]):
        for name in group:
            assert not mesh[name].events_of(Reconnecting)
            told = {player for event in mesh[name].events_of(PlayersDropped) for player in event.players}
            assert told == {before[other][0] for other in missing}


def test_one_that_was_killed_comes_back_to_one_that_stands_whatever_its_id() -> None:
    for name, other in (("peer0", "peer1"), ("peer1", "peer0")):
        mesh = trying_mesh(2)
        before, token = seats_of(mesh), mesh[name].session.seat_token
        mesh.crash(name)
        mesh.run(5.0)
        assert mesh[other].session.reconnecting
        mesh.restart(name, through=other, seat_token=token, every=600.0)
        assert_one_match(mesh, before, limit=4.0)


@pytest.mark.parametrize("trying", ["peer0", "peer1"])
def test_it_is_enough_that_one_of_two_tries(trying: str) -> None:
    stay = MatchConfig(disconnect_after=2.0, longest_reconnect=20.0, end_when_alone=False)
    make = {name: TRYING if name == trying else RollbackSession for name in ("peer0", "peer1")}
    mesh = trying_mesh(2, config=stay, make_session=make)
    before = seats_of(mesh)
    mesh.cut("peer0", "peer1", 5.0)
    mesh.run(5.0)
    assert_one_match(mesh, before)
    other = next(name for name in before if name != trying)
    assert mesh[other].events_of(PlayersReturned)


def test_while_it_stands_no_frame_runs_and_nothing_is_reported_as_a_stall() -> None:
    mesh = trying_mesh(2)
    mesh.crash("peer1")
    mesh.run(3.0)
    session, stalls = mesh["peer0"].session, len(mesh["peer0"].events_of(Stalled))
    assert session.reconnecting
    assert session.phase is Phase.RUNNING
    frame = session.frame
    mesh.run(5.0)
    assert session.frame == frame
    assert len(mesh["peer0"].events_of(Stalled)) == stalls
    assert mesh["peer0"].events_of(Reconnecting) == [Reconnecting(peers=(1,), seconds=20.0)]


def test_one_that_was_lost_in_a_pause_is_let_in_although_the_match_stands_before_its_last_inputs() -> None:
    mesh = trying_mesh(2, config=MatchConfig(disconnect_after=2.0, input_delay=4))
    before, token = seats_of(mesh), mesh["peer1"].session.seat_token
    mesh["peer0"].session.pause()
    mesh.run(1.5)
    mesh.crash("peer1")
    mesh.run(4.0)
    mesh["peer0"].session.resume()
    mesh.restart("peer1", seat_token=token, every=600.0)
    assert_one_match(mesh, before, limit=4.0)


def test_when_nobody_is_found_the_match_ends_after_the_time_of_the_setting() -> None:
    mesh = trying_mesh(2)
    mesh.crash("peer1")
    mesh.run(21.0)
    assert mesh["peer0"].session.reconnecting
    mesh.run(5.0)
    assert [event.reason for event in mesh["peer0"].events_of(MatchEnded)] == [returns.NOBODY]
    assert not mesh["peer0"].session.reconnecting
    mesh.run(5.0)
    assert mesh["peer0"].session.next_timeout() is None


def test_when_nobody_is_found_one_that_need_not_end_plays_on_alone() -> None:
    mesh = trying_mesh(2, config=MatchConfig(disconnect_after=2.0, longest_reconnect=3.0, end_when_alone=False))
    mesh.crash("peer1")
    mesh.run(9.0)
    session = mesh["peer0"].session
    assert not session.reconnecting
    frame = session.frame
    mesh.run(1.0)
    assert session.frame > frame + 50


def test_nothing_is_tried_after_a_goodbye_a_drop_or_when_somebody_else_has_our_token() -> None:
    mesh = trying_mesh(2)
    mesh["peer1"].session.close("enough")
    mesh.run(1.0)
    assert [event.reason for event in mesh["peer0"].events_of(MatchEnded)] == ["everyone else has left"]
    mesh = trying_mesh(2)
    mesh["peer0"].session.drop(1)
    mesh.run(1.0)
    assert [len(peer.events_of(MatchEnded)) for peer in mesh.alive] == [1, 1]
    mesh = trying_mesh(3)
    again = RollbackSession(
        Tally(3),
        entropy=Random(9).randbytes,
        host_address="peer0",
        seat_token=mesh["peer2"].session.seat_token,
        config=QUICK,
    )
    mesh.network.attach("again", again)
    mesh.run(1.0)
    assert mesh["peer2"].session.phase is Phase.ENDED
    assert not mesh["peer2"].events_of(Reconnecting)


def test_one_that_leaves_while_it_tries_is_gone_at_once() -> None:
    mesh = trying_mesh(2)
    mesh.crash("peer1")
    mesh.run(4.0)
    mesh["peer0"].session.close()
    mesh.run(3.0)
    assert mesh["peer0"].session.phase is Phase.ENDED
    assert mesh["peer0"].session.next_timeout() is None


class Heavy(Tally):
    """A state that takes a while."""

    PADDING = Random(1).randbytes(200_000)

    def pack_state(self, state: Any) -> bytes:
        return super().pack_state(state) + self.PADDING

    def unpack_state(self, data: bytes) -> Any:
        return super().unpack_state(data[: -len(self.PADDING)])


def test_the_last_picture_is_there_until_the_new_state_is() -> None:
    mesh = trying_mesh(2, game=lambda: Heavy(2))
    comer = mesh["peer1"]
    seen: list[Phase] = []

    def look() -> None:
        seen.append(comer.session.phase)
        assert comer.session.state is not None
        assert comer.session.local_players == (1,)
        assert comer.session.between(now=mesh.network.now).after is not None
        mesh.at(1 / 120, look)

    mesh.cut("peer0", "peer1", 4.0)
    look()
    mesh.run(8.0)
    assert Phase.GATHERING in seen
    assert seen[-1] is Phase.RUNNING
    assert inside_of(comer.session).last_match is None


def test_recordings_of_both_sides_are_verified(tmp_path: Path) -> None:
    paths = {name: tmp_path / f"{name}.rtk" for name in ("peer0", "peer1")}
    make = {name: partial(TRYING, record=LiveRecording(path)) for name, path in paths.items()}
    mesh = trying_mesh(2, make_session=make)
    before = seats_of(mesh)
    for _ in range(2):
        mesh.run(2.0)
        mesh.cut("peer0", "peer1", 4.0)
        mesh.run(4.0)
        assert_one_match(mesh, before, limit=30.0)
    for peer in mesh.alive:
        peer.session.close()
    for path in paths.values():
        verdict = replay.verify(replay.load(path, strict=True), Tally(2))
        assert verdict.ok, str(verdict)
        assert verdict.compared >= 2


class Loud(Tally):
    """Every press is heard."""

    def cues(self, before: Any, after: Any) -> Any:
        yield from (("press", player, new) for player, new in enumerate(after.totals) if new != before.totals[player])


def test_every_cue_that_was_started_ends_once() -> None:
    mesh = trying_mesh(2, game=lambda: Loud(2))
    heard: dict[str, list[Any]] = {"peer0": [], "peer1": []}

    def listen(peer: MeshPeer) -> None:
        heard[peer.name] += peer.session.cues()
        mesh.at(1 / 60, lambda: listen(peer))

    for peer in mesh.alive:
        listen(peer)
    mesh.run(1.0)
    mesh.cut("peer0", "peer1", 4.0)
    mesh.run(8.0)
    for cues in heard.values():
        open_cues: set[Any] = set()
        for cue in cues:
            key = (cue.frame, cue.cue)
            if isinstance(cue, CueStarted):
                assert key not in open_cues
                open_cues.add(key)
            else:
                open_cues.remove(key)
        assert len(open_cues) < 60


def test_spectators_of_one_that_gives_its_match_up_watch_through_another_peer() -> None:
    mesh = trying_mesh(3)
    before = seats_of(mesh)
    spectator = mesh.watch("watcher", "peer2")
    mesh.run(2.0)
    part(mesh, [("peer2",), ("peer0", "peer1")], 5.0)
    mesh.run(5.0)
    shown = mesh.spectators.pop("watcher")
    assert_one_match(mesh, before)
    returned_at = mesh["peer2"].events_of(MatchStarted)[1].frame
    mesh.run(3.0)
    later = {frame: row for frame, row in shown.rows.items() if frame >= returned_at}
    assert len(later) > 60
    assert all(mesh["peer0"].rows[frame] == row for frame, row in later.items())
    assert shown.sim.checksum(shown.session.state) == inside_of(mesh["peer0"].session).match.engine.checksum_at(
        shown.session.frame
    )
    assert any(isinstance(event, SourceChanged) for event in spectator.events)


# What others may try.


def stranger(mesh: Mesh, address: str, data: bytes) -> LinkEndpoint:
    link = LinkEndpoint(link_config_for(Tally(2), QUICK), entropy=Random(3).randbytes)
    mesh.network.attach(f"stranger with {data.hex()}", link)
    link.dial(address, data=data)
    return link


def test_while_one_stands_its_seats_are_for_those_who_held_them() -> None:
    mesh = trying_mesh(2)
    mesh.crash("peer1")
    mesh.run(4.0)
    for token in (bytes(16), b"x" * 16):
        link = stranger(mesh, "peer0", encode_play(reach_of(QUICK), token, key=KEY))
        mesh.run(1.0)
        [refused] = [event for event in link.events() if isinstance(event, Refused)]
        assert (refused.reason, refused.text) == (Reason.DENIED, "waits for those who played here")
    assert mesh["peer0"].session.reconnecting


def asked_of(mesh: Mesh, address: str) -> list[Any]:
    """Counts the datagrams to an address from now on."""
    seen: list[Any] = []

    class Sink:
        def receive_datagram(self, data: bytes, address: Any, *, now: float) -> None:
            seen.append(data)

        def datagrams_to_send(self, *, now: float) -> list[Any]:
            return []

        def next_timeout(self) -> None:
            return None

        def handle_timeout(self, *, now: float) -> None:
            pass

        def events(self) -> list[Any]:
            return []

    sink: Any = Sink()
    mesh.network.attach(address, sink)
    return seen


def impostor(mesh: Mesh, name: str, admit: Any, on_events: Any = None) -> None:
    """Somebody else is now at the address of a peer that has crashed."""
    mesh.crash(name)
    link = LinkEndpoint(link_config_for(Tally(2), QUICK), entropy=Random(4).randbytes, admit=admit)
    mesh.network.attach(name, link, on_events=on_events)


def accepting(request: Request) -> Accept:
    return Accept(seats=(0,), data=encode_acceptance(reach_of(QUICK), KEY))


def test_one_that_sends_us_on_and_on_makes_us_dial_a_bounded_number_of_addresses() -> None:
    mesh = trying_mesh(2)
    victim = asked_of(mesh, "victim")
    impostor(mesh, "peer1", lambda request: Refuse(reason=ASK_SPONSOR, text=pack_address("victim").decode()))
    mesh.run(30.0)
    session = mesh["peer0"].session
    assert inside_of(session).reconnect._redirections <= 8
    assert 0 < len(victim) <= 8 * 8
    assert mesh["peer0"].events_of(MatchEnded)


def test_one_that_accepts_us_and_says_nothing_is_given_up() -> None:
    mesh = trying_mesh(2)
    impostor(mesh, "peer1", accepting)
    mesh.run(10.0)
    session = mesh["peer0"].session
    assert session.running
    mesh.run(40.0)
    assert [event.reason for event in mesh["peer0"].events_of(MatchEnded)] == [returns.NOBODY]


def test_one_that_lets_us_in_and_sends_us_away_again_costs_no_more_than_the_time_of_the_setting() -> None:
    mesh = trying_mesh(2)
    token = mesh["peer0"].session.seat_token

    def send_away(events: list[Any]) -> None:
        for event in events:
            if isinstance(event, Connected):
                event.connection.send_reliable(b"\x00hello")
                event.connection.close(Reason.DENIED, "away", linger=0.5)

    impostor(mesh, "peer1", accepting, send_away)
    mesh.run(40.0)
    peer = mesh["peer0"]
    assert peer.session.phase is Phase.ENDED
    assert len(peer.events_of(PeerConnected)) > 2
    assert inside_of(peer.session).shown_token == token
    assert peer.session.local_players == (0,)
    assert len(inside_of(peer.session).link.connections) == 0


def test_no_more_addresses_are_remembered_than_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(returns, "MOST_ASKED", 1)
    mesh = trying_mesh(3)
    mesh.crash("peer1")
    mesh.run(4.0)
    last = mesh["peer2"].session.peer_id
    mesh.crash("peer2")
    mesh.run(4.0)
    assert [event.peers for event in mesh["peer0"].events_of(Reconnecting)] == [(last,)]
    assert list(inside_of(mesh["peer0"].session).reconnect._lost) == ["peer2"]


def test_nobody_is_expelled_by_one_that_says_it_has_a_match() -> None:
    mesh = trying_mesh(3)
    victim = mesh["peer2"].session
    for keeps in (True, False):
        link = stranger(mesh, "peer0", encode_play(reach_of(QUICK), b"y" * 16, keeps_match=keeps, key=KEY))
        mesh.run(0.5)
        assert any(isinstance(event, Refused) for event in link.events())
    assert all(inside_of(mesh[name].session).peers[victim.peer_id].is_heard for name in ("peer0", "peer1"))
    assert_all_play(mesh, 0)
