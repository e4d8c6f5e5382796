"""Noise against an independent implementation, message by message; and bytes that are not a message."""

import warnings
from contextlib import nullcontext
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.errors import DecodeError, UsageError
from retick.link.sealing.noise import _NAMES, Handshake, Pattern, Split, psk_of
from retick.link.sealing.primitives import aead, public_key_of

oracle = pytest.importorskip("noise.connection", reason="noiseprotocol is in the extra dev")

PSK = psk_of(bytes(range(16)))
STATIC = bytes(range(40, 72))
keys = st.binary(min_size=32, max_size=32)
payloads = st.binary(max_size=120)


def ours(pattern: Pattern, initiator: bool, prologue: bytes, psk: bytes = PSK, static: bytes = STATIC) -> Handshake:
    return Handshake(
        pattern,
        initiator=initiator,
        prologue=prologue,
        psk=psk if pattern is Pattern.NNPSK0 else b"",
        static=static if pattern is Pattern.NK and not initiator else b"",
        remote_static=public_key_of(static) if pattern is Pattern.NK and initiator else b"",
    )


def theirs(pattern: Pattern, initiator: bool, prologue: bytes, ephemeral: bytes) -> Any:
    found = oracle.NoiseConnection.from_name(_NAMES[pattern])
    found.set_prologue(prologue)
    if pattern is Pattern.NNPSK0:
        found.set_psks(PSK)
    if pattern is Pattern.NK and initiator:
        found.set_keypair_from_public_bytes(oracle.Keypair.REMOTE_STATIC, public_key_of(STATIC))
    elif pattern is Pattern.NK:
        found.set_keypair_from_private_bytes(oracle.Keypair.STATIC, STATIC)
    (found.set_as_initiator if initiator else found.set_as_responder)()
    found.set_keypair_from_private_bytes(oracle.Keypair.EPHEMERAL, ephemeral)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of an ephemeral key that is given, which is the point here
        found.start_handshake()
    return found


@pytest.mark.parametrize("pattern", Pattern)
@given(st.binary(max_size=80), keys, keys, payloads, payloads)
@settings(max_examples=25)
def test_every_message_and_key_is_that_of_an_independent_implementation(
    pattern: Pattern, prologue: bytes, first: bytes, second: bytes, question: bytes, answer: bytes
) -> None:
    dialler, acceptor = ours(pattern, True, prologue), ours(pattern, False, prologue)
    their_dialler = theirs(pattern, True, prologue, first)
    their_acceptor = theirs(pattern, False, prologue, second)
    one = dialler.write_message(question, first)
    assert one == bytes(their_dialler.write_message(question))
    assert acceptor.read_message(one) == bytes(their_acceptor.read_message(one)) == question
    two = acceptor.write_message(answer, second)
    assert two == bytes(their_acceptor.write_message(answer))
    assert dialler.read_message(two) == bytes(their_dialler.read_message(two)) == answer
    split = dialler.split()
    assert split == acceptor.split()
    assert split.hash == their_dialler.get_handshake_hash() == their_acceptor.get_handshake_hash()
    for key, sender in ((split.initiator_key, their_dialler), (split.responder_key, their_acceptor)):
        for number in range(3):
            nonce = bytes(4) + number.to_bytes(8, "little")
            assert aead(key).encrypt(nonce, b"hello", b"") == bytes(sender.encrypt(b"hello"))


VECTORS = {
    Pattern.NN: (
        "a4e09292b651c278b9772c569f5fa9bb13d906b46ab68c9df9dc2b4409f8a2097175657374696f6e ce8d3ad1ccb633ec7b7"
        "0c17814a5c76ecd029685050d344745ba05870e587d594beea0b4df06b03f64d33c06db4a4a8aeeb2c1996c52 a1b786d2b4"
        "64daed74bd8f1e8124f42c9aa309efb27f32710c72f8fb3f46ea24 39a290b3754ee40a4905aaa831ae6ab7266811b289952"
        "2dfa50b706e258e14a7 b4d8e899ac85602c6f035bc83c237918553949eab74eefb124c867ded6350eda"
    ),
    Pattern.NNPSK0: (
        "a4e09292b651c278b9772c569f5fa9bb13d906b46ab68c9df9dc2b4409f8a209470cbfecd81a197188ad57ed274e20de8eb0"
        "d3f9ae9d9c14 ce8d3ad1ccb633ec7b70c17814a5c76ecd029685050d344745ba05870e587d5906b2e3809a34f31e9fbd318"
        "1d61c55e199f5252db7c9 64ac4adf2030ad4ab323834dd6816666f10d0366371efdd2bb000a4f9f072205 55b0e53e80484"
        "5f8a4833ebb6a5aaec027827beefe8e7e536318d347c28151f0 0d49d390eba2eb50d134e04f01c1580eec332dcf7b40fc71"
        "9c4407a05e12f58f"
    ),
    Pattern.NK: (
        "a4e09292b651c278b9772c569f5fa9bb13d906b46ab68c9df9dc2b4409f8a20985545e1088286bab820f3e88de76ec346071"
        "4da1028708c5 ce8d3ad1ccb633ec7b70c17814a5c76ecd029685050d344745ba05870e587d593cb6759810afa45e33c326b"
        "34138f5913c0074b3749a 5ec6e82a402be0466fb246080c3ecb3546e5e7ad1beed1fc46944a872cab0545 45313d2e695d7"
        "6254f4b1c8711e25d2756588da313a515eef768d3a44c5dc8b1 33f6f9794951b20a697fc9bbc4a357083f1856ab7cbf5d40"
        "bca73001fc951777"
    ),
}


