"""A room with players in it: shots, and what snapshots say."""

from typing import Any

import pytest

from retick.authority import (
    GameMessageReceived,
)
from retick.games.runner import Intent, LocomotionState, Mode
from retick.games.runner.netrunner.fire import FireResult, FireVisual
from retick.transport import Conditions
from tests.authority.courses import Field, Still


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
