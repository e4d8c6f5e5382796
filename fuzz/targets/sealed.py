"""The sealed form of the link: its decoders, the Noise handshake, the key log, and an endpoint in mid-connection.

What nobody but the peer can make is given to the decoders as it is after it has opened. The endpoint gets what a
forger on the path can make, and must not change.
"""

import random
from typing import Any

from fuzz.target import Bug, Target, name_of, of, script
from fuzz.targets.endpoint import Script
from fuzz.targets.link import COOKIE, NONCE, OFFER
from retick.errors import DecodeError
from retick.link import Invite, LinkConfig, LinkEndpoint
from retick.link.explain import explain_link, is_link
from retick.link.handshake import packets
from retick.link.layout import ADMIT, ENTER, HELLO, PROOF
from retick.link.packets import ENVELOPE
from retick.link.sealed_path import decode_challenge
from retick.link.sealing.keys import KeyLog
from retick.link.sealing.noise import Handshake, Pattern
from retick.link.sealing.primitives import public_key_of

__all__ = ["HEAD", "IDENTITY", "KEY", "LOG", "SEALED_DATAGRAMS", "TARGETS"]

PROPOSAL = packets.Proposal(7, 3, 2, 60, 2, 99, "retick.fighter", b"a token")
GREETING = packets.SealedHello(NONCE, COOKIE, 77, 1, bytes(range(90)))
IDENTITY = bytes(range(96))
STATIC = bytes(range(32))
KEY = b"\x22" * 32
"""The keys of what connection 77 receives."""
LOG = f"# mine\nRETICK1 0000004d 0000004e {'11' * 32} {KEY.hex()}\n"


def _enter(entry: packets.Entry) -> bytes:
    return packets.encode_enter(entry.data, entry.public_key + entry.signature)


def _law_of_hello(data: bytes, hello: packets.SealedHello) -> None:
    # Padding may be longer than an encoder makes it.
    if not data[1:].startswith(packets.encode_sealed_hello(hello).rstrip(b"\0")[1:]):
        raise Bug("what was read does not write the same")


def _law_of_accept(data: bytes, message: bytes) -> None:
    if packets.encode_sealed_accept(data[5:13], message)[1:] != data[1:]:
        raise Bug("what was read does not write the same")


def _law_of_enter(data: bytes, entry: packets.Entry) -> None:
    if data[ENVELOPE.size :] != _enter(entry):
        raise Bug("what was read does not write the same")


def _law_of_admit(data: bytes, found: packets.AdmitPayload) -> None:
    if data[ENVELOPE.size :] != found.seats.to_bytes(4, "little") + _enter(found.entry):
        raise Bug("what was read does not write the same")


def _write_answer(found: tuple[Any, int]) -> bytes:
    return packets.encode_answer(*found)


def _responder(pattern: Pattern) -> Handshake:
    keys = {Pattern.NNPSK0: {"psk": bytes(32)}, Pattern.NK: {"static": STATIC}}
    return Handshake(pattern, initiator=False, prologue=b"", **keys.get(pattern, {}))


def _first_message(pattern: Pattern) -> bytes:
    keys = {Pattern.NNPSK0: {"psk": bytes(32)}, Pattern.NK: {"remote_static": public_key_of(STATIC)}}
    side = Handshake(pattern, initiator=True, prologue=b"", **keys.get(pattern, {}))
    return bytes((pattern,)) + side.write_message(packets.encode_proposal(PROPOSAL), bytes([1]) * 32)


def read_noise(data: bytes) -> str:
    """A message to an acceptor of some pattern; after a bad one it must still read a good one."""
    pattern = Pattern(data[0] % 3) if data else Pattern.NN
    side = _responder(pattern)
    try:
        return side.read_message(data[1:]).hex()
    except DecodeError:
        side.read_message(_first_message(pattern)[1:])
        raise


def _open_with_log(text: str) -> str:
    return "\n".join(f"{key:08x}" for key in sorted(KeyLog.parse(text)._keys))


def _invite(data: bytes) -> str:
    return Invite.parse(data.decode("utf-8", "replace")).text()


def _explain(data: bytes) -> Any:
    return explain_link(data, keylog=KeyLog.parse(LOG)) if is_link(data) else None


