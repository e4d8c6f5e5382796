"""Every section is found, and its head checked, before any body is looked at."""

import pytest

from retick.errors import DecodeError
from retick.snapshot import Codec, Component, Field, Limits, Schema, Snapshot, UInt, layout

SCHEMA = Schema([Component(1, [Field(1, UInt(8))])])
BASE = Snapshot.of(SCHEMA, tick=1, entities={1: {1: (5,)}})


def delta_of(*sections: bytes) -> bytes:
    payload = b"".join(sections)
    return layout.HEADER.pack(layout.MAGIC, 2, layout.DELTA, SCHEMA.hash, 2, 1, len(payload)) + payload


def refusal(packet: bytes, limits: Limits | None = None) -> str:
    with pytest.raises(DecodeError) as caught:
        Codec(SCHEMA, version=2, limits=limits).apply_delta(BASE, packet)
    return caught.value.code


def test_a_bad_head_goes_before_a_bad_body() -> None:
    bad_body = b"\x02\x01\xff"
    assert refusal(delta_of(bad_body)) == "Bitstream.UnexpectedEof"
    assert refusal(delta_of(bad_body, b"\x09\x00")) == "Wire.UnknownSectionTag"
    assert refusal(delta_of(bad_body, b"\x02\x05\x00")) == "Wire.SectionFraming.Truncated"
    assert refusal(delta_of(bad_body, b"\x02")) == "Wire.SectionFraming.Truncated"


def test_as_many_sections_as_the_limit_allows_are_framed() -> None:
    empty = b"\x02\x01\x00"
    many = Limits(max_sections=500)
    assert refusal(delta_of(*[empty] * 500), many) == "DuplicateSection.EntityDestroy"
    assert refusal(delta_of(*[empty] * 501), many) == "Wire.LimitsExceeded.SectionCount"
    assert refusal(delta_of(empty), Limits(max_sections=0)) == "Wire.LimitsExceeded.SectionCount"


def test_a_codec_reads_small_packets_after_large_ones_and_large_after_small() -> None:
    codec = Codec(SCHEMA, version=2, limits=Limits(max_sections=5000))
    large = Snapshot.of(SCHEMA, tick=2, entities={at: {1: (at % 256,)} for at in range(900)})
    small = Snapshot.of(SCHEMA, tick=2, entities={3: {1: (7,)}})
    for wanted in (small, large, small, large):
        assert codec.decode_full(codec.encode_full(wanted)) == wanted
        assert codec.apply_delta(BASE, codec.encode_delta(BASE, wanted)) == wanted
