"""Games from a declaration, and the tutorial's own: nothing of the runner is in them."""

import importlib.util
import struct
import sys
from collections import namedtuple
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.authority import (
    ClientConfig,
    DeclaredProfile,
    Flag,
    InputStats,
    JoinFailed,
    PlayerView,
    Real,
    Server,
    ServerConfig,
    SessionNumbers,
    Whole,
)
from retick.authority.control import Hello, Welcome, decode_control, encode_control
from retick.authority.delta import DeltaCodec
from retick.authority.fields import clamp, code_of, quantise, round32, span_of
from retick.errors import DecodeError, UnsupportedVersion, UsageError
from tests.authority.courses import Field

EXAMPLE = Path(__file__).parents[2] / "examples" / "hover_arena.py"


def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hover_arena", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["hover_arena"] = module
    spec.loader.exec_module(module)
    return module


HOVER = example()
PROFILE: DeclaredProfile = HOVER.HOVER


def test_the_tutorials_game_plays_with_deltas_and_without_corrections() -> None:
    hits, clients, corrections = HOVER.play(seconds=8.0, players=3, seed=2)
    assert sum(hits.values()) > 0
    assert len(corrections) > 200
    assert max(corrections) == 0.0
    for client in clients:
        assert client.stats.refused == 0
        assert client.stats.snapshot_bytes / client.stats.snapshots < 100


class Drifter:
    def decide(self, state: Any) -> Any:
        return HOVER.Held(0.7, -0.3, 1.0, False)


def test_the_same_game_runs_on_fixed_snapshots() -> None:
    field = Field(profile=PROFILE, config=ServerConfig(delta=False))
    client = field.join("a", bot=Drifter())
    field.join("b", bot=Drifter())
    field.run(3.0)
    assert client.stats.snapshots > 40
    assert client.stats.refused == 0
    last = client.player
    assert last is not None
    assert last.x != PROFILE.motor.spawn(2).x


def test_games_do_not_meet_by_mistake() -> None:
    field = Field(profile=PROFILE)
    other = DeclaredProfile(**(PROFILE._given | {"game_id": "example.other"}))
    field.join("a", bot=Drifter(), profile=other, config=ClientConfig())
    field.run(1.0)
    assert field.clients["a"].is_over
    assert field.server.rooms[""].players == {}


axes = st.floats(-3, 3, width=32)


@given(st.integers(1, 2**32 - 1), st.integers(1, 2**32 - 1), axes, axes, axes, st.booleans())
def test_sanitising_twice_changes_nothing_and_bundles_come_back(
    seq: int, tick: int, right: float, down: float, aim: float, fire: bool
) -> None:
    clean = PROFILE.sanitise(HOVER.Wish(seq, tick, 1, right, down, aim, fire))
    assert clean is not None
    assert PROFILE.sanitise(clean) == clean
    assert PROFILE.decode_inputs(PROFILE.encode_inputs([clean, clean])) == [clean, clean]
    assert abs(clean.right) <= 1


def test_what_is_held_over_loses_presses_and_what_is_neutral_keeps_the_look() -> None:
    wish = HOVER.Wish(5, 6, 1, 0.5, 0.5, 1.0, True)
    assert PROFILE.hold(wish) == wish._replace(fire=False)
    assert PROFILE.neutral(wish) == HOVER.Wish(5, 6, 1, 0.0, 0.0, 1.0, False)


def test_a_press_lasts_one_command_and_needs_a_new_key_down() -> None:
    builder = PROFILE.builder()
    held = HOVER.Held(0, 0, 0, True)
    fired = []
    for seq in range(1, 5):
        builder.sample(held if seq != 3 else held._replace(fire=False), None)
        fired.append(builder.build(held, seq=seq, tick=seq, epoch=1).fire)
    assert fired == [True, False, False, True]


