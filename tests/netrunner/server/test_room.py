"""A room with players in it: shots, and what snapshots say."""

from typing import Any

import pytest

from retick.authority import ConnectionLost, GameMessageReceived
from retick.games.runner import Intent, LocomotionState, Mode
from retick.netrunner import ServerConfig
from retick.netrunner.config import RateLimit
from retick.netrunner.delta import LAST_PEER_ID
from retick.netrunner.packets import FireResult, FireVisual
from retick.netrunner.server.room import FIRST_PEER_ID
from retick.transport import Conditions
from tests.netrunner.courses import Field, Still


@pytest.mark.parametrize("mode", list(Mode))
def test_snapshots_carry_the_locomotion_of_the_authoritative_state(mode: Mode) -> None:
    """Stage 3: whatever state is put into the server's body is what a client restores."""
    field = Field(conditions=Conditions())
    field.join("a", bot=Still())
    field.run(1.0)
    player = field.server.rooms[""].players[2]
    wanted = LocomotionState(mode, 200, (0.6, 0.0, -0.8) if mode in (2, 3) else (0.0, 0.0, 0.0), 9, 30)
    injected = player.state.with_locomotion(wanted)
    room = field.server.rooms[""]
    view = player.view()._replace(state=injected)
    data = field.profile.encode_snapshot(room.tick + 1, [view])
    assert data[6 + 81] & 7 == mode
    assert field.profile.decode_snapshot(data).players[0].state == injected


class Shooter:
    """Looks along -z and fires once a second."""

    def __init__(self) -> None:
        self.ticks = 0

    def decide(self, state: Any) -> Intent:
        self.ticks += 1
        return Intent(fire=self.ticks % 60 == 59)


def test_a_shot_is_judged_once_and_sent_to_everyone() -> None:
    field = Field()
    field.join("a", bot=Shooter())
    field.join("b", bot=Still())
    field.run(2.6)
    for name in ("a", "b"):
        told = [event.message for event in field.of(name, GameMessageReceived)]
        results = [message for message in told if isinstance(message, FireResult)]
        assert len(results) == 2
        assert len([message for message in told if isinstance(message, FireVisual)]) == 2
        assert {result.shooter for result in results} == {field.clients["a"].peer_id}
    assert field.server.rooms[""].stats.shots == 2


class Hasty:
    """Presses fire anew in every tick that it can."""

    def __init__(self) -> None:
        self.ticks = 0

    def decide(self, state: Any) -> Intent:
        self.ticks += 1
        return Intent(fire=self.ticks % 2 == 0)


@pytest.mark.parametrize(("limit", "most"), [(None, 3 + 10 * 3), (RateLimit(every=30), 1 + 2 * 3)])
def test_a_client_that_shoots_all_the_time_is_judged_as_often_as_the_server_allows(
    limit: RateLimit | None, most: int
) -> None:
    field = Field(config=None if limit is None else ServerConfig(shots=limit))
    field.join("hasty", bot=Hasty())
    field.join("other", bot=Shooter())
    field.run(3.0)
    room = field.server.rooms[""]
    hasty = field.clients["hasty"].peer_id
    results = [e.message for e in field.of("other", GameMessageReceived) if isinstance(e.message, FireResult)]
    shots = [result.shooter for result in results]
    assert most / 2 < shots.count(hasty) <= most
    assert shots.count(field.clients["other"].peer_id) == 2, "others are not limited by it"
    assert room.stats.refused["too_many_shots"] > 40
    assert not field.of("hasty", ConnectionLost)


@pytest.mark.parametrize("near", [LAST_PEER_ID - 1, LAST_PEER_ID, LAST_PEER_ID + 1])
def test_ids_begin_again_before_delta_snapshots_run_out_of_them(near: int) -> None:
    field = Field()
    room = field.server.rooms[""]
    field.join("first", bot=Still())
    field.run(1.0)
    room._next_peer_id = near
    for name in ("a", "b", "c"):
        field.join(name, bot=Still())
    field.run(2.0)
    ids = sorted(client.peer_id for client in field.clients.values())
    assert len(set(ids)) == 4
    assert ids[0] == FIRST_PEER_ID
    assert ids[-1] <= LAST_PEER_ID
    for client in field.clients.values():
        assert client.stats.snapshots > 30
        assert client.stats.refused == 0
        assert len(client.others(now=field.network.now)) == 3
