"""Agones: reports a game server's state to the side-car in its pod, over local HTTP.

The side-car listens on this machine, at the port in AGONES_SDK_HTTP_PORT (9358 if unset). A thread talks to it, so no
call here blocks a tick. State changes (ready, allocate, shutdown) are retried until the side-car answers or a newer
one replaces them; health is not, since the next report comes soon.

::

    sidecar = Sidecar()
    sidecar.ready()       # players can be sent here
    sidecar.beat()        # every second or so, from the game's loop: without it, no health is reported
    sidecar.allocate()    # players are here: do not remove the server
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

DEFAULT_PORT = 9358
HEALTH_EVERY = 5.0
"""Seconds between two health reports; the manifest's ``health.periodSeconds`` must be longer."""
ALIVE_FOR = 3.0
"""Seconds after a beat during which the game's loop counts as alive."""
PATIENCE = 2.0
"""Seconds that the side-car may take for an answer."""
TRY_AGAIN = 1.0
"""Seconds before a failed request is retried."""
LARGEST_ANSWER = 1 << 20
"""Bytes of an answer that are read at most."""


def sidecar_port() -> int:
    """The side-car's port from the environment, or else the default port."""
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
        """``on_trouble`` is called in the thread, with a line, at the first request that fails after a good one."""
        self.answered = 0
        """Number of requests that succeeded."""
        self.failed = 0
        """Number of requests that failed."""
        self._port = sidecar_port() if port is None else port
        self._on_trouble = on_trouble
        self._health_every = health_every
        self._patience = patience
        self._try_again = try_again
        self._changed = threading.Condition()
        self._wanted: str | None = None
        """The state that is to be reported."""
        self._beat_at = time.monotonic()
        self._is_closed = False
        self._in_trouble = False
        self._thread = threading.Thread(target=self._run, name="agones", daemon=True)
        self._thread.start()

    def ready(self) -> None:
        """Report that new players can be sent here; also after ``allocate``, when the last player has left."""
        self._want("/ready")

    def allocate(self) -> None:
        """Report that players are here."""
        self._want("/allocate")

    def shutdown(self) -> None:
        """Report that this server ends; the side-car then removes the pod."""
        self._want("/shutdown")

    def beat(self) -> None:
        """Note that the game's loop is alive."""
        self._beat_at = time.monotonic()

    def close(self, *, longest: float = 0.0) -> None:
        """End the thread, after at most ``longest`` seconds for a pending report."""
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
            if self._wanted == path:  # it was not replaced meanwhile
                self._wanted = None
            self._changed.notify_all()

    def _post(self, path: str) -> bool:
        """Send a request; whether it succeeded."""
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
        """Report trouble, once until the next answer."""
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
        """Ask for this server's name, address and state. It blocks, so do not call it from a game's loop.

        OSError if the side-car does not answer or the request fails.
        """
        try:
            found = json.loads(self._request("GET", "/gameserver"))
        except (HTTPException, ValueError) as error:
            raise OSError(f"the Agones side-car did not tell /gameserver: {error}") from error
        return dict(found) if isinstance(found, dict) else {}
