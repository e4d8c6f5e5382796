"""Another game than the runner on the same server and client: nothing of the runner is in them."""

from retick.netrunner import ClientConfig, ServerConfig
from tests.netrunner import hover_arena
from tests.netrunner.courses import Field
from tests.netrunner.declared_games import PROFILE, Drifter
from tests.netrunner.declared_profile import DeclaredProfile


def test_another_game_plays_with_deltas_and_without_corrections() -> None:
    hits, clients, corrections = hover_arena.play(seconds=8.0, players=3, seed=2)
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
