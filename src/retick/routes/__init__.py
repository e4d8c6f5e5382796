"""Ways to a peer over the internet: a relay at once, a direct path when one is found, one address for both; no I/O.

Knows no game and no session: it carries a link's datagrams and does not look into them. docs/guides/internet.md says
how it works, docs/formats/routes.md what it sends.
"""

from retick.relay.packets import FRAME_HEAD_SIZE, MAX_PLACES
from retick.routes.online import Online, OnlineEnded, OnlineEvent, OnlineReady, PathChanged, RelayChanged
from retick.routes.path import PathKind
from retick.routes.routes import Routes, member_name
from retick.routes.words import PathReport

__all__ = [
    "FRAME_HEAD_SIZE",
    "MAX_PLACES",
    "Online",
    "OnlineEnded",
    "OnlineEvent",
    "OnlineReady",
    "PathChanged",
    "PathKind",
    "PathReport",
    "RelayChanged",
    "Routes",
    "member_name",
]
