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


def test_a_page_to_which_the_browser_goes_back_connects_again(open_page: Callable[..., Any]) -> None:
    page = open_page("#replay")
    page.wait_for_selector('#status[data-state="open"]')
    page.evaluate("document.getElementById('status').dataset.state = 'left'")
    page.evaluate("window.dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
    page.evaluate("window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    page.wait_for_selector('#status[data-state="open"]')


@pytest.mark.parametrize("room", ["replay", "packets"])
def test_names_of_files_are_text_on_the_page(open_page: Callable[..., Any], room: str) -> None:
    evil = "<img src=x onerror='window.hit=1'><script>window.hit=1<_script>"
    page = open_page(f"#{room}")
    page.wait_for_selector('#status[data-state="open"]')
    given = {"name": evil, "mimeType": "application/octet-stream", "buffer": bytes(70000)}
    page.locator("input[type=file]").first.set_input_files(given)
    assert page.locator("#notices p").first.inner_text().startswith("<img")
    assert page.evaluate("window.hit") is None
