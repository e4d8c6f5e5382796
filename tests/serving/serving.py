"""``retick serve`` as a process of its own, and a client that plays on it."""

import json
import os
import select
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from retick.games.runner import Intent
from retick.netrunner import Client, ClientConfig, NetRunner
from retick.transport.poll import Poll
from retick.transport.udp import open_udp


class Process:
    """A command of ``retick`` as a process in a folder of its own; its lines are JSON. It is killed after a minute."""

    def __init__(self, folder: Path, *words: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "retick", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
        )
        self.guard = threading.Timer(60, self.process.kill)
        self.guard.start()
        self.said = ""
        """What it has to say on standard error in all."""
        self.first = self.line()

    def line(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        return dict(json.loads(self.process.stdout.readline()))

    def finish(self) -> list[dict[str, Any]]:
        """The lines that are left, when it has ended."""
        try:
            out, err = self.process.communicate()
        finally:
            self.process.kill()
            self.guard.cancel()
        assert err == self.said
        return [json.loads(line) for line in out.splitlines()]

    def lines_until(self, event: str) -> list[dict[str, Any]]:
        """Lines up to the first of this event."""
        lines = [self.line()]
        while lines[-1]["event"] != event:
            lines.append(self.line())
        return lines


class Serving(Process):
    """``retick serve`` on a free port, with NetRunner's game if no other is named."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        game = () if any(".py:" in word for word in arguments) else ("runner",)
        super().__init__(folder, "serve", *game, "--port", "0", "--host", "127.0.0.1", "--log-json", *arguments)


class Player:
    """A client on a socket of its own."""

    def __init__(self, port: int, room: str = "", timeout: float = 5.0, **more: Any) -> None:
        self.socket = open_udp("127.0.0.1", 0)
        config = ClientConfig(timeout=timeout)
        self.client = Client(NetRunner(), ("127.0.0.1", port), entropy=os.urandom, room=room, config=config, **more)
        self.poll = Poll(self.client, self.socket)
        self.events: list[Any] = []

    def play_until(self, kind: type) -> Any:
        """The next event of this kind."""
        while True:
            self.events += self.poll.poll()
            for place, event in enumerate(self.events):
                if isinstance(event, kind):
                    del self.events[: place + 1]
                    return event
            self.client.tick(Intent(), now=self.poll.clock())
            self.poll.flush()
            select.select([self.socket.fileno()], [], [], 0.01)

    @property
    def port(self) -> int:
        """Of the server that it talks to."""
        address: Any = self.client.connection.address
        return int(address[1])
