"""What a session gives to draw: between two frames, and worlds that are never half done."""

from random import Random
from typing import Annotated, Any

import pytest

from retick.errors import NotSynchronized, UsageError
from retick.rollback import Between
from retick.rollback.session.inside import inside_of
from retick.sim import U16, Most, Thing, World
from retick.sim.world import WorldSimulation
from retick.testing.mesh import Mesh, MeshPeer
from retick.transport.conditions import Conditions
from tests.rollback.session.matches import playing_mesh

BAD = Conditions(latency=0.06, jitter=0.02, loss=0.05)


class Ball(Thing):
    x: U16 = 0


class Balls(World):
    """Both balls move by what is pressed, one after the other."""

    num_players = 2
    frame: U16
    balls: Annotated[list[Ball], Most(2)]

    def start(self, seed: int) -> None:
        self.balls.extend([Ball(), Ball()])

    def advance(self, inputs: Any) -> None:
        self.frame += 1
        for ball, pressed in zip(self.balls, inputs, strict=True):
            ball.x = (ball.x + pressed) % 1000


class Needy:
    """A world by hand that cannot be made without an argument."""

    num_players = 2

    def __init__(self, total: int) -> None:
        self.total = total

    def reset(self, seed: int) -> None:
        self.total = 0

    def advance(self, inputs: Any) -> None:
        self.total += sum(inputs)

    def save(self) -> bytes:
        return self.total.to_bytes(4, "little")

    def load(self, saved: bytes) -> None:
        self.total = int.from_bytes(saved, "little")

    def fields(self) -> Any:
        return [("total", self.total)]


def played(game: Any) -> Mesh:
    dice = Random(1)
    mesh = Mesh(game, conditions=BAD, press=lambda player, state: dice.choice((0, 0, 1, 2)))
    mesh.start()
    return mesh


def looking(peer: MeshPeer, look: Any) -> None:
    """Look at the picture in every turn of the loop, and before the frames are run too."""
    turn = peer.turn

    def turn_and_look(now: float, checkpoint: int) -> None:
        for step in (lambda: None, lambda: turn(now, checkpoint)):
            step()
            if peer.session.running:
                look(peer.session, now)

    peer.turn = turn_and_look  # type: ignore[method-assign]  # a loop with a screen


def test_the_drawn_world_is_the_present_state_in_every_picture() -> None:
    mesh = played(Balls)
    pictures: list[bytes] = []

    def look(session: Any, now: float) -> None:
        shown = session.world
        assert shown is session.world
        assert shown is not session.sim
        assert shown.save() == session.sim.pack_state(session.state)
        assert shown.frame == session.frame
        pictures.append(shown.save())

    for peer in mesh.alive:
        looking(peer, look)
    mesh.play(300)
    mesh.verify()
    assert len(pictures) > 600
    assert mesh["peer0"].session.stats(now=mesh.network.now).rollbacks > 20


def test_between_two_frames_are_the_last_two_states_and_a_fraction_that_grows() -> None:
    mesh = played(Balls)
    seen: list[tuple[int, float, float]] = []

    def look(session: Any, now: float) -> None:
        between = session.between(now=now)
        assert isinstance(between, Between)
        assert between.after is session.world
        assert between.before is not between.after
        assert between.before.frame == max(session.frame - 1, 0)
        assert between.after.frame == session.frame
        assert 0.0 <= between.fraction <= 1.0
        later = session.between(now=now + 1 / 240)
        assert later.fraction >= between.fraction
        seen.append((session.frame, between.fraction, later.fraction))

    looking(mesh["peer0"], look)
    mesh.play(200)
    mesh.verify()
    assert any(0.2 < later < 0.3 for _, _, later in seen)


def test_of_a_game_of_values_between_has_its_states() -> None:
    session: Any = playing_mesh(2)["peer0"].session
    before, after, _fraction = session.between(now=0.0)
    assert before == inside_of(session).match.engine.state_at(session.frame - 1)
    assert after == session.state
    with pytest.raises(UsageError, match="Tally is not a world"):
        session.world  # noqa: B018 - reading it is the test


def test_before_the_match_there_is_nothing_to_draw() -> None:
    session = Mesh(Balls)["peer0"].session
    with pytest.raises(NotSynchronized):
        session.between(now=0.0)
    with pytest.raises(NotSynchronized):
        session.world  # noqa: B018 - reading it is the test


def test_a_world_that_cannot_be_made_again_says_what_to_do() -> None:
    mesh = played(lambda: WorldSimulation(Needy(3)))
    with pytest.raises(UsageError, match="load_into"):
        mesh["peer0"].session.world  # noqa: B018 - reading it is the test
