"""Seeded matches under everything that a network and its peers may do. Longer: ``python -m benchmarks chaos``.

RETICK_CHAOS_MATCHES scales the number of seeds.
"""

import os
from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest

from retick.games.fighter import Fighter, FighterState
from retick.rollback.events import DesyncDetected
from retick.rollback.match.config import MatchConfig
from retick.testing.mesh import Mesh
from retick.testing.scenarios import Scenario, Trouble
from retick.transport.conditions import Conditions
from tests.checkers.arenas import Arena, Tampered, arena_for, fighter_arena
from tests.checkers.chaos import ChaosFailure, Outcome, play, play_planted
from tests.effort import first_of

pytestmark = pytest.mark.long

SEEDS = int(os.environ.get("RETICK_CHAOS_MATCHES", "20"))


def total_of(seeds: Iterable[int], peers: int) -> Outcome:
    total = Outcome()
    for seed in seeds:
        try:
            total.add(play(Scenario.drawn(seed, peers=peers), arena_for(peers)))
        except ChaosFailure as failure:
            pytest.fail(f"{failure}\nagain: python -m benchmarks chaos --players {peers} --seed {seed} --matches 1")
    return total


def test_two_players_stay_together_whatever_happens() -> None:
    total = total_of(range(SEEDS), 2)
    assert total.matches == SEEDS
    assert total.rollbacks > 30 * SEEDS
    assert total.hits > 3 * SEEDS
    assert total.stalls > SEEDS
    assert max(total.depths) >= 10
    assert total.compared > 40 * SEEDS


@pytest.mark.parametrize("peers", first_of([3, 4, 8], 2))
def test_more_players_stay_together_through_crashes_and_returns(peers: int) -> None:
    count = max(SEEDS // (2 * peers), 2)
    drawn = (Scenario.drawn(seed, peers=peers) for seed in range(100, 1000))
    with_crashes = [each.seed for each in drawn if any(trouble.kind == "crash" for trouble in each.troubles)]
    total = total_of(with_crashes[:count], peers)
    assert total.drops == total.returns == total.crashes >= count
    assert total.hits > 3 * count


@pytest.mark.parametrize("seed", range(max(SEEDS // 4, 1)))
def test_a_planted_error_is_always_found(seed: int) -> None:
    assert play_planted(Scenario.drawn(seed), fighter_arena()).planted == 1


def test_a_planted_error_is_found_by_everyone_among_four() -> None:
    for seed in (1, 2):
        assert play_planted(Scenario.drawn(seed, peers=4), arena_for(4)).planted == 1


def perfect(*troubles: Trouble) -> Scenario:
    peers = ("peer0", "peer1")
    links = (("peer0", "peer1", Conditions(), Conditions()),)
    return Scenario(
        seed=1, frames=120, peers=peers, links=links, troubles=troubles, config=MatchConfig(disconnect_after=3.0)
    )


def test_a_match_that_ends_early_is_a_failure() -> None:
    gone = Trouble(at=0.5, kind="cut", seconds=60.0, peer="peer0", other="peer1")
    with pytest.raises(ChaosFailure, match="everyone is back"):
        play(perfect(gone), fighter_arena())


def test_peers_that_part_are_a_failure() -> None:
    class Diverging(Mesh):
        """The second peer plays a game that goes wrong, and its alarm is hidden: verify must still see it."""

        def __init__(self, game: object, **details: object) -> None:
            wrong = fighter_arena().tampered
            super().__init__({"peer0": fighter_arena().game, "peer1": lambda: wrong(50)}, **details)  # type: ignore[arg-type]  # fields by name

        def play(self, frames: int, *, limit: float | None = None) -> None:
            super().play(frames, limit=limit)
            for peer in self.peers.values():
                peer.events = [event for event in peer.events if not isinstance(event, DesyncDetected)]

    with pytest.raises(ChaosFailure, match="the state before frame 60 has checksum"):
        play(perfect(), fighter_arena(), make_mesh=Diverging)


def test_a_false_alarm_is_a_failure() -> None:
    class Crying(Mesh):
        def play(self, frames: int, *, limit: float | None = None) -> None:
            super().play(frames, limit=limit)
            alarm = DesyncDetected(peer=1, frame=16, ours=1, theirs=2, last_agreed=-1)
            self["peer0"].events.append(alarm)

    with pytest.raises(ChaosFailure, match="peer0 reports DesyncDetected"):
        play(perfect(), fighter_arena(), make_mesh=Crying)


def test_an_arena_names_the_field_that_its_tampered_game_changes() -> None:
    arena = replace(fighter_arena(), tampered_field="score")
    with pytest.raises(ChaosFailure, match="in score was reported as"):
        play_planted(perfect(), arena)


def arena_that_changes(change: Callable[[FighterState], FighterState]) -> Arena:
    def tampered(frame: int) -> Tampered:
        return Tampered(Fighter(), when=lambda state: bool(state.frame == frame), change=change)

    return replace(fighter_arena(), tampered=tampered)


@pytest.mark.parametrize(
    "change",
    [
        lambda state: state.replace(p1=state.p1.replace(hp=state.p1.hp - 1)),
        lambda state: state.replace(p1=state.p1.replace(hp=state.p1.hp - 1), p2=state.p2.replace(x=state.p2.x + 7)),
    ],
)
def test_an_error_may_be_planted_in_any_field_and_in_several(change: Callable[[FighterState], FighterState]) -> None:
    assert play_planted(perfect(), arena_that_changes(change)).planted == 1


def test_an_error_that_changes_nothing_is_no_planted_error() -> None:
    with pytest.raises(ChaosFailure, match="was not found by all"):
        play_planted(perfect(), arena_that_changes(lambda state: state))


class Unsendable:
    """A game whose state cannot be sent."""

    num_players = 2

    def __init__(self) -> None:
        game = Fighter()
        self.initial_state, self.step = game.initial_state, game.step
        self.checksum, self.fields = game.checksum, game.fields


def test_a_game_whose_state_cannot_be_sent_is_played_without_returns() -> None:
    drawn = [each for each in (Scenario.drawn(seed) for seed in range(60)) if {"return", "alone"} & kinds_of(each)]
    for scenario in drawn[:3]:
        assert play(scenario, replace(fighter_arena(), game=Unsendable)).returns == 0


def kinds_of(scenario: Scenario) -> set[str]:
    return {trouble.kind for trouble in scenario.troubles}


@pytest.mark.parametrize("kind", ["return", "alone", "hold"])
def test_those_who_were_away_or_alone_are_back_and_all_play_again_with_other_seats(kind: str) -> None:
    drawn = (Scenario.drawn(seed) for seed in range(400))
    chosen = [each for each in drawn if kind in kinds_of(each) and each.rematch == (1, 0)][:3]
    total = Outcome()
    for scenario in chosen:
        total.add(play(scenario, fighter_arena()))
    assert total.rematches == 3
    if kind == "hold":
        assert total.holds >= 3
    else:
        assert total.returns >= 3


def test_a_planted_error_is_found_where_sessions_come_back_by_themselves() -> None:
    alone = [each for each in (Scenario.drawn(seed) for seed in range(60)) if "alone" in kinds_of(each)]
    for scenario in alone[:3]:
        assert play_planted(scenario, fighter_arena()).planted == 1


def test_one_that_does_not_come_back_is_a_failure() -> None:
    gone = Trouble(at=0.5, kind="alone", seconds=4.0, peer="")
    with pytest.raises(ChaosFailure, match="everyone is back"):
        play(perfect(gone), fighter_arena())
    assert play(replace(perfect(gone), reconnect=True), fighter_arena()).comings == 2
