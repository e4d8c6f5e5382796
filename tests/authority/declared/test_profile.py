"""Games from a declaration, and the tutorial's own: nothing of the runner is in them."""

from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.authority import (
    ClientConfig,
    DeclaredProfile,
    Flag,
    InputStats,
    PlayerView,
    Real,
    ServerConfig,
    SessionNumbers,
    Whole,
)
from retick.authority.declared.fields import clamp
from retick.errors import DecodeError, UsageError
from retick.wire.binary32 import round32
from tests.authority.courses import Field
from tests.authority.declared_games import EXAMPLE, HOVER, PROFILE, Drifter
from tests.effort import examples


def test_the_tutorials_game_plays_with_deltas_and_without_corrections() -> None:
    hits, clients, corrections = HOVER.play(seconds=8.0, players=3, seed=2)
    assert sum(hits.values()) > 0
    assert len(corrections) > 200
    assert max(corrections) == 0.0
    for client in clients:
        assert client.stats.refused == 0
        assert client.stats.snapshot_bytes / client.stats.snapshots < 100


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


@settings(max_examples=examples(60))
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


def test_bounds_are_kept_and_contradictions_refused() -> None:
    assert clamp(Whole(-3, 9), 100) == 9
    assert clamp(Real(-1, 1), float("nan")) == 0.0
    assert clamp(Real(-1, 1), 0.1) == round32(0.1)

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
    with pytest.raises(UsageError, match="field 'x' of the state: bounds"):
        declared(state_fields={"x": Real(1, 1)})
    with pytest.raises(UsageError, match="field 'go' of the command must be"):
        declared(command_fields={"go": bool})
    with pytest.raises(UsageError, match="begins with the fields seq, tick, epoch"):
        declared(command=Point)
    with pytest.raises(UsageError, match="not both"):
        declared(judge=lambda *shot: [], judge_in_room=lambda *shot: [])
    with pytest.raises(UsageError, match="others see nothing"):
        declared(state_fields={"x": Real(-1, 1)})


def test_the_tutorials_snippets_are_the_examples_text() -> None:
    root = Path(__file__).parents[3]
    page = (root / "docs" / "tutorial-server.md").read_text(encoding="utf-8")
    code = EXAMPLE.read_text(encoding="utf-8")
    snippets = [part.split("```")[0] for part in page.split("```python\n")[1:]]
    assert len(snippets) >= 5
    for snippet in snippets:
        assert snippet in code
