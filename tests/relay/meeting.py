"""A relay and members on a simulated network, for tests."""

from random import Random
from typing import Any, TypeVar

from retick.relay import RelayConfig, RelayMember, RelayServer
from retick.relay.packets import RelayRequest, decode_answer, encode_request
from retick.transport import Conditions, Nat, SimulatedNetwork

KEY = bytes(range(32))
TAG = b"game, version 1."
FIRST, SECOND = ("198.51.100.1", 7788), ("198.51.100.1", 7789)
EPOCH = 1_800_000_000.0

T = TypeVar("T")


def make_server(config: RelayConfig | None = None, *, seed: int = 1, epoch: float = EPOCH) -> RelayServer:
    ports = (FIRST[1], SECOND[1])
    return RelayServer(key=KEY, entropy=Random(seed).randbytes, epoch=epoch, ports=ports, config=config)


class Direct:
    """Somebody who speaks to a server without a network: sends requests, reads answers."""

    def __init__(self, server: RelayServer, address: Any = ("203.0.113.1", 5000), *, seed: int = 5) -> None:
        self.server = server
        self.address = address
        self.random = Random(f"{seed} {address}")
        self.cookie = bytes(16)

    def raw(self, data: bytes, *, now: float = 0.0) -> list[tuple[bytes, Any]]:
        self.server.receive_datagram(data, self.address, now=now)
        return self.server.datagrams_to_send(now=now)

    def ask(self, kind: int, *, now: float = 0.0, nonce: bytes | None = None, **more: Any) -> Any:
        """Send a request and return its answer; the address is proven first."""
        nonce = nonce or self.random.randbytes(8)
        for _ in range(2):
            out = self.raw(encode_request(RelayRequest(kind, nonce, self.cookie, **more)), now=now)
            mine = [decode_answer(data) for data, address in out if address == self.address]
            answers = [answer for answer in mine if getattr(answer, "nonce", None) == nonce]
            if not answers or not hasattr(answers[0], "cookie"):
                break
            self.cookie = answers[0].cookie
        return answers[0] if answers else None


class Meeting:
    """A relay on the internet with two ports, and members behind routers."""

    def __init__(
        self, *, seed: int = 1, conditions: Conditions | None = None, config: RelayConfig | None = None
    ) -> None:
        self.network = SimulatedNetwork(seed=seed, conditions=conditions or Conditions.round_trip(0.08))
        self.config = config
        self.random = Random(seed)
        self.happened: dict[RelayMember, list[Any]] = {}
        self.addresses: dict[RelayMember, Any] = {}
        self.start_relay()

    def start_relay(self) -> None:
        """Also after ``stop_relay``: another process with the same key."""
        self.server = make_server(self.config, seed=self.random.randrange(1 << 30))
        self.network.attach(FIRST, self.server)
        self.network.attach(SECOND, self.server.second)
        self.server.on_other_port = lambda port: self.network.flush((FIRST, SECOND)[port])

    def stop_relay(self) -> None:
        self.network.detach(FIRST)
        self.network.detach(SECOND)

    def member(self, *, nat: Nat | None = None, tag: bytes = TAG) -> RelayMember:
        number = len(self.happened) + 1
        router = self.network.router(f"203.0.113.{number}", nat or Nat())
        member = RelayMember(FIRST, tag=tag, entropy=Random(self.random.random()).randbytes)
        address = (f"10.0.{number}.2", 5000)
        self.happened[member] = []
        self.addresses[member] = address
        self.network.attach(address, member, on_events=self.happened[member].extend, behind=router)
        return member

    def flush(self, member: RelayMember) -> None:
        self.network.flush(self.addresses[member])

    def run(self, seconds: float) -> None:
        self.network.run(until=self.network.now + seconds)

    def room(self, members: int = 2, *, places: int | None = None, nat: Nat | None = None) -> list[RelayMember]:
        """So many members in one room."""
        found = [self.member(nat=nat)]
        found[0].open(places or members)
        self.flush(found[0])
        self.run(1.0)
        for _ in range(members - 1):
            found.append(self.member(nat=nat))
            found[-1].join(found[0].code)
            self.flush(found[-1])
            self.run(1.0)
        return found

    def of(self, member: RelayMember, kind: type[T]) -> list[T]:
        return [event for event in self.happened[member] if isinstance(event, kind)]

    def send(self, sender: RelayMember, receiver: RelayMember, payload: bytes, *, is_signal: bool = False) -> None:
        sender.send(receiver.number, payload, is_signal=is_signal)
        self.flush(sender)
