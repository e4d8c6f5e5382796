"""The laws of declared worlds, over a world that has a field of every kind."""

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.errors import DecodeError
from retick.rollback.engine.engine import RollbackEngine, SyncTest
from tests.effort import examples
from tests.sim.world.zoo import Zoo, played, story
from tests.twin import Twin

ROOT = Path(__file__).parents[3]
PRESSED = st.tuples(st.integers(0, 0xFFF), st.integers(0, 0xFFF))
MATCHES = st.lists(PRESSED, max_size=30)


@given(MATCHES)
def test_saving_after_loading_gives_the_same_bytes(inputs: list[tuple[int, int]]) -> None:
    zoo, states = played(inputs)
    other = Zoo()
    for state in reversed(states):
        other.load(state.saved)
        assert other.save() == state.saved
        assert other.fields() == zoo.fields(state)
        assert zoo.diff(other) == ()


@given(MATCHES, st.data())
def test_loading_and_advancing_is_advancing_without_loading(inputs: list[tuple[int, int]], data: st.DataObject) -> None:
    zoo, states = played(inputs)
    straight = Zoo()
    straight.reset(1)
    for frame, pressed in enumerate(inputs):
        straight._advance(pressed)
        assert straight.save() == states[frame + 1].saved
    for _ in range(3):
        at = data.draw(st.integers(0, len(states) - 1))
        state = states[at]
        for frame in range(at, min(at + 8, len(inputs))):
            state = zoo.step(state, inputs[frame])
            assert state == states[frame + 1]
            assert state.cues == states[frame + 1].cues


@given(MATCHES, st.integers(0, 7))
@settings(max_examples=40)
def test_a_world_in_rollback_ends_where_it_ends_when_run_straight(inputs: list[tuple[int, int]], late: int) -> None:
    _, states = played(inputs)
    zoo = Zoo()
    for sparse in (False, True):
        engine = RollbackEngine(zoo, zoo.initial_state(1), local_player=0, history=64, sparse_saving=sparse)
        for frame, pressed in enumerate(inputs):
            engine.advance(pressed[0])
            if frame >= late:
                engine.add_remote_inputs(1, frame - late, [inputs[frame - late][1]])
        for frame in range(max(0, len(inputs) - late), len(inputs)):
            engine.add_remote_inputs(1, frame, [inputs[frame][1]])
        assert zoo.checksum(engine.state) == zoo.checksum(states[-1])


@given(MATCHES)
@settings(max_examples=40)
def test_the_sync_test_finds_nothing(inputs: list[tuple[int, int]]) -> None:
    zoo = Zoo()
    test = SyncTest(zoo, zoo.initial_state(1), distance=4)
    for pressed in inputs:
        test.advance(pressed)


def test_processes_with_other_hash_seeds_compiled_or_not_save_the_same_bytes() -> None:
    inputs = [((frame * 7) % 4096, (frame * 1234577) % 4096) for frame in range(120)]
    code = f"from tests.sim.world.zoo import story; import zlib; print(zlib.crc32(repr(story({inputs}, 9)).encode()))"
    found = set()
    for hash_seed, pure in (("1", "1"), ("2", ""), ("3", "1"), ("4", "")):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "RETICK_PURE": pure}
        run = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, cwd=ROOT
        )
        found.add(run.stdout)
    assert len(found) == 1


@given(MATCHES, st.integers(1, 1 << 31))
@settings(max_examples=30)
def test_both_forms_tell_the_same_story(twin: Twin, inputs: list[tuple[int, int]], seed: int) -> None:
    twin.agrees(story, inputs, seed)


@given(MATCHES, st.data())
@settings(max_examples=examples(200))
def test_any_bytes_decode_or_are_refused_and_the_instance_is_unchanged(
    inputs: list[tuple[int, int]], data: st.DataObject
) -> None:
    zoo, states = played(inputs)
    zoo.load(states[-1].saved)
    before = zoo.save()
    objects = [id(animal) for animal in zoo.animals]
    mutated = bytearray(states[0].saved if data.draw(st.booleans()) else before)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(9, len(mutated) - 1))  # behind the CRC of the declaration
        mutated[at] = data.draw(st.sampled_from((0, 1, 2, 0x7F, 0x80, 0xF8, 0xFF)))
    cut = data.draw(st.sampled_from((len(mutated), len(mutated), len(mutated) - 1, len(mutated) // 2)))
    wrong = bytes(mutated[:cut])
    try:
        state = zoo.unpack_state(wrong)
    except DecodeError:
        with pytest.raises(DecodeError):
            zoo.load(wrong)
        assert [id(animal) for animal in zoo.animals] == objects
        assert zoo.save() == before
    else:
        assert zoo.save() == before
        zoo.load(wrong)
        assert zoo.save() == wrong == state.saved
        zoo.step(state, (0x10, 0x20))


@given(st.binary(max_size=80))
def test_bytes_that_are_no_world_are_refused(data: bytes) -> None:
    for wrong in (data, Zoo().save()[:13] + data):
        try:
            Zoo().load(wrong)
        except DecodeError:
            continue
        assert wrong == Zoo().save()


@given(MATCHES)
@settings(max_examples=20)
def test_a_copy_is_another_world_in_the_same_state(inputs: list[tuple[int, int]]) -> None:
    zoo, states = played(inputs)
    for other in (copy.deepcopy(zoo), pickle.loads(pickle.dumps(zoo))):
        assert other is not zoo
        assert other.save() == states[-1].saved
