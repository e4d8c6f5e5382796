"""Sends millions of mutated datagrams to two sealed endpoints: nothing may raise, change, or answer with more bytes.

::

    python -m fuzz.storm --datagrams 10000000

Two ends have the same talk twice, with the same entropy: once alone, and once while a forger on the path sends them
what it makes of their own datagrams, from their addresses and from others. After every round both talks must be in the
same state, and have delivered the same; and no answer to a forged datagram may be longer than it.
"""

import argparse
import time
from collections import Counter, deque
from random import Random
from typing import Any

from fuzz.target import Bug
from retick.link import LinkConfig, LinkEndpoint, ReliableReceived, UnreliableReceived
from retick.link.layout import ENVELOPE_SIZE

__all__ = ["Talk", "main", "mutated", "storm"]

ROUND = 500
"""Number of forged datagrams between two rounds of the talk."""
REMEMBERED = 300
"""Most genuine datagrams that the forger keeps."""
ADDRESSES = ("guest", "host", "stranger", ("192.0.2.1", 9))


class Talk:
    """A host and a guest on a sealed link, with payloads and messages both ways in every round."""

    def __init__(self, seed: int) -> None:
        self.ends = {"host": self._end(seed), "guest": self._end(seed + 1)}
        self.now = 0.0
        self.sent: dict[str, deque[bytes]] = {name: deque(maxlen=REMEMBERED) for name in self.ends}
        """What each endpoint has received."""
        self.delivered: Counter[str] = Counter()
        self._rounds = 0
        connection = self.ends["guest"].dial("host", data=b"hello")
        while not connection.is_connected:
            self.carry()

    def _end(self, seed: int) -> LinkEndpoint:
        config = LinkConfig(game_id="storm", secret=bytes(range(16)), identity=bytes([seed % 256]) * 32)
        return LinkEndpoint(config, entropy=Random(seed).randbytes)

    def carry(self) -> None:
        """Let both send and receive, twice, so that nothing waits to be sent."""
        self.now += 1 / 60
        for _ in range(3):
            for name, other in (("guest", "host"), ("host", "guest")):
                source, target = self.ends[name], self.ends[other]
                source.handle_timeout(now=self.now)
                for data, _to in source.datagrams_to_send(now=self.now):
                    self.sent[other].append(data)
                    target.receive_datagram(data, name, now=self.now)
                for event in target.events():
                    self.delivered[type(event).__name__] += 1
                    if isinstance(event, ReliableReceived | UnreliableReceived) and b"forged" in event.data:
                        raise Bug("something that nobody sent was delivered")

    def round(self) -> None:
        self._rounds += 1
        for name, end in self.ends.items():
            for connection in end.connections.values():
                connection.send_unreliable(f"{name} {self._rounds}".encode() * 3)
                if self._rounds % 5 == 0:
                    connection.send_reliable(bytes([self._rounds % 256]) * 200)
        self.carry()

    def state(self) -> list[Any]:
        """Everything that an application could see, and the numbers that decide what is received next."""
        found: list[Any] = [sorted(self.delivered.items())]
        for end in self.ends.values():
            for each in end.connections.values():
                head = (each.state, each.address, each.terms, each.fingerprint, each.queued_bytes)
                found.append((*head, each.stats, each._sequences.newest))
        return found


def mutated(dice: Random, genuine: deque[bytes]) -> bytes:
    """Makes forged datagrams from genuine ones."""
    data = bytearray(genuine[dice.randrange(len(genuine))])
    how = dice.randrange(10)
    if how < 4:
        at = dice.randrange(8 * len(data))
        data[at >> 3] ^= 1 << (at & 7)
    elif how == 4:
        for _ in range(dice.randrange(1, 9)):
            data[dice.randrange(len(data))] = dice.randrange(256)
    elif how == 5:
        del data[dice.randrange(len(data)) :]
    elif how == 6:
        data += dice.randbytes(dice.randrange(1, 40))
    elif how == 7:
        other = genuine[dice.randrange(len(genuine))]
        cut = dice.randrange(min(len(data), len(other)))
        data[cut:] = other[cut:]
    elif how == 8:
        data[8:] = b"forged" + dice.randbytes(dice.randrange(60))
    # Otherwise send it unchanged, as a replay.
    if how != 9 and len(data) > ENVELOPE_SIZE and dice.random() < 0.7:
        # Use a fresh number, so that only the seal can refuse it.
        data[5:7] = dice.randrange(0x10000).to_bytes(2, "little")
    return bytes(data)


def storm(datagrams: int, seed: int = 1, *, told: Any = None) -> Counter[str]:
    """Send forged datagrams and return the names under which they were dropped; Bug if one had an effect."""
    dice = Random(seed)
    attacked, calm = Talk(seed), Talk(seed)
    left = datagrams
    while left > 0:
        attacked.round()
        calm.round()
        if attacked.state() != calm.state():
            raise Bug(f"seed {seed}: after {datagrams - left} forged datagrams the talk is another one")
        for _ in range(min(ROUND, left)):
            name, other = ("host", "guest") if dice.random() < 0.5 else ("guest", "host")
            end = attacked.ends[name]
            data = mutated(dice, attacked.sent[name if dice.random() < 0.9 else other])
            end.receive_datagram(data, ADDRESSES[dice.randrange(4)], now=attacked.now)
            answers = end.datagrams_to_send(now=attacked.now)
            if answers and sum(len(answer) for answer, _ in answers) > len(data):
                raise Bug(f"seed {seed}: {data.hex()} is answered with more bytes than it has")
            if end.has_events:
                raise Bug(f"seed {seed}: {data.hex()} has caused {end.events()}")
        left -= ROUND
        if told is not None:
            told(datagrams - max(left, 0))
    if attacked.state() != calm.state():
        raise Bug(f"seed {seed}: after {datagrams} forged datagrams the talk is another one")
    return sum((Counter(end.dropped) for end in attacked.ends.values()), Counter())


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="fuzz.storm", description=__doc__)
    parser.add_argument("--datagrams", type=int, default=10_000_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    started = time.perf_counter()

    def told(done: int) -> None:
        if done % 500_000 < ROUND:
            print(f"{done:,} in {time.perf_counter() - started:.0f} s", flush=True)

    dropped = storm(options.datagrams, options.seed, told=told)
    names = ", ".join(f"{name} {count:,}" for name, count in dropped.most_common() if count)
    print(f"{options.datagrams:,} mutated datagrams: nothing raised, nothing changed; dropped: {names}")


if __name__ == "__main__":
    main()
