"""A server of raiders: ``python examples/raiders_server.py [PORT]``. Every room has a bot to shoot at."""

import asyncio
import os
import sys
import time

from raiders import Raiders, Wish

from retick.authority import RoomFailed, WorldServer, WorldServerConfig
from retick.transport import Pump, open_udp


def wander(player, world):
    return Wish(right=-1.0 if world.coins[0].x < 320 else 1.0, fire=player % 2 == 0)


def show(events):
    for event in events:
        print(event.report() if isinstance(event, RoomFailed) else event, flush=True)


async def main(port=7777, seconds=None):
    config = WorldServerConfig(rooms=("", "duel"))
    server = WorldServer(Raiders, entropy=os.urandom, config=config, clock=time.perf_counter)
    for room in server.rooms.values():
        room.add_bot(wander, "robot")
    socket = open_udp("0.0.0.0", port)
    async with Pump(server, socket, on_events=show):
        print(f"port {socket.address[1]}", flush=True)
        await asyncio.sleep(1e9 if seconds is None else seconds)


if __name__ == "__main__":
    asyncio.run(main(*map(int, sys.argv[1:])))
