"""The bytes of a join token: what is put in comes out, and whatever is changed does not open."""

import random
from hashlib import blake2s
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import BadMagic, DecodeError, InvalidValue, LimitExceeded, TrailingData, Truncated, UsageError
from retick.tokens import from_text, issue, key_id_of, open_token, show, to_text

KEY, OTHER = b"K" * 32, b"L" * 32
SERVER_KEY = b"S" * 32
NOW = 1_700_000_000.5
PLACE = ("192.0.2.1", 7777)


def made(key: bytes = KEY, **more: Any) -> bytes:
    settings: dict[str, Any] = {
        "player": 7,
        "server_key": SERVER_KEY,
        "addresses": [PLACE],
        "now": NOW,
        "entropy": random.Random(1).randbytes,
        **more,
    }
    return issue(key, **settings)


def test_what_is_put_in_comes_out() -> None:
    places = [PLACE, ("::1", 1), ("eu.example.org", 65535)]
    token = made(player=2**64 - 1, room="red 1", data=b"\0own", addresses=places, lifetime=90)
    found = open_token(token, OTHER, KEY)
    assert (found.player, found.room, found.data) == (2**64 - 1, "red 1", b"\0own")
    assert (found.issued_at, found.expires_at) == (1_700_000_000, 1_700_000_090)
    assert found.addresses == tuple(places)
    assert found.server_key == SERVER_KEY
    assert found.key_id == key_id_of(KEY)


@given(
    player=st.integers(0, 2**64 - 1),
    room=st.text(st.characters(codec="ascii", categories=("L", "N")), max_size=32),
    data=st.binary(max_size=256),
    hosts=st.lists(st.sampled_from(["10.0.0.1", "fe80::1%eth0", "a-b.example"]), min_size=1, max_size=8),
)
def test_any_token_opens_as_it_was_made_and_as_text(player: int, room: str, data: bytes, hosts: list[str]) -> None:
    token = made(player=player, room=room, data=data, addresses=[(host, 9) for host in hosts])
    assert len(token) <= 700
    found = open_token(from_text(f" {to_text(token)}\n"), KEY)
    assert (found.player, found.room, found.data) == (player, room, data)
    assert show(token).addresses == found.addresses


def test_the_page_describes_the_bytes() -> None:
    """Built by hand from docs/formats/token.md, and by nothing of ours."""
    nonce = bytes(range(24))
    head = b"RTJ1" + blake2s(KEY, person=b"tokn-kid", digest_size=8).digest() + nonce
    head += (1000).to_bytes(8, "little") + (1060).to_bytes(8, "little") + SERVER_KEY
    head += b"\x01" + b"\x0e192.0.2.1:7777" + (11 + 3 + 2 + 16).to_bytes(2, "little")
    inside = (7).to_bytes(8, "little") + b"\x03red" + (2).to_bytes(2, "little") + b"ok"
    subkey = blake2s(nonce, key=KEY, person=b"tokn-sub").digest()
    token = head + ChaCha20Poly1305(subkey).encrypt(bytes(12), inside, head)
    found = open_token(token, KEY)
    assert (found.player, found.room, found.data, found.nonce) == (7, "red", b"ok", nonce)
    assert made(room="red", data=b"ok", now=1000.0, entropy=lambda size: nonce) == token


def test_every_changed_bit_ends_it() -> None:
    token = made(room="red", data=b"data")
    for position in range(len(token)):
        for bit in (1, 128):
            changed = bytearray(token)
            changed[position] ^= bit
            with pytest.raises(DecodeError):
                open_token(bytes(changed), KEY)


def test_every_cut_is_named_as_one() -> None:
    token = made(room="red", data=b"data")
    for size in range(len(token)):
        with pytest.raises(Truncated):
            show(token[:size])
    with pytest.raises(TrailingData):
        show(token + b"x")


def test_two_tokens_share_neither_nonce_nor_key_stream() -> None:
    dice = random.Random(1).randbytes
    first, second = made(entropy=dice), made(entropy=dice)
    assert show(first).nonce != show(second).nonce
    assert first[-40:] != second[-40:]


def test_what_is_no_token_is_refused_in_words() -> None:
    with pytest.raises(BadMagic, match="not a join token"):
        show(b"hello, is this a token?")
    with pytest.raises(LimitExceeded, match="at most 700 bytes"):
        show(made() + bytes(700))
    with pytest.raises(InvalidValue, match="another key"):
        open_token(made(), OTHER)
    for text in ("", "ä", "a b", "====", "abcde"):
        with pytest.raises(InvalidValue, match="paste the whole"):
            from_text(text)
    with pytest.raises(LimitExceeded):
        from_text("A" * 1401)


@pytest.mark.parametrize("address", ["1.2.3.4:0", "1.2.3.4:070", "1.2.3.4:65536", "[a]:1", "::1:1", "a b:1", ":1", "h"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    token = bytearray(made(addresses=[("h" * (len(address) - 2), 1)]) if len(address) > 2 else made())
    if len(address) > 2:
        token[86 : 86 + len(address)] = address.encode()
    else:
        token[85:86] = b"\0"
    with pytest.raises(DecodeError):
        show(bytes(token))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"player": -1}, "64 bits"),
        ({"player": 2**64}, "64 bits"),
        ({"room": "x" * 33}, "at most 32 bytes"),
        ({"room": "\n"}, "printable"),
        ({"data": bytes(257)}, "at most 256 bytes"),
        ({"addresses": []}, "1 to 8 addresses"),
        ({"addresses": [PLACE] * 9}, "1 to 8 addresses"),
        ({"addresses": [("h", 0)]}, "a host and a port"),
        ({"addresses": [("h h", 1)]}, "a host and a port"),
        ({"addresses": [("h" * 200, 1)] * 2, "data": bytes(256)}, "at most 700 bytes"),
        ({"lifetime": 0}, "1 second or more"),
        ({"server_key": b"short"}, "32 bytes"),
        ({"key": b"short"}, "32 bytes"),
    ],
)
def test_what_does_not_fit_into_a_token_is_named(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        made(**wrong)


def test_a_host_that_is_too_long_is_none() -> None:
    assert len(made(addresses=[("h" * 249, 1)])) < 700, "a length is one byte: with the port, no more fits"
    with pytest.raises(UsageError, match="a host and a port"):
        made(addresses=[("h" * 254, 1)])


def test_the_largest_token_has_700_bytes() -> None:
    token = made(room="r" * 32, data=bytes(256), addresses=[("h" * 146, 1)] * 2)
    assert len(token) == 700
    assert open_token(token, KEY).room == "r" * 32


def test_neither_data_nor_keys_are_in_an_error_or_repr() -> None:
    found = open_token(made(data=b"planted-data"), KEY)
    assert "planted" not in repr(found)
    assert "KKKK" not in repr(found)
    with pytest.raises(DecodeError) as error:
        open_token(made(b"planted-token-key-planted-token-", data=b"planted"), KEY)
    assert "planted" not in str(error.value)
