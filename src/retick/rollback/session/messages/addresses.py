"""Addresses that peers tell each other, as text, and which of them may be dialled.

::

    host, a space, port     an IP address without a scope; port 1 to 65535
    a name                  printable, without a space: a peer on a simulated network
    nothing                 the sender itself

An address from the wire may be the address of somebody who has nothing to do with the match. So only those are
accepted that one peer can have: no multicast, no broadcast, no unspecified and no reserved address.
"""

import ipaddress
from collections.abc import Hashable
from typing import TypeAlias

from retick.errors import InvalidValue, UsageError

__all__ = ["MAX_ADDRESS", "address_key", "check_reachable", "is_reachable", "pack_address", "unpack_address"]

MAX_ADDRESS = 80
"""Bytes of an address."""

_IP: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address


def pack_address(address: Hashable) -> bytes:
    """An IP address and port, or a name on a simulated network, as text. A scope means nothing to others: left out."""
    if isinstance(address, tuple) and len(address) >= 2:
        return f"{str(address[0]).partition('%')[0]} {address[1]}".encode()
    if isinstance(address, str):
        return address.encode()
    raise UsageError(f"an address is (host, port) or a name, not {address!r}")


def unpack_address(data: bytes) -> Hashable:
    """(host, port) of one peer, or a name; InvalidValue for anything else."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise InvalidValue("an address that is not UTF-8") from None
    host, space, port = text.rpartition(" ")
    if not space:
        if not text.isprintable():
            raise InvalidValue(f"{text!r} is no name")
        return text
    if not (port.isascii() and port.isdigit() and len(port) <= 5 and 1 <= int(port) <= 65535):
        raise InvalidValue(f"port {port!r} is not a number from 1 to 65535")
    _check_unicast(_ip(host))
    return (host, int(port))


def _ip(host: str) -> _IP:
    """Without a scope, and the IPv4 address where IPv6 carries one."""
    if "%" in host or not host.isascii():
        raise InvalidValue(f"{host!r} is not an IP address without a scope")
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        raise InvalidValue(f"{host!r} is not an IP address") from None
    return getattr(found, "ipv4_mapped", None) or found


def _check_unicast(found: _IP) -> None:
    is_this_network = found.version == 4 and found.packed[0] == 0
    is_reserved = found.version == 4 and found.is_reserved
    if found.is_multicast or found.is_unspecified or is_this_network or is_reserved:
        raise InvalidValue(f"{found} is not the address of one peer")


def address_key(address: Hashable) -> Hashable:
    """The same for two ways to write one address."""
    return (_ip(str(address[0])), address[1]) if isinstance(address, tuple) else address


def is_reachable(address: Hashable, through: Hashable) -> bool:
    """Whether ``address`` is of the sort at which we reach ``through``, the peer that told us of it.

    A name is good only on a network of names. A loopback address of another computer is not ours to dial.
    """
    if isinstance(address, str) or isinstance(through, str):
        return bool(address) and isinstance(address, str) and isinstance(through, str)
    return _is_loopback(through) or not _is_loopback(address)


def check_reachable(address: Hashable, through: Hashable) -> None:
    """InvalidValue unless ``is_reachable``."""
    if not is_reachable(address, through):
        raise InvalidValue(f"{address!r} cannot be dialled from here")


def _is_loopback(address: Hashable) -> bool:
    if not isinstance(address, tuple):
        return False
    try:
        return _ip(str(address[0]).partition("%")[0]).is_loopback
    except InvalidValue:
        return False
