"""Figures of Retick Studio's play page in a real Chromium: python benchmarks/studio_page.py (needs playwright).

- milliseconds of script for each picture: handlers of messages and animation frames, summed from picture to picture;
- the studio's share of one core while a match with both views runs;
- frames from a key press to the first picture that shows its effect, beyond the input delay of the session.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import sync_playwright

FLAGS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
FRAME = 1000 / 60
# Wraps the browser's calls of the page, before any module of the page is loaded.
MEASURE = """
(() => {
    const spent = (window.spentMs = []);
    let sum = 0;
    const timed = (work) => function (...given) {
        const begun = performance.now();
        try { return work.apply(this, given); } finally { sum += performance.now() - begun; }
    };
    const ask = window.requestAnimationFrame.bind(window);
    window.requestAnimationFrame = (work) => ask((now) => {
        timed(work)(now);
        spent.push(sum);
        sum = 0;
        window.onPicture?.(performance.now());
    });
    const listen = WebSocket.prototype.addEventListener;
    WebSocket.prototype.addEventListener = function (type, work, options) {
        listen.call(this, type, type === "message" ? timed((event) => {
            if (typeof event.data === "string" && event.data.startsWith('{"type":"frame"')) {
                const you = event.data.match(/"you":\\[([^\\]]*)/)[1].split(",");
                if (window.newestX !== Number(you[1])) window.movedAt = performance.now();
                window.newestX = Number(you[1]);
                window.newestFrame = Number(event.data.match(/"frame":(\\d+)/)[1]);
                window.stunned = Number(you[7]) > 0;
            }
            return work.call(this, event);
        }) : work, options);
    };
    window.addEventListener("keydown", () => { window.pressedAt ??= performance.now(); }, true);
})();
"""
WATCH = """
() => new Promise((resolve) => {
    window.pressedAt = undefined;
    const before = window.newestX;
    window.onPicture = (now) => {
        if (window.stunned) resolve(null); // who was hit cannot move: that says nothing about the page
        if (window.pressedAt !== undefined && window.newestX !== before) {
            window.onPicture = undefined;
            resolve([now - window.pressedAt, window.movedAt - window.pressedAt]);
        }
    };
    setTimeout(() => resolve(null), 3000);
})
"""


@contextmanager
def studio() -> Iterator[tuple[str, int]]:
    """Start a studio in another process; return its address and process id."""
    command = [sys.executable, "-u", "-m", "retick", "studio", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            yield line.split()[2], process.pid
        finally:
            process.terminate()


def processor_seconds(pid: int) -> float:
    """User and system time of a process (Linux)."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def start(page: Any) -> None:
    page.click("#play-bot")
    page.wait_for_selector('main[data-phase="running"]')


def measure(page: Any, pid: int, seconds: float) -> None:
    start(page)
    page.wait_for_timeout(1000)
    page.evaluate("spentMs.length = 0")
    used, begun = processor_seconds(pid), time.monotonic()
    while time.monotonic() < begun + seconds:
        if page.get_attribute("main", "data-phase") == "over":
            start(page)
        page.keyboard.press("KeyJ", delay=30)
        page.wait_for_timeout(400)
    elapsed = time.monotonic() - begun
    share = (processor_seconds(pid) - used) / elapsed
    spent = sorted(page.evaluate("spentMs"))
    print(f"pictures                     {len(spent) / elapsed:6.1f} a second")
    print(f"script for a picture, median {statistics.median(spent):6.2f} ms")
    print(f"script for a picture, p95    {spent[int(len(spent) * 0.95)]:6.2f} ms   (at most 8)")
    print(f"studio's share of one core   {share:6.1%}      (under 15 %)")


def measure_input(page: Any, times: int, delay: int) -> None:
    waits = []
    for index in range(times):
        if index % 10 == 0:  # a new match: nobody is hit yet, and nothing else moves us
            start(page)
            # Skip the first frames, which have the largest delay of the slider.
            while not 20 < page.evaluate("window.newestFrame") < 100:
                page.wait_for_timeout(30)
        page.evaluate(f"() => {{ window.waiting = ({WATCH})(); }}")
        page.keyboard.down("KeyA" if index % 2 else "KeyD")
        wait = page.evaluate("window.waiting")
        page.keyboard.up("KeyA" if index % 2 else "KeyD")
        page.wait_for_timeout(150 + index % 7 * 5)
        if wait is not None:
            waits.append([part / FRAME - delay for part in wait])
    print(f"load of the machine          {os.getloadavg()[0]:6.2f}, with {os.cpu_count()} cores")
    for what, part in (("message", 1), ("picture", 0)):
        sorted_ = sorted(wait[part] for wait in waits)
        middle, late = statistics.median(sorted_), sorted_[int(len(sorted_) * 0.95)]
        print(f"key press to {what}, median {middle:6.2f} frames beyond the input delay, p95 {late:.2f}   (at most 2)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--presses", type=int, default=40)
    given = parser.parse_args()
    with studio() as (address, pid), sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=list(FLAGS))
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.add_init_script(MEASURE)
        page.goto(f"{address}#play")
        page.wait_for_selector('main[data-phase="ready"]')
        measure(page, pid, given.seconds)
        measure_input(page, given.presses, delay=2)
        browser.close()


if __name__ == "__main__":
    main()
