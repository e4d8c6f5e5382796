"""The calls of an end that only passes them on to its link."""

from collections.abc import Hashable

from retick.link import LinkEndpoint

__all__ = ["Linked"]


class Linked:
    """All of the five calls but ``events``."""

    link: LinkEndpoint

    def receive_datagram(self, data: bytes, address: Hashable, *, now: float) -> None:
        self.link.receive_datagram(data, address, now=now)

    def datagrams_to_send(self, *, now: float) -> list[tuple[bytes, Hashable]]:
        return self.link.datagrams_to_send(now=now)

    def next_timeout(self) -> float | None:
        return self.link.next_timeout()

    def handle_timeout(self, *, now: float) -> None:
        self.link.handle_timeout(now=now)