@settings(max_examples=60)
@given(st.lists(st.tuples(axes, axes, axes), min_size=1, max_size=30))
def test_a_state_after_any_steps_survives_the_wire_exactly(wishes: list[tuple[float, float, float]]) -> None:
    state = PROFILE.motor.spawn(3)
    for number, (right, down, aim) in enumerate(wishes, 1):
        clean = PROFILE.sanitise(HOVER.Wish(number, number, 1, right, down, aim, number % 3 == 0))
        state = PROFILE.motor.step(state, clean)
    assert PROFILE.layout.exact_state(PROFILE.layout.exact_row(state)) == state
    view = PlayerView(3, 7, state, InputStats())
    assert PROFILE.decode_snapshot(PROFILE.encode_snapshot(9, [view])).players == (view,)


@given(st.binary(max_size=120))
def test_any_bytes_are_a_packet_or_refused(data: bytes) -> None:
    for read in (PROFILE.decode, PROFILE.decode_inputs, PROFILE.decode_snapshot):
        for given_bytes in (data, b"\x01\x02" + data, b"\x02" + data, b"\x03\x02" + data):
            try:
                read(given_bytes)
            except DecodeError:
                continue


def test_control_messages_come_back_and_versions_are_told_apart() -> None:
    welcome = PROFILE.welcome(peer_id=4, delay_ticks=3, server_tick=99)
    assert isinstance(welcome, Welcome)
    assert decode_control(encode_control(welcome), 1) == welcome
    with pytest.raises(UnsupportedVersion):
        decode_control(encode_control(Hello(2)), 1)
    adopted = PROFILE.adopt(welcome._replace(server_tick_rate=30))
    assert adopted.config.server_tick_rate == 30
    with pytest.raises(UsageError):
        PROFILE.adopt(welcome._replace(server_tick_rate=0))


def test_bounds_are_kept_and_contradictions_refused() -> None:
    assert clamp(Whole(-3, 9), 100) == 9
    assert clamp(Real(-1, 1), float("nan")) == 0.0
    assert clamp(Real(-1, 1), 0.1) == round32(0.1)
    with pytest.raises(UsageError):
        Real(1, 1)
    with pytest.raises(UsageError):
        Whole(5, 4)

    class Point(NamedTuple):
        x: float

    class Move(NamedTuple):
        seq: int
        tick: int
        epoch: int
        go: bool

    def declared(**more: Any) -> DeclaredProfile:
        given_fields: dict[str, Any] = {
            "game_id": "x", "version": 1, "motor": HOVER.HoverMotor(), "state": Point, "command": Move,
            "state_fields": {"x": Real(-1, 1, steps=4)}, "command_fields": {"go": Flag()},
        }  # fmt: skip
        return DeclaredProfile(**(given_fields | more))

    assert declared(config=SessionNumbers(max_players=2)).config.max_players == 2
    with pytest.raises(UsageError, match="declare every field"):
        declared(state_fields={"y": Real(-1, 1, steps=4)})
    with pytest.raises(UsageError, match="others see nothing"):
        declared(state_fields={"x": Real(-1, 1)})


class Go(NamedTuple):
    seq: int
    tick: int
    epoch: int
    go: bool = False


def wide_profile(numbers: int, *, players: int = 16, steps: int = 0) -> DeclaredProfile:
    names = [f"n{index}" for index in range(numbers)]
    state: Any = namedtuple("state", ["x", *names])  # type: ignore[misc] # as many fields as the test asks for
    state.position = property(lambda self: (self.x, 0.0, 0.0))
    state.velocity = state.position
    state.yaw = state.pitch = 0.0
    state.grounded = True

    class Motor:
        def spawn(self, peer_id: int) -> Any:
            return state._make([float(peer_id)] * (numbers + 1))

        def step(self, before: Any, command: Any) -> Any:
            return state._make(value + 0.3 for value in before)

    fields: dict[str, Any] = {"x": Real(-1e6, 1e6, steps=100)}
    fields |= {name: Real(-1e6, 1e6, steps=steps) for name in names}
    return DeclaredProfile(
        game_id="wide", version=1, motor=Motor(), state=state, state_fields=fields,
        command=Go, command_fields={"go": Flag()}, config=SessionNumbers(max_players=players),
    )  # fmt: skip


