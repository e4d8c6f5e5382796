"""All worker processes of a front: which worker has which room, and what happens when a worker ends."""

import asyncio
import json
import os
import subprocess
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from retick.audit.interpreter import start_module
from retick.errors import RetickError, UsageError
from retick.link import LinkConfig
from retick.serving.event_log import EventLog
from retick.serving.hosting import rooms_in_words
from retick.serving.plan import ServePlan

# The front's end of one worker process: starts it, writes lines to it, and hands on the lines that it writes.

MODULE = "retick.serving.worker"


class WorkerProcess:
    """A running worker process. Make it inside the event loop, where both callbacks are called."""

    def __init__(
        self,
        number: int,
        plan: ServePlan,
        *,
        on_line: Callable[["WorkerProcess", dict[str, Any]], None],
        on_end: Callable[["WorkerProcess", int], None],
    ) -> None:
        """``on_end`` gets the exit code; a negative one is the signal that ended the process."""
        self.number = number
        self.rooms = set(plan.rooms)
        """Rooms for which new players are sent to this worker."""
        self.port = 0
        """UDP port; 0 until the worker is ready."""
        self.is_running = True
        self._on_line = on_line
        self._on_end = on_end
        self._loop = asyncio.get_running_loop()
        self._process = start_module(MODULE, stdin=subprocess.PIPE)
        threading.Thread(target=self._read, name=f"worker {number}", daemon=True).start()
        self.send(plan.to_json())

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, order: dict[str, Any]) -> None:
        """Send one line to the worker; it is lost if the worker has ended."""
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):
            self._process.stdin.write(json.dumps(order) + "\n")
            self._process.stdin.flush()

    def kill(self) -> None:
        self._process.kill()

    def _read(self) -> None:
        """Runs in a thread until the process has ended."""
        assert self._process.stdout is not None
        for text in self._process.stdout:
            with suppress(json.JSONDecodeError):  # the worker was killed while it wrote
                self._call(self._line, json.loads(text))
        self._call(self._end, self._process.wait())

    def _call(self, action: Callable[[Any], None], value: Any) -> None:
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(action, value)

    def _line(self, message: dict[str, Any]) -> None:
        self._on_line(self, message)

    def _end(self, code: int) -> None:
        self.is_running = False
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        self._on_end(self, code)


STARTS_WITHIN = 60.0
"""Seconds that a worker has to import its game and open its port."""
MOST_UNANSWERED = 8
"""Most unanswered questions to a worker: more would fill the pipe of one that hangs, and block the front."""
STOPS_WITHIN = 3.0
"""Seconds that workers have to say goodbye before they are killed."""
RESTARTS = 3
"""How often a worker is restarted within RESTART_SECONDS; if it ends once more, the others get its rooms."""
RESTART_SECONDS = 60.0


