"""The web application: the page's files, and one feed for each room."""

import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import FileResponse
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket

from retick.studio.feed import GRACE, Feeds
from retick.studio.guard import Guard
from retick.studio.packets.room import PacketsRoom
from retick.studio.play.room import PlayRoom
from retick.studio.replay.room import ReplayRoom
from retick.studio.room import Room
from retick.studio.server.room import ServerRoom
from retick.studio.settings import Settings

__all__ = ["PAGE", "make_app", "rooms_of"]

PAGE = Path(__file__).parent / "static"


def rooms_of(settings: Settings) -> dict[str, Callable[[], Room]]:
    """What makes each room, by the name in its feed's address."""
    return {kind.name: partial(kind, settings) for kind in (PlayRoom, ReplayRoom, ServerRoom, PacketsRoom)}


def make_app(
    settings: Settings,
    *,
    hosts: tuple[str, ...] = (),
    any_address: bool = False,
    grace: float = GRACE,
    rooms: Mapping[str, Callable[[], Room]] | None = None,
) -> Starlette:
    """``hosts`` and ``any_address`` are for :class:`Guard`; ``rooms`` replaces the studio's own, for tests."""
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
