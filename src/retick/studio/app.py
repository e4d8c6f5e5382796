"""The web application: the page's files, and one feed for each room."""

import contextlib
import ipaddress
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import FileResponse, PlainTextResponse
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from retick.studio.feed import GRACE, Feeds
from retick.studio.packets import PacketsRoom
from retick.studio.play.room import PlayRoom
from retick.studio.replay.room import ReplayRoom
from retick.studio.room import PageRoom, Settings
from retick.studio.server.room import ServerRoom

# Only the studio's own page and programs on this machine may talk to it, but no other page in the same browser.
#
# A browser sends requests for every page that is open in it. Two headers tell them apart: ``Host`` is the name by which
# a page reached us (a stranger's name that resolves to our address is not ours), ``Origin`` is the page that opens a
# WebSocket.

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})

HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'self'; img-src 'self' blob: data:; frame-ancestors 'none'; base-uri 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)


class Guard:
    """Middleware that refuses requests of other pages."""

    def __init__(self, app: ASGIApp, *, hosts: Iterable[str] = (), any_address: bool = False) -> None:
        """Accept ``hosts`` besides this machine's names, and with ``any_address`` every numeric address."""
        self._app = app
        self._hosts = LOOPBACK_NAMES | {name.lower() for name in hosts}
        self._any_address = any_address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._is_ours(host):
            await self._refuse(scope, receive, send, 421, "this is not the studio's address")
        elif scope["type"] == "websocket" and not self._same_page(headers.get("origin"), host):
            await self._refuse(scope, receive, send, 403, "another page must not open this feed")
        elif scope["type"] == "websocket":
            await self._app(scope, receive, send)
        else:
            await self._app(scope, receive, _with_headers(send))

    def _is_ours(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        return name in self._hosts or (self._any_address and _is_address(name))

    @staticmethod
    def _same_page(origin: str | None, host: str) -> bool:
        return origin is None or origin.lower() in (f"http://{host.lower()}", f"https://{host.lower()}")

    @staticmethod
    async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, text: str) -> None:
        if scope["type"] == "http":
            await PlainTextResponse(text, status)(scope, receive, send)
            return
        await receive()  # the connection must be requested before it can be refused
        # Servers answer this with status 403. With a response of our own, uvicorn would print an error each time, and a
        # stranger's page could fill the terminal.
        await send({"type": "websocket.close", "code": 1008, "reason": text})


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _with_headers(send: Send) -> Send:
    async def wrapped(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *HEADERS]}
        await send(message)

    return wrapped


PAGE = Path(__file__).parent / "static"


def rooms_of(settings: Settings) -> dict[str, Callable[[], PageRoom]]:
    """The factory of each room, by the name in its feed's address."""
    return {kind.name: partial(kind, settings) for kind in (PlayRoom, ReplayRoom, ServerRoom, PacketsRoom)}


def make_app(
    settings: Settings,
    *,
    hosts: tuple[str, ...] = (),
    any_address: bool = False,
    grace: float = GRACE,
    rooms: Mapping[str, Callable[[], PageRoom]] | None = None,
) -> Starlette:
    """Make the application; ``hosts`` and ``any_address`` go to :class:`Guard`, ``rooms`` replaces rooms in tests."""
    feeds = Feeds(rooms_of(settings) if rooms is None else rooms, grace=grace)

    async def serve_feed(page: WebSocket) -> None:
        await feeds.serve(page, page.path_params["room"])

    async def index(_request: object) -> FileResponse:
        return FileResponse(PAGE / "index.html")

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await feeds.close()

    app = Starlette(
        routes=[
            Route("/", index),
            WebSocketRoute("/feed/{room}", serve_feed),
            Mount("/static", StaticFiles(directory=PAGE)),
        ],
        middleware=[Middleware(Guard, hosts=hosts, any_address=any_address)],
        lifespan=lifespan,
    )
    app.state.feeds = feeds
    return app
