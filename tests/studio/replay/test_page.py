"""What a person does in the room, in a real browser."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from retick.games.fighter import Fighter
from retick.games.fighter.bots import bout
from retick.replay import Replay, ReplayPlayer, dumps, sealed

BUNDLE = Path(__file__).parents[2] / "vectors" / "desync" / "fighter-v1.desync"
MATCH = sealed(Replay(seed=3, frames=bout(3, 600)), Fighter(), every=100)

TABLE = """(tab) => Object.fromEntries([...document.querySelectorAll(`#tab-${tab} tbody tr`)].map(
    (row) => [row.dataset.field, [...row.querySelectorAll("td")].map((cell) => cell.textContent)]))"""


def opened(page: Any, data: bytes, *, slot: int = 0, name: str = "match.rtk") -> None:
    file = {"name": name, "mimeType": "application/octet-stream", "buffer": data}
    page.set_input_files(f'input[data-slot="{slot}"]', file)


def at(page: Any, frame: int) -> None:
    page.wait_for_selector(f'main[data-frame="{frame}"]', timeout=30_000)


def room(open_page: Callable[..., Any], **settings: Any) -> Any:
    page = open_page("#replay", **settings)
    page.set_default_timeout(30_000)
    page.wait_for_selector(".room-replay .welcome")
    page.wait_for_selector('#status[data-state="open"]')
    return page


def test_scrubbing_and_keys_show_frames_whose_fields_are_the_librarys(open_page: Callable[..., Any]) -> None:
    page = room(open_page)
    opened(page, dumps(MATCH))
    page.wait_for_selector(".verdict.good:has-text('verified')")
    player = ReplayPlayer(MATCH, Fighter())
    page.focus("main")
    for act, frame in (
        (lambda: page.evaluate(SCRUB, 345), 345), (lambda: page.keyboard.press("ArrowRight"), 346),
        (lambda: page.keyboard.press("Shift+ArrowLeft"), 336), (lambda: page.keyboard.press("End"), 600),
        (lambda: page.keyboard.press("Home"), 0), (lambda: page.keyboard.press("Shift+ArrowRight"), 10),
    ):  # fmt: skip
        act()
        at(page, frame)
        player.seek(frame)
        shown = page.evaluate(TABLE, "state")
        assert {name: [str(value)] for name, value in player.fields().items()}.items() <= shown.items()
        assert shown["checksum"] == [f"0x{player.sim.checksum(player.state):08X}"]
    assert page.locator("#tab-state tr[data-field='frame'] td.changed").count() == 1
    assert page.locator("#tab-state tr[data-field='rng'] td.changed").count() == 0


SCRUB = """(frame) => {
  const scrubber = document.querySelector(".scrubber");
  scrubber.value = String(frame);
  scrubber.dispatchEvent(new Event("input"));
}"""


def test_a_match_plays_to_its_end_at_the_speed_that_is_set(open_page: Callable[..., Any]) -> None:
    page = room(open_page)
    page.click("text=Show an example match")
    page.wait_for_selector(".verdict.good")
    page.locator(".controls .slider input").fill("3")
    assert page.locator(".controls .slider output").text_content().startswith("8.0")
    page.click('[aria-label="Play (space)"]')
    page.wait_for_selector('[aria-label="Pause (space)"]')
    last = page.locator(".scrubber").get_attribute("max")
    at(page, int(last))
    page.wait_for_selector('[aria-label="Play (space)"]')


def test_a_picture_is_drawn_and_boxes_change_it(open_page: Callable[..., Any]) -> None:
    page = room(open_page)
    page.click("text=Show an example match")
    page.wait_for_selector(".verdict.good")
    picture = page.locator(".picture canvas").first
    plain = picture.evaluate("(canvas) => canvas.toDataURL()")
    page.click("text=Boxes")
    assert picture.evaluate("(canvas) => canvas.toDataURL()") != plain
    assert len(plain) > 5000


def test_a_dropped_bundle_shows_both_states_with_the_planted_field(open_page: Callable[..., Any]) -> None:
    page = room(open_page)
    page.evaluate(
        """(bytes) => {
          const files = new DataTransfer();
          files.items.add(new File([new Uint8Array(bytes)], "match.desync"));
          document.getElementById("room").dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true }));
        }""",
        list(BUNDLE.read_bytes()),
    )
    page.wait_for_selector("#tab-desync tr.differs")
    assert page.locator("#tab-desync tr.differs").evaluate_all("(rows) => rows.map((row) => row.dataset.field)") == [
        "p1.x"
    ]
    assert page.evaluate(TABLE, "desync")["p1.x"] == ["7000", "7300"]
    assert "diverge at frame 41" in page.locator(".finding .first").text_content()
    at(page, 41)
    page.wait_for_selector(".verdict.bad:has-text('differs at frame 41')")
    page.keyboard.press("ArrowLeft")
    at(page, 40)
    page.click(".finding .jump")
    at(page, 41)


def test_two_replays_have_a_button_that_jumps_to_the_first_difference(open_page: Callable[..., Any]) -> None:
    page = room(open_page)
    frames = bytearray(MATCH.frames)
    frames[4 * 200] ^= 3
    opened(page, dumps(MATCH))
    page.wait_for_selector(".verdict.good")
    opened(page, dumps(MATCH.replace(frames=bytes(frames), checkpoints={})), slot=1, name="other.rtk")
    page.click(".finding .jump")
    at(page, 201)
    assert "frame 201" in page.locator(".finding .first").text_content()
    page.wait_for_selector("#tab-state tr.differs[data-field='p1.x']")
    ours, theirs = page.evaluate(TABLE, "state")["p1.x"]
    player = ReplayPlayer(MATCH, Fighter())
    assert int(ours) == player.seek(201).p1.x != int(theirs)


def test_a_wrong_file_is_told_and_the_rest_goes_on(open_page: Callable[..., Any]) -> None:
    page = room(open_page)
    opened(page, b"just text", name="notes.txt")
    page.wait_for_selector("#notices p:has-text('notes.txt is neither a replay')")
    opened(page, dumps(Replay(seed=1, frames=[(1, 2)] * 30, game_id="not.here")), name="foreign.rtk")
    page.wait_for_selector(".words:has-text('retick studio module:Class')")
    page.wait_for_selector("#tab-inputs .here:has-text('0001')")
    opened(page, dumps(MATCH))
    page.wait_for_selector(".verdict.good")


REMEMBER_SOCKETS = """{
  const Real = WebSocket;
  window.sockets = [];
  window.WebSocket = class extends Real {
    constructor(...given) {
      super(...given);
      window.sockets.push(this);
    }
  };
}"""


def test_after_a_lost_connection_the_page_finds_its_files_and_its_frame_again(open_page: Callable[..., Any]) -> None:
    page = room(open_page)
    page.add_init_script(REMEMBER_SOCKETS)
    page.reload()
    page.wait_for_selector('#status[data-state="open"]')
    opened(page, dumps(MATCH))
    page.wait_for_selector(".verdict.good")
    page.fill("input[type=number]", "321")
    page.press("input[type=number]", "Enter")
    at(page, 321)
    page.evaluate(
        """() => {
          delete document.getElementById("room").dataset.frame;
          window.sockets.at(-1).close();
        }"""
    )
    at(page, 321)
    assert page.evaluate("window.sockets.length") == 2
    page.wait_for_selector(".chip:has-text('match.rtk') .verdict.good")


def test_nothing_overlaps_or_is_cut(open_page: Callable[..., Any]) -> None:
    for width, height in ((1280, 720), (1920, 1080)):
        page = room(open_page, width=width, height=height)
        page.click("text=Show an example match")
        page.wait_for_selector(".verdict.good")
        page.click("text=Second take")
        page.wait_for_selector(".finding .jump")
        assert page.evaluate(CUT) == []


CUT = """() => {
  const place = document.getElementById("room");
  const parts = [place, ...place.querySelectorAll("button, .chip, .controls, .controls > *, .finding, .side")];
  return parts.filter((part) => {
    const box = part.getBoundingClientRect();
    const outside = box.right > innerWidth || box.bottom > innerHeight;
    return box.width > 0 && (outside || part.scrollWidth > part.clientWidth + 2);
  }).concat(place.scrollHeight > place.clientHeight ? [place] : []).map((part) => part.outerHTML.slice(0, 200));
}"""
