"""A declared world as a server runs it: the calls that only a server makes, and a world with its last states.

It knows nothing of connections, players' clients or packets.
"""

from retick.sim.world.hosting.calls import (
    Host,
    begin,
    check_owners,
    make_read_only,
    player_joins,
    player_leaves,
    set_host,
    tick,
)
from retick.sim.world.hosting.hosted import HostedWorld

__all__ = [
    "Host",
    "HostedWorld",
    "begin",
    "check_owners",
    "make_read_only",
    "player_joins",
    "player_leaves",
    "set_host",
    "tick",
]