class Fleet:
    """The workers of one front. Make it inside the event loop."""

    def __init__(self, plan: ServePlan, count: int, log: EventLog, *, pin: bool) -> None:
        """Worker n gets every ``count``-th room from the n-th on, and the n-th port after the front's, if it is set."""
        self.workers: list[WorkerProcess] = []
        self.lost = 0
        """Number of workers that ended without being asked to."""
        self.is_draining = False
        self._log = log
        self._over = asyncio.Event()
        self._ready: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._answers: dict[tuple[int, int], asyncio.Future[list[Any]]] = {}
        self._asked = 0
        self._unanswered: Counter[int] = Counter()
        self._restarts: dict[int, list[float]] = {}
        """Recent restart times of each worker."""
        self._restarting: dict[int, asyncio.TimerHandle] = {}
        """Restarted workers that are not ready yet, with the timer that kills them."""
        self._failures: dict[int, str] = {}
        """Why a worker could not be restarted, until it has ended."""
        self._rooms = plan.rooms
        self._plans = [
            replace(
                plan,
                rooms=plan.rooms[index::count],
                port=plan.port + index + 1 if plan.port else 0,
                core=_core(index) if pin else None,
            )
            for index in range(count)
        ]

    async def start(self) -> LinkConfig:
        """Start all workers; return the link configuration for the front, without keys. RetickError if one fails."""
        loop = asyncio.get_running_loop()
        for number, plan in enumerate(self._plans, 1):
            self._ready[number] = loop.create_future()
            self.workers.append(WorkerProcess(number, plan, on_line=self._on_line, on_end=self._on_end))
        try:
            async with asyncio.timeout(STARTS_WITHIN):
                ready = await asyncio.gather(*self._ready.values())
        except TimeoutError:
            raise RetickError(f"a worker was not ready within {STARTS_WITHIN:g} s") from None
        for worker, terms in zip(self.workers, ready, strict=True):
            worker.port = terms["port"]
            self._note_started(worker)
        self._ready.clear()
        return LinkConfig(**{name: value for name, value in ready[0].items() if name != "port"})

    def _note_started(self, worker: WorkerProcess) -> None:
        self._log.note(
            "worker_started",
            f"worker {worker.number} on port {worker.port}, {rooms_in_words(len(worker.rooms))}",
            worker=worker.number,
            port=worker.port,
            pid=worker.pid,
            rooms=list(self._in_order(worker.rooms)),
        )

    def _in_order(self, rooms: set[str]) -> tuple[str, ...]:
        return tuple(room for room in self._rooms if room in rooms)

    @property
    def running(self) -> list[WorkerProcess]:
        """The workers that are running."""
        return [worker for worker in self.workers if worker.is_running]

    def port_of(self, room: str) -> int | str:
        """The port of the worker that has the room, or why none has."""
        if room not in self._rooms:
            return f"there is no room {room!r}"
        return next((worker.port for worker in self.running if room in worker.rooms), "no worker is left")

    def drain(self, within: float) -> None:
        """Let the workers admit nobody and end; ``wait`` returns when all have ended."""
        self.is_draining = True
        for worker in self.running:
            worker.send({"drain": within})

    async def wait(self) -> None:
        """Wait until no worker runs."""
        await self._over.wait()

    async def stop(self) -> None:
        """Say goodbye to players and end all workers."""
        self.is_draining = True
        for worker in self.running:
            worker.send({"stop": True})
        try:
            async with asyncio.timeout(STOPS_WITHIN):
                while self.running:
                    await self._over.wait()
        except TimeoutError:
            for worker in self.running:
                worker.kill()

    async def metrics(self, within: float) -> dict[str, list[Any]]:
        """The metrics of each worker that answers within so many seconds, by its number."""
        self._asked += 1
        loop = asyncio.get_running_loop()
        able = [worker for worker in self.running if self._unanswered[worker.number] < MOST_UNANSWERED]
        asked = {(worker.number, self._asked): loop.create_future() for worker in able}
        self._answers |= asked
        for worker in able:
            self._unanswered[worker.number] += 1
            worker.send({"ask": self._asked})
        try:
            if asked:
                await asyncio.wait(asked.values(), timeout=within)
            return {
                str(number): answer.result()
                for (number, _), answer in asked.items()
                if answer.done() and not answer.cancelled()
            }
        finally:
            for key in asked:
                self._answers.pop(key, None)

    # What workers write, and their end.

    def _on_line(self, worker: WorkerProcess, message: dict[str, Any]) -> None:
        starting = self._ready.get(worker.number)
        if "event" in message:
            words = message.pop("words", "")
            self._log.relay(message, words, worker.number)
        elif "answer" in message:
            self._unanswered[worker.number] -= 1
            answer = self._answers.get((worker.number, message["answer"]))
            if answer is not None and not answer.done():
                answer.set_result(message["metrics"])
        elif starting is not None and not starting.done():
            if "ready" in message:
                starting.set_result(message["ready"])
            else:
                starting.set_exception(UsageError(message["failed"]))
        elif worker.number in self._restarting and "ready" in message:
            self._restarting.pop(worker.number).cancel()
            self._note_started(worker)
        elif "failed" in message:
            self._failures[worker.number] = message["failed"]

    def _on_end(self, worker: WorkerProcess, code: int) -> None:
        starting = self._ready.get(worker.number)
        if starting is not None and not starting.done():
            starting.set_exception(RetickError(f"worker {worker.number} ended while it started: {_end(code)}"))
        for (number, _), answer in self._answers.items():
            if number == worker.number:
                answer.cancel()
        if worker.port and not self.is_draining:
            self._lose(worker, code)
        if not self.running:
            self._over.set()

    def _lose(self, worker: WorkerProcess, code: int) -> None:
        """Handle the end of a worker: its rooms are opened again when it is restarted, or else by other workers."""
        self.lost += 1
        timer = self._restarting.pop(worker.number, None)
        if timer is not None:
            timer.cancel()
        text = self._failures.pop(worker.number, None) or _end(code)
        lost = self._in_order(worker.rooms)
        moved: dict[str, int] = {}
        again = self._may_restart(worker.number)
        if again:
            where = "; it is restarted"
            self._restart(worker)
        else:
            moved = self._move(lost)
            where = "; new players go to the others" if moved else "; no worker is left"
        ended = f"worker {worker.number} has ended ({text}), and its {rooms_in_words(len(lost))} with it"
        self._log.note(
            "worker_lost",
            ended + where,
            worker=worker.number,
            text=text,
            rooms=sorted(lost),
            moved=moved,
            restarted=again,
        )
        worker.rooms.clear()

    def _may_restart(self, number: int) -> bool:
        now = asyncio.get_running_loop().time()
        lately = [at for at in self._restarts.get(number, []) if now - at < RESTART_SECONDS]
        may = len(lately) < RESTARTS
        self._restarts[number] = [*lately, now] if may else lately
        return may

    def _restart(self, lost: WorkerProcess) -> None:
        """Start another process with the same port: players are sent there at once, and dial until it answers."""
        number = lost.number
        plan = replace(self._plans[number - 1], rooms=self._in_order(lost.rooms), port=lost.port)
        made = WorkerProcess(number, plan, on_line=self._on_line, on_end=self._on_end)
        made.port = lost.port
        self.workers[number - 1] = made
        self._unanswered.pop(number, None)
        self._restarting[number] = asyncio.get_running_loop().call_later(STARTS_WITHIN, made.kill)

    def _move(self, rooms: tuple[str, ...]) -> dict[str, int]:
        """Open rooms in the workers with the fewest rooms; return the worker's number for each room."""
        moved: dict[str, int] = {}
        for room in rooms:
            if self.running:
                heir = min(self.running, key=lambda each: len(each.rooms))
                heir.rooms.add(room)
                heir.send({"open": room})
                moved[room] = heir.number
        return moved


def _end(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"signal {-code}"


def _core(index: int) -> int | None:
    if not hasattr(os, "sched_getaffinity"):
        return None
    cores = sorted(os.sched_getaffinity(0))
    return cores[index % len(cores)]
