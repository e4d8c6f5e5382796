"""Sockets and clocks: drives anything that answers the five calls, on real UDP or on virtual time over bad links.

Knows no protocol: it moves datagrams and never looks inside.
"""

from typing import TYPE_CHECKING

from retick._lazy import lazy

if TYPE_CHECKING:
    from retick.transport.capture import Captured, CaptureWriter, read_capture
    from retick.transport.conditions import BAD_LINK, Conditions, DelayedPath, Impaired
    from retick.transport.endpoint import Address, Datagram, Endpoint
    from retick.transport.nat import Nat, NatKind, Router
    from retick.transport.poll import Poll
    from retick.transport.pump import Pump
    from retick.transport.simulated import MemoryHub, SimulatedNetwork
    from retick.transport.udp import UdpSocket, open_towards, open_udp, parse_address
else:
    __getattr__, __dir__ = lazy(
        __name__,
        {
            "retick.transport.capture": "Captured CaptureWriter read_capture",
            "retick.transport.conditions": "BAD_LINK Conditions DelayedPath Impaired",
            "retick.transport.endpoint": "Address Datagram Endpoint",
            "retick.transport.nat": "Nat NatKind Router",
            "retick.transport.poll": "Poll",
            "retick.transport.pump": "Pump",
            "retick.transport.simulated": "MemoryHub SimulatedNetwork",
            "retick.transport.udp": "UdpSocket open_towards open_udp parse_address",
        },
    )

__all__ = [
    "BAD_LINK",
    "Address",
    "CaptureWriter",
    "Captured",
    "Conditions",
    "Datagram",
    "DelayedPath",
    "Endpoint",
    "Impaired",
    "MemoryHub",
    "Nat",
    "NatKind",
    "Poll",
    "Pump",
    "Router",
    "SimulatedNetwork",
    "UdpSocket",
    "open_towards",
    "open_udp",
    "parse_address",
    "read_capture",
]
