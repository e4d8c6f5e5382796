"""Endpoints in one process, without delay or loss between them."""

from collections import deque

from retick.errors import UsageError
from retick.transport.endpoint import Address, Endpoint

__all__ = ["MemoryHub"]


class MemoryHub:
    """Delivers at once and without loss. A datagram to an address without an endpoint is dropped, as on a network."""

    def __init__(self) -> None:
        self._endpoints: dict[Address, Endpoint] = {}
        self.undeliverable = 0
        """Datagrams sent to an address without an endpoint."""

    def attach(self, address: Address, endpoint: Endpoint) -> None:
        """Put an endpoint at an address."""
        if address in self._endpoints:
            raise UsageError(f"address {address!r} is taken")
        self._endpoints[address] = endpoint

    def detach(self, address: Address) -> None:
        """Remove the endpoint at an address, if there is one."""
        self._endpoints.pop(address, None)

    def exchange(self, *, now: float, limit: int = 10_000) -> int:
        """Handle timeouts, then deliver datagrams until none are left; return how many were delivered.

        ``limit`` stops two endpoints that answer each other for ever.
        """
        for endpoint in list(self._endpoints.values()):
            endpoint.handle_timeout(now=now)
        waiting: deque[tuple[bytes, Address, Address]] = deque()
        for address in list(self._endpoints):
            self._collect(address, waiting, now)
        delivered = 0
        while waiting:
            data, source, target = waiting.popleft()
            receiver = self._endpoints.get(target)
            if receiver is None:
                self.undeliverable += 1
                continue
            delivered += 1
            if delivered > limit:
                raise UsageError(f"more than {limit} datagrams in one exchange: the endpoints answer without end")
            receiver.receive_datagram(data, source, now=now)
            self._collect(target, waiting, now)
        return delivered

    def _collect(self, address: Address, waiting: deque[tuple[bytes, Address, Address]], now: float) -> None:
        for datagram in self._endpoints[address].datagrams_to_send(now=now):
            waiting.append((datagram[0], address, datagram[1]))
