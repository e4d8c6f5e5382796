"""A teleport is never drawn on the way: neither of others, nor of one's own player."""

from itertools import pairwise
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.games.runner import RunnerState
from retick.netrunner import Client, ClientConfig
from retick.netrunner.client.interpolation import TELEPORT, RemoteBuffer, is_teleport, speed_between
from retick.netrunner.events import Reconciled
from retick.transport import Conditions
from tests.netrunner.courses import Field
from tests.netrunner.declared_games import Go, Idle
from tests.netrunner.declared_profile import DeclaredProfile, Flag, Real, Whole


class Train(NamedTuple):
    """Runs along x, and is back at the beginning when it comes to the end."""

    x: float
    teleports: int = 0

    @property
    def position(self) -> tuple[float, float, float]:
        return self.x, 0.0, 0.0

    velocity, yaw, pitch, grounded = (6.0, 0.0, 0.0), 0.0, 0.0, True


class Silent(NamedTuple):
    """The same, and it tells nobody of its teleports."""

    x: float

    position = Train.position
    velocity, yaw, pitch, grounded = (6.0, 0.0, 0.0), 0.0, 0.0, True


class Line:
    """A motor with a line from ``begin`` to ``end``."""

    def __init__(self, state: type[Any], begin: float, end: float) -> None:
        self.state, self.begin, self.end = state, begin, end

    def spawn(self, peer_id: int) -> Any:
        return self.state(self.begin)

    def step(self, state: Any, command: Go) -> Any:
        x = state.x + 0.1
        if x < self.end:
            return state._replace(x=x)
        if isinstance(state, Train):
            return Train(self.begin, (state.teleports + 1) % 256)
        return Silent(self.begin)


def game(state: type[Any], *, begin: float, end: float) -> DeclaredProfile:
    fields: dict[str, Any] = {"x": Real(-100, 100, steps=1000)}
    if state is Train:
        fields["teleports"] = Whole(0, 255, public=True)
    return DeclaredProfile(
        game_id="line", version=1, motor=Line(state, begin, end), state=state, state_fields=fields,
        command=Go, command_fields={"go": Flag()},
    )  # fmt: skip


def drawn_by(field: Field, watcher: Client, seconds: float, *, own: bool = False) -> list[float]:
    """Every position along x at which a player was drawn."""
    drawn: list[float] = []

    def draw() -> None:
        if own and watcher.player is not None:
            drawn.append(watcher.player.x + watcher.view_offset(1 / 60)[0])
        for view in watcher.others(now=field.network.now).values():
            if not own:
                drawn.append(view.position[0])

    field.network.every(1 / 60, draw, phase=0.011)
    field.run(seconds)
    return drawn


@pytest.mark.parametrize("hermite", [False, True])
@pytest.mark.parametrize(
    ("state", "begin", "end"), [(Train, -10.0, 10.0), (Silent, -10.0, 10.0), (Train, 0.0, 3.0)],
    ids=["declared", "recognised by its distance", "short and declared"],
)  # fmt: skip
def test_a_teleport_of_another_player_is_never_drawn_through_the_middle(
    state: type[Any], begin: float, end: float, hermite: bool
) -> None:
    """The player moves forward only: a step back that is drawn must be the whole way."""
    profile = game(state, begin=begin, end=end)
    field = Field(profile=profile, conditions=Conditions(latency=0.06, jitter=0.01, loss=0.02), seed=2)
    field.join("train", bot=Idle())
    watcher = field.join("watcher", bot=Idle(), config=ClientConfig(hermite=hermite))
    field.run(2.0)
    drawn = drawn_by(field, watcher, 12.0)
    # With extrapolation and its correction, a step back of a few centimetres is not a teleport.
    back = [(a, b) for a, b in pairwise(drawn) if b < a - 0.3]
    assert back
    length = end - begin
    assert all(a - b > length - 0.9 for a, b in back), back


def test_a_teleport_that_the_client_did_not_predict_is_shown_at_once_if_declared() -> None:
    """The server's line ends a metre earlier than the client's: less than what is smoothed otherwise."""
    worst = {}
    for state in (Train, Silent):
        field = Field(profile=game(state, begin=0.0, end=1.0))
        watcher = field.join("a", bot=Idle(), profile=game(state, begin=0.0, end=50.0))
        field.run(1.0)
        offsets: list[float] = []

        def draw(watcher: Client = watcher, offsets: list[float] = offsets) -> None:
            offsets.append(abs(watcher.view_offset(1 / 60)[0]))

        field.network.every(1 / 60, draw, phase=0.011)
        field.run(4.0)
        corrections = [event.correction for event in field.of("a", Reconciled)]
        assert max(corrections) > 0.5
        worst[state] = max(offsets)
    assert worst[Train] == 0.0
    assert worst[Silent] > 0.3, "without a declaration it is a correction as any other"


@pytest.mark.parametrize("state", [Train, Silent])
def test_what_is_left_of_a_correction_does_not_follow_a_player_through_a_teleport(state: type[Any]) -> None:
    field = Field(profile=game(state, begin=-10.0, end=10.0))
    client = field.join("a", bot=Idle())
    field.run(1.0)
    prediction = client.prediction
    assert prediction is not None
    seen: list[tuple[float, float]] = []

    def draw() -> None:
        prediction.smoothing.body.push(0.5, 0.0, 0.0, 0.1)
        before = prediction.state.x
        client.tick(Go(0, 0, 0), now=field.network.now)
        if prediction.state.x < before - 1:
            seen.append((prediction.state.x, prediction.smoothing.advance(1 / 60)[0]))

    field.network.every(1 / 60, draw, phase=0.001)
    field.run(8.0)
    assert seen
    assert all(offset == 0.0 for _, offset in seen)


def test_a_counter_of_teleports_that_others_cannot_see_is_refused() -> None:
    with pytest.raises(UsageError, match="'teleports' of the state must be public"):
        DeclaredProfile(
            game_id="line", version=1, motor=Line(Train, 0, 1), state=Train,
            state_fields={"x": Real(0, 1, steps=9), "teleports": Whole(0, 9)},
            command=Go, command_fields={"go": Flag()},
        )  # fmt: skip


def at(x: float, vx: float = 0.0) -> RunnerState:
    return RunnerState(x, 0.0, 0.0, vx=vx)


@given(st.floats(0, 200), st.floats(0.01, 1.0))
def test_a_way_that_its_speed_explains_is_no_teleport(speed: float, seconds: float) -> None:
    assert not is_teleport(at(0.0, speed), at(speed * seconds, speed), seconds)
    assert is_teleport(at(0.0, speed), at(2.1 * speed * seconds + TELEPORT + 0.1, speed), seconds)


def test_a_game_whose_states_have_no_velocity_is_drawn_between_its_snapshots() -> None:
    """Its speed is seen from the snapshots before and after."""
    buffer = RemoteBuffer(60)
    for number in range(6):
        buffer.add(10 + 3 * number, at(15.0 * max(0, number - 1)))
    places = [buffer.sample(10 + tick, max_extrapolation=6) for tick in range(15)]
    steps = [b.position[0] - a.position[0] for a, b in pairwise(places) if a is not None and b is not None]
    assert max(steps) == pytest.approx(5.0)
    assert speed_between(at(0.0), at(1.0), 0.0) == 0.0
