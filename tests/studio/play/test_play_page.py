"""A match in a real browser, played by its keys."""

import json
import re
from collections.abc import Callable
from typing import Any

from websockets.sync.client import connect

from tests.studio.conftest import Running
from tests.studio.play.fed_page import feed, heap

LONG = 90_000
"""Milliseconds: a machine that runs many tests at once is slow."""


def start(page: Any) -> None:
    page.wait_for_selector('main[data-phase="ready"]', timeout=LONG)
    page.click("#play-bot")
    page.wait_for_selector('main[data-phase="running"]', timeout=LONG)


def set_slider(page: Any, name: str, value: int) -> None:
    page.evaluate(
        """([name, value]) => {
            const input = document.querySelector(`input[data-setting=${name}]`);
            input.value = value;
            input.dispatchEvent(new Event("input"));
        }""",
        [name, value],
    )


def newest(page: Any, words: str) -> float:
    """A number of the newest column, as its readout says it."""
    canvas = page.locator(".graph canvas")
    canvas.focus()
    page.keyboard.press("ArrowRight")
    text = page.inner_text(".readout")
    found = re.search(words + r" ([\d.]+)", text)
    page.evaluate("document.activeElement.blur()")
    return float(found[1]) if found else float("nan")


def wait_until(page: Any, condition: Callable[[], bool]) -> None:
    for _ in range(LONG // 100):
        if condition():
            return
        page.wait_for_timeout(100)
    raise AssertionError("it did not happen")


def test_a_match_is_played_by_key_presses_and_ends_on_equal_checksums(open_page: Callable[..., Any]) -> None:
    page = open_page("#play")
    start(page)
    page.keyboard.down("KeyD")
    page.wait_for_timeout(300)
    page.keyboard.up("KeyD")
    for _ in range(LONG // 100):
        if page.get_attribute("main", "data-phase") == "over":
            break
        page.keyboard.press("Space", delay=30)
        page.wait_for_timeout(70)
    page.wait_for_selector("#again")
    yours, theirs = page.inner_text("#sum-yours"), page.inner_text("#sum-theirs")
    assert re.fullmatch("[0-9A-F]{8}", yours)
    assert yours == theirs
    assert page.get_attribute(".sums", "data-equal") == "true"
    assert re.match(r"Cues: [1-9]\d* started", page.inner_text(".cues"))
    page.click("#again")
    page.wait_for_selector('main[data-phase="running"]', timeout=LONG)


def test_sliders_change_what_the_session_measures(open_page: Callable[..., Any]) -> None:
    page = open_page("#play")
    set_all = {"latency": 5, "jitter": 0, "loss": 0, "input_delay": 0}
    page.wait_for_selector('main[data-phase="ready"]', timeout=LONG)
    for name, value in set_all.items():
        set_slider(page, name, value)
    start(page)
    wait_until(page, lambda: newest(page, "RTT") < 45)
    set_slider(page, "latency", 120)
    set_slider(page, "loss", 40)
    set_slider(page, "prediction_window", 4)
    wait_until(page, lambda: newest(page, "RTT") > 150)
    wait_until(page, lambda: newest(page, "loss") > 15)
    wait_until(page, lambda: newest(page, "waited") > 0)


def test_a_lost_connection_comes_back_by_itself_and_the_match_goes_on(open_page: Callable[..., Any]) -> None:
    page = open_page("#play")
    start(page)
    frame = "Number(document.querySelector('.view .mono').textContent.match(/frame (\\d+)/)?.[1] ?? 0)"
    wait_until(page, lambda: page.evaluate(frame) > 20)
    # A WebSocket that the page did not close itself.
    page.evaluate(
        """() => {
            const send = WebSocket.prototype.send;
            WebSocket.prototype.send = function (data) {
                WebSocket.prototype.send = send;
                this.close();
            };
        }"""
    )
    page.keyboard.press("KeyW", delay=50)
    page.wait_for_selector('#status[data-state="lost"]', timeout=LONG)
    before = page.evaluate(frame)
    page.wait_for_selector('#status[data-state="open"]', timeout=LONG)
    wait_until(page, lambda: page.evaluate(frame) > before + 10)
    assert page.get_attribute("main", "data-phase") in ("running", "over")


def test_a_second_page_on_one_match_is_told_so_and_the_first_goes_on(
    open_page: Callable[..., Any], studio: Running
) -> None:
    page = open_page("#play")
    start(page)
    token = page.evaluate("sessionStorage.getItem('token-play')")
    with connect(f"{studio.feeds}play?token={token}") as second:
        assert "another page" in json.loads(second.recv(timeout=30))["text"]
    copy = page.context.new_page()
    copy.add_init_script(f"sessionStorage.setItem('token-play', {token!r})")
    copy.goto(f"{studio.address}#play")
    copy.wait_for_selector("text=this match is open in another page", timeout=LONG)
    assert page.get_attribute("main", "data-phase") in ("running", "over")
    copy.close()


def test_closing_the_page_ends_its_match(open_page: Callable[..., Any], studio: Running) -> None:
    page = open_page("#play")
    start(page)
    token = page.evaluate("sessionStorage.getItem('token-play')")
    held = studio.app.state.feeds._held
    assert token in held
    page.goto("about:blank")
    wait_until(page, lambda: token not in held)


def test_the_page_has_no_scroll_bars_and_is_used_by_keyboard(open_page: Callable[..., Any]) -> None:
    page = open_page("#play")
    page.wait_for_selector('main[data-phase="ready"]', timeout=LONG)
    for place in ("main", ".side"):
        assert page.evaluate(f"(one => one.scrollHeight <= one.clientHeight)(document.querySelector('{place}'))")
    page.focus(".overlay button")
    page.keyboard.press("Enter")
    page.wait_for_selector('main[data-phase="running"]', timeout=LONG)
    page.focus("input[data-setting=loss]")
    page.keyboard.press("ArrowRight")
    assert page.input_value("input[data-setting=loss]") == "2"


def test_a_page_that_is_fed_36000_frames_does_not_grow(open_page: Callable[..., Any]) -> None:
    page = open_page("#packets")  # the play room is put there by hand
    page.wait_for_selector('#status[data-state="open"]', timeout=LONG)
    feed(page, each=300)
    tools = page.context.new_cdp_session(page)
    page.evaluate("feedOn(0, 6000)")
    before, nodes = heap(tools), page.evaluate("document.querySelectorAll('*').length")
    page.evaluate("feedOn(6000, 36000)")
    assert page.inner_text(".view .mono").startswith("frame 36")
    assert heap(tools) < before + 1_500_000  # fifty bytes of each frame would be more
    assert page.evaluate("document.querySelectorAll('*').length") == nodes
