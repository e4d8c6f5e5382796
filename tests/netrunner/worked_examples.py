"""The worked examples of docs/formats/netrunner.md."""

import struct

from retick.games.runner import LocomotionState, RunnerCommand, RunnerState
from retick.host.stats import InputStats
from retick.netrunner import NetRunner, PlayerSnapshot

NET = NetRunner()

WELCOME = bytes.fromhex(
    "030206000000020000003c0000003c000000140000006400000064000000640000000000c03f"
    "0000b2420000104100003442000060413333b33e00000c410000c041030000000000803ecdcc"
    "ccbd58020000"
    "18003333b33e00000c410000c040"
)

COMMAND = bytes.fromhex("0700000069000000010000008988883c000000000000803f030000003f000080be")

STATE = bytes.fromhex(
    "02000000620000000000c03f3333b3be000080c00000000000000000000010c10000003f0000"
    "80be010c000000000000004e0200000300000007000000000000000500000006000000000016"
    "43000008410a0b0d00007f"
)

STANDING = struct.unpack("<f", struct.pack("<f", -0.35))[0]

PLAYER = PlayerSnapshot(
    2,
    98,
    RunnerState(1.5, STANDING, -4.0, 0.0, 0.0, -9.0, 0.5, -0.25, True).with_locomotion(
        LocomotionState(2, 11, (-1.0, 0.0, 0.0), 13, 0)
    ),
    InputStats(12, 0, 590, 3, 7, 0, 5, 6, 150.0, 8.5),
)

ORDER = RunnerCommand(7, 105, 1, struct.unpack("<f", struct.pack("<f", 1 / 60))[0], 0.0, 1.0, 3, 0.5, -0.25)
