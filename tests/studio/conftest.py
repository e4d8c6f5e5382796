"""A studio on a port of this machine, and a real browser that opens its page."""

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette

from retick.studio.app import make_app
from retick.studio.feed import LARGEST_FILE
from retick.studio.room import Settings
from tests.programs import path_of

BROWSER_FLAGS = (
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync",
    "--disable-component-update", "--disable-quic",
)  # fmt: skip


class Running:
    """A studio in a thread of its own."""

    def __init__(self, app: Starlette) -> None:
        self.app = app
        config = uvicorn.Config(
            app, host="127.0.0.1", port=0, log_level="error", ws="websockets-sansio", ws_max_size=LARGEST_FILE
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        while not self._server.started:
            assert self._thread.is_alive(), "the studio did not start"
            time.sleep(0.01)
        self.port = self._server.servers[0].sockets[0].getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}/"
        self.feeds = f"ws://127.0.0.1:{self.port}/feed/"

    def stop(self) -> None:
        """Stop it, as Ctrl-C does."""
        self._server.should_exit = True
        self._thread.join(10)


@contextmanager
def running(app: Starlette) -> Iterator[Running]:
    """A studio of one's own, for tests that break it."""
    started = Running(app)
    try:
        yield started
    finally:
        started.stop()


@pytest.fixture(scope="session")
def studio() -> Iterator[Running]:
    """One studio for all tests of a process; each page has rooms of its own."""
    with running(make_app(Settings())) as started:
        yield started


def awaited(work: Coroutine[Any, Any, Any]) -> Any:
    """The result of a coroutine. It has a thread of its own: in the tests' thread the browser's loop may be running."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    """A real Chromium without a screen. While it is open, ``asyncio.run`` cannot be used: see :func:`awaited`."""
    path = path_of("chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=path, args=list(BROWSER_FLAGS))
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser: Any, studio: Running) -> Iterator[Callable[..., Any]]:
    """Opens pages: ``open_page("#play", width=1280, height=720)``. A console error fails the test."""
    contexts: list[Any] = []
    troubles: list[str] = []

    def opened(room: str = "", *, address: str = studio.address, width: int = 1280, height: int = 720,
               dark: bool = False) -> Any:  # fmt: skip
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light"
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.goto(f"{address}{room}")
        return page

    yield opened
    for context in contexts:
        for page in context.pages:
            page.goto("about:blank")  # a page that says goodbye ends its room; others are kept for a while, and counted
        context.close()
    assert troubles == []
