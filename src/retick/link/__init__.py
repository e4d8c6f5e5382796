"""A connection over datagrams: handshake, unreliable payloads, reliable messages, round-trip time and loss, goodbye.

Does no I/O and reads no clock; knows no game, no session and no socket: an address is any hashable value.
"""

from retick.link.config import LinkConfig, Sealing
from retick.link.connection import Connection
from retick.link.endpoint import LinkEndpoint
from retick.link.events import (
    AddressChanged,
    Connected,
    Disconnected,
    Interrupted,
    LinkEvent,
    LinkResumed,
    LinkStats,
    QueueDrained,
    Refused,
    ReliableReceived,
    UnreliableReceived,
)
from retick.link.layout import State
from retick.link.reasons import Reason, describe
from retick.link.request import Accept, Refuse, Request, Terms
from retick.link.sealing.invite import Invite

__all__ = [
    "Accept",
    "AddressChanged",
    "Connected",
    "Connection",
    "Disconnected",
    "Interrupted",
    "Invite",
    "LinkConfig",
    "LinkEndpoint",
    "LinkEvent",
    "LinkResumed",
    "LinkStats",
    "QueueDrained",
    "Reason",
    "Refuse",
    "Refused",
    "ReliableReceived",
    "Request",
    "Sealing",
    "State",
    "Terms",
    "UnreliableReceived",
    "describe",
]
