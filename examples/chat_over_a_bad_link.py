"""Two ends of a link in one process: first on virtual time over a bad network, then over real sockets with poll()."""

import os
import random
from typing import Any

from retick.link import Connected, Connection, LinkConfig, LinkEndpoint, ReliableReceived, UnreliableReceived
from retick.transport import Conditions, Poll, SimulatedNetwork, open_udp

CONFIG = LinkConfig(game_id="chat", game_version=1)


def on_virtual_time() -> Connection:
    """Twelve seconds at 100 ms round trip and 20 % loss; it takes a few milliseconds and is the same every time."""
    host = LinkEndpoint(CONFIG, entropy=random.Random(1).randbytes)
    guest = LinkEndpoint(CONFIG, entropy=random.Random(2).randbytes)
    heard: list[str] = []

    def at_host(events: list[Any]) -> None:
        for event in events:
            if isinstance(event, ReliableReceived):
                heard.append(event.data.decode())

    network = SimulatedNetwork(seed=7, conditions=Conditions.round_trip(0.100, jitter=0.005, loss=0.20))
    network.attach("host", host, on_events=at_host)
    network.attach("guest", guest)
    connection = guest.dial("host")

    def speak() -> None:
        if connection.send_reliable(f"second {network.now:.0f}".encode()):
            network.flush("guest")

    network.flush("guest")
    network.every(1.0, speak, phase=2.0, owner="guest")
    network.run(until=12.9)
    print(f"heard {len(heard)} of 11 over a link that loses one packet in five: {heard[0]!r} to {heard[-1]!r}")
    print(f"round trip {connection.rtt * 1000:.0f} ms")
    return connection


def over_real_sockets() -> None:
    """As in a game's loop: poll at the start of a frame, flush at its end."""
    host_socket, guest_socket = open_udp("127.0.0.1"), open_udp("127.0.0.1")
    host = Poll(LinkEndpoint(CONFIG, entropy=os.urandom), host_socket)
    guest_link = LinkEndpoint(CONFIG, entropy=os.urandom)
    guest = Poll(guest_link, guest_socket)
    guest_link.dial(guest_socket.resolve("127.0.0.1", host_socket.address[1]))
    playing = True
    while playing:
        for event in guest.poll():
            if isinstance(event, Connected):
                event.connection.send_unreliable(b"hello over UDP")
        guest.flush()
        for event in host.poll():
            if isinstance(event, UnreliableReceived):
                print("the host got:", event.data.decode())
                playing = False
    host.close()
    guest.close()


if __name__ == "__main__":
    on_virtual_time()
    over_real_sockets()
