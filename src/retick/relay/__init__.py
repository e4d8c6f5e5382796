"""Where peers behind routers meet: rooms by code, tickets, signalling and forwarding; both sides, no I/O.

Knows no game and no link: payloads are opaque. Its datagrams are in ``retick.relay.packets``, its page is
docs/formats/relay.md.
"""

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
from retick.relay.member import MemberState, RelayMember
from retick.relay.packets import Refusal, code_text, parse_code
from retick.relay.reflection import Hairpin, Mapping, Reflection
from retick.relay.server import RelayServer

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
