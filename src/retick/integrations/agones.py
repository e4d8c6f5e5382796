"""Agones: tells the side-car of a game server's pod how the server does, by its local HTTP interface.

The side-car listens on this machine, at the port in AGONES_SDK_HTTP_PORT (9358 if there is none). A thread of its own
talks to it: no call here waits, so no tick does. What must arrive (ready, allocate, shutdown) is tried again until the
side-car has answered or something newer is to be said; health is not, since the next one comes soon.

::

    sidecar = Sidecar()
    sidecar.ready()       # players can be sent here
    sidecar.beat()        # every second or so, from the game's loop: health is told only as long as this is called
    sidecar.allocate()    # players are here: do not take the server away
    sidecar.shutdown()    # this server ends
    sidecar.close()
"""

import json
import os
import threading
import time
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException
from typing import Any

from retick.errors import UsageError

__all__ = ["DEFAULT_PORT", "Sidecar", "sidecar_port"]

DEFAULT_PORT = 9358
HEALTH_EVERY = 5.0
"""Seconds; the manifest's ``health.periodSeconds`` must be longer."""
ALIVE_FOR = 3.0
"""Seconds after a beat in which the game's loop counts as alive."""
PATIENCE = 2.0
"""Seconds that the side-car may take for an answer."""
TRY_AGAIN = 1.0
"""Seconds after an answer that was no yes."""
LARGEST_ANSWER = 1 << 20
"""Bytes."""


def sidecar_port() -> int:
    """As the environment says."""
    text = os.environ.get("AGONES_SDK_HTTP_PORT", str(DEFAULT_PORT))
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= 65535):
        raise UsageError(f"AGONES_SDK_HTTP_PORT must be a port from 1 to 65535, not {text!r}")
    return int(text)


class Sidecar:
    """Talks to the side-car, in a thread."""

    def __init__(
        self,
        *,
        port: int | None = None,
        on_trouble: Callable[[str], None] = lambda text: None,
        health_every: float = HEALTH_EVERY,
        patience: float = PATIENCE,
        try_again: float = TRY_AGAIN,
    ) -> None:
        """``on_trouble`` is called in the thread, with words, when the side-car begins to answer no, or nothing."""
        self.answered = 0
        """Requests that were answered with yes."""
        self.failed = 0
        """Requests that were not."""
        self._port = sidecar_port() if port is None else port
        self._on_trouble = on_trouble
        self._health_every = health_every
        self._patience = patience
        self._try_again = try_again
        self._changed = threading.Condition()
        self._wanted: str | None = None
        """The state to be told next."""
        self._beat_at = time.monotonic()
        self._is_closed = False
        self._in_trouble = False
        self._thread = threading.Thread(target=self._run, name="agones", daemon=True)
        self._thread.start()

    def ready(self) -> None:
        """New players can be sent here. Also after ``allocate``, when the last one has gone."""
        self._want("/ready")

    def allocate(self) -> None:
        """Players are here."""
        self._want("/allocate")

    def shutdown(self) -> None:
        """This server ends; the side-car has the pod taken away."""
        self._want("/shutdown")

    def beat(self) -> None:
        """The game's loop is alive."""
        self._beat_at = time.monotonic()

    def close(self, *, longest: float = 0.0) -> None:
        """End the thread; wait at most ``longest`` seconds for what is still to be told."""
        deadline = time.monotonic() + longest
        with self._changed:
            self._changed.wait_for(lambda: self._wanted is None, max(0.0, deadline - time.monotonic()))
            self._is_closed = True
            self._changed.notify_all()

    def _want(self, path: str) -> None:
        with self._changed:
            self._wanted = path
            self._changed.notify_all()

    # In the thread.

    def _run(self) -> None:
        health_at = time.monotonic()
        retry_at = 0.0
        while True:
            with self._changed:
                now = time.monotonic()
                wanted = self._wanted if now >= retry_at else None
                if wanted is None and now < health_at and not self._is_closed:
                    next_at = health_at if self._wanted is None else min(health_at, retry_at)
                    self._changed.wait(max(0.0, next_at - now))
                    continue
                if self._is_closed:
                    return
            if wanted is not None:
                if self._post(wanted):
                    self._told(wanted)
                else:
                    retry_at = time.monotonic() + self._try_again
            else:
                health_at = time.monotonic() + self._health_every
                if time.monotonic() - self._beat_at < ALIVE_FOR:
                    self._post("/health")

    def _told(self, path: str) -> None:
        with self._changed:
            if self._wanted == path:  # and nothing newer
                self._wanted = None
            self._changed.notify_all()

    def _post(self, path: str) -> bool:
        """Whether the side-car said yes."""
        try:
            self._request("POST", path)
        except (OSError, HTTPException, ValueError) as error:
            self.failed += 1
            self._note(f"the Agones side-car did not take {path}: {str(error) or type(error).__name__}")
            return False
        self.answered += 1
        self._in_trouble = False
        return True

    def _note(self, text: str) -> None:
        """Once, until it has answered again."""
        if not self._in_trouble:
            self._in_trouble = True
            self._on_trouble(text)

    def _request(self, method: str, path: str) -> bytes:
        connection = HTTPConnection("localhost", self._port, timeout=self._patience)
        try:
            connection.request(method, path, "{}", {"Content-Type": "application/json"})
            answer = connection.getresponse()
            if answer.status != 200:
                raise HTTPException(f"answer {answer.status}")
            return answer.read(LARGEST_ANSWER)
        finally:
            connection.close()

    def game_server(self) -> dict[str, Any]:
        """What Agones knows of this server: its name, address and state. This call waits: not for a game's loop.

        An OSError when the side-car does not answer or says no.
        """
        try:
            found = json.loads(self._request("GET", "/gameserver"))
        except (HTTPException, ValueError) as error:
            raise OSError(f"the Agones side-car did not tell /gameserver: {error}") from error
        return dict(found) if isinstance(found, dict) else {}
