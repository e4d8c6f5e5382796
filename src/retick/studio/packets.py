"""The packets room: datagrams and captures, field by field."""

import asyncio
from array import array
from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from retick.errors import DecodeError, RetickError
from retick.packets.formats import Explainer, SealedLinks, keylog_in
from retick.packets.sources import datagrams_in, from_hex, is_capture
from retick.packets.timeline import CaptureTimeline, costs_of, kind_of
from retick.snapshot import Schema, schema_from_json
from retick.snapshot.inspect import PacketReport, SnapshotExplainer
from retick.studio.room import FeedError, FileSent, PageMessage, PageRoom, Settings, Steps, drive
from retick.transport.capture import Recorded, read_header, read_record

if TYPE_CHECKING:
    from retick.link.sealing.keys import KeyLog

# The datagrams that are open in the room: from a capture, from hex digits, or from a file with one datagram.

MOST_DATAGRAMS = 1_000_000
"""Most datagrams of a capture; the rest is ignored."""
LARGEST_TEXT = 4 * 1024 * 1024
"""Most bytes of a file that is not a capture."""
STEP = 20
"""Records that are found between two pauses."""


class PacketSource:
    """Keeps the bytes of a file, and the offsets of its records in eight bytes each."""

    def __init__(self, name: str, data: bytes) -> None:
        """DecodeError if the file is neither a capture nor datagrams."""
        self.name = name
        self.seconds = 0.0
        self.size = 0
        """Bytes of all datagrams together."""
        self.fault: str | None = None
        """Why the capture is not read to its end; None if it is."""
        self.is_capture = is_capture(data)
        self._data = data
        self._places = array("Q")
        self._alone: list[bytes] = []
        if self.is_capture:
            self._end = read_header(data)
        elif len(data) > LARGEST_TEXT:
            raise FeedError(f"it is not a capture, and hex digits may have at most {LARGEST_TEXT} bytes")
        else:
            self._alone = [found.data for found in islice(datagrams_in(data), MOST_DATAGRAMS)]
            self.size = sum(map(len, self._alone))
            if not self._alone or not self.size:
                raise FeedError("it is empty")

    def __len__(self) -> int:
        return len(self._places) if self.is_capture else len(self._alone)

    def __getitem__(self, index: int) -> Recorded:
        if not self.is_capture:
            return Recorded(0.0, False, "", self._alone[index])
        return read_record(self._data, self._places[index])[0]

    def find(self, note: Callable[[bytes], None]) -> Iterator[None]:
        """Find all records, pausing now and then; call ``note`` for each datagram."""
        for data in self._alone:
            note(data)
        while self.is_capture and self._end < len(self._data):
            if len(self._places) >= MOST_DATAGRAMS:
                self.fault = f"only the first {MOST_DATAGRAMS} datagrams are read"
                return
            try:
                record, following = read_record(self._data, self._end)
            except DecodeError as error:
                self.fault = f"the capture ends here: {error}"
                return
            self._places.append(self._end)
            self._end = following
            self.seconds = max(self.seconds, record.time)
            self.size += len(record.data)
            note(record.data)
            if len(self._places) % STEP == 0:
                yield


