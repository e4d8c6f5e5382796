"""The address of a host that was named by its user, found without holding up other rooms."""

import asyncio
import ipaddress
import socket

from retick.errors import NetworkUnavailable

__all__ = ["is_ip", "look_up"]


def is_ip(host: str) -> bool:
    """Whether no name server is needed."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


async def look_up(host: tuple[str, int]) -> tuple[str, int]:
    """IP address and port; one of IPv4, if the name has any. NetworkUnavailable if it has none."""
    name, port = host
    try:
        found = await asyncio.get_running_loop().getaddrinfo(name, port, type=socket.SOCK_DGRAM)
    except (OSError, ValueError):  # the last one: a name that is no name
        found = []
    addresses = sorted((family != socket.AF_INET, str(where[0])) for family, _, _, _, where in found)
    if not addresses:
        raise NetworkUnavailable(f"no address is known for {name!r}: check the spelling and your DNS")
    return addresses[0][1], port
