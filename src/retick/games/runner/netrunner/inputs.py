"""The input bundle, 167 bytes from client to server.

::

    0         u8   1, the packet type
    1         u8   count of commands, 1..5
    2 + 33*i  command i, newest first
       +0   u32  seq      +4   u32  tick    +8   u32  epoch
       +12  f32  dt       +16  f32  move x  +20  f32  move y
       +24  u8   buttons  +25  f32  yaw     +29  f32  pitch

Little-endian, always of full length. Slots past the count are zero when written and not looked at when read. Whether a
command is acceptable is decided for each one by the server: see motor/commands.py.
"""

# retick: floats -- binary32 fields, carried as they are

import struct
from collections.abc import Sequence
from typing import Final

from retick.errors import EncodeError, InvalidValue, LimitExceeded
from retick.games.runner.motor.commands import Command
from retick.games.runner.netrunner.framing import INPUT_BUNDLE, check_packet

__all__ = ["BUNDLE_SIZE", "COMMAND_SIZE", "MAX_COMMANDS", "decode_inputs", "encode_inputs"]

MAX_COMMANDS: Final = 5
_HEADER: Final = struct.Struct("<BB")
_COMMAND: Final = struct.Struct("<IIIfffBff")
COMMAND_SIZE: Final = _COMMAND.size
BUNDLE_SIZE: Final = _HEADER.size + MAX_COMMANDS * COMMAND_SIZE


def encode_inputs(commands: Sequence[Command]) -> bytes:
    """The bundle of one to five commands, the newest first."""
    if not 1 <= len(commands) <= MAX_COMMANDS:
        raise EncodeError(f"a bundle holds 1 to {MAX_COMMANDS} commands, not {len(commands)}")
    bundle = bytearray(BUNDLE_SIZE)
    try:
        _HEADER.pack_into(bundle, 0, INPUT_BUNDLE, len(commands))
        for index, command in enumerate(commands):
            _COMMAND.pack_into(bundle, _HEADER.size + index * COMMAND_SIZE, *command)
    except (struct.error, OverflowError) as error:
        raise EncodeError(f"a command does not fit its 33 bytes: {error}") from None
    return bytes(bundle)


def decode_inputs(data: bytes) -> tuple[Command, ...]:
    """The commands of a bundle, in packet order, or a DecodeError."""
    check_packet(data, INPUT_BUNDLE, BUNDLE_SIZE, "an input bundle")
    count = data[1]
    if count == 0:
        raise InvalidValue("an input bundle without commands")
    if count > MAX_COMMANDS:
        raise LimitExceeded(
            f"an input bundle holds at most {MAX_COMMANDS} commands, not {count}",
            what="commands",
            limit=MAX_COMMANDS,
            actual=count,
        )
    end = _HEADER.size + count * COMMAND_SIZE
    return tuple(map(Command._make, _COMMAND.iter_unpack(memoryview(data)[_HEADER.size : end])))
