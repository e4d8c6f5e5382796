"""A session of the original LAN protocol, as host and as joiner, under any datagrams. The bytes are a script."""

from fuzz.target import script
from retick.games.fighter import Fighter
from retick.rollback.lan import LanSession
from retick.wire import rbn1

__all__ = ["TARGETS"]

GAME = Fighter()
ADDRESSES = ("peer", "stranger")
WORDS = (b"HELLO", b"ACK", b"START")
LONGEST = 512


def run(data: bytes) -> tuple[int, str]:
    """Number of packets received, and the state of the session.

    The first byte: host or joiner. Then each step: what and from whom, a length, and so many bytes.
    """
    session = LanSession(GAME, host_address="peer" if data[:1] < b"\x80" else None)
    now = 0.0
    received = 0
    at = 1
    while at + 2 <= len(data) and at < LONGEST:
        what, length = data[at], data[at + 1]
        body = data[at + 2 : at + 2 + length]
        at += 2 + length
        now += (what >> 4) / 60
        if what & 2:
            frame = session.match.engine.frame if session.match is not None else 0
            packet = bytearray(rbn1.encode(rbn1.InputPacket(max(frame - 2, 0), max(frame - 1, 0), (1, 2, 3, 4))))
            for offset in range(0, len(body) - 1, 2):
                packet[body[offset] % len(packet)] = body[offset + 1]
            body = bytes(packet)
        elif what & 4:
            body = WORDS[length % 3]
        session.handle_timeout(now=now)
        session.receive_datagram(body, ADDRESSES[what & 1], now=now)
        received += 1
        if session.due(now=now):
            session.advance(1, now=now)
        assert len(session.datagrams_to_send(now=now)) <= 4, "a packet is answered by many"
        session.events()
    standing = (0, 0) if session.match is None else (session.match.engine.frame, GAME.checksum(session.state))
    return received, repr((standing, sorted(session.dropped.items())))


CORPUS = (
    bytes((0, 20, 1, 18, 0, 18, 0, 34, 0)),
    bytes((255, 20, 0, 20, 2, 18, 0, 18, 2, 6, 9, 50, 0)),
    bytes((255, 20, 0, 18, 0, 19, 0, 18, 4, 10, 1, 255, 3)),
)

TARGETS = (script("endpoint/lan", run, CORPUS, LanSession.receive_datagram, guides=("rollback/lan", "rollback/match")),)
