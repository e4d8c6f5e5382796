"""``retick serve`` without workers: one process, one server."""

import asyncio

from retick.cli.serve.agones_duty import agones_duty
from retick.cli.serve.event_log import EventLog
from retick.cli.serve.hosting import Hosting, key_in_words, on_sigterm, rooms_in_words
from retick.cli.serve.open_page import announce_page, open_page
from retick.cli.serve.served_game import Served
from retick.cli.serve.server_source import ServerSource
from retick.transport.udp import UdpSocket

__all__ = ["run_alone"]


async def run_alone(
    served: Served,
    socket: UdpSocket,
    log: EventLog,
    *,
    page_address: tuple[str, int] | None,
    seconds: float | None,
    drain: float,
    agones: bool,
) -> None:
    """Until the server has drained, the seconds are over, or Ctrl-C."""
    server = served.server
    hosting = Hosting(server, socket, log)
    # The second time there is no more patience.
    on_sigterm(lambda: hosting.drain(0.0 if server.is_draining else drain))
    page = None
    try:
        await hosting.start()
        if page_address is not None:
            page = open_page(lambda: ServerSource(server), page_address)
        host, port = socket.address[:2]
        words = f"listening on {host} port {port}, {rooms_in_words(len(server.rooms))}{key_in_words(served.public_key)}"
        log.note("listening", words, host=host, port=port, rooms=list(server.rooms), server_key=served.public_key)
        announce_page(log, page)
        async with agones_duty(log, wanted=agones):
            await hosting.wait(seconds)
    finally:
        if page is not None:
            # Not in the loop: a reader may be waiting for the loop just now.
            await asyncio.to_thread(page.close)
        await hosting.leave()
