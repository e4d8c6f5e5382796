"""RBN1 with all its extensions, varints, bits, the three words of the LAN demo, and messages of the server model."""

from typing import Any, NamedTuple

from fuzz.target import Bug, Target, name_of, of
from retick.errors import DecodeError
from retick.netrunner.messages import ClientHello, ControlMessages, Ping, Pong
from retick.wire import explain, rbn1, varint
from retick.wire.bits import BitReader, BitWriter
from retick.wire.rbn1 import InputRun
from retick.wire.rbn1_layout import PACKED_MARK

__all__ = ["TARGETS"]

ALL = rbn1.ALL_EXTENSIONS
WIDE = [
    rbn1.InputPacket(9, 8, (1, 2, 3, 4, 5, 6), 5, 9, rbn1.TimeSync(1, -1), rbn1.LossStats(1, 1), size, 3)
    for size in (1, 3, 4, 8)
]
PACKETS = [
    rbn1.InputPacket(1, 2, (3,)),
    rbn1.InputPacket(7, 6, (1, 2, 3), 5, 9),
    rbn1.InputPacket(7, 6, (1, 2), 5, 9, rbn1.TimeSync(1, -1), rbn1.LossStats(1, 1)),
    rbn1.InputPacket(0xFFFFFFFF, 0, (0xFFFF,) * 32, None, None, rbn1.TimeSync(65535, -32768)),
    rbn1.InputPacket(100, 98, (0,) * 20 + (4,) * 9 + (260,) * 3, 96, 9),
    rbn1.InputPacket(100, 101, (7,) * 64, None, None, rbn1.TimeSync(1, -1), None, 8, 2),
    *WIDE,
]


def _read_rbn1(data: bytes) -> Any:
    """The first byte names the extensions."""
    return rbn1.decode(data[1:], data[0] if data else 0)


def _law_of_rbn1(data: bytes, packet: rbn1.InputPacket) -> None:
    again = rbn1.encode(packet, data[0])
    is_packed = data[1] & 0xF0 == PACKED_MARK
    # Version 2 with the shape of version 1 is read, but never written. Where both know the packed form, the shorter is.
    is_odd = not is_packed and data[5] == 2 and data[16] == 0x12
    could_be_packed = not is_packed and data[0] & rbn1.PACKED_INPUTS and len(again) < len(data) - 1
    if again != data[1:] and not (is_odd or could_be_packed):
        raise Bug("what was read does not write the same")
    if rbn1.decode(again, data[0]) != packet:
        raise Bug("what was written does not read the same")


def _read_run(data: bytes) -> Any:
    """Read a packet as a session does, in place."""
    run = InputRun(ALL)
    run.read(data)
    return run.write()


def _law_of_run(data: bytes, again: bytes) -> None:
    packet = rbn1.decode(data, ALL)._replace(loss_stats=None)
    if again != rbn1.encode(packet, ALL):
        raise Bug("a session reads or writes something else")


def _explain_rbn1(data: bytes) -> Any:
    found = explain.explain_rbn1(data)
    if (found.fault is None) != (rbn1.try_decode(data, rbn1.ALL_EXTENSIONS) is not None):
        raise Bug("the explainer and the reader disagree")
    return found


def _explain_lan(data: bytes) -> Any:
    return explain.explain_lan(data) if explain.is_lan(data) else None


def _read_bits(data: bytes) -> list[int]:
    """The first bytes select what is read from the rest."""
    count = data[0] & 31 if data else 0
    reader = BitReader(data[1 + count :], strict=not data or data[0] < 128)
    found: list[int] = []
    for what in data[1 : 1 + count]:
        if what < 130:
            found.append(reader.read_bits(what >> 1))
        else:
            reader.align()
            found.append(_ALIGNED[what % len(_ALIGNED)](reader))
    return found


_ALIGNED = (
    BitReader.read_u8, BitReader.read_u16, BitReader.read_u32, BitReader.read_u64, BitReader.read_varuint,
    BitReader.read_varsint, BitReader.read_bit,
)  # fmt: skip


def _bits_seed() -> bytes:
    writer = BitWriter()
    writer.write_bits(5, 3)
    writer.align()
    for value in (1, 300, 70_000):
        writer.write_varuint(value)
    return bytes((5, 6, 130, 131, 137, 138)) + writer.to_bytes() + bytes(range(40))


class _Welcome(NamedTuple):
    version: int
    number: int
    share: float


CONTROL: Any = ControlMessages(_Welcome, "IIf", version=6)
PADDED: Any = ControlMessages(_Welcome, "IIf", version=6, size=20)


def _read_varuint(data: bytes) -> Any:
    strict = varint.decode_varuint(data)
    if varint.decode_varuint(data, 0, strict=False) != strict:
        raise Bug("a lenient reader reads something else")
    return strict


def _law_of_varuint(data: bytes, found: tuple[int, int]) -> None:
    if varint.encode_varuint(found[0]) != data[: found[1]]:
        raise Bug("what was read does not write the same")


def _law_of_varsint(data: bytes, found: tuple[int, int]) -> None:
    if varint.encode_varsint(found[0]) != data[: found[1]]:
        raise Bug("what was read does not write the same")


def _law_of_try(data: bytes, found: Any) -> None:
    try:
        expected = rbn1.decode(data, ALL)
    except DecodeError:
        expected = None
    if found != expected:
        raise Bug("decode and try_decode disagree")


VARINTS = (b"\x00", b"\x7f", b"\x80\x01", b"\xff\xff\xff\xff\x0f", b"\x80\x80\x80\x80\x10", b"\x80\x00")

TARGETS: tuple[Target, ...] = (
    Target(
        name="wire/rbn1",
        read=_read_rbn1,
        seeds=tuple(bytes((known,)) + rbn1.encode(packet, known) for packet in PACKETS for known in (7, ALL)),
        decoders=(name_of(rbn1.decode), name_of(rbn1.decode_fields)),
        law=_law_of_rbn1,
    ),
    of("wire/rbn1-try", rbn1.try_decode, *(rbn1.encode(each, ALL) for each in PACKETS), args=(ALL,), law=_law_of_try),
    Target(
        name="wire/rbn1-run",
        read=_read_run,
        seeds=tuple(rbn1.encode(packet, known) for packet in PACKETS for known in (7, ALL)),
        decoders=(name_of(InputRun.read),),
        law=_law_of_run,
    ),
    of("wire/rbn1-explain", _explain_rbn1, *(rbn1.encode(PACKETS[2], known) for known in (7, ALL)),
       *(rbn1.encode(WIDE[1], known) for known in (7, ALL)),
       also=(explain.explain_rbn1,)),
    of("wire/lan-words", _explain_lan, b"HELLO", b"ACK", b"START", also=(explain.explain_lan,)),
    of("wire/varuint", _read_varuint, *VARINTS, law=_law_of_varuint, also=(varint.decode_varuint,)),
    of("wire/varsint", varint.decode_varsint, *VARINTS, law=_law_of_varsint),
    of("wire/bits", _read_bits, _bits_seed(), also=(BitReader.read_bits, *_ALIGNED)),
    of("wire/control", CONTROL.decode,
       *map(CONTROL.encode, (ClientHello(6), _Welcome(6, 2, 0.5), Ping(1, 2), Pong(1, 2, 3))),
       write=CONTROL.encode),
    of("wire/control-padded", PADDED.decode, *map(PADDED.encode, (ClientHello(6), _Welcome(6, 2, 0.5), Ping(1, 2)))),
)  # fmt: skip