class Bench:
    """A connected host and guest on a sealed link, and every datagram that they have sent."""

    def __init__(self) -> None:
        self.admitted = 0
        self.host = self._endpoint(1)
        self.guest = self._endpoint(2)
        self.now = 0.0
        self.genuine: list[bytes] = []
        self.received = 0
        connection = self.guest.dial("host", data=b"hello")
        while not connection.is_connected:
            self.exchange()
        for _ in range(3):
            connection.send_reliable(b"m" * 300)
            for endpoint in (self.host, self.guest):
                for held in endpoint.connections.values():
                    held.send_unreliable(b"payload")
            self.exchange()
        self.exchange()
        self.theirs = next(iter(self.host.connections.values()))
        self.guests = next(iter(self.guest.connections.values()))
        self.before = self.state()

    def _endpoint(self, seed: int) -> LinkEndpoint:
        config = LinkConfig(
            game_id="fuzz", sealed=True, secret=bytes(16), status_interval=1e3, quiet_after=1e4, timeout=1e5
        )
        return LinkEndpoint(config, entropy=random.Random(seed).randbytes)

    def exchange(self) -> None:
        self.now += 0.01
        for source, target, address in ((self.guest, self.host, "guest"), (self.host, self.guest, "host")):
            source.handle_timeout(now=self.now)
            for data, _ in source.datagrams_to_send(now=self.now):
                self.genuine.append(data)
                target.receive_datagram(data, address, now=self.now)
            target.events()

    def state(self) -> object:
        return [(c.state, c.address, c.stats, c.terms, c._sequences.newest) for c in (self.theirs, self.guests)]

    def step(self, script: Script) -> None:
        operation = script.byte() % 4
        to_host = script.byte() % 4 != 0
        address = ("guest" if to_host else "host", "stranger", ("192.0.2.1", 9))[script.byte() % 3]
        held = self.theirs if to_host else self.guests
        if operation == 0:
            data = script.read(script.byte())
        elif operation == 1:
            kind = 0x80 + script.byte() % 0x48
            sequence = (script.byte() | script.byte() << 8) & 0xFFFF
            data = ENVELOPE.pack(kind, held.local_id, sequence, script.byte()) + script.read(script.byte())
        else:
            changed = bytearray(self.genuine[script.byte() % len(self.genuine)])
            at = (script.byte() | script.byte() << 8) % len(changed)
            changed[at] ^= script.byte()  # by 0: a replay
            data = bytes(changed[: len(changed) - (script.byte() % 8 if operation == 3 else 0)])
        self.receive(data, self.host if to_host else self.guest, address)

    def receive(self, data: bytes, endpoint: LinkEndpoint, address: object) -> None:
        self.received += 1
        endpoint.receive_datagram(data, address, now=self.now)
        answers = endpoint.datagrams_to_send(now=self.now)
        if sum(len(answer) for answer, _ in answers) > len(data):
            raise Bug("an answer longer than what was sent")
        if self.state() != self.before or endpoint.has_events:
            raise Bug("a datagram that nobody sent has changed something")


def run(data: bytes) -> tuple[int, str]:
    """Number of packets received, and what became of them."""
    script = Script(data)
    bench = Bench()
    while script.at < len(data) and script.at < 4096:
        bench.step(script)
    return bench.received, repr((sorted(bench.host.dropped.items()), sorted(bench.guest.dropped.items())))


HEAD = ENVELOPE.pack(ENTER, 77, 1, 0)
CORPUS = (
    bytes([0, 1, 0, 4, 1, 2, 3, 4]),
    bytes([1, 1, 0, 7, 3, 0, 1, 30]) + bytes(30),
    b"".join(bytes([2, 1, 0, which, 9, 0, 1]) for which in range(24)),
    b"".join(bytes([2, which, 0, which, 0, 0, 0]) for which in range(24)),
    b"".join(bytes([3, 0, 1, which, 20, 0, 128, 3]) for which in range(24)),
)

SEALED_DATAGRAMS = (
    packets.encode_sealed_hello(GREETING), packets.encode_sealed_accept(NONCE, bytes(74)), HEAD + bytes(30),
    ENVELOPE.pack(HELLO, 77, 1, 0) + bytes(30), ENVELOPE.pack(PROOF, 77, 1, 0) + bytes(24),
    ENVELOPE.pack(0x80, 0x4D, 1, 0) + bytes(30),
)  # fmt: skip

TARGETS: tuple[Target, ...] = (
    of("link/sealed-hello", packets.decode_sealed_hello, packets.encode_sealed_hello(GREETING), law=_law_of_hello),
    of("link/sealed-accept", packets.decode_sealed_accept, packets.encode_sealed_accept(NONCE, bytes(74)),
       law=_law_of_accept),
    of("link/proposal", packets.decode_proposal, packets.encode_proposal(PROPOSAL), write=packets.encode_proposal),
    of("link/answer", packets.decode_answer, packets.encode_answer(OFFER, 9), write=_write_answer),
    of("link/enter", packets.decode_enter, HEAD + packets.encode_enter(b"data", IDENTITY),
       HEAD + packets.encode_enter(b"", b""), law=_law_of_enter),
    of("link/admit", packets.decode_admit, ENVELOPE.pack(ADMIT, 77, 1, 0) + packets.encode_admit(5, b"data", IDENTITY),
       law=_law_of_admit),
    of("link/challenge", decode_challenge, ENVELOPE.pack(PROOF, 77, 1, 0) + bytes(8)),
    Target(name="link/noise", read=read_noise, seeds=tuple(_first_message(each) for each in Pattern),
           decoders=(name_of(Handshake.read_message),), share=0.1),
    Target(name="link/keylog", read=lambda data: _open_with_log(data.decode("utf-8", "replace")), seeds=(LOG.encode(),),
           decoders=(name_of(KeyLog.parse),)),
    Target(name="link/invite", read=_invite, seeds=(Invite("example.org:7777", bytes(range(16))).text().encode(),),
           decoders=(name_of(Invite.parse),)),
    Target(name="link/explain-sealed", read=_explain, seeds=SEALED_DATAGRAMS, decoders=(name_of(explain_link),)),
    script("endpoint/sealed", run, CORPUS, LinkEndpoint.receive_datagram, guides=("link",)),
)  # fmt: skip
