"""Captures: what was written is read, and what is broken is said to be."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import BadMagic, DecodeError, InvalidValue, Truncated, UnsupportedVersion
from retick.transport import Captured, CaptureWriter, read_capture
from retick.transport.capture import Recorded
from tests.transport.echo import Recorder


def sample() -> bytes:
    file = io.BytesIO()
    endpoint = Recorder(echo=True)
    captured = Captured(endpoint, CaptureWriter(file))
    captured.receive_datagram(b"ping", ("10.0.0.1", 7777), now=100.0)
    assert captured.datagrams_to_send(now=100.25) == [(b"echo ping", ("10.0.0.1", 7777))]
    captured.receive_datagram(b"", ("fe80::1", 1, 0, 0), now=101.0)
    captured.handle_timeout(now=101.0)
    assert captured.next_timeout() is None
    assert captured.events() == []
    return file.getvalue()


def test_what_passes_is_read_back() -> None:
    assert list(read_capture(sample())) == [
        Recorded(0.0, False, "10.0.0.1:7777", b"ping"),
        Recorded(0.25, True, "10.0.0.1:7777", b"echo ping"),
        Recorded(1.0, False, "[fe80::1]:1", b""),
    ]


def test_a_ttl_is_passed_on_and_not_recorded() -> None:
    file = io.BytesIO()
    endpoint = Recorder()
    endpoint.outbox.append((b"probe", "b", 3))
    assert Captured(endpoint, CaptureWriter(file)).datagrams_to_send(now=1.0) == [(b"probe", "b", 3)]
    assert list(read_capture(file.getvalue())) == [Recorded(0.0, True, "b", b"probe")]


def test_the_layout_is_pinned() -> None:
    file = io.BytesIO()
    CaptureWriter(file).add(b"\x01\x02", "b", sent=True, now=3.0)
    assert file.getvalue() == bytes.fromhex("52544b43 01 000000 0000000000000000 01 01 0200 62 0102")


def test_faults_are_named_and_what_is_before_them_is_read() -> None:
    data = sample()
    for broken, error in [
        (b"", BadMagic),
        (b"XXXX" + data[4:], BadMagic),
        (data[:5], Truncated),
        (data[:4] + b"\x02" + data[5:], UnsupportedVersion),
        (data[:5] + b"\x01" + data[6:], InvalidValue),
        (data[:16] + b"\x02" + data[17:], InvalidValue),
        (data[:20] + b"\xff" + data[21:], InvalidValue),
    ]:
        with pytest.raises(error):
            list(read_capture(broken))
    records = read_capture(data[:-1])
    assert next(records).data == b"ping"
    assert next(records).sent
    with pytest.raises(Truncated):
        next(records)


@given(st.binary(max_size=100))
def test_any_bytes_are_a_capture_or_a_decode_error(data: bytes) -> None:
    for candidate in (data, b"RTKC\x01\0\0\0" + data):
        try:
            list(read_capture(candidate))
        except DecodeError:
            continue
