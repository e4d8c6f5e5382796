"""A sealed peer built from docs/formats/link.md alone: struct, hashlib, and other people's Noise and ciphers.

When this test needs a change, so does the page.
"""

import struct
from hashlib import blake2s
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from retick.link import Accept, Connected, Connection, Disconnected, LinkEndpoint, Request, UnreliableReceived
from retick.link.events import AddressChanged, ReliableReceived
from tests.link.pair import make_endpoint

oracle = pytest.importorskip("noise.connection", reason="noiseprotocol is in the extra dev")

SECRET, SERVER = b"0123456789abcdef", bytes(range(1, 33))
LASTING, HOSTS = Ed25519PrivateKey.from_private_bytes(bytes(32)), bytes([7]) * 32
NAMES = {0: "NN", 1: "NNpsk0", 2: "NK"}
patterns = pytest.mark.parametrize("pattern", NAMES)


class Stranger:
    """The dialler's side, as somebody else might write it."""

    def __init__(self, host: LinkEndpoint, pattern: int) -> None:
        self.host, self.pattern = host, pattern
        self.now = 0.0
        self.nonce, self.my_id, self.my_share = b"stranger", 0x01020304, 0x1122334455667788
        self.sent = self.newest = 0
        self.inbox: list[bytes] = []

    def send(self, data: bytes, address: str = "stranger") -> None:
        self.now += 0.01
        self.host.receive_datagram(data, address, now=self.now)
        self.host.handle_timeout(now=self.now)
        self.inbox += [answer for answer, _ in self.host.datagrams_to_send(now=self.now)]

    def noise(self, cookie: bytes, commitment: bytes) -> Any:
        found = oracle.NoiseConnection.from_name(f"Noise_{NAMES[self.pattern]}_25519_ChaChaPoly_BLAKE2s".encode())
        found.set_as_initiator()
        prologue = b"retick-link-2" + self.nonce + cookie + struct.pack("<I", self.my_id) + commitment
        found.set_prologue(prologue)
        if self.pattern == 1:
            found.set_psks(blake2s(SECRET, person=b"link-psk", digest_size=32).digest())
        elif self.pattern == 2:
            public = X25519PrivateKey.from_private_bytes(SERVER).public_key().public_bytes_raw()
            found.set_keypair_from_public_bytes(oracle.Keypair.REMOTE_STATIC, public)
        found.start_handshake()
        return found

    def connect(self) -> None:
        self.send((b"\xe0RTL\x02" + self.nonce).ljust(512, b"\0"))
        [cookie] = self.inbox
        assert cookie[:13] == b"\xe1RTL\x02" + self.nonce
        noise = self.noise(cookie[13:29], cookie[29:45])
        terms = struct.pack("<IIIHBQ", 0b11, 0, 4, 60, 1, self.my_share) + b"\x04duel"
        terms += struct.pack("<H", 5) + b"token" if self.pattern == 2 else struct.pack("<H", 0)
        message = bytes(noise.write_message(terms))
        hello = (
            b"\xe2RTL\x02" + self.nonce + cookie[13:29] + struct.pack("<IBH", self.my_id, self.pattern, len(message))
        )
        self.send((hello + message).ljust(512, b"\0"))
        accept = self.inbox[-1]
        assert len(accept) == 87
        assert accept[:13] == b"\xe3RTL\x02" + self.nonce
        answer = struct.unpack("<IIIIHQ", bytes(noise.read_message(accept[13:])))
        self.their_id, self.capabilities, _, self.game_version, self.tick_rate, self.their_share = answer
        commitment = blake2s(struct.pack("<Q", self.their_share), person=b"seedcmit", digest_size=16).digest()
        assert commitment == cookie[29:45]
        self.hash = noise.get_handshake_hash()
        self.mine = ChaCha20Poly1305(bytes(noise.noise_protocol.cipher_state_encrypt.k))
        self.theirs = ChaCha20Poly1305(bytes(noise.noise_protocol.cipher_state_decrypt.k))
        signature = LASTING.sign(b"retick link 2 dialler" + self.hash)
        key = LASTING.public_key().public_bytes_raw()
        self.send(self.sealed(0xC6, struct.pack("<H", 2) + b"hi" + b"\1" + key + signature))
        admit = self.opened(0xC7)
        self.seats, size = struct.unpack_from("<IH", admit)
        assert admit[6 : 6 + size] == b"welcome"
        assert admit[6 + size] == 1
        key, signature = admit[7 + size : 39 + size], admit[39 + size :]
        Ed25519PublicKey.from_public_bytes(key).verify(signature, b"retick link 2 acceptor" + self.hash)

    def sealed(self, kind: int, body: bytes) -> bytes:
        self.sent += 1
        head = struct.pack("<BIHB", kind, self.their_id, self.sent & 0xFFFF, self.newest & 0xFF)
        return head + self.mine.encrypt(bytes(4) + struct.pack("<Q", self.sent), body, head)

    def opened(self, first: int, last: int | None = None) -> bytes:
        """The body of the newest datagram of these kinds."""
        data = next(each for each in reversed(self.inbox) if first <= each[0] <= (last or first))
        _, connection_id, sequence, _ = struct.unpack_from("<BIHB", data)
        assert connection_id == self.my_id
        ahead = (sequence - self.newest) & 0xFFFF
        number = self.newest + ahead - (0 if ahead < 0x8000 else 0x10000)
        body = self.theirs.decrypt(bytes(4) + struct.pack("<Q", number), data[8:], data[:8])
        self.newest = max(self.newest, number)
        return body


