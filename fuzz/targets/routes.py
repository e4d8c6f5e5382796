"""Notes between members of a room, and the whole between a link and a socket.

The bytes of the endpoints' target are a script: what a hostile relay, a hostile member with the right keys, and a
stranger send, and how much time passes. Whatever it is, an address that was never heard gets one whole probe at most.
"""

import random
from collections import Counter
from ipaddress import ip_address
from typing import Any

from fuzz.target import Bug, Target, of, script
from retick.relay import packets as wire
from retick.routes import Online, PathKind, Routes
from retick.routes.notes import Candidate, Candidates, Go, NoteSeal, Probe, decode_note, encode_note
from retick.routes.routes import NOTE, explain_note, is_note

__all__ = ["TARGETS"]

RELAY, STRANGER, LONGEST = ("198.51.100.1", 7788), ("192.0.2.66", 666), 512
CODE, ROOM, TAG = b"12345", b"roomid", b"tag of the game."
SOME = tuple(
    Candidate(kind, ip_address(host), 5000)
    for kind, host in ((PathKind.LOCAL, "10.0.0.1"), (PathKind.IPV6, "2001:db8::1"), (PathKind.MAPPED, "192.0.2.1"))
)
NOTES = (
    *(encode_note(Candidates(1, SOME, is_reply)) for is_reply in (False, True)),
    encode_note(Candidates(1, (), False)),
    encode_note(Go(1)),
    *(encode_note(Probe(b"8 bytes.", is_answer)) for is_answer in (False, True)),
)


def _seal(own: int, other: int) -> NoteSeal:
    return NoteSeal(b"", CODE, ROOM, own, other, stay=b"the stay")


SEALED = tuple(_seal(1, 0).seal(NOTE, note) or b"" for note in NOTES)


HEAD = bytes((NOTE,)) + wire.channel_of(ROOM, 1, 0)


def _explained(data: bytes) -> object:
    return explain_note(data) if is_note(data) else None


def _opened(data: bytes) -> bytes:
    return _seal(0, 1).open(NOTE, data)


class Bench:
    """One machine in a room, with a member that has the keys of notes."""

    def __init__(self) -> None:
        self.now = 0.0
        self.routes = Routes(Online(relay=RELAY), tag=TAG, entropy=random.Random(1).randbytes, places=4)
        self.member = _seal(1, 0)
        self.heard: set[Any] = set()
        self.probed: Counter[Any] = Counter()
        [(request, _)] = self.routes.drain(0.0)
        seen = wire.Seen(request[5:13], 1, 0, ip_address("203.0.113.1"), 5000, bytes(range(16)))
        self.receive(wire.encode_answer(seen), RELAY)
        self.routes.drain(0.0)
        place = wire.Place(request[5:13], 0, CODE, 600, 3, ROOM + bytes(43))
        self.receive(wire.encode_answer(place), RELAY)

    def receive(self, data: bytes, address: Any) -> None:
        before = self.routes.dropped["bad_note"]
        for payload, name in self.routes.receive(data, address, self.now):
            if name == "member-0" or not payload:
                raise Bug(f"{payload!r} came from {name}")
        if data[:1] == bytes((NOTE,)) and self.routes.dropped["bad_note"] == before:
            self.heard.add(address)

    def drain(self) -> None:
        for datagram in self.routes.drain(self.now):
            if datagram[1] != RELAY and len(datagram) == 2:
                self.probed[datagram[1]] += 1
                if datagram[1] not in self.heard and self.probed[datagram[1]] > 1:
                    raise Bug(f"{datagram[1]} was never heard and is probed again")


def run(data: bytes) -> tuple[int, str]:
    """Number of steps, and the final state."""
    bench = Bench()
    at = steps = 0
    while at + 2 <= len(data) and at < LONGEST:
        operation, length = data[at], data[at + 1]
        body = data[at + 2 : at + 2 + length]
        at += 2 + length
        steps += 1
        if operation & 7 == 0:
            bench.receive(body, RELAY)
        elif operation & 7 == 1:
            bench.receive(body, STRANGER)
        elif operation & 7 == 2:
            sealed = bench.member.seal(wire.SIGNAL, body) or b""
            bench.receive(wire.encode_frame(wire.Frame(wire.SIGNAL, ROOM, 1, 0, sealed)), RELAY)
        elif operation & 7 == 3:
            head = bytes((NOTE,)) + wire.channel_of(ROOM, 1, 0)
            bench.receive(head + (bench.member.seal(NOTE, body) or b""), ("192.0.2.1", 5000 + (operation >> 3)))
        elif operation & 7 == 4 and body:
            bench.receive(wire.encode_frame(wire.Frame(wire.DATA, ROOM, 1, 0, body)), RELAY)
        elif operation & 7 == 5:
            bench.routes.send([(body, f"member-{operation >> 3}")], bench.now)
        else:
            bench.now += length / 32
            bench.routes.handle_timeout(bench.now)
        bench.drain()
    told = (bench.routes.report(), bench.routes.dropped, bench.routes.events(), sorted(map(str, bench.probed.items())))
    return steps, repr(told)


def _step(operation: int, body: bytes = b"") -> bytes:
    return bytes((operation, len(body))) + body


SCRIPTS = (
    _step(5 + 8, b"\x80hello") + b"".join(_step(2, note) for note in NOTES) + _step(6, bytes(99)) * 4,
    _step(4, b"\x80hello") + b"".join(_step(3, note) for note in NOTES) + _step(1, b"\x80") + _step(6, bytes(30)) * 9,
    _step(5 + 8, b"\x80") + _step(2, NOTES[0]) + _step(2, NOTES[3]) + _step(6, bytes(64)) * 3 + _step(2, NOTES[3]),
    _step(0, wire.encode_answer(wire.MemberLost(ROOM + b"\0\1")))
    + _step(1, bytes((NOTE,)) + ROOM + b"\1\0" + SEALED[3]),
)
TARGETS: tuple[Target, ...] = (
    of("routes/explain", _explained, *(head + note for note in SEALED for head in (HEAD, b"")), also=(explain_note,)),
    of("routes/note", decode_note, *NOTES, write=encode_note),
    of("routes/seal", _opened, *SEALED, also=(NoteSeal.open,)),
    script("endpoint/routes", run, SCRIPTS, Routes.receive, guides=("routes", "relay", "wire")),
)
