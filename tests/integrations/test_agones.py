"""The Agones client against an HTTP server of our own: one that answers, hangs, says no, or is absent."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from typing import Any

import pytest

from retick.errors import UsageError
from retick.integrations import agones
from retick.integrations.agones import DEFAULT_PORT, Sidecar, sidecar_port

LONG = 30.0
"""Seconds after which a test has failed."""


class FakeSidecar(ThreadingHTTPServer):
    """Answers as the side-car does, or as ``status`` and ``gate`` say."""

    daemon_threads = True

    def __init__(self) -> None:
        self.asked: Queue[tuple[str, str, bytes]] = Queue()
        self.status = 200
        self.body = b"{}"
        self.gate = threading.Event()
        self.gate.set()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def _answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                outer.asked.put((self.command, self.path, body))
                outer.gate.wait(LONG)
                self.send_response(outer.status)
                self.send_header("Content-Length", str(len(outer.body)))
                self.end_headers()
                self.wfile.write(outer.body)

            do_POST = do_GET = _answer

            def log_message(self, *_: Any) -> None:
                """Says nothing."""

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has hung up."""

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def next(self, *wanted: str) -> str:
        """The next path that is asked for, among these."""
        while True:
            method, path, body = self.asked.get(timeout=LONG)
            assert (method, body) == ("POST", b"{}")
            if path in wanted:
                return path


@contextmanager
def pair(**options: Any) -> Iterator[tuple[FakeSidecar, Sidecar]]:
    fake = FakeSidecar()
    sidecar = Sidecar(port=fake.port, **{"health_every": 0.05, "patience": 0.3, "try_again": 0.02} | options)
    try:
        yield fake, sidecar
    finally:
        fake.gate.set()
        sidecar.close()
        sidecar._thread.join(LONG)
        fake.shutdown()
        fake.server_close()


STATES = ("/ready", "/allocate", "/shutdown")


def test_each_state_is_told_once_in_order_and_health_again_and_again() -> None:
    with pair() as (fake, sidecar):
        for call, path in ((sidecar.ready, "/ready"), (sidecar.allocate, "/allocate"), (sidecar.ready, "/ready")):
            call()
            assert fake.next(*STATES) == path
        for _ in range(3):
            sidecar.beat()
            fake.next("/health")
        sidecar.shutdown()
        sidecar.close(longest=LONG)
        assert fake.next(*STATES) == "/shutdown"
        later = [fake.asked.get_nowait()[1] for _ in range(fake.asked.qsize())]
        assert set(later) <= {"/health"}


def test_a_side_car_that_says_no_is_asked_again_and_trouble_is_told_once() -> None:
    troubles: Queue[str] = Queue()
    with pair(on_trouble=troubles.put) as (fake, sidecar):
        fake.status = 500
        sidecar.ready()
        for _ in range(4):
            assert fake.next(*STATES) == "/ready"
        assert "answer 500" in troubles.get(timeout=LONG)
        fake.status = 200
        sidecar.close(longest=LONG)
        assert sidecar.answered >= 1
        assert troubles.empty()


def test_a_side_car_that_hangs_holds_no_call_up() -> None:
    with pair() as (fake, sidecar):
        fake.gate.clear()
        sidecar.ready()
        fake.next("/ready", "/health")
        # The thread waits for an answer that does not come; these calls return all the same.
        for _ in range(1000):
            sidecar.allocate()
            sidecar.beat()
        fake.gate.set()
        assert fake.next("/allocate") == "/allocate"


def test_without_a_side_car_nothing_is_raised_and_trouble_is_told() -> None:
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        port = place.getsockname()[1]
    troubles: Queue[str] = Queue()
    sidecar = Sidecar(port=port, on_trouble=troubles.put, health_every=0.01, try_again=0.01)
    sidecar.ready()
    assert "the Agones side-car did not take /" in troubles.get(timeout=LONG)
    sidecar.close(longest=0.05)
    sidecar._thread.join(LONG)
    assert not sidecar._thread.is_alive()
    assert sidecar.answered == 0


def test_health_is_not_told_for_a_loop_that_does_not_beat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agones, "ALIVE_FOR", -1.0)
    with pair(health_every=0.01) as (fake, sidecar):
        for call, path in ((sidecar.ready, "/ready"), (sidecar.allocate, "/allocate")) * 3:
            call()
            assert fake.next("/health", *STATES) == path


def test_an_answer_that_is_no_http_is_trouble_and_no_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        troubles: Queue[str] = Queue()
        sidecar = Sidecar(port=server.getsockname()[1], on_trouble=troubles.put, patience=0.3)
        line, _ = server.accept()
        with line:
            line.recv(1000)
            line.sendall(b"\xff\x00 what?\r\n\r\n")
        assert troubles.get(timeout=LONG)
        sidecar.close()
        sidecar._thread.join(LONG)


def test_what_agones_knows_of_the_server_can_be_read() -> None:
    with pair() as (fake, sidecar):
        fake.body = b'{"object_meta": {"name": "arena-1"}, "status": {"state": "Ready"}}'
        assert sidecar.game_server()["object_meta"]["name"] == "arena-1"
        for body, status in ((b"no json", 200), (b"{}", 404)):
            fake.body, fake.status = body, status
            with pytest.raises(OSError, match="/gameserver"):
                sidecar.game_server()


def test_the_port_is_that_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AGONES_SDK_HTTP_PORT", raising=False)
    assert sidecar_port() == DEFAULT_PORT == 9358
    monkeypatch.setenv("AGONES_SDK_HTTP_PORT", "12345")
    assert sidecar_port() == 12345
    for wrong in ("", "x", "0", "65536", "-1", "٩"):
        monkeypatch.setenv("AGONES_SDK_HTTP_PORT", wrong)
        with pytest.raises(UsageError, match="AGONES_SDK_HTTP_PORT"):
            sidecar_port()
