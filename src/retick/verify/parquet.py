"""Reads Parquet of strangers in batches whose decoded size is known before anything is decoded.

Theory of operation. A Parquet file can be small because a dictionary holds a value once and many rows name it, or
because a page of zeros was compressed. The footer says how large it all is, but a stranger wrote the footer. The
library makes room for what the header of each page announces. So the headers of the wanted columns are read here first,
a row group at a time, and are held against the budget of a file of this size (``ReadLimits``):

- a page, and all pages of a row group together, announce no more than the budget;
- a batch has so few rows that it fits even if each of them were the whole dictionary;
- other encodings announce sizes inside compressed pages, and are refused.
"""

import os
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, Final

from retick.errors import DecodeError, InvalidValue, LimitExceeded, Truncated
from retick.replay import ReadLimits
from retick.verify.manifest import is_url, pyarrow

_DATA, _DICTIONARY, _DATA_V2 = 0, 2, 3
_DICTIONARIES: Final = {2: "PLAIN_DICTIONARY", 8: "RLE_DICTIONARY"}
_ENCODINGS: Final = {0: "PLAIN", 3: "RLE", 4: "BIT_PACKED", **_DICTIONARIES}
_VALUE_COST: Final = 16
"""Bytes that the library takes for each value that a dictionary announces."""
_HEADERS: Final = (256, 4096, 65536)
"""Bytes that are read for a page header, one after the other; longer ones are refused."""
_DEEPEST: Final = 4


def parquet_file(name: str, raw: BinaryIO, piece: int = 0) -> Any:
    """Open a Parquet file; its footer cannot announce more entries and longer texts than the file has bytes."""
    size = max(1, _size_of(raw))
    # pyarrow opens a local file itself: through a Python file, reading takes ten times as long.
    return pyarrow("pyarrow.parquet").ParquetFile(
        raw if is_url(name) else name,
        pre_buffer=False,
        buffer_size=piece,
        thrift_string_size_limit=size,
        thrift_container_size_limit=size,
    )


