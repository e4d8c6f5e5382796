"""The room of packets without a browser: whatever a page sends, there is an answer or an error in words."""

import asyncio
import io
import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import RetickError
from retick.packets.formats import explain_datagram
from retick.snapshot import schema_to_json
from retick.studio import packets as sources
from retick.studio.packets import LONGEST_LIST, MOST_LISTS, PacketsRoom, read_file
from retick.studio.room import FeedError, FileSent, PageMessage, Settings
from retick.transport.capture import CaptureWriter, read_capture
from tests.link.test_explain import keys_in, sealed_datagrams
from tests.packets.test_formats import match_capture
from tests.packets.test_timeline import SCHEMA, SNAPSHOT
from tests.studio.conftest import awaited

PINNED = "52424e31 01 00 01000000 01 02000000 0300"


class Page:
    """What a page has of its room."""

    def __init__(self) -> None:
        self.room = PacketsRoom(Settings())
        self.posted: list[dict[str, Any]] = []
        self.room.post = self._post  # type: ignore[method-assign]  # kept here instead of being sent
        self.room.show = self._post  # type: ignore[method-assign]  # the same

    def _post(self, kind: str, /, **fields: Any) -> None:
        self.posted.append(json.loads(json.dumps({"type": kind, **fields}, allow_nan=False)))

    def send(self, kind: str, /, **fields: Any) -> list[dict[str, Any]]:
        self.posted.clear()
        self.room.receive(PageMessage(kind, fields))
        self.work()
        return self.posted

    def open(self, data: bytes, slot: int = 0, name: str = "file") -> list[dict[str, Any]]:
        self.posted.clear()
        self.room.receive_file(FileSent(name, slot, data))
        self.work()
        return self.posted

    def work(self) -> None:
        """What ``run`` does in the background."""
        while self.room._files:
            file = self.room._files.pop(min(self.room._files))
            self.room.put(file, read_file(file))
        while self.room._lists:
            for _ in self.room._lists.popleft():
                pass
        for _ in self.room._work or ():
            pass
        self.room._work = None

    def one(self, kind: str, /, **fields: Any) -> dict[str, Any]:
        (found,) = self.send(kind, **fields)
        return found


def test_hex_is_explained_as_the_library_explains_it() -> None:
    page = Page()
    opened, timeline = page.send("hex", text=f"{PINNED}\n\n{PINNED.replace(' ', ':')}\n")
    assert (opened["source"]["count"], opened["source"]["capture"]) == (2, False)
    assert timeline["timeline"]["count"] == 2
    shown = page.one("datagram", index=1)
    data = bytes.fromhex(PINNED)
    assert shown["hex"] == data.hex()
    assert shown["fields"] == [[*row] for row in explain_datagram(data).rows]
    assert shown["fault"] is None
    assert sum(bits for _, _, bits in shown["costs"]) == 8 * len(data)


def test_a_capture_is_listed_in_pages_and_measured() -> None:
    page = Page()
    capture = match_capture()
    records = list(read_capture(capture))
    posted = page.open(capture, name="match.rtkc")
    kinds = [message["type"] for message in posted]
    assert (kinds[0], {*kinds[1:-1]}, kinds[-1]) == ("source", {"progress"}, "timeline")
    assert posted[0]["source"]["count"] == len(records)
    rows = page.one("list", start=100, count=LONGEST_LIST)["rows"]
    assert [row["size"] for row in rows] == [len(record.data) for record in records[100:300]]
    assert rows[0]["kind"] == "PAYLOAD RBN1"
    assert page.one("list", start=1 << 20, count=1)["rows"] == []
    hello = page.room.hello()
    assert hello["source"]["name"] == "match.rtkc"
    assert hello["timeline"]["count"] == len(records)


def test_a_snapshot_is_explained_to_the_bit_when_its_schema_is_open() -> None:
    page = Page()
    page.open(SNAPSHOT)
    assert page.one("datagram", index=0)["parts"] == []
    posted = page.open(schema_to_json(SCHEMA, names=True).encode(), 1, "schema.json")
    assert posted[0] == {"type": "schema", "name": "schema.json"}
    shown = page.one("datagram", index=0)
    assert [part[1:] for part in shown["parts"]] == [[10, 3, "position.x", "5"], [30, 3, "position.y", "6"]]
    assert ["position", "position.y", 30] in shown["costs"]
    page.send("forget")
    assert page.room.hello()["schema"] is None


def test_sealed_datagrams_are_opened_while_a_key_log_is_open() -> None:
    page = Page()
    datagrams, log = sealed_datagrams()
    page.open("\n".join(data.hex() for data in datagrams).encode(), name="sealed.txt")
    [at] = [i for i, data in enumerate(datagrams) if 0x80 <= data[0] < 0xC0]
    assert page.one("datagram", index=at)["kind"] == "PAYLOAD, sealed"
    posted = page.open(log.encode(), 2, "keys.txt")
    assert posted[0] == {"type": "keylog", "name": "keys.txt"}
    assert posted[-1]["timeline"]["bad"] == 0
    assert page.one("datagram", index=at)["kind"] == "PAYLOAD, sealed RBN1"
    assert page.room.hello()["keylog"] == "keys.txt"
    assert not any(key in json.dumps([posted, page.room.hello()]) for key in keys_in(log))
    page.send("forget_keys")
    assert page.room.hello()["keylog"] is None
    assert page.one("list", start=at, count=1)["rows"][0]["kind"] == "PAYLOAD, sealed"


