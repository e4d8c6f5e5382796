"""Takes the pictures of the studio from the real page: make pictures, or python docs/pictures/make.py [NAME ...].

It needs the extra ``pictures`` and a Chromium of the system. The names are those of the files, without their ends.
"""

import argparse
import base64
import io
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
FLAGS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
SIZE = (1280, 720)
BAD_LINK = {"latency": 110, "jitter": 25, "loss": 10}
COLOURS, LARGEST = (96, 64, 48, 32), 900_000
"""Of the animation: numbers of colours, of which the first is taken that keeps the file below so many bytes."""
SECONDS, EVERY = 4.0, 0.1
"""Of the animation: how long it is, and the time from picture to picture."""
SHOWN, WIDE = (8, 56, 1008, 712), 680
"""Of the animation: the part of the page, and the pixels to which its width is made smaller."""


@contextmanager
def studio() -> Iterator[str]:
    """A studio in a process of its own; its address."""
    command = [sys.executable, "-u", "-m", "retick", "studio", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split()[2]
        finally:
            process.terminate()


def set_sliders(page: Any, values: dict[str, int]) -> None:
    """As a hand would move them."""
    for name, value in values.items():
        page.evaluate(
            """([name, value]) => {
                const input = document.querySelector(`input[data-setting=${name}]`);
                input.value = value;
                input.dispatchEvent(new Event("input"));
            }""",
            [name, value],
        )


def start_match(page: Any) -> None:
    """A match against a bot over a bad link, with the ghost of the confirmed state."""
    page.wait_for_selector('main[data-phase="ready"]')
    set_sliders(page, BAD_LINK)
    page.click("text=Ghost")
    page.select_option("select", "counter")
    page.click("#play-bot")
    page.wait_for_selector('main[data-phase="running"]')


def fight(page: Any, seconds: float) -> None:
    """Keys of somebody who runs towards the other and strikes."""
    left = round(seconds / 0.65)
    for turn in range(left):
        way = "KeyD" if turn % 4 < 2 else "KeyA"
        page.keyboard.down(way)
        page.wait_for_timeout(250)
        if turn % 3 == 2:
            page.keyboard.press("KeyW", delay=40)
        page.keyboard.up(way)
        page.keyboard.press("KeyJ", delay=60)
        page.wait_for_timeout(200)


def show_play(page: Any) -> None:
    start_match(page)
    fight(page, 6.0)


def show_replay(page: Any) -> None:
    page.click("text=Show an example match")
    page.click("text=Second take")
    page.click("text=Jump to the difference")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("b")
    page.wait_for_timeout(1000)


def show_server(page: Any) -> None:
    page.wait_for_selector(".tally")
    page.wait_for_timeout(12_000)
    page.get_by_role("button", name="Reset", exact=True).click()
    page.wait_for_timeout(12_000)


def show_packets(page: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "retick", "demo", "--frames", "600", "--capture", f"{folder}/match.rtkc"]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        page.locator("input[type=file]").nth(0).set_input_files(f"{folder}/match-host.rtkc")
        page.wait_for_selector(".timeline .legend li")
    page.click(".list .row >> nth=9")
    page.hover(".fields tbody tr:nth-child(6)")
    page.wait_for_timeout(500)


ROOMS: dict[str, tuple[str, Callable[[Any], None]]] = {
    "studio-play": ("play", show_play),
    "studio-replay": ("replay", show_replay),
    "studio-server": ("server", show_server),
    "studio-packets": ("packets", show_packets),
}


@contextmanager
def opened(browser: Any, address: str, room: str, *, size: tuple[int, int] = SIZE, dark: bool = False) -> Iterator[Any]:
    """A page that says goodbye to its room at the end."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme="dark" if dark else "light"
    )
    page = context.new_page()
    page.goto(f"{address}#{room}")
    page.wait_for_selector('#status[data-state="open"]')
    yield page
    page.goto("about:blank")
    context.close()


def take_picture(browser: Any, address: str, name: str) -> None:
    """One room."""
    room, show = ROOMS[name]
    with opened(browser, address, room) as page:
        show(page)
        taken = Image.open(io.BytesIO(page.screenshot()))
    taken.convert("RGB").save(HERE / f"{name}.png", optimize=True)


def take_animation(browser: Any, address: str) -> None:
    """What the page shows while a match is played, as a GIF that begins again."""
    taken: list[tuple[float, bytes]] = []
    with opened(browser, address, "play") as page:
        tools = page.context.new_cdp_session(page)

        def take(frame: Any) -> None:
            taken.append((frame["metadata"]["timestamp"], base64.b64decode(frame["data"])))
            tools.send("Page.screencastFrameAck", {"sessionId": frame["sessionId"]})

        tools.on("Page.screencastFrame", take)
        start_match(page)
        fight(page, 2.0)
        tools.send("Page.startScreencast", {"format": "png"})
        fight(page, SECONDS + 0.5)
        tools.send("Page.stopScreencast")
    begun = taken[0][0]
    chosen = []
    for number in range(round(SECONDS / EVERY)):
        newest = [data for when, data in taken if when <= begun + number * EVERY][-1]
        part = Image.open(io.BytesIO(newest)).convert("RGB").crop(SHOWN)
        chosen.append(part.resize((WIDE, WIDE * part.height // part.width), Image.Resampling.LANCZOS))
    file = HERE / "studio.gif"
    for colours in COLOURS:
        palette = chosen[-1].quantize(colours, method=Image.Quantize.FASTOCTREE)
        first, *rest = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in chosen]
        first.save(file, save_all=True, append_images=rest, duration=round(EVERY * 1000), loop=0)
        if file.stat().st_size < LARGEST:
            return


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="of those to make; all unless named")
    names = parser.parse_args().names or ["studio", *ROOMS]
    with studio() as address, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=list(FLAGS))
        for name in names:
            if name == "studio":
                take_animation(browser, address)
            else:
                take_picture(browser, address, name)
            for made in HERE.glob(f"{name}.[gp][in][fg]"):
                print(f"{made.name}: {made.stat().st_size / 1000:.0f} kB")
        browser.close()


if __name__ == "__main__":
    main()
