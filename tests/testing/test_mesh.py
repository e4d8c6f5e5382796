"""The mesh that users get: it plays, it breaks things on request, and it notices what goes wrong."""

from typing import Any

import pytest
from examples.raiders import Raiders

from retick.errors import UsageError
from retick.games.fighter import Fighter
from retick.games.scramble import Scramble
from retick.rollback.events import DesyncDetected, MatchStarted, PlayersDropped, PlayersReturned, SourceChanged
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.inside import inside_of
from retick.rollback.session.session import RollbackSession
from retick.testing.mesh import Mesh, MeshHung
from retick.transport.conditions import Conditions
from tests.checkers.arenas import Tampered, arena_for
from tests.checkers.chaos import pressed_by_bots
from tests.rollback.session.matches import tally_press
from tests.toys import CheatsWithAGlobal, CheatsWithRandom, Tally

pytestmark = pytest.mark.long

QUICK_TO_DROP = MatchConfig(disconnect_after=2.0)


def scrambling(players: int = 4, **details: Any) -> Mesh:
    arena = arena_for(players)
    conditions = details.pop("conditions", Conditions.round_trip(0.08, loss=0.02))
    mesh = Mesh(arena.game, conditions=conditions, press=pressed_by_bots(arena, 1), **details)
    mesh.start()
    return mesh


def test_the_fixtures_are_there_for_users_own_games(mesh: Any, two_peers: Any) -> None:
    assert mesh is Mesh
    running = two_peers(Tally, press=tally_press)
    running.play(120)
    running.verify(120)
    assert all(peer.session.stats(now=running.network.now).rollbacks > 0 for peer in running.alive)


def test_the_same_seed_gives_the_same_run_and_another_seed_another() -> None:
    def run(seed: int) -> tuple[int, list[int]]:
        mesh = scrambling(seed=seed)
        mesh.play(200)
        return mesh.verify(200), [peer.session.stats(now=mesh.network.now).rollbacks for peer in mesh.alive]

    assert run(5) == run(5)
    assert run(5) != run(6)


def test_a_match_that_cannot_start_hangs_loudly() -> None:
    mesh = Mesh(Tally, seats={"alone": 1})
    with pytest.raises(MeshHung, match="the match starts: not after 3 virtual seconds; alone waiting for everyone"):
        mesh.start(limit=3.0)


def test_a_crashed_peer_is_dropped_by_all_at_one_frame_and_comes_back() -> None:
    mesh = scrambling(config=QUICK_TO_DROP)
    mesh.play(120)
    mesh.crash("peer2")
    mesh.run(5.0)
    drops = {tuple(event.frame for event in peer.events_of(PlayersDropped)) for peer in mesh.alive}
    assert len(drops) == 1
    mesh.restart("peer2")
    mesh.run_until(lambda: mesh["peer2"].playing, limit=10.0, what="it is back")
    mesh.play(mesh["peer0"].final_frame + 300)
    mesh.verify()
    returned = mesh["peer0"].events_of(PlayersReturned)
    assert len(returned) == 1
    assert mesh["peer2"].events_of(MatchStarted)[0].frame == returned[0].frame
    assert any(row[returned[0].players[0]] for frame, row in mesh["peer0"].rows.items() if frame > returned[0].frame)


def test_a_peer_that_returns_too_early_asks_again_until_its_seat_is_free() -> None:
    mesh = scrambling(config=QUICK_TO_DROP)
    mesh.play(60)
    mesh.crash("peer1")
    mesh.restart("peer1")
    mesh.run_until(lambda: mesh["peer1"].playing, limit=15.0, what="it is back")
    mesh.play(mesh["peer0"].final_frame + 120)
    mesh.verify()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_return_after_half_a_minute_takes_two_seconds_and_stalls_nobody(seed: int) -> None:
    mesh = scrambling(seed=seed, conditions=Conditions.round_trip(0.1, loss=0.02))
    mesh.play(120)
    mesh.crash("peer2")
    mesh.run(30.0)
    stalls = [peer.session.stats(now=mesh.network.now).stalls for peer in mesh.alive]
    others = list(mesh.alive)
    mesh.restart("peer2")
    mesh.run_until(lambda: mesh["peer2"].playing, limit=2.0, what="it is back")
    returned = inside_of(mesh["peer2"].session).match.joins_at
    mesh.run_until(lambda: mesh["peer2"].session.frame >= returned, limit=1.0, what="it plays")
    mesh.run(3.0)
    mesh.verify()
    assert [peer.session.stats(now=mesh.network.now).stalls for peer in others] == stalls