def test_what_is_wrong_is_said_and_what_was_open_stays() -> None:
    page = Page()
    page.send("hex", text=PINNED)
    for kind, fields, words in (
        ("hex", {"text": "12\nhello"}, "line 2 is not hex digits"),
        ("hex", {"text": " \n"}, "nothing to explain"),
        ("hex", {"text": "\u0661\u0662"}, "not hex digits"),
        ("hex", {"text": "00\u202800"}, "not hex digits"),
        ("hex", {"text": "00\n00\u2028"}, "line 2 is not hex digits"),
        ("datagram", {"index": 1}, "no datagram 1"),
        ("list", {"start": -1, "count": 1}, "start"),
        ("list", {"start": 0, "count": LONGEST_LIST + 1}, "count"),
        ("open", {"path": "/etc/hostname"}, "no message"),
    ):
        with pytest.raises(FeedError, match=words):
            page.send(kind, **fields)
    for data, slot, words in (
        (b"RTKC\x02\0\0\0", 0, "version 2"),
        (b"", 0, "empty"),
        (bytes(70000), 0, "at most 65535"),
        (b"0" * 140000, 0, "at most 65535"),
        (b"0\n" * (3 << 20), 0, "not a capture"),
        (b" " * (5 << 20), 1, "a schema has at most"),
        (b"{}", 1, "not a schema"),
        (b"\xff", 1, "not JSON"),
        (b"\xff", 2, "line 1 does not belong in a key log"),
    ):
        with pytest.raises(RetickError, match=words):
            page.open(data, slot)
    assert page.one("datagram", index=0)["fault"] is None
    with pytest.raises(FeedError, match="nothing is open"):
        Page().send("datagram", index=0)


def test_bytes_that_are_no_packet_are_shown_with_what_is_wrong() -> None:
    page = Page()
    page.send("hex", text="00")
    assert "no known first bytes" in page.one("datagram", index=0)["fault"]
    page.open(b"\x89PNG\r\n\x1a\n" + bytes(40))
    assert "picture" in page.one("datagram", index=0)["fault"]


def test_a_capture_that_is_cut_is_shown_up_to_there() -> None:
    page = Page()
    opened = page.open(match_capture()[:-1])[0]["source"]
    assert "ends here" in opened["fault"]
    assert opened["count"] > 100


@given(st.binary(max_size=300), st.integers(0, 1))
def test_any_file_gives_an_explanation_or_an_error(data: bytes, slot: int) -> None:
    for candidate in (data, b"RTKC\x01\0\0\0" + data, SNAPSHOT[:24] + data, b"\x80" + data):
        page = Page()
        try:
            page.open(candidate, slot)
        except RetickError:
            continue
        if slot == 0:
            page.send("list", start=0, count=LONGEST_LIST)
            for index in range(page.room.hello()["source"]["count"]):
                shown = page.one("datagram", index=index)
                assert shown["fields"] or shown["fault"]


def test_datagrams_beyond_the_limit_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MOST_DATAGRAMS", 10)
    page = Page()
    opened = page.open(match_capture())[0]["source"]
    assert opened["count"] == 10
    assert "first 10" in opened["fault"]


def test_a_hundred_thousand_datagrams_are_opened_in_bounded_memory() -> None:
    file = io.BytesIO()
    writer = CaptureWriter(file)
    for number in range(100_000):
        writer.add(b"HELLO", ("192.0.2.7", 7777), sent=number % 2 == 0, now=number / 60)
    data = file.getvalue()
    page = Page()
    large = FileSent("large.rtkc", 0, data)
    page.room.put(large, read_file(large))
    page.room._work = None  # the timeline has a test of its own
    tracemalloc.start()
    source = page.room._source
    assert source is not None
    for _ in source.find(lambda _: None):
        pass
    page.one("list", start=99_900, count=200)
    page.one("datagram", index=99_999)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(source) == 100_000
    assert peak < 4 << 20


def test_a_newer_file_ends_the_work_on_an_older_one() -> None:
    async def opened() -> PacketsRoom:
        room = PacketsRoom(Settings())
        work = asyncio.create_task(room.run())
        room.receive_file(FileSent("old.rtkc", 0, match_capture()))
        await asyncio.sleep(0)
        room.receive(PageMessage("hex", {"text": PINNED}))
        while room.hello()["timeline"] is None:
            await asyncio.sleep(0)
        work.cancel()
        return room

    assert awaited(opened()).hello()["timeline"]["count"] == 1


def test_a_list_is_made_in_a_step_for_each_datagram_and_few_lists_wait() -> None:
    page = Page()
    page.open(match_capture())
    page.room.receive(PageMessage("list", {"start": 0, "count": 100}))
    assert sum(1 for _ in page.room._lists.popleft()) == 100
    for _ in range(MOST_LISTS):
        page.room.receive(PageMessage("list", {"start": 0, "count": 1}))
    with pytest.raises(FeedError, match="lists wait"):
        page.room.receive(PageMessage("list", {"start": 0, "count": 1}))
    page.work()
    assert [len(answer["rows"]) for answer in page.posted if answer["type"] == "rows"] == [100, *[1] * MOST_LISTS]


def test_a_file_that_is_none_is_named_and_what_was_open_stays() -> None:
    async def opened() -> list[dict[str, Any]]:
        page = Page()
        work = asyncio.create_task(page.room.run())
        page.room.receive(PageMessage("hex", {"text": PINNED}))
        page.room.receive_file(FileSent("<b>wrong</b>", 0, bytes(70000)))
        page.room.receive_file(FileSent("schema", 1, b"["))
        while page.room.hello()["timeline"] is None or page.room._files:
            await asyncio.sleep(0)
        work.cancel()
        assert page.room.hello()["source"]["name"] == "pasted"
        return page.posted

    wrong, schema = [posted["text"] for posted in awaited(opened()) if posted["type"] == "error"]
    assert wrong.startswith("<b>wrong</b>: a datagram has at most")
    assert schema.startswith("schema: not JSON")