@pytest.mark.parametrize("pattern", Pattern)
def test_messages_and_keys_are_those_of_the_vectors(pattern: Pattern) -> None:
    """Computed with noiseprotocol 0.3.1: message 1, message 2, handshake hash, both keys. They never change."""
    dialler, acceptor = ours(pattern, True, b"prologue"), ours(pattern, False, b"prologue")
    one = dialler.write_message(b"question", bytes([1]) * 32)
    acceptor.read_message(one)
    two = acceptor.write_message(b"answer", bytes([2]) * 32)
    dialler.read_message(two)
    split = dialler.split()
    found = (one, two, split.hash, split.initiator_key, split.responder_key)
    assert " ".join(part.hex() for part in found) == VECTORS[pattern]


def after(pattern: Pattern, prologue: bytes = b"p", **changed: bytes) -> tuple[Handshake, Handshake, bytes]:
    dialler, acceptor = ours(pattern, True, b"p"), ours(pattern, False, prologue, **changed)
    return dialler, acceptor, dialler.write_message(b"question", bytes([1]) * 32)


@pytest.mark.parametrize("pattern", Pattern)
def test_any_bit_flipped_in_a_message_is_noticed_by_the_end_of_the_second_and_a_good_one_is_read_after_it(
    pattern: Pattern,
) -> None:
    dialler, acceptor, one = after(pattern)
    for bit in range(8 * len(one)):
        twin = ours(pattern, False, b"p")
        try:
            twin.read_message(flip(one, bit))
        except DecodeError:
            assert twin.read_message(one) == b"question", "a bad message leaves the handshake as it was"
        else:
            assert pattern is Pattern.NN, "only NN's first message is open to changes"
            with pytest.raises(DecodeError):
                dialler.read_message(twin.write_message(b"answer", bytes([2]) * 32))
    acceptor.read_message(one)
    two = acceptor.write_message(b"answer", bytes([2]) * 32)
    for bit in range(8 * len(two)):
        with pytest.raises(DecodeError):
            dialler.read_message(flip(two, bit))
    assert dialler.read_message(two) == b"answer"
    assert dialler.split() == acceptor.split()


def flip(data: bytes, bit: int) -> bytes:
    return data[: bit // 8] + bytes([data[bit // 8] ^ 1 << bit % 8]) + data[bit // 8 + 1 :]


def test_another_prologue_secret_or_server_key_ends_the_handshake() -> None:
    for pattern, changed in (
        (Pattern.NNPSK0, {"prologue": b"q"}),
        (Pattern.NK, {"prologue": b"q"}),
        (Pattern.NNPSK0, {"psk": psk_of(bytes(16))}),
        (Pattern.NK, {"static": bytes(range(1, 33))}),
    ):
        _, acceptor, one = after(pattern, **changed)
        with pytest.raises(DecodeError):
            acceptor.read_message(one)
    dialler, acceptor, one = after(Pattern.NN, prologue=b"q")
    acceptor.read_message(one)
    with pytest.raises(DecodeError):
        dialler.read_message(acceptor.write_message(b"answer", bytes([2]) * 32))


@given(st.sampled_from(Pattern), st.booleans(), st.binary(max_size=200))
def test_any_bytes_are_a_message_or_a_decode_error(pattern: Pattern, initiator: bool, data: bytes) -> None:
    side = ours(pattern, initiator, b"")
    if initiator:
        side.write_message(b"", bytes([1]) * 32)
    with pytest.raises(DecodeError) if initiator or pattern is not Pattern.NN or len(data) < 32 else nullcontext():
        side.read_message(data)


@pytest.mark.parametrize("point", [bytes(32), bytes([1]) + bytes(31)])
def test_a_public_key_of_low_order_is_no_message(point: bytes) -> None:
    dialler = ours(Pattern.NN, True, b"")
    dialler.write_message(b"", bytes([1]) * 32)
    with pytest.raises(DecodeError):
        dialler.read_message(point + bytes(16))


def test_messages_out_of_turn_and_keys_of_another_size_are_the_callers_fault() -> None:
    dialler, acceptor = ours(Pattern.NN, True, b""), ours(Pattern.NN, False, b"")
    for wrong in (
        lambda: dialler.read_message(bytes(32)),
        lambda: acceptor.write_message(b"", bytes(32)),
        lambda: dialler.write_message(b"", bytes(31)),
        dialler.split,
        lambda: Handshake(Pattern.NNPSK0, initiator=True, prologue=b"", psk=b"short"),
        lambda: Handshake(Pattern.NN, initiator=True, prologue=b"", psk=PSK),
        lambda: Handshake(Pattern.NK, initiator=True, prologue=b""),
    ):
        with pytest.raises(UsageError) as caught:
            wrong()
        assert PSK.hex() not in str(caught.value)


def test_secrets_are_in_no_repr_and_forgotten_after_split() -> None:
    dialler, acceptor, one = after(Pattern.NNPSK0)
    acceptor.read_message(one)
    dialler.read_message(acceptor.write_message(b"", bytes([2]) * 32))
    split = dialler.split()
    assert repr(split) == f"Split(hash={split.hash.hex()})"
    assert repr(dialler) == "<Handshake NNPSK0, 2 messages>"
    assert (dialler._psk, dialler._ephemeral) == (b"", b"")
    assert isinstance(split, Split)
