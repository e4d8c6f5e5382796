"""A whole server: rooms, events, reports of failed rooms, SIGTERM. ``python examples/server_main.py [PORT]``"""

import asyncio
import os
import signal
import sys
import time
from pathlib import Path

from raiders import Raiders

from retick.authority import RoomClosed, RoomFailed, ServerDrained, WorldServer, WorldServerConfig
from retick.transport import Pump, open_udp


async def main(port=7777):
    config = WorldServerConfig(rooms=("", "arena"), tick_budget=0.004)
    server = WorldServer(Raiders, entropy=os.urandom, config=config, clock=time.perf_counter)
    drained = asyncio.Event()

    def on_events(events):
        for event in events:
            if isinstance(event, RoomFailed):
                Path(f"room-{event.tick}-failed.txt").write_text(event.report(), encoding="utf-8")
            elif isinstance(event, RoomClosed) and not server.is_draining:
                server.open_room(event.room)  # the next match
            elif isinstance(event, ServerDrained):
                drained.set()
            print(type(event).__name__, flush=True)

    socket = open_udp("0.0.0.0", port)
    async with Pump(server, socket, on_events=on_events, drain=1024) as pump:

        def on_sigterm():
            server.drain("the server goes down", within=0 if server.is_draining else 30)
            pump.wake()

        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, on_sigterm)
        print(f"port {socket.address[1]}", flush=True)
        await drained.wait()


if __name__ == "__main__":
    asyncio.run(main(*map(int, sys.argv[1:])))
