"""Datagrams of the relay, codes that people type, and both sides as endpoints.

The bytes of the endpoints' target are a script: who sends what, and how much time passes. Whatever it is, no stranger
gets more bytes than it sent, and the two members stay in their room or know that they are out.
"""

import random
from ipaddress import ip_address
from typing import Any

from fuzz.target import Bug, Target, name_of, of, script
from retick.errors import UsageError
from retick.relay import Hairpin, MemberState, Reflection, RelayMember, RelayServer
from retick.relay import packets as wire
from retick.relay.explain import explain_relay, is_relay
from retick.relay.packets import code_text, parse_code
from retick.relay.reflection import HairpinEnd
from retick.relay.server import SecondPort
from retick.relay.tickets import Ticket, TicketOffice

__all__ = ["TARGETS"]

NONCE, COOKIE, TAG, KEY = b"nonce678", bytes(range(16)), b"tag of the game.", bytes(range(32))
OFFICE = TicketOffice(KEY)
TICKET = OFFICE.signed(Ticket(b"roomid", 0, 2, 1, 0, 1000, TAG))
REQUESTS = tuple(
    wire.encode_request(request)
    for request in (
        wire.RelayRequest(wire.ASK, NONCE, flags=1),
        wire.RelayRequest(wire.OPEN, NONCE, COOKIE, places=2, tag=TAG),
        wire.RelayRequest(wire.JOIN, NONCE, COOKIE, code=b"12345", tag=TAG),
        wire.RelayRequest(wire.HERE, NONCE, COOKIE, ticket=TICKET),
        wire.RelayRequest(wire.LEAVE, NONCE, COOKIE, ticket=TICKET),
    )
)
ANSWERS = tuple(
    wire.encode_answer(answer)
    for answer in (
        wire.Seen(NONCE, 1, 7789, ip_address("192.0.2.1"), 5000, COOKIE),
        wire.Seen(NONCE, 1, 0, ip_address("2001:db8::1"), 5000, COOKIE),
        wire.Place(NONCE, 1, b"12345", 600, 3, TICKET),
        wire.RelayRefused(NONCE, wire.Refusal.SLOW_DOWN, 10),
        wire.Left(NONCE),
        wire.Present(b"roomid", 5),
        wire.MemberLost(b"roomid\0\1"),
    )
)
FRAMES = tuple(wire.encode_frame(wire.Frame(kind, b"roomid", 0, 1, b"payload")) for kind in (wire.DATA, wire.SIGNAL))


def _code(data: bytes) -> bytes:
    return parse_code(data.decode("utf-8", "replace"))


def _law_of_code(data: bytes, code: bytes) -> None:
    if parse_code(code_text(code)) != code:
        raise Bug("a code does not read as it was written")


RELAY, STRANGER, LONGEST = ("198.51.100.1", 7788), ("192.0.2.66", 666), 512
HOMES = (("203.0.113.1", 5000), ("203.0.113.2", 5000))


class Bench:
    """A relay, two members in a room, a survey, and a stranger."""

    def __init__(self) -> None:
        self.now = 0.0
        self.server = RelayServer(key=KEY, entropy=random.Random(1).randbytes, ports=(7788, 7789))
        self.members = [RelayMember(RELAY, tag=TAG, entropy=random.Random(n).randbytes) for n in (2, 3)]
        self.survey = Reflection(RELAY, entropy=random.Random(4).randbytes)
        self.hairpin = Hairpin(RELAY, entropy=random.Random(5).randbytes)
        self.members[0].open(2)
        self.exchange()
        self.members[1].join(self.members[0].code)
        self.exchange()

    def exchange(self) -> None:
        for _ in range(6):
            for member, home in zip(self.members, HOMES, strict=True):
                for data, _to in member.datagrams_to_send(now=self.now):
                    self.server.receive_datagram(data, home, now=self.now)
            for data, to in self.server.datagrams_to_send(now=self.now):
                if to in HOMES:
                    self.members[HOMES.index(to)].receive_datagram(data, RELAY, now=self.now)

    def strange(self, data: bytes, to: Any) -> None:
        self.exchange()
        to.receive_datagram(data, STRANGER, now=self.now)
        both = self.server.datagrams_to_send(now=self.now) + self.server.second.datagrams_to_send(now=self.now)
        answers = [answer for answer, address in both if address == STRANGER]
        if sum(map(len, answers)) > len(data):
            raise Bug(f"{len(data)} bytes of a stranger were answered with {sum(map(len, answers))}")


