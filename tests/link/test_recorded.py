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
    "good": "6d14b8a2f678d08691e3e5721772a50fb6c44fe195facf7d09ed6112aa3c6f89",
    "bad": "2255a75953f73ca9c2e41277835c3f827d59237c6d969c5b2d8bd519474024ab",
}
"""SHA-256 of the transcripts. Only a change of docs/formats/link.md may change them: the last one was how long a
retransmission waits. CLAIM came later: it is left out, and changes nothing of the rest."""

WAYS = {
    "good": Conditions(latency=0.03),
    "bad": Conditions(latency=0.05, jitter=0.03, loss=0.2, duplicate=0.1, reorder=0.1),
}


def told(event: Any) -> str:
    names = getattr(type(event), "_fields", None) or [field.name for field in fields(event)]
    return f"{type(event).__name__} " + " ".join(f"{n}={getattr(event, n)!r}" for n in names if n != "connection")


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
    pair = Pair(seed=11, conditions=conditions, max_datagram=700)
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
