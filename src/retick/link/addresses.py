"""Addresses: whose they are, how peers tell them to each other as text, and which of them may be dialled.

::

    host, a space, port     an IP address without a scope; port 1 to 65535
    a name                  printable, without a space: a peer on a simulated network
    nothing                 the sender itself

An address from the wire may belong to somebody who has nothing to do with the match. So only addresses that a single
peer can have are accepted: no multicast, no broadcast, no unspecified and no reserved address.
"""

from collections.abc import Hashable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

from retick.errors import InvalidValue, UsageError

MAX_ADDRESS = 80
"""The most bytes of an address."""
_NETWORK_BITS = 64
"""The bits of an IPv6 address that name its network; the owner chooses the rest freely."""


def _host_of(address: Hashable) -> IPv4Address | IPv6Address | None:
    """The host of a socket's address, as IPv4 if IPv6 maps it; None for any other kind of address."""
    try:
        found = ip_address(address[0]) if isinstance(address, tuple) and isinstance(address[0], str) else None
    except (ValueError, IndexError):
        return None
    return getattr(found, "ipv4_mapped", None) or found


def origin_of(address: Hashable) -> Hashable:
    """What counts as one stranger: the host of a socket's address without its port, or any other address itself."""
    host = _host_of(address)
    if host is None:
        return address
    if isinstance(host, IPv4Address) or host.is_link_local:
        # All machines on a cable share the network of link-local addresses.
        return host
    return IPv6Network((host, _NETWORK_BITS), strict=False)


def is_loopback(address: Hashable) -> bool:
    """Whether an address is this machine's own: bots and tests come in numbers, and no stranger can have it."""
    host = _host_of(address)
    return host is not None and host.is_loopback


def address_key(address: Hashable) -> Hashable:
    """A key that is equal for two ways to write one address."""
    return (_host_of(address), address[1]) if isinstance(address, tuple) else address


def is_reachable(address: Hashable, through: Hashable) -> bool:
    """Whether ``address`` is of the same kind as the address of ``through``, the peer that told us of it.

    A name is valid only on a network of names. A loopback address of another computer is not ours to dial.
    """
    if isinstance(address, str) or isinstance(through, str):
        return bool(address) and isinstance(address, str) and isinstance(through, str)
    return is_loopback(through) or not is_loopback(address)


def check_reachable(address: Hashable, through: Hashable) -> None:
    """Raise InvalidValue unless ``is_reachable``."""
    if not is_reachable(address, through):
        raise InvalidValue(f"{address!r} cannot be dialled from here")


def pack_address(address: Hashable) -> bytes:
    """Write an IP address and port, or a name on a simulated network, as text. A scope is left out: it is local."""
    if isinstance(address, tuple) and len(address) >= 2:
        return f"{str(address[0]).partition('%')[0]} {address[1]}".encode()
    if isinstance(address, str):
        return address.encode()
    raise UsageError(f"an address is (host, port) or a name, not {address!r}")


def unpack_address(data: bytes) -> Hashable:
    """Read (host, port) of one peer, or a name; raises InvalidValue for anything else."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise InvalidValue("an address that is not UTF-8") from None
    host, space, port = text.rpartition(" ")
    if not space:
        if not text.isprintable():
            raise InvalidValue(f"{text!r} is not a name")
        return text
    if not (port.isascii() and port.isdigit() and len(port) <= 5 and 1 <= int(port) <= 65535):
        raise InvalidValue(f"port {port!r} is not a number from 1 to 65535")
    _check_unicast(host)
    return (host, int(port))


def _check_unicast(host: str) -> None:
    found = _host_of((host,)) if "%" not in host and host.isascii() else None
    if found is None:
        raise InvalidValue(f"{host!r} is not an IP address without a scope")
    is_this_network = found.version == 4 and found.packed[0] == 0
    is_reserved = found.version == 4 and found.is_reserved
    if found.is_multicast or found.is_unspecified or is_this_network or is_reserved:
        raise InvalidValue(f"{found} is not the address of one peer")