def test_four_players_at_50_ms_and_1_percent_hardly_ever_stall() -> None:
    mesh = scrambling(conditions=Conditions.round_trip(0.05, loss=0.01))
    mesh.run(60.0)
    assert all(peer.session.stats(now=mesh.network.now).stalls < 5 for peer in mesh.alive)
    assert all(peer.session.frame > 59 * 60 for peer in mesh.alive)


def test_eight_players_send_at_most_25_kibibytes_a_second_each() -> None:
    mesh = scrambling(8, conditions=Conditions.round_trip(0.1, loss=0.05))
    names = list(mesh.seats)
    paths = {name: [mesh.network.path(name, other) for other in names if other != name] for name in names}
    before = {name: sum(path.bytes_sent for path in paths[name]) for name in names}
    mesh.run(5.0)
    for name in names:
        assert (sum(path.bytes_sent for path in paths[name]) - before[name]) / 5.0 <= 25 * 1024


def test_a_spectator_sees_what_was_played_and_moves_on_when_its_source_crashes() -> None:
    mesh = scrambling(config=QUICK_TO_DROP)
    mesh.play(60)
    spectator = mesh.watch("watcher", "peer3")
    mesh.run(3.0)
    mesh.crash("peer3")
    mesh.run(12.0)
    mesh.verify()
    assert any(isinstance(event, SourceChanged) for event in spectator.events)
    assert max(spectator.rows) > mesh["peer0"].final_frame - 120
    assert len(spectator.checksums) > 5


def test_crashing_twice_and_returning_unasked_are_mistakes() -> None:
    mesh = scrambling(3)
    with pytest.raises(UsageError, match="has not crashed"):
        mesh.restart("peer1")
    mesh.crash("peer1")
    with pytest.raises(UsageError, match="has crashed already"):
        mesh.crash("peer1")


def tampered_fighter(at: int = 200) -> Tampered:
    def change(state: Any) -> Any:
        return state.replace(p2=state.p2.replace(vx=7))

    return Tampered(Fighter(), when=lambda state: state.frame == at, change=change)


def test_a_planted_change_is_found_by_both_and_refuted_by_the_straight_run() -> None:
    arena = arena_for(2)
    mesh = Mesh(
        {"honest": Fighter, "other": tampered_fighter},
        seats={"honest": 1, "other": 1},
        conditions=Conditions.round_trip(0.1, loss=0.1),
        press=pressed_by_bots(arena, 3),
    )
    mesh.start()
    mesh.play(300)
    for peer in mesh.alive:
        [alarm] = peer.events_of(DesyncDetected)
        assert alarm.last_agreed <= 200 < alarm.frame <= 200 + 2 * mesh.config.checksum_interval
    with pytest.raises(AssertionError, match="the state before frame 240 has checksum"):
        mesh.verify(300)


@pytest.mark.parametrize("game", [CheatsWithAGlobal, CheatsWithRandom])
def test_games_that_cheat_are_found_out(game: Any) -> None:
    CheatsWithAGlobal.calls = 0
    mesh = Mesh(game, conditions=Conditions.round_trip(0.08), press=tally_press)
    mesh.start()
    mesh.play(120)
    assert all(peer.events_of(DesyncDetected) for peer in mesh.alive)
    with pytest.raises(AssertionError):
        mesh.verify(120)


def test_a_tampered_game_is_the_game_but_for_one_step() -> None:
    honest, wrong = Fighter(), tampered_fighter()
    assert (wrong.game_id, wrong.num_players, wrong.input_size) == (honest.game_id, 2, 2)
    assert not hasattr(wrong, "run")
    state = honest.initial_state(1)
    assert wrong.step(state, (1, 2)) == honest.step(state, (1, 2))
    late = state.replace(frame=200)
    assert wrong.step(late, (0, 0)).p2.vx == 7
    assert wrong.changes == 1


