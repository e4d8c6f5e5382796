"""Any bytes decode or raise a DecodeError."""

import contextlib
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from retick.errors import DecodeError
from retick.snapshot import Codec, Snapshot
from tests.effort import examples
from tests.snapshot.sdec import cases, schema_named

VERSIONS = st.sampled_from([0, 2])

MIXED = schema_named("neg_mix")

BASE = Snapshot.of(
    MIXED, tick=50, entities={5: {1: (True, 5), 2: (300, -5, 7), 7: (False,)}, 9: {1: (False, 0)}, 300: {2: (0, 5, -8)}}
)

GOOD = [
    bytes.fromhex(case["packet"])
    for case in cases("quirks")
    if case["schema"] == "neg_mix" and len(case["packet"]) < 200
]


def mutated(data: Any) -> bytes:
    packet = bytearray(data.draw(st.sampled_from(GOOD)))
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, max(0, len(packet) - 1)))
        if data.draw(st.booleans()):
            packet[at : at + 1] = data.draw(st.binary(max_size=3))
        elif packet:
            packet[at] ^= 1 << data.draw(st.integers(0, 7))
    if data.draw(st.booleans()) and len(packet) >= 28:
        packet[24:28] = (len(packet) - 28).to_bytes(4, "little")
    return bytes(packet)


@settings(max_examples=examples(400), deadline=None)
@given(st.data(), VERSIONS, st.booleans())
def test_any_bytes_decode_or_raise_a_decode_error(data: Any, version: int, strict: bool) -> None:
    packet = data.draw(st.binary(max_size=80)) if data.draw(st.integers(0, 3)) == 0 else mutated(data)
    codec = Codec(MIXED, version=version, strict=strict)
    calls: list[Any] = [codec.decode_full, lambda p: codec.apply_delta(BASE, p)]
    if version == 2:
        calls += [codec.decode_session_init, lambda p: codec.apply_frame(BASE, p, last_tick=40)]
    before = BASE.to_dict()
    for call in calls:
        with contextlib.suppress(DecodeError):
            result = call(packet)
            if isinstance(result, Snapshot):
                again = Codec(MIXED, version=version)
                assert again.decode_full(again.encode_full(result)).to_dict() == result.to_dict()
    assert BASE.to_dict() == before
