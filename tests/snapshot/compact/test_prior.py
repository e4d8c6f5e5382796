"""Priors: files, bounds, and what they do for a schema that they were not trained with."""

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError, UsageError
from retick.snapshot import Codec, Prior
from retick.snapshot.compact.prior import MAGIC, empty_prior, generic_prior
from tests.snapshot.compact.test_packet import BODY, body


def trained() -> Prior:
    payloads = Codec(BODY, compact=True, prior=empty_prior()).compact_payloads()
    statistics = payloads.prior_statistics()
    for tick in range(20, 60):
        history = [body(3, tick - age) for age in (1, 3, 8)]
        statistics = payloads.encode(body(3, tick), body(3, tick + 2), history, statistics).statistics
    return Prior.learned(payloads.plan, statistics, before=empty_prior(), own=True)


def test_a_prior_goes_through_its_file() -> None:
    prior = trained()
    again = Prior.from_bytes(prior.to_bytes())
    assert again.digest == prior.digest
    assert again.to_bytes() == prior.to_bytes()


def test_what_was_learned_makes_packets_smaller_also_for_other_worlds() -> None:
    base, current, history = body(8, 30), body(8, 32), [body(8, 29), body(8, 27), body(8, 22)]
    sizes = [
        len(Codec(BODY, compact=True, prior=prior).encode_payload(base, current, history=history))
        for prior in (trained(), empty_prior())
    ]
    assert sizes[0] < sizes[1]


def test_a_prior_of_another_plan_is_used_by_kinds() -> None:
    from retick.snapshot import Schema

    other = Schema(BODY.components)
    codec = Codec(other, compact=True, prior=trained())
    base, current = body(1, 5), body(1, 6)
    assert codec.apply_delta(base, codec.encode_delta(base, current)) == current


def test_the_prior_that_comes_with_the_library_is_read() -> None:
    assert Prior.from_bytes(generic_prior().to_bytes()).digest == generic_prior().digest


def test_the_lineage_is_that_of_the_numbers_however_they_are_packed() -> None:
    data = trained().to_bytes()
    numbers = zlib.decompress(data[len(MAGIC) :])
    for level in (0, 1):
        again = Prior.from_bytes(MAGIC + zlib.compress(numbers, level))
        assert again.digest == trained().digest == zlib.crc32(numbers)


def test_the_key_of_a_plan_by_hand() -> None:
    # Kind, bits, component, number of fields, fields; BODY's groups as in test_header.
    rows = [
        (1, 0, 0, 2, 2, 3),
        (3, 0, 0, 2, 0, 1),
        (2, 0, 0, 1, 4),
        (4, 9, 0, 4, 5, 6, 7, 8),
        (5, 1, 0, 1, 9),
        (0, 0, 0, 1, 10),
    ]
    numbers = b"".join(number.to_bytes(4, "little") for row in rows for number in row)
    assert trained().key == zlib.crc32(numbers)


@given(st.binary(max_size=60))
def test_any_bytes_are_a_prior_or_an_error(data: bytes) -> None:
    for given_bytes in (data, MAGIC + data, MAGIC + zlib.compress(data)):
        with pytest.raises(DecodeError):
            Prior.from_bytes(given_bytes)


@pytest.mark.parametrize("at", [3, 40, 6300])
def test_numbers_out_of_range_are_refused(at: int) -> None:
    raw = bytearray(zlib.decompress(empty_prior().to_bytes()[len(MAGIC) :]))
    raw[4 * at : 4 * at + 4] = b"\xff\x7f\x00\x7f"
    with pytest.raises(DecodeError):
        Prior.from_bytes(MAGIC + zlib.compress(bytes(raw)))


def test_a_prior_that_unpacks_without_end_is_refused() -> None:
    with pytest.raises(DecodeError):
        Prior.from_bytes(MAGIC + zlib.compress(bytes(1 << 25)))


def test_a_prior_of_another_version_says_so_and_what_is_no_prior_is_named() -> None:
    with pytest.raises(DecodeError, match="version 1, and version 3 is read: train it again"):
        Prior.from_bytes(b"RTKP\x01" + trained().to_bytes()[5:])
    with pytest.raises(UsageError, match=r"not bytes: Prior\.from_bytes"):
        Codec(BODY, compact=True, prior=trained().to_bytes())  # type: ignore[arg-type]  # what a newcomer gives