def run(data: bytes) -> tuple[int, str]:
    """Number of steps, and the final state."""
    bench = Bench()
    at = steps = 0
    while at + 2 <= len(data) and at < LONGEST:
        operation, length = data[at], data[at + 1]
        body = data[at + 2 : at + 2 + length]
        at += 2 + length
        steps += 1
        who = operation >> 3 & 1
        if operation & 7 == 0:
            bench.strange(body, bench.server)
        elif operation & 7 == 1:
            bench.strange(body, bench.server.second)
        elif operation & 7 == 2:
            bench.server.receive_datagram(body, HOMES[who], now=bench.now)
        elif operation & 7 == 3:
            bench.members[who].receive_datagram(body, RELAY, now=bench.now)
        elif operation & 7 == 4:
            bench.survey.receive_datagram(body, RELAY, now=bench.now)
            bench.survey.datagrams_to_send(now=bench.now)
            bench.hairpin.ends[who].receive_datagram(body, RELAY, now=bench.now)
            bench.hairpin.ends[who].datagrams_to_send(now=bench.now)
        elif operation & 7 == 5 and bench.members[who].state is MemberState.INSIDE and body:
            bench.members[who].send(1 - who, body)
        else:
            bench.now += length / 32
            bench.server.handle_timeout(now=bench.now)
            bench.survey.handle_timeout(now=bench.now)
            for member in bench.members:
                member.handle_timeout(now=bench.now)
        bench.exchange()
    told = [(member.state, member.present, member.dropped, member.events()) for member in bench.members]
    return steps, repr((told, bench.server.dropped, bench.server.events(), bench.survey.result, bench.hairpin.result))


def _step(operation: int, body: bytes = b"") -> bytes:
    return bytes((operation, len(body))) + body


SCRIPTS = (
    b"".join(_step(0, data) for data in REQUESTS + FRAMES) + _step(1, REQUESTS[0]) + _step(1, REQUESTS[1]),
    b"".join(_step(3 + 8 * (n & 1), data) for n, data in enumerate(ANSWERS + FRAMES)) + _step(6, bytes(99)),
    _step(5, b"payload") + _step(13, b"back") + _step(6, bytes(250)) * 4 + _step(5, b"payload"),
    _step(2, REQUESTS[1]) + _step(10, REQUESTS[4]) + _step(4, ANSWERS[0]) + _step(6, bytes(20)) + _step(4, ANSWERS[0]),
)


def _explained(data: bytes) -> Any:
    return explain_relay(data) if is_relay(data) else None


def _law_of_explained(data: bytes, found: Any) -> None:
    if found is not None and sum(row.size for row in found.rows) != len(data):
        raise Bug("a byte is in no row, or in two")


TARGETS: tuple[Target, ...] = (
    of("relay/explain", _explained, *REQUESTS, *ANSWERS, *FRAMES, law=_law_of_explained, also=(explain_relay,)),
    of("relay/request", wire.decode_request, *REQUESTS, write=wire.encode_request),
    of("relay/answer", wire.decode_answer, *ANSWERS, write=wire.encode_answer),
    of("relay/frame", wire.decode_frame, *FRAMES, write=wire.encode_frame),
    of("relay/ticket", OFFICE.read_ticket, TICKET, write=OFFICE.signed),
    Target(name="relay/code", read=_code, seeds=(b"4XK7-M2QP", b"oil0 0000", b"ZZZZZZZU", b"0000000"),
           decoders=(name_of(parse_code),), law=_law_of_code, refuses=(UsageError,)),
    script("endpoint/relay", run, SCRIPTS, RelayServer.receive_datagram, SecondPort.receive_datagram,
           RelayMember.receive_datagram, Reflection.receive_datagram, HairpinEnd.receive_datagram,
           guides=("relay", "wire")),
)  # fmt: skip