def test_different_games_may_be_given_to_different_peers() -> None:
    mesh = Mesh({"a": Scramble, "b": Scramble}, seats={"a": 2, "b": 2}, press=lambda player, state: 0)
    mesh.start()
    mesh.play(60)
    assert mesh.verify(60) == mesh["a"].checksums[60]


@pytest.mark.parametrize("again", ["rematch", "resync"])
def test_a_match_that_follows_another_is_written_down_and_verified_by_itself(again: str) -> None:
    mesh = Mesh(lambda: Tally(3), press=lambda player, state: state.frame % 7 + player)
    mesh.start()
    mesh.play(200)
    for peer in mesh.alive:
        peer.session.rematch() if again == "rematch" else peer.session.resync(0)
    mesh.run(1.0)
    assert all(0 < peer.final_frame < 100 for peer in mesh.alive)
    mesh.play(150)
    mesh.verify()
    mesh["peer1"].rows[100] = (9, 9, 9)
    with pytest.raises(AssertionError, match="inputs of frame 100"):
        mesh.verify()


@pytest.mark.parametrize("frames", [50, 59, 60, 61, 100])
def test_a_divergence_between_two_checkpoints_is_found_at_the_last_frame(frames: int) -> None:
    mesh = Mesh({"peer0": Fighter, "peer1": lambda: tampered_fighter(at=45)}, press=pressed_by_bots(arena_for(2), 3))
    mesh.start()
    mesh.play(frames)
    with pytest.raises(AssertionError, match="at peer1"):
        mesh.verify(frames)


def test_a_mapping_of_games_gives_the_peers_their_names() -> None:
    mesh = Mesh({"alice": Tally, "bob": Tally}, press=tally_press)
    mesh.start()
    mesh.play(30)
    assert mesh["bob"].session.frame >= 30
    with pytest.raises(UsageError, match="one game for each peer"):
        Mesh({"alice": Tally})


@pytest.mark.parametrize("what", ["game", "press", "make_session"])
def test_a_mapping_without_a_peers_name_is_refused_by_that_name(what: str) -> None:
    arguments: dict[str, Any] = {"game": Tally, "seats": {"a": 1, "b": 1}, what: {"a": Tally, "c": Tally}}
    with pytest.raises(UsageError, match=f"{what} is a mapping without b"):
        Mesh(arguments.pop("game"), **arguments)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"game": {}}, "at least one peer"),
        ({"game": Tally, "seats": {}}, "at least one peer"),
        ({"game": Tally(2)}, "a class or factory, not Tally objects"),
        ({"game": {"a": Tally(2), "b": Tally(2)}}, "a class or factory, not Tally objects"),
    ],
)
def test_games_that_no_peer_can_play_are_refused_in_words(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Mesh(arguments.pop("game"), **arguments)


def test_a_bot_that_reads_the_state_as_a_world_is_told_how_to_load_it() -> None:
    def bot(player: int, world: Any) -> int:
        return int(world.hits)

    mesh = Mesh(Raiders, seats={"alice": 2, "bob": 2}, press=bot)
    with pytest.raises(AttributeError, match=r"give `press` a function that loads it, game\.load_into\(world, state\)"):
        mesh.play(60)


@pytest.mark.parametrize(
    "call",
    [
        lambda mesh: mesh["carol"],
        lambda mesh: mesh.pause("carol", 1.0),
        lambda mesh: mesh.crash("carol"),
        lambda mesh: mesh.restart("carol"),
        lambda mesh: mesh.watch("dave", "carol"),
    ],
)
def test_a_name_that_no_peer_has_is_refused_by_that_name(call: Any) -> None:
    with pytest.raises(UsageError, match="there is no peer 'carol', only alice, bob"):
        call(Mesh({"alice": Tally, "bob": Tally}))


def test_sessions_of_another_kind_may_be_given_to_one_peer() -> None:
    class Marked(RollbackSession):
        pass

    mesh = Mesh(Tally, make_session={"peer0": RollbackSession, "peer1": Marked}, press=tally_press)
    mesh.start()
    mesh.play(60)
    mesh.verify()
    assert isinstance(mesh["peer1"].session, Marked)
    assert not isinstance(mesh["peer0"].session, Marked)
