"""The page of the play room, fed by a script instead of a WebSocket: many frames in little time."""

import json
from typing import Any

from tests.studio.play.test_room import started

FEED = """
async ([hello, frames, each]) => {
    const { mount } = await import("/static/rooms/play.js");
    const handlers = new Map();
    const feed = { on: (type, handler) => { handlers.set(type, handler); return feed; }, send: () => {} };
    document.getElementById("room").replaceChildren();
    mount(document.getElementById("room"), feed);
    handlers.get("hello")(hello);
    const texts = frames.map((one) => JSON.stringify(one));
    const picture = () => new Promise((resolve) => requestAnimationFrame(resolve));
    window.feedOn = async (from, to) => {
        for (let index = from; index < to; index += 1) {
            const round = Math.floor(index / texts.length) * texts.length;
            const message = JSON.parse(texts[index % texts.length]);
            message.frame += round;
            message.confirmed += round;
            for (const column of message.columns) {
                column[0] += round;
                column[1] += round;
            }
            handlers.get("frame")(message);
            if (index % 20 === 0) handlers.get("cue")({ event: "started", name: "hit", player: 0, frame: index });
            if (index % each === 0) await picture();
        }
    };
}
"""


def recorded() -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The hello and the frame messages of five seconds of a match."""
    play = started()
    play.run(5.0)
    hello = {**play.room.hello(), "columns": [], "type": "hello"}
    return json.loads(json.dumps(hello)), play.of("frame")


def feed(page: Any, *, each: int) -> None:
    """Puts the room on a page that is open elsewhere; ``window.feedOn(from, to)`` then feeds frames to it.

    A picture is drawn after ``each`` of them.
    """
    hello, frames = recorded()
    page.evaluate(FEED, [hello, frames, each])


def heap(session: Any) -> int:
    """Bytes in use on the page after a collection."""
    session.send("HeapProfiler.collectGarbage")
    return int(session.send("Runtime.getHeapUsage")["usedSize"])
