"""``retick serve``: one server, or a front that listens on the public port and sends players to worker processes.

The protocol of the front, without I/O, is in host/front.py.
"""

import asyncio
import os
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from retick.errors import RetickError
from retick.host.front import Front
from retick.serving.agones_duty import agones_duty
from retick.serving.event_log import EventLog
from retick.serving.fleet import Fleet
from retick.serving.hosting import GOODBYE, LOOK_EVERY, key_in_words, on_sigterm, rooms_in_words, run_alone
from retick.serving.page_options import announce_page, open_page, page_class
from retick.serving.plan import ServePlan, public_key_in, sealing_of
from retick.serving.served_game import server_for
from retick.transport.pump import Pump
from retick.transport.udp import UdpSocket, open_udp

if TYPE_CHECKING:
    from prometheus_client.core import Metric

ANSWERS_WITHIN = 1.5
"""Seconds that workers have for their metrics; a page waits 2 seconds."""


class FleetSource:
    """The metrics of a front and its workers."""

    def __init__(self, fleet: Fleet, front: Front) -> None:
        self._fleet = fleet
        self._front = front

    @property
    def is_ready(self) -> bool:
        return not self._fleet.is_draining and bool(self._fleet.running)

    async def families(self) -> "list[Metric]":
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        from retick.serving.metrics import labelled, packed

        fleet, front = self._fleet, self._front
        found = await fleet.metrics(ANSWERS_WITHIN)
        dropped = CounterMetricFamily("retick_refused", "What was dropped, by reason", labels=("reason",))
        for reason, count in front.dropped.items():
            dropped.add_metric((reason,), count)
        found["front"] = packed([dropped])
        return [
            GaugeMetricFamily("retick_workers", "Worker processes that run", len(fleet.running)),
            GaugeMetricFamily("retick_workers_answering", "Of these, those that told their metrics", len(found) - 1),
            CounterMetricFamily("retick_workers_lost", "Worker processes that ended unasked", fleet.lost),
            CounterMetricFamily("retick_redirected", "Requests to join that were sent to a worker", front.redirected),
            CounterMetricFamily("retick_front_refused", "Requests to join that the front refused", front.refused),
            *labelled(found),
        ]


async def run_front(
    plan: ServePlan,
    workers: int,
    socket: UdpSocket,
    log: EventLog,
    *,
    page_address: tuple[str, int] | None,
    seconds: float | None,
    drain: float,
    pin: bool,
    agones: bool,
) -> None:
    """Run until all workers have drained, the seconds are over, or Ctrl-C. RetickError when the last worker is lost."""
    fleet = Fleet(plan, workers, log, pin=pin)
    page = None
    # Before workers start: the system drops a SIGTERM to process 1 if there is no handler.
    front: Front | None = None

    def on_signal() -> None:
        # A second SIGTERM ends the rooms at once.
        within = 0.0 if fleet.is_draining else drain
        log.note("draining", f"draining: no new players, rooms end within {within:g} s", within=within)
        if front is not None:
            front.closed_text = "the server stops"
        fleet.drain(within)

    on_sigterm(on_signal)
    try:
        link = await fleet.start()
        # The workers have the same keys, so clients that trust this port trust the port that they are sent to.
        link = replace(link, **sealing_of(plan))
        front = answering = Front(link, entropy=os.urandom, port_of=fleet.port_of)
        host, port = socket.address[:2]
        async with Pump(answering, socket, on_events=_nothing) as pump:
            if page_address is not None:
                page = open_page(lambda: FleetSource(fleet, answering), page_address)
            key = public_key_in(plan)
            words = f"listening on {host} port {port}, {rooms_in_words(len(plan.rooms))}, {workers} workers"
            log.note(
                "listening",
                words + key_in_words(key),
                host=host,
                port=port,
                rooms=list(plan.rooms),
                workers=workers,
                server_key=key,
            )
            announce_page(log, page)
            watching = asyncio.create_task(_log_refusals(answering, log))
            try:
                async with agones_duty(log, wanted=agones):
                    with suppress(TimeoutError):
                        await asyncio.wait_for(fleet.wait(), seconds)
            finally:
                watching.cancel()
            log.write_refusals(answering.refusals.take())
            await pump.leave(longest=GOODBYE)
        if not fleet.running and not fleet.is_draining:
            raise RetickError("all workers have ended")
    finally:
        if page is not None:
            await asyncio.to_thread(page.close)
        await fleet.stop()
    log.note("stopped", "stopped")


async def _log_refusals(front: Front, log: EventLog) -> None:
    while True:
        await asyncio.sleep(LOOK_EVERY)
        log.write_refusals(front.refusals.take())


def _nothing(events: list[Any]) -> None:
    """Ignore events: a front has none."""


def serve_plan(
    plan: ServePlan,
    workers: int,
    log: EventLog,
    *,
    page_address: tuple[str, int] | None,
    seconds: float | None,
    drain: float,
    pin: bool,
    agones: bool,
) -> None:
    """Serve until the server has drained, the seconds are over, or Ctrl-C: in this process, or with a front."""
    if page_address is not None:
        page_class()  # what is missing is said before workers start
    served = server_for(plan) if workers == 1 else None
    socket = open_udp(plan.host, plan.port)
    try:
        if served is not None:
            run = run_alone(served, socket, log, page_address=page_address, seconds=seconds, drain=drain, agones=agones)
        else:
            run = run_front(
                plan, workers, socket, log,
                page_address=page_address, seconds=seconds, drain=drain, pin=pin, agones=agones,
            )  # fmt: skip
        asyncio.run(run)
    finally:
        socket.close()
