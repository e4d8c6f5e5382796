"""Sockets and clocks: drives anything that answers the five calls, on real UDP or on virtual time over bad links.

Knows no protocol: it moves datagrams, and what is in them is not its business.
"""

from retick.transport.conditions import Conditions, Path
from retick.transport.endpoint import Address, Datagram, Endpoint
from retick.transport.impaired import Impaired
from retick.transport.memory import MemoryHub
from retick.transport.simulated import SimulatedNetwork

__all__ = [
    "Address",
    "Conditions",
    "Datagram",
    "Endpoint",
    "Impaired",
    "MemoryHub",
    "Path",
    "SimulatedNetwork",
]
