"""Fuzzes the snapshot decoder: any bytes decode or raise DecodeError, and what decodes encodes to the same state.

The first byte chooses schema, version, strictness and what the rest is. See guided.py for how to run it. The kernels
are traced only as sources: run with RETICK_PURE=1 for guidance inside them, and without it to try the compiled ones.
"""

from guided import main

from retick.errors import DecodeError
from retick.snapshot import Bool, Codec, Component, Field, Fixed, Schema, SInt, Snapshot, UInt, VarSInt, VarUInt
from retick.snapshot.inspect import inspect_packet

__all__ = ["CORPUS", "target"]

PLAIN = Schema([Component(1, [Field(1, UInt(10)), Field(2, Fixed(min_q=-5, max_q=5, scale=1)), Field(3, Bool())])])
MIXED = Schema(
    [
        Component(1, [Field(1, VarUInt()), Field(2, SInt(64)), Field(3, VarSInt(), threshold=2)]),
        Component(2, []),
        Component(5, [Field(1, UInt(57)), Field(2, Fixed(min_q=7, max_q=7, scale=1)), Field(3, UInt(64))]),
    ]
)
BASES = {
    PLAIN: Snapshot.of(PLAIN, tick=5, entities={at: {1: (at, 0, True)} for at in (1, 2, 300)}),
    MIXED: Snapshot.of(MIXED, tick=5, entities={1: {1: (9, -9, 9), 2: ()}, 4: {5: (1, 7, 2)}, 9: {}}),
}
NEXT = {
    PLAIN: Snapshot.of(PLAIN, tick=6, entities={at: {1: (at, 3, at > 2)} for at in (1, 300, 301)}),
    MIXED: Snapshot.of(MIXED, tick=6, entities={1: {1: (700, -9, 0), 2: ()}, 4: {5: (1, 7, 5)}, 8: {2: ()}}),
}
CODECS = [
    Codec(schema, version=version, strict=strict)
    for schema in (PLAIN, MIXED)
    for version in (0, 2)
    for strict in (True, False)
]


def target(data: bytes) -> None:
    choice = data[0] if data else 0
    codec = CODECS[choice & 7]
    packet = data[1:]
    base = BASES[codec.schema]
    before = codec.encode_full(base)
    try:
        if choice & 8 and codec.version == 2:
            result = codec.apply_frame(base, packet, last_tick=5)
        elif choice & 16:
            result = codec.apply_delta(base, packet)
        else:
            result = codec.decode_full(packet)
            report = inspect_packet(packet, codec.schema, strict=codec.strict)
            assert sum(report.costs.values()) == 8 * len(packet), "bits are missing from the costs"
    except DecodeError as error:
        if not error.code:
            raise AssertionError("an error without a code") from error
        return
    finally:
        assert codec.encode_full(base) == before, "the baseline changed"
    assert codec.decode_full(codec.encode_full(result)).to_dict() == result.to_dict()


def _corpus() -> list[bytes]:
    found = []
    for number, codec in enumerate(CODECS):
        base, current = BASES[codec.schema], NEXT[codec.schema]
        found.append(bytes((number,)) + codec.encode_full(current))
        found.append(bytes((number | 16,)) + codec.encode_delta(base, current))
        if codec.version == 2:
            found.append(bytes((number | 16,)) + codec.encode_delta(base, current, packed=True))
            found.append(bytes((number | 8,)) + codec.encode_frame(base, current, last_tick=5))
    return found


CORPUS = _corpus()

if __name__ == "__main__":
    main(target, CORPUS)
