"""A worker process of ``retick serve --workers``: a server with some of the rooms, on its own port.

The front starts it and talks to it in lines of JSON over standard input and output, which the game does not see. The
first line to the worker is its plan. Then:

::

    to the worker    {"open": room}   {"drain": seconds}   {"stop": true}   {"ask": number}
    from the worker  {"ready": {...}} or {"failed": text}, once; {"answer": number, "metrics": [...]}; lines of events

Only the front decides when a worker ends: it ignores SIGTERM, which some supervisors send to every process. It also
stops at the end of its standard input, when the front is gone.
"""

import asyncio
import json
import os
import signal
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from retick.audit.interpreter import job_and_streams
from retick.errors import RetickError, UsageError
from retick.serving.event_log import EventLog
from retick.serving.hosting import ServerLoop
from retick.serving.plan import ServePlan
from retick.serving.served_game import Served, server_for
from retick.transport.udp import UdpSocket, open_udp


class _Line:
    """Sends whole lines to the front, from any thread."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    def send(self, message: dict[str, Any]) -> None:
        with self._lock, suppress(OSError):  # if the front is gone, our input ends too
            self._stream.write(json.dumps(message) + "\n")
            self._stream.flush()


def main() -> None:
    """Serve until the front says stop."""
    job, lines_in, lines_out = job_and_streams()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    line = _Line(lines_out)
    plan = ServePlan.of_json(job)
    try:
        served = server_for(plan)
        socket = open_udp(plan.host, plan.port)
    except RetickError as error:
        line.send({"failed": str(error)})
        return
    if plan.core is not None and hasattr(os, "sched_setaffinity"):
        with suppress(OSError):  # the core may have been taken away meanwhile
            os.sched_setaffinity(0, {plan.core})
    try:
        asyncio.run(_work(plan, served, socket, lines_in, line))
    finally:
        socket.close()


async def _work(plan: ServePlan, served: Served, socket: UdpSocket, lines_in: IO[str], line: _Line) -> None:
    def emit(record: dict[str, Any], words: str) -> None:
        line.send({**record, "words": words})

    hosting = ServerLoop(served.server, socket, EventLog(as_json=True, reports=Path(plan.reports), emit=emit))
    await hosting.start()
    link = served.link
    line.send(
        {
            "ready": {
                "port": socket.address[1],
                "game_id": link.game_id,
                "game_version": link.game_version,
                "sealed": link.sealed,
                "tick_rate": link.tick_rate,
                "capabilities": link.capabilities,
            }
        }
    )
    loop = asyncio.get_running_loop()

    def read() -> None:
        with suppress(RuntimeError):  # the loop ended before the front's last line
            for text in lines_in:
                loop.call_soon_threadsafe(_obey, hosting, line, json.loads(text))
            loop.call_soon_threadsafe(hosting.stop)

    threading.Thread(target=read, name="front", daemon=True).start()
    try:
        await hosting.wait()
    finally:
        await hosting.leave()


def _obey(hosting: ServerLoop, line: _Line, order: dict[str, Any]) -> None:
    if "open" in order:
        with suppress(UsageError):  # the room is open already, or the server drains
            hosting.server.open_room(order["open"])
    elif "drain" in order:
        hosting.drain(order["drain"])
    elif "stop" in order:
        hosting.stop()
    elif "ask" in order:
        line.send({"answer": order["ask"], "metrics": _metrics(hosting.server)})


def _metrics(server: Any) -> list[Any]:
    # Here, because only the front's page needs the library, and it asks only if it has it.
    from retick.serving.metrics import families_of, packed

    return packed(families_of(server))


if __name__ == "__main__":
    main()
