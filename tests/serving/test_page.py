"""The metrics page: what it says, and that no reader of it holds the server or fills a log."""

import asyncio
import socket
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from pathlib import Path

import pytest

from retick.errors import MissingExtra
from retick.netrunner import RunnerConfig
from retick.serving import metrics, page
from retick.serving.event_log import EventLog
from retick.serving.fleet import Fleet
from retick.serving.front import serve_plan
from retick.serving.page import MetricsPage
from retick.serving.page_options import ServerSource, open_page
from retick.serving.plan import ServePlan
from tests.netrunner.courses import Field


async def ask(port: int, sends: bytes) -> bytes:
    """Everything that the page answers, until it closes the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(sends)
        return await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()


GET = b"GET /metrics HTTP/1.0\r\n\r\n"


def with_page(field: Field, use: Callable[[int], Awaitable[None]]) -> None:
    async def run() -> None:
        page = MetricsPage(ServerSource(field.server), 0)
        try:
            await use(page.port)
        finally:
            await asyncio.to_thread(page.close)

    asyncio.run(run())


def test_the_page_names_rooms_players_and_refusals() -> None:
    field = Field()
    field.join("a")
    field.join("b", room="nowhere")
    field.run(2.0)
    pages: list[str] = []

    async def read(port: int) -> None:
        pages.append((await ask(port, GET)).decode())

    with_page(field, read)
    head, _, body = pages[0].partition("\r\n\r\n")
    assert head.startswith("HTTP/1.0 200")
    assert "text/plain" in head
    lines = body.splitlines()
    assert 'retick_room_players{room=""} 1.0' in lines
    assert any(line.startswith('retick_player_ticks_buffered_total{peer="2",room=""}') for line in lines)
    assert 'retick_refused_total{reason="bad_join"} 1.0' in lines


@pytest.mark.parametrize(
    "sends",
    [
        b"GET /" + b"x" * 200_000 + b" HTTP/1.0\r\n\r\n",
        b"x" * 200_000,
        b"GET / HTTP/1.0\r\n" + b"a: b\r\n" * 500 + b"\r\n",
        b"\xff\x00\r\n\r\n",
        b"POST / HTTP/1.0\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
    ],
    ids=["long path", "long line", "many headers", "no text", "another method", "another version"],
)
def test_whatever_is_sent_fills_no_log_and_the_page_goes_on(sends: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    async def use(port: int) -> None:
        assert b" 200 " not in (await ask(port, sends))[:20]
        assert b" 200 " in (await ask(port, GET))[:20]

    with_page(Field(), use)
    assert capfd.readouterr() == ("", "")


def test_readers_that_say_nothing_hold_neither_the_loop_nor_the_page(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(page, "PATIENCE", 0.2)
    field = Field()

    async def use(port: int) -> None:
        silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(3 * page.READERS)]
        # Those beyond the limit are closed at once, the others when they have said nothing for a while.
        for reader, _ in silent:
            await asyncio.wait_for(reader.read(), 10.0)
        assert b" 200 " in (await ask(port, GET))[:20]
        for _, writer in silent:
            writer.close()

    with_page(field, use)
    assert capfd.readouterr() == ("", "")


def test_a_reader_that_goes_away_or_a_loop_that_is_busy_fills_no_log(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(page, "PATIENCE", 0.05)

    def too_late(server: object) -> list[object]:
        raise TimeoutError

    async def use(port: int) -> None:
        for _ in range(5):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(GET)
            writer.transport.abort()
        with monkeypatch.context() as patch:
            patch.setattr(metrics, "families_of", too_late)
            assert await ask(port, GET) == b""
        while b" 200 " not in (await ask(port, GET))[:20]:
            pass

    with_page(Field(), use)
    assert capfd.readouterr() == ("", "")


def test_without_the_library_the_install_line_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    monkeypatch.delitem(sys.modules, "retick.serving.page")
    with pytest.raises(MissingExtra, match=r"pip install prometheus-client"):
        open_page(lambda: ServerSource(Field().server), ("127.0.0.1", 0))


def test_without_the_library_a_server_starts_no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    monkeypatch.delitem(sys.modules, "retick.serving.page")
    monkeypatch.setattr(Fleet, "start", lambda fleet: pytest.fail("workers start"))
    plan = ServePlan(runner=asdict(RunnerConfig()), rooms=("", "room 2"), host="127.0.0.1", port=0)
    with pytest.raises(MissingExtra, match=r"pip install prometheus-client"):
        serve_plan(
            plan, 2, EventLog(as_json=False, reports=Path()),
            page_address=("127.0.0.1", 0), seconds=1.0, drain=0.0, pin=False, agones=False,
        )  # fmt: skip


def test_servers_and_relays_without_a_page_need_no_library() -> None:
    imports = "import retick.cli.relay, retick.cli.serve, retick.serving.front, retick.serving.worker"
    without = "import sys; sys.modules['prometheus_client'] = None; "
    subprocess.run([sys.executable, "-c", without + imports], check=True)
    ended = subprocess.run([sys.executable, "-c", without + "import retick.serving.metrics"], stderr=subprocess.PIPE)
    assert b"prometheus_client" in ended.stderr, "where the library is needed, its absence is seen"


def get(path: str) -> bytes:
    return f"GET {path} HTTP/1.0\r\n\r\n".encode()


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


@pytest.mark.parametrize(
    ("path", "code"),
    [("/metrics", 200), ("/metrics?x=1", 200), ("/healthz", 200), ("/readyz", 200), ("/", 404), ("/metrics/x", 404)],
)
def test_there_are_three_pages_and_404_for_the_others(path: str, code: int) -> None:
    async def use(port: int) -> None:
        assert status(await ask(port, get(path))) == code

    with_page(Field(), use)


def test_a_server_that_drains_is_healthy_and_not_ready() -> None:
    field = Field()
    field.server.drain()

    async def use(port: int) -> None:
        assert status(await ask(port, get("/healthz"))) == 200
        assert status(await ask(port, get("/readyz"))) == 503

    with_page(field, use)


def test_a_loop_that_does_not_answer_is_not_healthy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "PATIENCE", 0.05)
    held: list[bytes] = []

    async def use(port: int) -> None:
        def ask_and_wait() -> None:
            with socket.create_connection(("127.0.0.1", port)) as line:
                line.sendall(get("/healthz"))
                held.append(line.recv(1000))

        asking = threading.Thread(target=ask_and_wait)
        asking.start()
        asking.join()  # the loop stands still meanwhile

    with_page(Field(), use)
    assert status(held[0]) == 503


def test_a_scrape_that_never_ends_is_hung_up_on_and_others_are_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A byte now and then starts the socket's own timeout again; the whole request has its own limit."""
    monkeypatch.setattr(page, "LONGEST_READ", 0.3)

    async def drip(port: int) -> None:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            for letter in b"GET /metrics HTTP/1.0\r\na:" + b"x" * 100_000:
                writer.write(bytes((letter,)))
                await writer.drain()
                await asyncio.sleep(0.02)
        except ConnectionError:
            writer.close()
            return
        raise AssertionError("the reader was never hung up on")

    async def use(port: int) -> None:
        await asyncio.gather(*(drip(port) for _ in range(page.READERS)))
        assert status(await ask(port, GET)) == 200

    with_page(Field(), use)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere 127.0.0.2 is no address of this machine")
def test_one_address_that_holds_all_its_connections_does_not_keep_health_from_others() -> None:
    async def use(port: int) -> None:
        silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(2 * page.READERS)]
        reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=("127.0.0.2", 0))
        writer.write(b"GET /healthz HTTP/1.0\r\n\r\n")
        assert status(await reader.read()) == 200
        for _, each in [*silent, (reader, writer)]:
            each.close()

    with_page(Field(), use)


def test_the_page_has_its_own_address() -> None:
    async def run() -> None:
        page = MetricsPage(ServerSource(Field().server), 0, "::1")
        try:
            assert page.url == f"http://[::1]:{page.port}/metrics"
            reader, writer = await asyncio.open_connection("::1", page.port)
            writer.write(GET)
            assert status(await reader.read()) == 200
            writer.close()
        finally:
            await asyncio.to_thread(page.close)

    asyncio.run(run())