def connected(pattern: int) -> tuple[LinkEndpoint, Stranger, Connection, Request]:
    asked: list[Request] = []

    def admit(request: Request) -> Accept:
        asked.append(request)
        return Accept(seats=(0, 2), data=b"welcome")

    keys: dict[int, dict[str, bytes]] = {0: {}, 1: {"secret": SECRET}, 2: {"key_pair": SERVER}}
    host = make_endpoint(
        1, game_id="duel", game_version=4, tick_rate=60, capabilities=0b110, sealed=True, identity=HOSTS, admit=admit,
        **keys[pattern],
    )  # fmt: skip
    stranger = Stranger(host, pattern)
    stranger.connect()
    [event] = host.events()
    assert isinstance(event, Connected)
    return host, stranger, event.connection, asked[0]


@patterns
def test_a_stranger_is_let_in_and_agrees_on_the_terms(pattern: int) -> None:
    _, stranger, connection, request = connected(pattern)
    assert (stranger.capabilities, stranger.game_version, stranger.tick_rate) == (0b110, 4, 60)
    assert stranger.seats == 0b101
    shares = struct.pack("<QQ", stranger.my_share, stranger.their_share)
    seed = int.from_bytes(blake2s(shares, person=b"seedmix1", digest_size=8).digest(), "little")
    assert connection.terms is not None
    assert (connection.terms.seed, connection.terms.peer_data) == (seed, b"hi")
    assert connection.handshake_hash == stranger.hash
    assert (request.data, request.token) == (b"hi", b"token" if pattern == 2 else b"")
    key = LASTING.public_key().public_bytes_raw()
    assert request.fingerprint == blake2s(key, person=b"link-fpr", digest_size=16).hexdigest()


@patterns
def test_a_stranger_talks_both_ways(pattern: int) -> None:
    host, stranger, connection, _ = connected(pattern)
    stranger.send(stranger.sealed(0xBF, b"from afar"))
    assert host.events() == [UnreliableReceived(connection, b"from afar")]
    connection.send_unreliable(b"from here")
    fragment = struct.pack("<HH", 0, 0xC000 | 4) + b"whole"[:4]
    stranger.send(stranger.sealed(0xC0, struct.pack("<HHIHQ", 0xFFFF, 0, 0, 0, 0) + fragment))
    assert host.events() == [ReliableReceived(connection, b"whol")]
    assert stranger.opened(0x80, 0xBF) == b"from here"
    assert struct.unpack_from("<HHIH", stranger.opened(0xC0))[3] == 1


@patterns
def test_a_stranger_changes_its_address_and_says_goodbye(pattern: int) -> None:
    host, stranger, connection, _ = connected(pattern)
    stranger.send(stranger.sealed(0xBF, b"from elsewhere"), "moved")
    challenge = stranger.opened(0xC3)
    stranger.send(stranger.sealed(0xC4, challenge), "moved")
    _, changed = host.events()
    assert changed == AddressChanged(connection=connection, old="stranger", new="moved")
    stranger.send(stranger.sealed(0xC1, bytes([130, 5]) + b"adieu"), "moved")
    assert host.events() == [Disconnected(connection=connection, reason=130, text="adieu", by_peer=True)]
    assert stranger.opened(0xC2) == b""
