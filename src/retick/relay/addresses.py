"""Addresses of sockets as a relay needs them: host and port, and whose they are."""

from collections.abc import Hashable
from ipaddress import IPv4Address, IPv6Address, ip_address

from retick.link.handshake.door import origin_of

__all__ = ["origin_at", "seen_at"]


def seen_at(address: Hashable) -> tuple[IPv4Address | IPv6Address, int] | None:
    """Host and port of a socket's address; IPv4 as such, also where an IPv6 socket shows it. None for any other."""
    if not isinstance(address, tuple) or len(address) < 2 or not isinstance(address[0], str):
        return None
    try:
        host = ip_address(address[0])
    except ValueError:
        return None
    if isinstance(host, IPv6Address):
        host = host.ipv4_mapped or host
    return host, address[1]


def origin_at(address: Hashable) -> Hashable:
    """What counts as one sender: an IPv4 address, or the /64 network of an IPv6 address."""
    seen = seen_at(address)
    return address if seen is None else origin_of((str(seen[0]), seen[1]))
