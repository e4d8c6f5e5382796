"""The tank game for players who come and go: ``rejoin.py NAME`` hosts, ``rejoin.py NAME ADDRESS`` joins, also again."""

import os
import sys
from pathlib import Path

import online

from retick.rollback import MatchConfig, MatchStarted, RollbackSession
from retick.transport import Poll, open_udp, parse_address

PATIENT = MatchConfig(disconnect_after=3.0, longest_reconnect=60.0)


class Seat:
    """The secret of our seat, in a file: whoever shows it gets the seat back."""

    def __init__(self, name, folder="."):
        self.name = name
        self.file = Path(folder, f"{name}.seat")

    def connect(self, game, address=None, *, port=online.PORT):
        socket = open_udp(port=port if address is None else 0)
        host = None if address is None else socket.resolve(*parse_address(address, default_port=port))
        saved = {"seat_token": self.file.read_bytes()} if self.file.exists() else {}
        self.session = RollbackSession(
            game,
            entropy=os.urandom,
            host_address=host,
            config=PATIENT,
            name=self.name,
            reconnect=True,
            sealed=True,
            **saved,
        )
        print("others reach this window at port", socket.address[1])
        return self.session, Poll(self.session, socket)

    def happened(self, event):
        print(event)
        if isinstance(event, MatchStarted):
            self.file.write_bytes(self.session.seat_token)


if __name__ == "__main__":
    seat = Seat(sys.argv[1])
    online.main(*sys.argv[2:3], connect=seat.connect, happened=seat.happened)
