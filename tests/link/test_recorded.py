"""A whole exchange, byte for byte and event for event: the same in both forms of the kernels, and as it always was."""

import hashlib
from dataclasses import fields
from typing import Any

import pytest

from retick.link import Connection
from retick.link.layout import CLAIM
from retick.transport import Conditions
from tests.link.pair import Pair

RECORDED = {
    "good": "7f79205c23192afceaa7ac678adf7512d97ef47a474a327fb71ed1df007b67f9",
    "bad": "3fcd93621869a0b9fed34e2ff797256870ed710fb2a4744f752e73c8ea70bf67",
}
"""SHA-256 of the transcripts. Only a change of docs/formats/link.md may change them: the last one was when
fragments are acknowledged and how long a retransmission waits for it. CLAIM came later: it is left out, and changes
nothing of the rest."""

RECORDED_AS = {"ReliableReceived": "MessageReceived", "LinkResumed": "Resumed"}
"""Events that have another name than when the exchange was recorded. A name in Python is nothing on the wire."""

WAYS = {
    "good": Conditions(latency=0.03),
    "bad": Conditions(latency=0.05, jitter=0.03, loss=0.2, duplicate=0.1, reorder=0.1),
}


def told(event: Any) -> str:
    names = getattr(type(event), "_fields", None) or [field.name for field in fields(event)]
    kind = RECORDED_AS.get(type(event).__name__, type(event).__name__)
    return f"{kind} " + " ".join(f"{n}={getattr(event, n)!r}" for n in names if n != "connection")


def exchange(pair: Pair, mine: Connection, theirs: Connection, rounds: int) -> None:
    for number in range(rounds):
        mine.send_unreliable(b"%d " % number * (number % 40 + 1))
        if number % 3:
            theirs.send_unreliable(b"back")
            theirs.send_unreliable(b"and again")
        if number % 50 == 7:
            mine.send_reliable(bytes(number) * 9)
            theirs.send_reliable(b"message %d" % number)
        pair.flush()
        pair.run(1 / 60)


def transcript(conditions: Conditions) -> list[str]:
    pair = Pair(seed=11, conditions=conditions, max_datagram=700, sealed=False)
    mine, theirs = pair.connect(data=b"hello")
    exchange(pair, mine, theirs, 400)
    pair.network.cut("host", "guest", 2.0)
    exchange(pair, mine, theirs, 300)
    noted = [str(connection.stats) for connection in (mine, theirs)]
    theirs.send_reliable(b"last words")
    theirs.close(200, "enough", linger=2.0)
    pair.flush()
    pair.run(8.0)
    for tap in (pair.guest_tap, pair.host_tap):
        noted += [data.hex() for data in tap.sent if data[0] != CLAIM]
    noted += [told(event) for event in pair.guest_events + pair.host_events]
    noted += [str({name: n for name, n in end.dropped.items() if n}) for end in (pair.host, pair.guest)]
    return [*noted, repr(mine), repr(theirs)]


@pytest.mark.parametrize("way", WAYS)
def test_an_exchange_is_the_one_that_was_recorded(way: str) -> None:
    lines = transcript(WAYS[way])
    assert len(lines) > 1000
    assert hashlib.sha256("\n".join(lines).encode()).hexdigest() == RECORDED[way]
