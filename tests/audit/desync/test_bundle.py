"""Bundles on disk: whole, bounded, strict."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.audit.desync.bundle import Bundle, bundle_of, load_bundle, loads_bundle, save_bundle
from retick.errors import BadMagic, DecodeError, LimitExceeded, UnsupportedVersion, UsageError
from retick.replay import verify
from retick.rollback.desync.investigation import Investigation
from retick.sim.world import WorldSimulation
from tests.audit.desync.desyncs import bundles
from tests.rollback.desync.planted import FieldChanged, UnsavedAttribute, WrongBranch
from tests.rollback.engine.engines import exchange, investigate, play, script_of
from tests.toys import Tally

VECTOR = Path(__file__).parents[2] / "vectors" / "desync" / "fighter-v1.desync"


@pytest.fixture(scope="module")
def pair() -> list[Bundle]:
    return bundles([FieldChanged(), FieldChanged(at=40)], last_agreed=32, record=True)


def test_a_bundle_comes_back_as_it_was_and_is_written_alike_each_time(tmp_path: Path, pair: list[Bundle]) -> None:
    for bundle in pair:
        save_bundle(tmp_path / "a.desync", bundle)
        save_bundle(tmp_path / "b.desync", bundle)
        assert load_bundle(tmp_path / "a.desync") == bundle
        assert loads_bundle((tmp_path / "a.desync").read_bytes()) == bundle
        assert (tmp_path / "a.desync").read_bytes() == (tmp_path / "b.desync").read_bytes()
        assert sorted(file.name for file in tmp_path.iterdir()) == ["a.desync", "b.desync"]


def test_a_bundle_holds_the_states_around_the_difference_and_the_way_there(pair: list[Bundle]) -> None:
    honest, wrong = pair
    game = FieldChanged()
    assert honest.report == wrong.report
    assert honest.agreed_state == wrong.agreed_state
    assert honest.agreed_state is not None
    assert wrong.differing_state is not None
    before, after = game.unpack_state(honest.agreed_state), game.unpack_state(wrong.differing_state)
    assert (before.frame, after.frame) == (40, 41)
    assert after.p1.x == game.step(before, script_of(3, 2)(40)).p1.x + 300
    assert honest.around is not None
    assert wrong.around is not None
    assert honest.around.start_frame == 32
    assert verify(honest.around, game).ok
    assert verify(wrong.around, game).first_bad_frame == 41


class Homebody:
    """A game whose states cannot be packed."""

    num_players = 2

    def __init__(self, at: int | None) -> None:
        self.game = WrongBranch(2, at)
        self.initial_state, self.step = self.game.initial_state, self.game.step
        self.checksum, self.fields = self.game.checksum, self.game.fields


def test_games_whose_states_cannot_be_packed_have_bundles_too(tmp_path: Path) -> None:
    for culprit in (None, 12):
        (bundle, _) = bundles([Homebody(None), Homebody(culprit)], last_agreed=10)
        assert (bundle.report.first_differing is None) is (culprit is None)
        assert bundle.around is bundle.agreed_state is bundle.differing_state is None
        save_bundle(tmp_path / "x", bundle)
        assert load_bundle(tmp_path / "x") == bundle


def test_a_world_that_saves_bytes_has_its_states_in_the_bundle() -> None:
    class Texts(UnsavedAttribute):
        def save(self) -> Any:
            return super().save().decode()

        def load(self, saved: Any) -> None:
            super().load(saved.encode())

    for world, travels in ((UnsavedAttribute, True), (Texts, False)):
        worlds = [world(), world()]
        worlds[1].combo = 5
        (bundle, _) = bundles([WorldSimulation(one) for one in worlds], last_agreed=1)
        assert bundle.report.first_differing is not None
        assert (bundle.agreed_state is not None) is travels


def test_a_bundle_of_version_1_is_read_and_written_as_it_always_was(tmp_path: Path) -> None:
    # Written before attributes were renamed to say peer; nobody changes it.
    with zipfile.ZipFile(VECTOR) as archive:
        before = {name: archive.read(name) for name in archive.namelist()}
    bundle = load_bundle(VECTOR)
    assert (bundle.peer_id, bundle.report.first_differing, sorted(bundle.recordings)) == (1, 41, [0, 1])
    save_bundle(tmp_path / "again", bundle)
    with zipfile.ZipFile(tmp_path / "again") as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == before


def test_an_unfinished_investigation_makes_no_bundle() -> None:
    (one, _) = investigate(play([Tally(2), Tally(2)], script_of(1, 2), 20), 16, 0)
    with pytest.raises(UsageError, match="not finished"):
        bundle_of(one, Tally(2), seed=1)


def finished(sims: list[Any]) -> list[Investigation]:
    investigations = investigate(play(sims, script_of(3, 2), 60), 48, -1)
    exchange(investigations)
    return investigations


def test_a_seed_that_does_not_belong_to_the_match_is_refused() -> None:
    sims = [FieldChanged(), FieldChanged(at=40)]
    (one, _) = finished(sims)
    with pytest.raises(UsageError, match=r"seed 8 gives a first state with checksum 0x.*, but this match began with"):
        bundle_of(one, sims[0], seed=8)
    assert bundle_of(one, sims[0], seed=7).around is not None


def test_a_seed_that_is_not_the_recordings_is_refused(pair: list[Bundle]) -> None:
    sims = [FieldChanged(), FieldChanged(at=40)]
    (one, _) = finished(sims)
    recordings = {1: pair[0].recordings[0].replace(seed=9)}
    with pytest.raises(UsageError, match=r"seed 7 differs from the seed 9 of peer 1.s recording"):
        bundle_of(one, sims[0], seed=7, recordings=recordings)


def test_a_game_that_packs_its_state_needs_no_seed() -> None:
    sims = [FieldChanged(), FieldChanged(at=40)]
    (one, _) = finished(sims)
    around = bundle_of(one, sims[0]).around
    assert around is not None
    assert around.start_state is not None
    verdict = verify(around, sims[0])
    assert verdict.ok
    assert verdict.compared


class TestStrictReading:
    """Bundles come from other peers."""

    def write(self, path: Path, **parts: bytes) -> Path:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in parts.items():
                archive.writestr(name.replace("__", "/").replace("_", "."), data)
        return path

    def test_what_is_no_bundle_is_refused_by_name(self, tmp_path: Path, pair: list[Bundle]) -> None:
        save_bundle(tmp_path / "good", pair[0])
        with zipfile.ZipFile(tmp_path / "good") as archive:
            head = json.loads(archive.read("bundle.json"))
        path = tmp_path / "bad"
        path.write_bytes(b"no archive")
        with pytest.raises(BadMagic):
            load_bundle(path)
        with pytest.raises(BadMagic):
            load_bundle(self.write(path, around_rtk=b""))
        with pytest.raises(BadMagic):
            load_bundle(self.write(path, bundle_json=b"{}"))
        with pytest.raises(DecodeError, match="not JSON"):
            load_bundle(self.write(path, bundle_json=b"[" * 100_000))
        with pytest.raises(UnsupportedVersion):
            load_bundle(self.write(path, bundle_json=json.dumps({**head, "retick_desync": 2}).encode()))
        for change in ({"machine": 300}, {"machine": True}, {"game": 5}, {"game": "\n"}, {"report": []}):
            with pytest.raises(DecodeError):
                load_bundle(self.write(path, bundle_json=json.dumps({**head, **change}).encode()))
        whole = json.dumps(head).encode()
        for name in ("recordings__256_rtk", "recordings__x_rtk", "__etc__passwd", "____up"):
            with pytest.raises(DecodeError, match="no file called"):
                load_bundle(self.write(path, bundle_json=whole, **{name: b""}))
        with pytest.raises(DecodeError):
            load_bundle(self.write(path, bundle_json=whole, around_rtk=b"no recording"))

    def test_a_bomb_is_refused_before_it_goes_off(self, tmp_path: Path) -> None:
        with pytest.raises(LimitExceeded):
            load_bundle(self.write(tmp_path / "bomb", bundle_json=b" " * (5 * 1024 * 1024)))
        many = {f"recordings__{number}_rtk": b"" for number in range(21)}
        with pytest.raises(LimitExceeded):
            load_bundle(self.write(tmp_path / "many", **many))

    @given(data=st.data())
    def test_a_damaged_file_is_a_bundle_or_a_decode_error(
        self, pair: list[Bundle], tmp_path_factory: pytest.TempPathFactory, data: Any
    ) -> None:
        path = tmp_path_factory.getbasetemp() / "damaged"
        save_bundle(path, pair[0])
        raw = bytearray(path.read_bytes())
        for _ in range(data.draw(st.integers(1, 3))):
            raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
        path.write_bytes(raw[: data.draw(st.integers(0, len(raw)))])
        try:
            load_bundle(path)
        except DecodeError:
            return
