"""The frame around the rooms, in a real browser."""

from collections.abc import Callable
from typing import Any

import pytest

ROOMS = ("play", "replay", "server", "packets")


@pytest.mark.parametrize("room", ROOMS)
def test_each_room_loads_without_a_console_error(open_page: Callable[..., Any], room: str) -> None:
    page = open_page(f"#{room}")
    page.wait_for_selector('#status[data-state="open"]')
    assert page.locator('nav a[aria-current="page"]').get_attribute("data-room") == room
    assert page.locator(f"main.room-{room}").count() == 1


def test_the_page_fetches_nothing_from_outside(open_page: Callable[..., Any]) -> None:
    page = open_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    page.wait_for_selector('#status[data-state="open"]')
    assert asked
    assert all(url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:")) for url in asked)


def test_light_and_dark_follow_the_system_and_the_button(open_page: Callable[..., Any]) -> None:
    for dark in (False, True):
        page = open_page(dark=dark)
        page.wait_for_selector('#status[data-state="open"]')
        theme = page.evaluate("document.documentElement.dataset.theme")
        assert theme == ("dark" if dark else "light")
        page.click("#theme")
        assert page.evaluate("document.documentElement.dataset.theme") != theme
