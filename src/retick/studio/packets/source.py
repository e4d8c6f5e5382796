"""What is open in the room: datagrams of a capture, of a text of hex digits, or of a file with one."""

from array import array
from collections.abc import Callable, Iterator
from itertools import islice

from retick.errors import DecodeError
from retick.packets.sources import datagrams_in, from_hex, is_capture
from retick.studio.messages import FeedError
from retick.transport.capture import Recorded, read_header, read_record

__all__ = ["MOST_DATAGRAMS", "Source", "datagrams_of_text"]

MOST_DATAGRAMS = 1_000_000
"""What follows in a capture is not looked at."""
LARGEST_TEXT = 4 * 1024 * 1024
"""Bytes of a file that is no capture."""
STEP = 20
"""Records that are found without a pause."""


class Source:
    """Keeps the bytes of a file, and where its records stand: eight bytes for each."""

    def __init__(self, name: str, data: bytes) -> None:
        """A DecodeError unless it is a capture or can be datagrams."""
        self.name = name
        self.seconds = 0.0
        self.size = 0
        """Bytes of all datagrams."""
        self.fault: str | None = None
        """Why a capture is not read to its end."""
        self.is_capture = is_capture(data)
        self._data = data
        self._places = array("Q")
        self._alone: list[bytes] = []
        if self.is_capture:
            self._end = read_header(data)
        elif len(data) > LARGEST_TEXT:
            raise FeedError(f"it is no capture, and hex digits have at most {LARGEST_TEXT} bytes")
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
        """Find all records, with a pause now and then; each datagram is noted."""
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
    """The text as bytes, if every line is empty or hex digits; a FeedError that names the first line that is not."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and (not line.isascii() or from_hex(line.strip()) is None):
            raise FeedError(f"line {number} is no hex digits: {line.strip()[:40]!r}")
    if not text.strip():
        raise FeedError("there is nothing to explain: paste hex digits, one datagram a line")
    return text.encode("ascii")
