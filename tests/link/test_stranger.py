"""A peer built from docs/formats/link.md alone: struct and hashlib, nothing of ours. It dials, talks, and leaves.

When this test needs a change, so does the page.
"""

import struct
from collections.abc import Callable
from hashlib import blake2s

from retick.link import Accept, Connected, Connection, Disconnected, LinkEndpoint, ReliableReceived, UnreliableReceived
from tests.link.pair import make_endpoint


class Stranger:
    """The dialler's side, as somebody else might write it."""

    def __init__(self, host: LinkEndpoint) -> None:
        self.host = host
        self.now = 0.0
        self.nonce = b"stranger"
        self.my_id = 0x01020304
        self.my_share = 0x1122334455667788
        self.sequence = 0
        self.inbox: list[bytes] = []

    def send(self, data: bytes, address: str = "stranger") -> None:
        self.now += 0.01
        self.host.receive_datagram(data, address, now=self.now)
        self.host.handle_timeout(now=self.now)
        self.inbox += [answer for answer, to in self.host.datagrams_to_send(now=self.now) if to == address]

    def answer(self, wanted: Callable[[int], bool]) -> bytes:
        return next(data for data in reversed(self.inbox) if wanted(data[0]))

    def connect(self) -> None:
        self.send((b"\xe0RTL\x01" + self.nonce).ljust(512, b"\0"))
        cookie = self.answer(lambda kind: kind == 0xE1)
        assert len(cookie) == 45
        assert cookie[:13] == b"\xe1RTL\x01" + self.nonce
        self.cookie, self.commitment = cookie[13:29], cookie[29:45]
        hello = b"\xe2RTL\x01" + self.nonce + self.cookie
        hello += struct.pack("<IIIIHBQ", self.my_id, 0b11, 0, 4, 60, 1, self.my_share)
        hello += b"\x04duel" + struct.pack("<H", 2) + b"hi"
        self.send(hello.ljust(512, b"\0"))
        accept = self.answer(lambda kind: kind == 0xE3)
        assert accept[5:13] == self.nonce
        fields = struct.unpack_from("<IIIIHIQHH", accept, 13)
        (
            self.their_id,
            self.capabilities,
            _,
            self.game_version,
            self.tick_rate,
            self.seats,
            self.their_share,
            zero,
            m,
        ) = fields
        assert zero == 0
        assert accept[47:] == b"welcome"
        assert m == 7
        digest = blake2s(struct.pack("<Q", self.their_share), person=b"seedcmit", digest_size=16).digest()
        assert digest == self.commitment
        self.control()

    def envelope(self, kind: int, ack: int = 0) -> bytes:
        self.sequence += 1
        return struct.pack("<BIHB", kind, self.their_id, self.sequence & 0xFFFF, ack)

    def control(self, fragments: bytes = b"", next_fragment: int = 0, address: str = "stranger") -> None:
        self.send(self.envelope(0xC0) + struct.pack("<HHIHQ", 0xFFFF, 0, 0, next_fragment, 0) + fragments, address)


def connected() -> tuple[LinkEndpoint, Stranger, Connection]:
    host = make_endpoint(
        1, game_id="duel", game_version=4, tick_rate=60, capabilities=0b110,
        admit=lambda request: Accept(seats=(0, 2), data=b"welcome"), sealed=False,
    )  # fmt: skip
    stranger = Stranger(host)
    stranger.connect()
    [event] = host.events()
    assert isinstance(event, Connected)
    return host, stranger, event.connection


def test_a_stranger_agrees_on_the_terms() -> None:
    _, stranger, connection = connected()
    assert (stranger.capabilities, stranger.game_version, stranger.tick_rate) == (0b110, 4, 60)
    assert stranger.seats == 0b101
    shares = struct.pack("<QQ", stranger.my_share, stranger.their_share)
    seed = int.from_bytes(blake2s(shares, person=b"seedmix1", digest_size=8).digest(), "little")
    assert connection.terms is not None
    assert connection.terms.seed == seed
    assert connection.terms.capabilities == 0b010
    assert connection.terms.peer_data == b"hi"


def test_a_stranger_sends_and_gets_payloads() -> None:
    host, stranger, connection = connected()
    stranger.send(stranger.envelope(0xBF) + b"from afar")
    assert host.events() == [UnreliableReceived(connection, b"from afar")]
    connection.send_unreliable(b"from here")
    stranger.send(stranger.envelope(0xBF) + b"again")
    data = stranger.answer(lambda kind: 0x80 <= kind < 0xC0)
    kind, connection_id, _, ack = struct.unpack_from("<BIHB", data)
    assert connection_id == stranger.my_id
    assert ack == stranger.sequence
    assert kind & 63 == 0
    assert data[8:] == b"from here"


def test_a_stranger_sends_and_gets_messages() -> None:
    host, stranger, connection = connected()
    stranger.control(struct.pack("<HH", 0, 0x8000 | 5) + b"in tw" + struct.pack("<HH", 1, 0x4000 | 3) + b"o p")
    assert host.events() == [ReliableReceived(connection, b"in two p")]
    connection.send_reliable(b"x" * 1500)
    stranger.control()
    controls = [data for data in stranger.inbox if data[0] == 0xC0 and len(data) > 26]
    found = []
    for data in controls:
        _, _, _, next_fragment, _ = struct.unpack_from("<HHIHQ", data, 8)
        assert next_fragment == 2
        number, marked = struct.unpack_from("<HH", data, 26)
        found.append((number, marked & 0xC000, data[30 : 30 + (marked & 0x7FF)]))
    assert [number for number, _, _ in found] == [0, 1]
    assert [marks for _, marks, _ in found] == [0x8000, 0x4000]
    assert b"".join(body for _, _, body in found) == b"x" * 1500
    stranger.control(next_fragment=2)
    assert connection.queued_bytes == 0


def test_a_stranger_changes_its_address() -> None:
    _, stranger, connection = connected()
    text = stranger.nonce + stranger.cookie + struct.pack("<II", stranger.my_id, stranger.their_id)
    text += struct.pack("<QQ", stranger.my_share, stranger.their_share)
    key = blake2s(text, person=b"path-key", digest_size=32).digest()
    claim = b"\xc5" + struct.pack("<II", stranger.their_id, 1)
    stranger.send(claim + blake2s(claim, key=key, person=b"claim___", digest_size=8).digest(), "moved")
    prove = stranger.answer(lambda kind: kind == 0xC3)
    assert prove[1:5] == struct.pack("<I", stranger.my_id)
    proof = blake2s(prove[5:], key=key, person=b"pathprof", digest_size=8).digest()
    stranger.send(b"\xc4" + struct.pack("<I", stranger.their_id) + proof, "moved")
    assert connection.address == "moved"


def test_a_stranger_says_goodbye() -> None:
    host, stranger, _ = connected()
    stranger.send(stranger.envelope(0xC1) + b"\x01\x03bye")
    [event] = host.events()
    assert isinstance(event, Disconnected)
    assert (event.reason, event.text, event.by_peer) == (1, "bye", True)
    assert len(stranger.answer(lambda kind: kind == 0xC2)) == 8
