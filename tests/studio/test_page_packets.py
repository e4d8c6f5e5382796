"""The room of packets in a real browser."""

from collections.abc import Callable
from typing import Any

from retick.packets.formats import explain_datagram
from retick.snapshot import schema_to_json
from retick.transport.capture import read_capture
from tests.link.test_explain import sealed_datagrams
from tests.packets.test_formats import match_capture
from tests.packets.test_timeline import SCHEMA, SNAPSHOT
from tests.studio.test_packets_room import PINNED


def opened(open_page: Callable[..., Any], **settings: Any) -> Any:
    page = open_page("#packets", **settings)
    page.wait_for_selector('#status[data-state="open"]')
    return page


def send(page: Any, name: str, data: bytes, picker: int = 0) -> None:
    file = {"name": name, "mimeType": "application/octet-stream", "buffer": data}
    page.locator("input[type=file]").nth(picker).set_input_files(files=[file])


def cells(page: Any) -> list[list[str]]:
    return list(page.eval_on_selector_all(
        ".fields tbody tr", "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
    ))  # fmt: skip


def marked(page: Any) -> str:
    return str(page.eval_on_selector_all(".byte.marked", "cells => cells.map(cell => cell.textContent).join(' ')"))


def test_pasted_bytes_are_explained_as_the_library_explains_them(open_page: Callable[..., Any]) -> None:
    page = opened(open_page)
    page.fill("textarea", PINNED)
    page.click("text=Explain")
    page.wait_for_selector(".fields tbody tr")
    rows = explain_datagram(bytes.fromhex(PINNED)).rows
    assert cells(page) == [[str(r.offset), r.field, r.value, r.meaning, str(8 * r.size)] for r in rows]
    assert page.locator(".hex .byte").all_inner_texts() == bytes.fromhex(PINNED).hex(" ").split()
    page.hover(".fields tbody tr:nth-child(4)")
    assert marked(page) == "01 00 00 00"
    page.hover(".byte[data-at='11']")
    assert page.locator("tr.marked .name").inner_text() == "ack frame"
    page.focus(".fields tbody tr:first-child")
    assert marked(page) == "52 42 4e 31"
    page.keyboard.press("ArrowDown")
    assert marked(page) == "01"


def test_bytes_that_are_no_packet_give_a_message_and_the_rest_goes_on(open_page: Callable[..., Any]) -> None:
    page = opened(open_page)
    page.fill("textarea", "no digits")
    page.click("text=Explain")
    page.wait_for_selector("#notices >> text=line 1 is not hex digits")
    page.fill("textarea", "00")
    page.click("text=Explain")
    page.wait_for_selector(".fault >> text=no known first bytes")
    page.fill("textarea", PINNED)
    page.click("text=Explain")
    page.wait_for_selector(".fields tbody tr")
    assert page.locator(".fault").is_hidden()


def test_a_capture_is_listed_and_shown_over_time(open_page: Callable[..., Any]) -> None:
    page = opened(open_page)
    capture = match_capture()
    records = list(read_capture(capture))
    send(page, "match.rtkc", capture)
    page.wait_for_selector(".legend >> text=PAYLOAD RBN1")
    page.click("text=Field")
    page.wait_for_selector(".legend >> text=rbn1 packed inputs")
    assert page.locator(".list .row").count() < len(records)
    page.click(".list .row >> nth=4")
    page.focus(".list")
    page.keyboard.press("End")
    last = explain_datagram(records[-1].data)
    page.wait_for_selector(f".detail h2 >> text={last.summary}")
    assert page.locator(".list .row[aria-selected=true]").get_attribute("data-index") == str(len(records) - 1)
    drawn = page.evaluate(
        "() => { const c = document.querySelector('canvas.areas');"
        " return c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some(value => value > 0); }"
    )
    assert drawn


def test_a_snapshot_is_explained_by_a_schema_that_is_opened(open_page: Callable[..., Any]) -> None:
    page = opened(open_page)
    send(page, "snapshot.bin", SNAPSHOT)
    page.wait_for_selector(".fields tbody tr")
    send(page, "schema.json", schema_to_json(SCHEMA, names=True).encode(), picker=1)
    page.wait_for_selector(".fields tr.inner >> text=position.y")
    (row,) = [row for row in cells(page) if row[1] == "position.y"]
    assert row[2:] == ["6", "entity 3", "30"]


def test_sealed_datagrams_are_explained_by_a_key_log_that_is_opened(open_page: Callable[..., Any]) -> None:
    page = opened(open_page)
    datagrams, log = sealed_datagrams()
    send(page, "sealed.bin", next(data for data in datagrams if 0x80 <= data[0] < 0xC0))
    page.wait_for_selector(".fields tbody tr")
    send(page, "keys.txt", log.encode(), picker=2)
    page.wait_for_selector(".fields tr >> text=rbn1 start frame")
    page.click(".chip >> text=keys.txt")
    page.wait_for_selector(".fields tr >> text=rbn1 start frame", state="detached")


KEEP_SOCKETS = """
window.sockets = [];
window.WebSocket = class extends WebSocket {
  constructor(...given) { super(...given); window.sockets.push(this); }
};
"""


def test_what_is_open_is_there_again_after_a_lost_connection(open_page: Callable[..., Any]) -> None:
    page = opened(open_page)
    page.add_init_script(KEEP_SOCKETS)
    page.reload()
    page.wait_for_selector('#status[data-state="open"]')
    send(page, "match.rtkc", match_capture())
    page.wait_for_selector(".legend li")
    page.evaluate("() => { document.querySelector('.legend').replaceChildren(); window.sockets.at(-1).close(); }")
    page.wait_for_selector(".legend li")
    page.wait_for_selector(".fields tbody tr")
    assert page.evaluate("window.sockets.length") == 2


def test_nothing_is_cut_at_either_size(open_page: Callable[..., Any]) -> None:
    for width, height in ((1280, 720), (1920, 1080)):
        page = opened(open_page, width=width, height=height)
        send(page, "match.rtkc", match_capture())
        page.wait_for_selector(".legend li")
        page.wait_for_selector(".fields tbody tr")
        wide, high = page.evaluate(
            "() => { const m = document.querySelector('main'); return [m.scrollWidth - m.clientWidth,"
            " m.scrollHeight - m.clientHeight]; }"
        )
        assert (wide, high) == (0, 0)
        for panel in (".source", ".datagrams", ".over-time", ".one"):
            box = page.locator(f".packets {panel}").bounding_box()
            assert box["x"] + box["width"] <= width
            assert box["y"] + box["height"] <= height
