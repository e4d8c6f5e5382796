"""After an alarm: every machine gets the same report from its session, and the match can go on from one state."""

from random import Random
from typing import Any

import pytest

from retick.errors import UsageError
from retick.rollback.events import DesyncDetected, DesyncReported, MatchStarted
from retick.rollback.match.config import MatchConfig
from retick.testing.mesh import Mesh
from retick.transport.conditions import Conditions
from tests.toys import Tally, TallyState

LINK = Conditions(latency=0.04, jitter=0.005, loss=0.05)


class Slips(Tally):
    """An honest tally, except that one transition adds a thousand to a total."""

    game_id = "Tally"
    game_version = 0

    def step(self, state: TallyState, inputs: Any) -> TallyState:
        after = super().step(state, inputs)
        if after.frame == 205:
            after = after._replace(totals=(after.totals[0] + 1000, *after.totals[1:]))
        return after


def parted(players: int) -> Mesh:
    dice = Random(players)
    games = {f"peer{number}": lambda: Tally(players) for number in range(players)}
    games["peer1"] = lambda: Slips(players)
    mesh = Mesh(
        games,
        seats=dict.fromkeys(games, 1),
        seed=players,
        conditions=LINK,
        config=MatchConfig(checksum_interval=16),
        press=lambda player, state: dice.choice((0, 1, 2, 9)),
    )
    mesh.start()
    return mesh


@pytest.mark.parametrize("players", [2, 4])
def test_every_machine_reports_the_exact_frame_and_field(players: int) -> None:
    mesh = parted(players)
    mesh.run_until(
        lambda: all(peer.events_of(DesyncReported) for peer in mesh.alive), limit=20.0, what="everyone reports"
    )
    reports = [peer.events_of(DesyncReported)[0].report for peer in mesh.alive]
    assert all(report == reports[0] for report in reports)
    assert reports[0].first_differing == 205
    assert reports[0].last_agreed == 204
    odd = mesh["peer1"].session.number
    (difference,) = reports[0].fields
    assert difference.name == "totals[0]"
    values = dict(difference.values)
    assert {values[number] + 1000 for number in values if number != odd} == {values[odd]}
    mesh.run(1.0)
    assert all(len(peer.events_of(DesyncReported)) == 1 for peer in mesh.alive)


def test_the_match_goes_on_from_one_machine_when_all_have_named_it() -> None:
    mesh = parted(3)
    mesh.run_until(lambda: all(p.events_of(DesyncReported) for p in mesh.alive), limit=20.0, what="everyone reports")
    source = mesh["peer0"].session.number
    for name in ("peer0", "peer1"):
        mesh[name].session.resync(source)
    mesh.run(1.0)
    assert [peer.session.match.number for peer in mesh.alive] == [0, 0, 0]
    mesh["peer2"].session.resync(source)
    mesh.run(6.0)
    assert [peer.session.match.number for peer in mesh.alive] == [1, 1, 1]
    engines = [peer.session.match.engine for peer in mesh.alive]
    final = min(engine.final_state_frame for engine in engines)
    assert final > 200
    assert len({engine.checksum_at(final) for engine in engines}) == 1
    assert engines[0].state_at(final).frame > 400
    assert all(len(peer.events_of(MatchStarted)) == 2 for peer in mesh.alive)
    assert all(len(peer.events_of(DesyncDetected)) <= 2 for peer in mesh.alive)


def test_naming_a_machine_that_is_not_there_is_misuse() -> None:
    mesh = parted(2)
    mesh.play(30)
    with pytest.raises(UsageError, match="there is no machine 9"):
        mesh["peer0"].session.resync(9)
