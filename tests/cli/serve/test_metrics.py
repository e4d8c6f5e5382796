"""The metrics page: what it says, and that no reader of it holds the server or fills a log."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from retick.cli.serve import metrics
from retick.cli.serve.metrics import MetricsPage
from retick.errors import MissingExtra
from tests.authority.courses import Field


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


GET = b"GET / HTTP/1.0\r\n\r\n"


def with_page(field: Field, use: Callable[[int], Awaitable[None]]) -> None:
    async def run() -> None:
        page = MetricsPage(field.server, 0)
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
    assert any(line.startswith('retick_player_ticks_buffered{peer="2",room=""}') for line in lines)
    assert 'retick_refused{reason="bad_join"} 1.0' in lines
    names = {line.split("{")[0].split(" ")[0] for line in lines if not line.startswith("#")}
    assert names >= {
        "retick_ticks_skipped", "retick_room_tick", "retick_room_players", "retick_room_snapshots",
        "retick_room_snapshot_bytes", "retick_player_ticks_buffered", "retick_player_rtt_ms", "retick_refused",
    }  # fmt: skip


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
    monkeypatch.setattr(metrics, "PATIENCE", 0.2)
    field = Field()

    async def use(port: int) -> None:
        silent = [await asyncio.open_connection("127.0.0.1", port) for _ in range(3 * metrics.READERS)]
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
    monkeypatch.setattr(metrics, "PATIENCE", 0.05)

    def too_late(server: object) -> list[object]:
        raise TimeoutError

    async def use(port: int) -> None:
        for _ in range(5):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(GET)
            writer.transport.abort()
        with monkeypatch.context() as patch:
            patch.setattr(metrics, "_families", too_late)
            assert await ask(port, GET) == b""
        while b" 200 " not in (await ask(port, GET))[:20]:
            pass

    with_page(Field(), use)
    assert capfd.readouterr() == ("", "")


def test_without_the_library_the_install_line_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from retick.cli.serve.serve import _open_metrics

    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    monkeypatch.delitem(sys.modules, "retick.cli.serve.metrics")
    with pytest.raises(MissingExtra, match=r"pip install 'retick\[cli\]'"):
        _open_metrics(Field().server, 0)