def datagrams_of_text(text: str) -> bytes:
    """The text as bytes, if every line is empty or hex digits; otherwise a FeedError names the first bad line."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and (not line.isascii() or from_hex(line.strip()) is None):
            raise FeedError(f"line {number} is not hex digits: {line.strip()[:40]!r}")
    if not text.strip():
        raise FeedError("there is nothing to explain: paste hex digits, one datagram a line")
    return text.encode("ascii")


LONGEST_LIST = 200
"""Most datagrams in one answer."""
LONGEST_HEX = 60000
"""Most characters of pasted hex digits."""
LARGEST_SCHEMA = 4 * 1024 * 1024
"""Most bytes of a schema."""
MOST_PARTS = 4000
"""Most values of a snapshot that are shown."""
MOST_SERIES = 9
"""Names in each view of the timeline, besides one for all others."""
PROGRESS_EVERY = 40
"""Datagrams between two progress messages."""
MOST_LISTS = 64
"""Most requests for lists that wait."""
CAPTURE, SCHEMA, KEYLOG = 0, 1, 2
"""File slots of the room."""


def read_file(file: FileSent) -> "PacketSource | Schema | KeyLog":
    """Read the file of a slot; RetickError if it is wrong."""
    if file.slot == CAPTURE:
        return PacketSource(file.name, file.data)
    if file.slot == KEYLOG:
        return keylog_in(file.data)
    if len(file.data) > LARGEST_SCHEMA:
        raise FeedError(f"a schema has at most {LARGEST_SCHEMA} bytes")
    return schema_from_json(file.data)


class PacketsRoom(PageRoom):
    """The packets room of one page."""

    name = "packets"
    slots = 3

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings
        self._source: PacketSource | None = None
        self._schema: Schema | None = None
        self._schema_name: str | None = None
        self._links = SealedLinks()
        self._keylog_name: str | None = None
        self._timeline: dict[str, Any] | None = None
        self._files: dict[int, FileSent] = {}
        self._lists: deque[Steps] = deque()
        self._work: Steps | None = None
        self._given = asyncio.Event()

    def hello(self) -> dict[str, Any]:
        return {
            "source": self._facts(),
            "schema": self._schema_name,
            "keylog": self._keylog_name,
            "timeline": self._timeline,
        }

    async def run(self) -> None:
        while True:
            if self._files:
                await self._read(self._files[min(self._files)])
            elif self._lists:
                await drive(self._lists.popleft(), lambda: False)
            elif (work := self._work) is not None:
                ended = await drive(work, lambda: bool(self._files or self._lists) or self._work is not work)
                if ended and self._work is work:
                    self._work = None
            else:
                self._given.clear()
                await self._given.wait()

    async def _read(self, file: FileSent) -> None:
        """Read a file in a thread, since it may take longer than a slice; drop it if a newer one came meanwhile."""
        try:
            read = await asyncio.to_thread(read_file, file)
        except RetickError as error:
            if self._files.get(file.slot) is file:
                self.post("error", text=f"{file.name}: {error}")
        else:
            if self._files.get(file.slot) is file:
                self.put(file, read)
        if self._files.get(file.slot) is file:
            del self._files[file.slot]

    def put(self, file: FileSent, read: "PacketSource | Schema | KeyLog") -> None:
        """Use the contents of a file."""
        if isinstance(read, PacketSource):
            self._open(read)
        elif isinstance(read, Schema):
            self._use_schema(read, file.name)
        else:
            self._use_keylog(read, file.name)

    def receive(self, message: PageMessage) -> None:
        match message.type:
            case "hex":
                pasted = PacketSource("pasted", datagrams_of_text(message.text("text", LONGEST_HEX)))
                self._files.pop(CAPTURE, None)
                self._open(pasted)
            case "list":
                start = message.integer("start", 0, 1 << 30)
                self._ask_for(start, message.integer("count", 1, LONGEST_LIST))
            case "datagram":
                self._show_datagram(message.integer("index", 0, 1 << 30))
            case "forget":
                self._files.pop(SCHEMA, None)
                self._use_schema(None, None)
            case "forget_keys":
                self._files.pop(KEYLOG, None)
                self._use_keylog(None, None)
            case _:
                super().receive(message)

    def receive_file(self, file: FileSent) -> None:
        self._files[file.slot] = file
        self._given.set()

    def _open(self, source: PacketSource) -> None:
        self._source = source
        self._begin()

    def _use_schema(self, schema: Schema | None, name: str | None) -> None:
        self._schema, self._schema_name = schema, name
        self.post("schema", name=name)
        self._begin_again()

    def _use_keylog(self, keylog: "KeyLog | None", name: str | None) -> None:
        self._links, self._keylog_name = SealedLinks(keylog), name
        self.post("keylog", name=name)
        self._begin_again()

    def _begin_again(self) -> None:
        if self._source is not None:
            self._begin()

    def _begin(self) -> None:
        """Measure the open datagrams in the background; work on older ones is dropped."""
        self._timeline = None
        self._links = SealedLinks(self._links.keylog)
        self._work = self._measure(self._source) if self._source is not None else None
        self._given.set()

    def _measure(self, source: PacketSource) -> Steps:
        yield from source.find(self._links.note)
        self.post("source", source=self._facts())
        timeline = CaptureTimeline(self._explainer(), source.seconds)
        for index in range(len(source)):
            timeline.add(source[index])
            if (index + 1) % PROGRESS_EVERY == 0:
                self.show("progress", done=index + 1, total=len(source))
            yield
        self._timeline = timeline.to_json(MOST_SERIES)
        self.post("timeline", timeline=self._timeline)

    def _facts(self) -> dict[str, Any] | None:
        source = self._source
        if source is None:
            return None
        return {
            "name": source.name,
            "capture": source.is_capture,
            "count": len(source),
            "seconds": source.seconds,
            "bytes": source.size,
            "fault": source.fault,
        }

    def _explainer(self) -> Explainer:
        return Explainer(SnapshotExplainer(self._schema, keep_all=False), self._links)

    def _opened(self) -> PacketSource:
        if self._source is None:
            raise FeedError("nothing is open: paste hex digits or open a capture")
        return self._source

    def _ask_for(self, start: int, count: int) -> None:
        if len(self._lists) >= MOST_LISTS:
            raise FeedError(f"{MOST_LISTS} requests for lists wait already")
        self._lists.append(self._list(self._opened(), start, count))
        self._given.set()

    def _list(self, source: PacketSource, start: int, count: int) -> Steps:
        explainer = self._explainer()
        rows = []
        for index in range(start, min(start + count, len(source))):
            record = source[index]
            found = explainer.explain(record.data)
            rows.append(
                {**_facts_of(record), "kind": kind_of(found), "summary": found.summary[:200], "bad": bool(found.fault)}
            )
            yield
        self.post("rows", start=start, rows=rows)

    def _show_datagram(self, index: int) -> None:
        source = self._opened()
        if index >= len(source):
            raise FeedError(f"there is no datagram {index}: {len(source)} are open")
        record = source[index]
        explainer = self._explainer()
        found = explainer.explain(record.data)
        report = explainer.snapshots.newest
        costs = costs_of(found, len(record.data), report)
        self.post(
            "datagram",
            index=index,
            **_facts_of(record),
            hex=record.data.hex(),
            kind=kind_of(found),
            format=found.format,
            summary=found.summary,
            fault=found.fault,
            fields=[[*row] for row in found.rows],
            parts=list(_parts(report)) if report is not None else [],
            costs=sorted(([*names, bits] for names, bits in costs.items()), key=lambda row: -int(row[2])),
        )


def _facts_of(record: Recorded) -> dict[str, Any]:
    return {"time": record.time, "sent": record.sent, "address": record.address, "size": len(record.data)}


def _parts(report: PacketReport) -> Iterator[list[Any]]:
    """First bit, number of bits, entity, name and value of each field in a snapshot."""
    left = MOST_PARTS
    for section in report.sections:
        for entity in section.entities:
            for part in entity.fields:
                if left == 0:
                    return
                left -= 1
                yield [part.bit, part.bits, entity.id, part.label, str(part.value)]
