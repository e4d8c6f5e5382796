"""The tank game online, as over a bad mobile network: ``bad_network.py`` hosts, ``bad_network.py INVITE`` joins."""

import sys

import online

from retick.transport import Conditions, Impaired, Poll

BAD = Conditions.round_trip(0.120, jitter=0.010, loss=0.05)


def connect(game, line=None, *, port=online.PORT):
    session, wire = online.connect(game, line, port=port)
    return session, Poll(Impaired(session, outgoing=BAD), wire.socket)


if __name__ == "__main__":
    online.main(*sys.argv[1:2], connect=connect)
