"""A server of the arena: ``python serve.py [PORT]``. Bots fill seats that nobody has; SIGTERM ends it in good order."""

import asyncio
import os
import signal
import sys
from contextlib import closing, suppress

from game import Arena
from hooks import Referee, seat_bots

from retick.authority.server import WorldServer
from retick.host.events import RoomClosed
from retick.transport import Pump, open_udp

PORT = 7778


def make_server(**settings):
    return WorldServer(Arena, **{"entropy": os.urandom, "hooks": Referee(), **settings})


async def serve(server, socket, happened=print):
    """Run until the server has no room any more: after ``server.drain()``, or when a room has failed."""

    def on_events(events):
        for event in events:
            happened(event)
            if isinstance(event, RoomClosed) and not server.is_draining:
                server.open_room(event.room)  # the next match

    async with Pump(server, socket, on_events=on_events):
        while server.rooms:
            for room in server.rooms.values():
                seat_bots(room)
            await asyncio.sleep(0.25)


async def main(port=PORT):
    server, socket = make_server(), open_udp(port=int(port))
    with suppress(NotImplementedError):  # Windows has no signals in its loop
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, server.drain)
    print(f"the arena is open at {socket.address}")
    with closing(socket):
        await serve(server, socket)


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(main(*sys.argv[1:2]))
