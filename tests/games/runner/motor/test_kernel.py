"""The same commands give the same bits: again, through the wire, compiled or not, here and elsewhere."""

import hashlib
import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from retick.games.runner import CourseBot, RunnerCommand, RunnerState
from retick.games.runner.locomotion import LocomotionState
from retick.host.stats import InputStats
from retick.netrunner import NetRunner, PlayerSnapshot
from retick.sim.prng import XorShift32
from retick.wire.values import round32

ROW = struct.Struct("<8f?BB3dBB")

PINNED = "93998be4bbfd7ec3c5923ac98a56e8d5753f3367d7714f59cb6f4d3a7708bac5"


def bits(state: RunnerState) -> bytes:
    """Every bit of a state; positions, velocities and looks must be binary32 for this to be all of it."""
    packed = ROW.pack(*state)
    assert ROW.unpack(packed) == tuple(state)
    return packed


def scripted_commands(seed: int, count: int) -> list[RunnerCommand]:
    """Commands from integers alone, so that no C library has a say in them."""
    found, draw = [], XorShift32.seeded(seed)
    move_x = move_y = yaw = 0.0
    for tick in range(1, count + 1):
        value, draw = draw.next()
        if value % 24 == 0:
            move_x, move_y = (value >> 8 & 255) / 128 - 1, (value >> 16 & 255) / 128 - 1
            yaw = (value >> 12 & 4095) / 2048 * 3.0 - 3.0
        found.append(RunnerCommand(tick, tick, 1, 0.0, move_x, move_y, int(value % 16 == 1), round32(yaw), 0.0))
    return found


def long_run(seed: int, count: int = 2000) -> bytes:
    net = NetRunner()
    state = net.motor.spawn(seed)
    digest = hashlib.sha256()
    for command in scripted_commands(seed, count):
        sane = net.sanitise(command)
        assert sane is not None
        state = net.motor.step(state, sane)
        digest.update(bits(state))
    return digest.digest()


def wild_steps(count: int = 2000) -> bytes:
    """One step from each of many unrelated states: branches that a run from the start seldom takes."""
    net, draw, digest = NetRunner(), XorShift32.seeded(99), hashlib.sha256()
    for command in scripted_commands(5, count):
        values = []
        for _ in range(12):
            value, draw = draw.next()
            values.append(value)
        numbers = [round32((value >> 16) / 2048 - 16) for value in values[:6]]
        normal = ((values[6] >> 24) - 128.0, 0.0 if values[9] & 1 else 20.0, (values[7] >> 24) - 128.0)
        state = RunnerState(*numbers, grounded=bool(values[8] & 1)).with_locomotion(
            LocomotionState(values[9] % 5, values[10] & 255, normal, values[11] & 31, 0)
        )
        sane = net.sanitise(command)
        assert sane is not None
        digest.update(bits(net.motor.step(state, sane)))
    return digest.digest()


def digest_of_everything() -> str:
    return hashlib.sha256(long_run(2) + long_run(11) + wild_steps()).hexdigest()


def test_the_same_commands_give_the_same_bits() -> None:
    assert long_run(3) == long_run(3)
    assert long_run(3) != long_run(4)


def test_the_runs_are_the_ones_that_were_pinned() -> None:
    """Pinned from the first motor that passed the specification's checks. It changes only with the rules of motion.

    A difference on some machine means that its arithmetic is not IEEE 754 binary64, operation by operation.
    """
    assert digest_of_everything() == PINNED


@pytest.mark.compiled_only
def test_the_compiled_and_the_python_form_agree_on_every_bit() -> None:
    environment = os.environ | {"RETICK_PURE": "1", "PYTHONPATH": str(Path(__file__).parent)}
    script = "import retick, test_kernel as t;assert not retick.is_compiled(); print(t.digest_of_everything())"
    other = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert other.stdout.strip() == digest_of_everything()


def test_a_run_through_the_wire_at_every_tick_is_the_same_run() -> None:
    net, bot = NetRunner(), CourseBot(7)
    kept = sent = net.motor.spawn(2)
    builder, modes = net.builder(), set()
    for tick in range(1, 1500):
        intent = bot.decide(kept)
        builder.sample(intent, kept)
        command = builder.build(intent, seq=tick, tick=tick, epoch=1)
        kept = net.motor.step(kept, command)
        (received,) = net.decode_inputs(net.encode_inputs([command]))
        consumed = net.sanitise(received)
        assert consumed is not None
        stepped = net.motor.step(sent, consumed)
        packet = net.encode_snapshot(tick, [PlayerSnapshot(2, tick, stepped, InputStats())])
        sent = net.decode_snapshot(packet).players[0].state
        assert bits(sent) == bits(kept), tick
        modes.add(kept.mode)
    assert modes == {0, 1, 2}


def test_forgetting_locomotion_changes_the_run_so_the_test_above_can_see_it() -> None:
    net, bot = NetRunner(), CourseBot(7)
    kept, builder, differing = net.motor.spawn(2), net.builder(), 0
    for tick in range(1, 1500):
        intent = bot.decide(kept)
        builder.sample(intent, kept)
        command = builder.build(intent, seq=tick, tick=tick, epoch=1)
        differing += bits(net.motor.step(net.forget(kept), command))[:24] != bits(net.motor.step(kept, command))[:24]
        kept = net.motor.step(kept, command)
    assert differing > 20
