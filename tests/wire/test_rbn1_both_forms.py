"""RBN1 compiled and as Python source: the same bytes, the same packets, and the same words to the same misuse."""

from collections.abc import Iterator
from enum import IntEnum
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.wire import rbn1
from retick.wire.rbn1 import InputRun
from tests.effort import examples
from tests.twin import Twin, outcome


class Whole(int):
    """An application's own kind of number."""


class Octets(bytes):
    """An application's own kind of bytes."""


class Named(IntEnum):
    ONE = 1
    SEVEN = 7


ODD = (0, 1, 7, -1, 0xFFFF, 1 << 16, 0xFFFFFFFF, 1 << 32, 1 << 63, -(1 << 80), True, 1.5, None, "2", b"3", Named.SEVEN)
"""What stands where a number should; most of it must be refused."""


def number(dice: Random, most: int) -> Any:
    """Mostly a number that fits."""
    kind = dice.randrange(12)
    if kind == 0:
        return dice.choice((*ODD, Whole(dice.randint(0, most)), float("nan"), ()))
    return Whole(dice.randint(0, most)) if kind == 1 else dice.randint(0, most)


def block(dice: Random) -> Any:
    kind = dice.randrange(8)
    if kind == 0:
        return dice.choice((*ODD, (1,), (1, 2, 3), [1, 2]))
    return rbn1.TimeSync(number(dice, 0xFFFF), number(dice, 0x7FFF)) if kind < 4 else None


def packet(dice: Random) -> Any:
    count = dice.choice((0, 1, 2, 5, 8, 31, 32, 33, 200))
    inputs: Any = [number(dice, 0xFFFF) for _ in range(count)]
    made = rbn1.InputPacket(number(dice, 0xFFFFFFFF), number(dice, 0xFFFFFFFF), dice.choice((tuple, list))(inputs))
    if dice.randrange(2) == 0 and type(made.start_frame) is int:
        made = made._replace(ack_frame=made.start_frame + dice.randint(-3, 3), inputs=type(inputs)(inputs[:1] * count))
    if dice.randrange(3) == 0:
        made = made._replace(checksum_frame=number(dice, 0xFFFFFFFF), checksum=number(dice, 0xFFFFFFFF))
    if dice.randrange(3) == 0:
        made = made._replace(time_sync=block(dice), loss_stats=block(dice))
    if dice.randrange(3) == 0:
        made = made._replace(input_size=number(dice, 8), seats=number(dice, 8))
    if dice.randrange(20) == 0:
        made = made._replace(inputs=dice.choice((*ODD, {}, "abc", bytearray(3))))
    return made if dice.randrange(20) else dice.choice((*ODD, (), tuple(made)))


def octets(dice: Random, written: Any) -> Any:
    """Bytes to read: what was just written, with a byte changed, cut, lengthened, or in another form."""
    data = bytearray(written if isinstance(written, bytes) else dice.randbytes(dice.randrange(90)))
    for _ in range(dice.randrange(3)):
        if data:
            data[dice.randrange(min(len(data), 20))] = dice.choice(
                (0, 1, 2, 4, 7, 0x12, 32, 33, 0xA1, 0xA8, 0xF0, 255, dice.randrange(256))
            )
    data = data[: dice.randrange(len(data) + 1)] if dice.randrange(4) == 0 else data + bytes(dice.randrange(2))
    kinds: tuple[Any, ...] = (bytes, bytes, bytearray, memoryview, Octets, lambda d: memoryview(bytes(d) * 2)[::2])
    return dice.choice(kinds)(data) if dice.randrange(30) else dice.choice(ODD)


def turns(dice: Random) -> Iterator[str]:
    for _ in range(40):
        made, extensions = packet(dice), dice.choice((*ODD, 7, 7, 7, 39, 39, 39, 32, 0, Whole(5)))
        try:
            written = rbn1.encode(made, extensions)
        except Exception:
            written = b""
        yield outcome(rbn1.encode, made, extensions)
        buffer: Any = bytearray(dice.choice((0, 15, 40, 1100)))
        yield outcome(rbn1.encode_into, made, buffer, extensions) + buffer.hex()
        data = octets(dice, written)
        yield outcome(rbn1.decode, data, extensions)
        yield outcome(rbn1.try_decode, data, extensions)
        yield outcome(rbn1.decode_fields, data, dice.choice((dice.randrange(8), 32 + dice.randrange(8))))
        run = InputRun(dice.choice((0, 7, rbn1.ALL_EXTENSIONS)))
        if type(data) is bytes:
            told = outcome(run.read, data)
            yield told + (outcome(run.write) if told == "0" else "")


def story(seed: int) -> list[str]:
    return list(turns(Random(seed)))


@pytest.mark.compiled_only
def test_the_reader_and_the_writers_do_the_same_to_anything_in_both_forms(twin: Twin) -> None:

    @settings(max_examples=examples(60))
    @given(st.integers(0, 1 << 32))
    def compare(seed: int) -> None:
        twin.agrees(story, seed)

    compare()


def test_the_story_has_packets_that_are_good_and_all_kinds_that_are_not() -> None:
    lines = [line for seed in range(30) for line in story(seed)]
    words = (
        "b'RBN1",
        "b'\\xa0",
        "InputPacket(",
        "EncodeError: ",
        "Truncated: ",
        "BadMagic: ",
        "LimitExceeded: ",
        "TypeError: ",
    )
    assert [word for word in words if not any(line.startswith(word) for line in lines)] == []
