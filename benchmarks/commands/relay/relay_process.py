"""A relay in another process, for the benchmark: prints its port, and runs until its standard input ends."""

import asyncio
import os
import sys
from contextlib import suppress

from benchmarks.commands.cpu_pinning import PinnedToCore
from benchmarks.commands.relay.crowd import OPEN_TO_ALL
from retick.cli.terminal import say
from retick.relay import RelayServer
from retick.serving.relay import RelayLoop
from retick.transport.udp import UdpSocket, open_udp

__all__ = ["main"]


def main() -> None:
    socket = open_udp("127.0.0.1")
    say(str(socket.address[1]))
    try:
        with PinnedToCore(1), suppress(KeyboardInterrupt):
            asyncio.run(_serve(socket))
    finally:
        socket.close()


async def _serve(socket: UdpSocket) -> None:
    server = RelayServer(key=os.urandom(32), entropy=os.urandom, config=OPEN_TO_ALL)
    forwarding = RelayLoop(server, socket, None, on_events=lambda events: None)
    forwarding.start()
    await asyncio.to_thread(sys.stdin.read)
    forwarding.stop()


if __name__ == "__main__":
    main()
