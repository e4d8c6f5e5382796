"""The tank game online, for players who come and go: ``rejoin.py`` hosts, ``rejoin.py ADDRESS`` joins or comes back."""

import sys

import online

from retick.rollback import MatchConfig

PATIENT = MatchConfig(end_when_alone=False, disconnect_after=3.0)


def connect(game, address=None):
    session, wire = online.connect(game, address, config=PATIENT)
    print("others reach this window at port", wire.socket.address[1])
    return session, wire


if __name__ == "__main__":
    online.main(*sys.argv[1:2], connect=connect)
