"""A match by code: first behind simulated routers on virtual time, then over real sockets with a relay of one's own."""

import os
import time

from retick.games.fighter import Fighter
from retick.link import Invite
from retick.relay import RelayServer
from retick.rollback import RollbackSession
from retick.routes import Online, OnlineReady
from retick.testing.online_mesh import OnlineMesh
from retick.transport import Nat, NatKind, Poll, open_udp


def behind_simulated_routers() -> None:
    """Some pairs of routers have a direct path, some have none: the match is played all the same."""
    for kind in (NatKind.PORT_RESTRICTED, NatKind.SYMMETRIC):
        mesh = OnlineMesh(Fighter, nats={"peer0": Nat(), "peer1": Nat(kind=kind)})
        mesh.start()
        mesh.play(600)
        mesh.verify()
        [report] = mesh["peer0"].session.routes.report()
        print(f"port-restricted with {kind.value}: {report.text}")


def over_real_sockets(seconds: float = 1.0) -> int:
    """A relay and two players in one process; returns the frame that the host has reached."""
    relay_socket = open_udp("127.0.0.1")
    relay = RelayServer(key=os.urandom(32), entropy=os.urandom, epoch=time.time() - time.monotonic())
    host_socket, guest_socket = open_udp("127.0.0.1"), open_udp("127.0.0.1")
    invite = Invite.new(entropy=os.urandom)
    online = Online(relay=relay_socket.address, own=(host_socket.address[:2],))
    host = RollbackSession(Fighter(), entropy=os.urandom, online=online, invite=invite)
    players = [(host, Poll(host, host_socket))]
    with Poll(relay, relay_socket) as meeting_point:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            meeting_point.poll()
            for session, wire in list(players):
                for event in wire.poll():
                    if isinstance(event, OnlineReady) and session is host and event.invite is not None:
                        # The line goes to the other player by chat; there it is read again.
                        pasted = Invite.parse(event.invite.text())
                        online = Online(relay=relay_socket.address, code=pasted.code, own=(guest_socket.address[:2],))
                        guest = RollbackSession(Fighter(), entropy=os.urandom, online=online, invite=pasted)
                        players.append((guest, Poll(guest, guest_socket)))
                now = time.monotonic()
                while session.due(now=now):
                    session.advance(0, now=now)
                wire.flush()
        for _, wire in players:
            wire.close()
    assert host.routes is not None
    print(f"over sockets: {host.routes.report()[0].text}")
    return host.frame


if __name__ == "__main__":
    behind_simulated_routers()
    over_real_sockets()
