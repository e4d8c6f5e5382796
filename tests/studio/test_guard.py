"""Another page in the same browser, or a name that was given our address, reaches nothing."""

import logging
from http.client import HTTPConnection
from socket import create_connection

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from retick.studio.app import make_app
from retick.studio.room import Settings
from tests.studio.conftest import Running, running
from tests.studio.test_feed import Counter


def status_of(studio: Running, host: str, path: str = "/") -> int:
    connection = HTTPConnection("127.0.0.1", studio.port)
    connection.putrequest("GET", path, skip_host=True)
    connection.putheader("Host", host)
    connection.endheaders()
    status = connection.getresponse().status
    connection.close()
    return status


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST:80", "[::1]:9"])
def test_names_of_this_machine_are_served(studio: Running, host: str) -> None:
    assert status_of(studio, host) == 200


@pytest.mark.parametrize("host", ["evil.example", "", "127.0.0.1.evil.example", "[", "192.0.2.1", "localhost."])
def test_other_names_are_refused(studio: Running, host: str) -> None:
    assert status_of(studio, host) == 421


def test_a_studio_for_others_takes_addresses_in_numbers_and_its_name_only() -> None:
    app = make_app(Settings(), hosts=("play.example",), any_address=True)
    with running(app) as started:
        assert status_of(started, "192.0.2.1:8420") == 200
        assert status_of(started, "play.example:8420") == 200
        assert status_of(started, "evil.example") == 421


@pytest.mark.parametrize("path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static//etc/hostname", "/app.py"])
def test_only_the_files_of_the_page_are_served(studio: Running, path: str) -> None:
    assert status_of(studio, "localhost", path) == 404


def test_a_feed_is_refused_to_another_page_and_open_to_ours_and_to_programs() -> None:
    with running(make_app(Settings(), rooms={"counter": Counter}, grace=0.0)) as started:
        for origin in ("http://evil.example", "null", f"http://127.0.0.1:{started.port + 1}", "http://localhost"):
            with pytest.raises(InvalidStatus) as refused, connect(f"{started.feeds}counter", origin=Origin(origin)):
                pass
            assert refused.value.response.status_code == 403
        for good in (None, Origin(f"http://127.0.0.1:{started.port}")):
            with connect(f"{started.feeds}counter", origin=good) as socket:
                assert "hello" in str(socket.recv(timeout=10))


def test_a_feed_under_another_name_is_refused() -> None:
    with running(make_app(Settings(), rooms={"counter": Counter}, grace=0.0)) as started:
        reached = create_connection(("127.0.0.1", started.port))
        with pytest.raises(InvalidStatus) as refused, connect("ws://evil.example/feed/counter", sock=reached):
            pass
        assert refused.value.response.status_code == 403


def test_a_page_that_is_refused_cannot_fill_the_terminal() -> None:
    written: list[str] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            written.append(record.getMessage())

    with running(make_app(Settings(), rooms={"counter": Counter}, grace=0.0)) as started:
        log, kept = logging.getLogger("uvicorn.error"), Kept()
        log.addHandler(kept)
        for origin in ("http://evil.example", "null"):
            with pytest.raises(InvalidStatus), connect(f"{started.feeds}counter", origin=Origin(origin)):
                pass
    log.removeHandler(kept)
    assert written == []
