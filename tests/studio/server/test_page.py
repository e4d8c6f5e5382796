"""The room in a real browser."""

import time
from collections.abc import Callable
from typing import Any

import pytest

LONG = 40.0
"""Seconds that a condition may take on a busy machine."""
COLOURS = """(name) => {
  const canvas = document.querySelector(`canvas.${name}`);
  const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  const seen = new Set();
  for (let at = 0; at < data.length; at += 4) seen.add(`${data[at]},${data[at + 1]},${data[at + 2]}`);
  return seen.size;
}"""
KEEP_SOCKETS = """
  window.sockets = [];
  window.WebSocket = class extends WebSocket {
    constructor(...settings) { super(...settings); window.sockets.push(this); }
  };
"""


def until(page: Any, selector: str, holds: Callable[[str], bool]) -> str:
    """Wait until the text of an element is as it should be; returns it."""
    deadline = time.monotonic() + LONG
    while True:
        text = str(page.locator(selector).text_content())
        if holds(text):
            return text
        assert time.monotonic() < deadline, f"{selector} stays {text!r}"
        page.wait_for_timeout(50)


def place(text: str) -> tuple[float, ...]:
    """Where the watched runner is predicted; far away before it has joined."""
    return tuple(float(number) for number in text.split(", ")) if "," in text else (99.0, 99.0, 99.0)


def ticks(page: Any, more_than: int = 60) -> int:
    return int(until(page, "[data-figure=tick]", lambda text: text.isdigit() and int(text) > more_than))


@pytest.fixture
def room(open_page: Callable[..., Any]) -> Any:
    page = open_page("#server")
    ticks(page)
    return page


def test_the_course_and_its_runners_are_drawn_in_both_views(room: Any) -> None:
    for view in ("above", "side"):
        assert room.evaluate(COLOURS, view) > 8
    assert room.locator("#watch option").all_text_contents() == [f"Bot {number}" for number in range(1, 7)]
    scrolls = "(() => { const main = document.querySelector('main'); return main.scrollHeight > main.clientHeight; })()"
    assert not room.evaluate(scrolls)


def test_keys_and_the_mouse_move_the_own_runner_and_the_space_key_lets_it_jump(room: Any) -> None:
    room.click("[data-action=play]")
    until(room, "[data-action=play]", lambda text: text == "Leave")
    until(room, "[data-figure=mode]", lambda text: text == "ground")
    start = place(until(room, "[data-figure=place]", lambda text: abs(place(text)[1] + 0.35) < 0.1))
    room.keyboard.down("KeyA")
    until(room, "[data-figure=place]", lambda text: place(text)[0] < start[0] - 3.0)
    room.keyboard.up("KeyA")
    room.click("[data-mode=reset]")
    room.keyboard.down("Space")
    until(room, "[data-figure=mode]", lambda text: text == "air")
    room.keyboard.up("Space")
    left = place(until(room, "[data-figure=place]", lambda text: True))
    area = room.locator("canvas.above").bounding_box()
    room.mouse.move(area["x"] + area["width"] * 0.9, area["y"] + area["height"] / 2)
    room.mouse.down()
    until(room, "[data-figure=place]", lambda text: place(text)[0] > left[0] + 1.0)
    room.mouse.up()
    room.click("[data-action=play]")
    until(room, "#watch", lambda text: "You" not in text)


def test_sliders_change_what_is_measured_and_reset_locomotion_is_seen_as_corrections(room: Any) -> None:
    room.get_by_role("slider", name="Latency, each way", exact=True).fill("150")
    until(room, "[data-figure=rtt]", lambda text: int(text.split()[0]) > 250)
    room.get_by_role("slider", name="Bots", exact=True).fill("9")
    until(room, "#watch", lambda text: "Bot 9" in text)
    room.click("[data-mode=reset]")
    until(room, "[data-figure=reset-corrections]", lambda text: text.isdigit() and int(text) > 0)
    assert room.locator("[data-mode=reset]").get_attribute("aria-pressed") == "true"


def test_the_room_goes_on_after_a_lost_connection(open_page: Callable[..., Any]) -> None:
    page = open_page("#server")
    page.add_init_script(KEEP_SOCKETS)
    page.reload()
    ticks(page)
    page.get_by_role("slider", name="Bots", exact=True).fill("3")
    until(page, "#watch", lambda text: "Bot 4" not in text)
    before = ticks(page)
    page.evaluate("window.sockets[0].close()")
    ticks(page, before + 30)
    assert page.evaluate("window.sockets.length") == 2
    assert page.get_by_role("slider", name="Bots", exact=True).input_value() == "3"
    assert page.locator("#watch option").count() == 3