def parquet_parts(
    table: Any, raw: BinaryIO, columns: Sequence[str], rows: int, limits: ReadLimits | None = None
) -> Iterator[Any]:
    """Read the columns of a file of ``parquet_file`` in batches of up to ``rows`` rows; DecodeError for a trap."""
    bounds, size = limits or ReadLimits(), _size_of(raw)
    room = min(bounds.max_bytes, bounds.free_bytes + bounds.growth * size)
    for number in range(table.num_row_groups):
        group = table.metadata.row_group(number)
        chunks = [group.column(at) for at in range(group.num_columns)]
        pages = _Pages(size, room, bounds.free_bytes + bounds.growth * size)
        for chunk in chunks:
            if chunk.path_in_schema in columns:
                pages.add(raw, chunk)
        fitting = max(1, min(rows, room // max(1, pages.widest)))
        yield from table.iter_batches(fitting, row_groups=[number], columns=list(columns), use_threads=False)


def check_types(schema: Any, columns: Sequence[str]) -> None:
    """DecodeError for a column that holds anything else than replays, text or whole numbers."""
    types = pyarrow("pyarrow.types")
    for name in columns:
        kind = schema.field(name).type
        is_text = types.is_string(kind) or types.is_large_string(kind) or types.is_null(kind)
        if name == "replay" and not (
            types.is_binary(kind) or types.is_large_binary(kind) or types.is_large_string(kind)
        ):
            raise DecodeError(f"the column replay must be binary, not {kind}")
        if name == "path" and not is_text:
            raise DecodeError(f"the column path must be text, not {kind}")
        if name in ("seed", "checksum") and not is_text and not types.is_integer(kind):
            raise DecodeError(f"the column {name} must hold whole numbers or text, not {kind}")


def _size_of(raw: BinaryIO) -> int:
    size = raw.seek(0, os.SEEK_END)
    raw.seek(0)
    return size


class _Pages:
    """Adds up what the pages of a row group announce."""

    def __init__(self, size: int, room: int, most: int) -> None:
        """``room`` is the most bytes of a page, ``most`` of all of them, for a file of ``size`` bytes."""
        self._size, self._room, self._most = size, room, most
        self._all = 0
        self.widest = 0
        """Bytes that a row takes at most if it is the whole dictionary in each of its columns."""

    def add(self, raw: BinaryIO, chunk: Any) -> None:
        """Walk through the pages of a column as the library does: until it has all values that the footer tells."""
        at, seen, dictionary = chunk.data_page_offset, 0, 0
        if chunk.has_dictionary_page and 0 < (chunk.dictionary_page_offset or 0) < at:
            at = chunk.dictionary_page_offset
        end = at + chunk.total_compressed_size
        while seen < chunk.num_values and at < end:
            header, length = _header_at(raw, at, min(end, self._size))
            kind, unpacked, packed = (_number(header, number) for number in (1, 2, 3))
            about = _inner(header, {_DATA: 5, _DICTIONARY: 7, _DATA_V2: 8}.get(kind, 0))
            cost = unpacked
            if kind == _DICTIONARY:
                dictionary = max(dictionary, unpacked)
                cost += _VALUE_COST * _number(about, 1)
            elif about:
                seen += _number(about, 1)
                _check_encoding(chunk.path_in_schema, _number(about, 4 if kind == _DATA_V2 else 2))
            self._spend(chunk.path_in_schema, cost)
            at += length + packed
        self.widest += dictionary

    def _spend(self, column: str, cost: int) -> None:
        self._all += cost
        most = self._room if cost > self._room else self._most
        if cost > most or self._all > most:
            raise LimitExceeded(
                f"its column {column} unpacks to more than the {most} bytes that a file of {self._size} bytes may have",
                what="bytes of Parquet",
                limit=most,
                actual=max(cost, self._all),
            )


def _check_encoding(column: str, encoding: int) -> None:
    if encoding not in _ENCODINGS:
        known = " or ".join((_ENCODINGS[0], _ENCODINGS[8]))
        raise DecodeError(f"its column {column} has the encoding {encoding}: only {known} is read here")


# Page headers are structs of Thrift's compact protocol.


def _header_at(raw: BinaryIO, at: int, end: int) -> tuple[dict[int, Any], int]:
    """Parse the page header at an offset; return its fields, and its length."""
    for most in _HEADERS:
        raw.seek(at)
        data = raw.read(min(most, max(0, end - at)))
        try:
            return _struct(data, 0, 0)
        except IndexError:
            if len(data) < most:
                raise Truncated("a page header of it is cut off", needed=len(data) + 1, available=len(data)) from None
    raise InvalidValue("a page header of it is too long")


def _struct(data: bytes, at: int, depth: int) -> tuple[dict[int, Any], int]:
    """Parse a struct into its 32-bit numbers and structs by their field numbers; other values are passed over."""
    found: dict[int, Any] = {}
    number = 0
    if depth > _DEEPEST:
        raise InvalidValue("a page header of it is nested too deeply")
    while head := data[at]:
        at += 1
        number += head >> 4
        if not head >> 4:
            number, at = _signed(data, at)
        if number in found:
            raise InvalidValue("a page header of it has a field twice")
        found[number], at = _value(data, at, head & 15, depth)
    return found, at + 1


def _value(data: bytes, at: int, kind: int, depth: int) -> tuple[Any, int]:
    """Parse a value of a struct; None for one of a kind that page headers need not have."""
    if kind in (1, 2):  # a truth value, which is in the head
        return None, at
    if kind == 3:
        return None, at + 1
    if kind in (4, 5, 6):
        value, at = _signed(data, at)
        return value if kind == 5 else None, at
    if kind == 7:
        return None, at + 8
    if kind == 8:
        size, at = _unsigned(data, at)
        return None, at + size
    if kind == 12:
        return _struct(data, at, depth + 1)
    raise InvalidValue("a page header of it has a value that no page header has")


def _unsigned(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while shift < 70:
        octet = data[at]
        at += 1
        value |= (octet & 127) << shift
        if octet < 128:
            return value, at
        shift += 7
    raise InvalidValue("a page header of it has a number that is too long")


def _signed(data: bytes, at: int) -> tuple[int, int]:
    value, at = _unsigned(data, at)
    return value >> 1 ^ -(value & 1), at


def _number(fields: dict[int, Any], number: int) -> int:
    value = fields.get(number)
    if not isinstance(value, int) or not 0 <= value < 1 << 31:
        raise InvalidValue("a page header of it lacks a number")
    return value


def _inner(fields: dict[int, Any], number: int) -> dict[int, Any]:
    """The struct that tells more about a page of a known kind; empty for other pages, which the library passes over."""
    if not number:
        return {}
    inner = fields.get(number)
    if not isinstance(inner, dict):
        raise InvalidValue("a page header of it does not tell what is in the page")
    return inner