class Idle:
    def decide(self, state: Any) -> Go:
        return Go(0, 0, 0)


def test_a_game_whose_snapshots_pass_a_datagram_is_refused_before_a_room_fills() -> None:
    Server(wide_profile(5), entropy=bytes)
    with pytest.raises(UsageError, match="fixed snapshot of 16 players"):
        Server(wide_profile(40), entropy=bytes, config=ServerConfig(delta=False))
    with pytest.raises(UsageError, match="may take"):
        Server(wide_profile(40, steps=100), entropy=bytes)
    with pytest.raises(UsageError, match="may take"):
        Server(wide_profile(0, players=65), entropy=bytes)


def test_who_takes_no_deltas_is_refused_where_fixed_snapshots_are_too_long() -> None:
    field = Field(profile=wide_profile(40))
    for number in range(9):
        field.join(f"takes deltas {number}", bot=Idle())
    field.join("does not", bot=Idle(), config=ClientConfig(delta=False))
    field.run(1.5)
    assert [client.is_joined for client in field.clients.values()] == [True] * 9 + [False]
    assert all(client.stats.snapshots > 20 for name, client in field.clients.items() if name != "does not")
    assert "delta" in field.of("does not", JoinFailed)[0].text


@pytest.mark.parametrize("players", [1, 2, 16])
def test_no_delta_snapshot_passes_its_stated_largest(players: int) -> None:
    """Everyone gone, everyone new, every counter at its highest."""
    profile = wide_profile(6, steps=1000)
    codec = DeltaCodec(profile.layout)
    stats = InputStats._make((*[2**32 - 1] * 7, 255, 4000.0, 4000.0))
    state = profile.motor.spawn(2)

    def views(first: int) -> list[PlayerView]:
        return [PlayerView(first + number, 2**32 - 1, state, stats) for number in range(players)]

    sender = codec.sender()
    first = sender.encode(sender.share(1, views(2)), 2)
    sender.acknowledge(1)
    later = sender.encode(sender.share(2, views(900)), 900)
    assert max(len(first), len(later)) <= codec.largest(players)


@pytest.mark.parametrize("kind", [Real(0.0, 0.1, steps=25), Real(-0.1, 0.1, steps=5), Real(-2.3, 4.1, steps=45)])
def test_a_value_at_its_bound_fits_its_public_field(kind: Real) -> None:
    _, low, high = span_of("x", kind, exact=False)
    for value in (kind.lowest, kind.highest, -1e9, 1e9):
        assert low <= quantise(kind, clamp(kind, value), exact=False) <= high


def test_whole_numbers_fit_32_bits_one_way_or_the_other() -> None:
    for kind in (Whole(0, 2**32 - 1), Whole(-(2**31), 2**31 - 1)):
        assert struct.pack("<" + code_of(kind), clamp(kind, 2**40)) != struct.pack("<i", 0)
    with pytest.raises(UsageError, match="sign"):
        Whole(-1, 2**31)


@pytest.mark.parametrize(
    "wrong",
    [
        {"server_tick_rate": 0},
        {"server_tick_rate": 1001},
        {"snapshot_rate": -1},
        {"client_tick_rate": 59.5},
        {"max_players": 0},
        {"max_players": 256},
        {"input_delay_ticks": 11},
        {"interpolation_delay_ms": -1},
        {"reconcile_snap_threshold": float("nan")},
        {"reconcile_smooth_ms": "100"},
    ],
)
def test_session_numbers_that_no_session_has_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        SessionNumbers(**wrong)


def test_the_tutorials_snippets_are_the_examples_text() -> None:
    root = Path(__file__).parents[2]
    page = (root / "docs" / "tutorial-server.md").read_text(encoding="utf-8")
    code = EXAMPLE.read_text(encoding="utf-8")
    snippets = [part.split("```")[0] for part in page.split("```python\n")[1:]]
    assert len(snippets) >= 5
    for snippet in snippets:
        assert snippet in code
