"""The meeting point of peers behind routers: rooms by code, tickets, signalling and forwarding; both sides, no I/O.

Knows no game and no link: payloads are opaque. Its datagrams are in ``retick.wire.relay``, its page is
docs/formats/relay.md.
"""

from retick.relay.codes import code_text, parse_code
from retick.relay.config import RelayConfig
from retick.relay.events import (
    AddressSeen,
    Entered,
    FrameReceived,
    LeftRoom,
    MemberEntered,
    MemberEvent,
    MemberGone,
    PresentChanged,
    RelayBack,
    RelayEvent,
    RelaySilent,
    RoomGone,
    RoomOpened,
)
from retick.relay.hairpin import Hairpin
from retick.relay.member import MemberState, RelayMember
from retick.relay.reflection import Mapping, Reflection
from retick.relay.server import RelayServer
from retick.wire.relay import Refusal

__all__ = [
    "AddressSeen",
    "Entered",
    "FrameReceived",
    "Hairpin",
    "LeftRoom",
    "Mapping",
    "MemberEntered",
    "MemberEvent",
    "MemberGone",
    "MemberState",
    "PresentChanged",
    "Reflection",
    "Refusal",
    "RelayBack",
    "RelayConfig",
    "RelayEvent",
    "RelayMember",
    "RelayServer",
    "RelaySilent",
    "RoomGone",
    "RoomOpened",
    "code_text",
    "parse_code",
]
