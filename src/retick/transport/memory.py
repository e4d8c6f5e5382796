"""Endpoints in one process, without time between them: what one sends, the other has."""

from collections import deque

from retick.errors import UsageError
from retick.transport.endpoint import Address, Endpoint

__all__ = ["MemoryHub"]


class MemoryHub:
    """Delivers at once and without loss. A datagram to an address that nobody holds is dropped, as on a network."""

    def __init__(self) -> None:
        self._endpoints: dict[Address, Endpoint] = {}
        self.undeliverable = 0
        """Datagrams sent to an address that nobody holds."""

    def attach(self, address: Address, endpoint: Endpoint) -> None:
        if address in self._endpoints:
            raise UsageError(f"address {address!r} is taken")
        self._endpoints[address] = endpoint

    def detach(self, address: Address) -> None:
        self._endpoints.pop(address, None)

    def exchange(self, *, now: float, limit: int = 10_000) -> int:
        """Run time-outs, then carry datagrams until nobody has any left; return how many were carried.

        ``limit`` is the guard against two ends that answer each other for ever.
        """
        for endpoint in list(self._endpoints.values()):
            endpoint.handle_timeout(now=now)
        waiting: deque[tuple[bytes, Address, Address]] = deque()
        for address in list(self._endpoints):
            self._collect(address, waiting, now)
        carried = 0
        while waiting:
            data, source, target = waiting.popleft()
            receiver = self._endpoints.get(target)
            if receiver is None:
                self.undeliverable += 1
                continue
            carried += 1
            if carried > limit:
                raise UsageError(f"more than {limit} datagrams in one exchange: the endpoints answer without end")
            receiver.receive_datagram(data, source, now=now)
            self._collect(target, waiting, now)
        return carried

    def _collect(self, address: Address, waiting: deque[tuple[bytes, Address, Address]], now: float) -> None:
        for data, target in self._endpoints[address].datagrams_to_send(now=now):
            waiting.append((data, address, target))
