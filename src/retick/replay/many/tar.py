"""Reads tar archives of many small files, piece by piece: ustar, with the long names of GNU tar and of pax.

The tarfile module builds an object of twenty attributes for each member, which takes longer than a match takes to be
verified. This reads what is needed: name, size, and where the content is. Compiled, a header that is plain in every
field that matters is read without an object; it never decides what is an error, and leaves all others to the Python
below it.

::

    0    100  name
    124   12  size, octal digits; or, with the first bit set, a big-endian number
    148    8  sum of all bytes of the header, these eight as spaces; octal
    156    1  kind: "0" or NUL a file, "L" a long name for the next, "x" pax values for the next, "g" for all
    257    6  "ustar" and a NUL or a space
    345  155  prefix of the name, unless the magic has a space (GNU)
"""

from typing import Any, Final, NamedTuple
from zlib import adler32

from retick.errors import ChecksumMismatch, InvalidValue, LimitExceeded, Truncated

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.bytes import PyBytes_FromString

__all__ = ["BLOCK", "Member", "TarReader", "read_members"]

BLOCK: Final = 512
MAX_NAME: Final = 4096
"""Bytes of a long name, and of the pax values of one member."""
_EMPTY = bytes(BLOCK)


class Member(NamedTuple):
    """One file of an archive; its content is in the bytes that were given."""

    name: str
    start: int
    end: int


class TarReader:
    """Finds the files in the bytes of an archive, which come in pieces."""

    def __init__(self, max_size: int) -> None:
        self.max_size = max_size
        """Bytes of the largest file; of a larger one, nothing is read."""
        self.at_end = False
        """The archive's end was read; what follows is no part of it."""
        self.too_large: list[str] = []
        """Files over the limit, since it was last emptied."""
        self._name: str | None = None
        self._skip = 0

    @property
    def is_between(self) -> bool:
        """Whether the next bytes are a header, and nothing that was read before is about it."""
        return self._name is None and not self._skip and not self.at_end

    def read(self, data: bytes | bytearray | memoryview) -> tuple[list[Member], int]:
        """The files that are whole in ``data``, and how many bytes are done with.

        The next piece begins where this one was done with. A DecodeError for what is no tar archive; the members before
        it are lost, so give up to a few megabytes at a time.
        """
        view = memoryview(data).cast("B")
        found: list[Member] = []
        size = len(view)
        at = self._skipped(0, size)
        while not self.at_end and not self._skip and at + BLOCK <= size:
            if self._name is None:
                at = _plain_members(view, at, min(size, self.max_size), found)
                if at + BLOCK > size:
                    break
            header = bytes(view[at : at + BLOCK])
            if header == _EMPTY:
                self.at_end = True
                return found, size
            _check_sum(header)
            length = _number(header)
            after = at + BLOCK + (length + BLOCK - 1) // BLOCK * BLOCK
            kind = header[156:157]
            if kind in b"0\0" or kind == b"7":
                name = _name_of(header) if self._name is None else self._name
                if length > self.max_size:
                    self.too_large.append(name)
                    self._name, self._skip = None, after - at
                    at = self._skipped(at, size)
                    continue
                if after > size and at + BLOCK + length > size:
                    break
                found.append(Member(name, at + BLOCK, at + BLOCK + length))
                self._name = None
                self._skip = after - at
                at = self._skipped(at, size)
                continue
            if kind in (b"L", b"x"):
                if length > MAX_NAME:
                    raise LimitExceeded(
                        "a tar member's name is too long", what="tar name", limit=MAX_NAME, actual=length
                    )
                if after > size:
                    break
                self._name = _long_name(kind, bytes(view[at + BLOCK : at + BLOCK + length]), self._name)
            elif kind != b"g":
                self._name = None  # a folder, a link: nothing to verify
            self._skip = after - at
            at = self._skipped(at, size)
        return found, at

    def finish(self, left: int) -> None:
        """No more bytes come, and ``left`` were not done with; a Truncated if a member is cut off."""
        if not self.at_end and (left or self._skip > BLOCK):
            raise Truncated("the tar archive is cut off", needed=BLOCK, available=left)

    def _skipped(self, at: int, size: int) -> int:
        """Where to go on, after what is still to be passed over of the last member."""
        step = min(self._skip, size - at)
        self._skip -= step
        return at + step


def read_members(data: bytes | bytearray | memoryview, max_size: int = 1 << 28) -> list[Member]:
    """The files of an archive that is here as a whole, or a DecodeError."""
    reader = TarReader(max_size)
    found, done = reader.read(data)
    reader.finish(len(data) - done)
    return found


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def _octal(octets: cython.p_uchar, at: cython.Py_ssize_t, digits: cython.Py_ssize_t) -> cython.longlong:
    """The number in so many octal digits, with a NUL or a space behind them; or -1."""
    number: cython.longlong = 0
    index: cython.Py_ssize_t
    for index in range(at, at + digits):
        if not 48 <= octets[index] <= 55:
            return -1
        number = number * 8 + octets[index] - 48
    return number if octets[at + digits] in (0, 32) else -1


@cython.cfunc
@cython.exceptval(check=False)
@cython.nogil
def plain_size(octets: cython.p_uchar, at: cython.Py_ssize_t) -> cython.longlong:
    """The size of the file whose header begins here, or -1: another kind, a prefix, a wrong sum, or unusual numbers."""
    total: cython.longlong = 8 * 32
    index: cython.Py_ssize_t
    if octets[at + 156] != 48 or octets[at + 345] or not octets[at] or octets[at + 99]:
        return -1
    if octets[at + 155] not in (0, 32):
        return -1
    for index in range(at, at + 512):
        total += octets[index]
    for index in range(at + 148, at + 156):
        total -= octets[index]
    return _octal(octets, at + 124, 11) if _octal(octets, at + 148, 6) == total else -1


@cython.cfunc
def plain_name(octets: cython.p_uchar, at: cython.Py_ssize_t) -> Any:
    """The name in a plain header, or None if it is not in ASCII."""
    if cython.compiled:
        name: bytes = PyBytes_FromString(cython.cast(cython.p_char, octets + at))
    else:
        name = bytes(octets[at : at + 100]).split(b"\0", 1)[0]
    return name.decode("ascii") if name.isascii() else None


@cython.cfunc
def _plain_members(view: Any, start: Any, most: Any, found: list[Any]) -> Any:
    """Put the files from ``start`` on that are plain and whole into ``found``; where to go on."""
    at: cython.Py_ssize_t = start
    if cython.compiled:
        size: cython.Py_ssize_t = len(view)
        largest: cython.longlong = most
        length: cython.longlong
        after: cython.longlong
        if not size:
            return at
        held: cython.const[cython.uchar][::1] = view
        octets: cython.p_uchar = cython.cast(cython.p_uchar, cython.address(held[0]))
        while size - at >= 512:
            length = plain_size(octets, at)
            after = at + 512 + (length + 511) // 512 * 512
            if length < 0 or length > largest or after > size:
                break
            name = plain_name(octets, at)
            if name is None:
                break
            found.append(Member(name, at + 512, at + 512 + length))
            at = after
    return at


def _check_sum(header: bytes) -> None:
    # The lower half of Adler-32 is 1 and the sum of the bytes, modulo 65521; a header in ASCII never gets there.
    field = header[148:156]
    found = (adler32(header) & 0xFFFF) - (adler32(field) & 0xFFFF) + 8 * 32
    stated = field.rstrip(b"\0 ").lstrip()
    if not _is_octal(stated) or (int(stated, 8) - found) % 65521:
        raise ChecksumMismatch(
            "this is no tar header: its sum is wrong", expected=int(stated, 8) if _is_octal(stated) else 0, found=found
        )


def _is_octal(text: bytes) -> bool:
    return bool(text) and not text.strip(b"01234567")


def _number(header: bytes) -> int:
    field = header[124:136]
    if field[0] & 0x80:
        return int.from_bytes(field, "big") & ((1 << 95) - 1)
    text = field.rstrip(b"\0 ").lstrip()
    if not text:
        return 0
    if not _is_octal(text):
        raise InvalidValue(f"the size of a tar member is {text!r}, which is no octal number")
    return int(text, 8)


def _name_of(header: bytes) -> str:
    name = header[:100].split(b"\0", 1)[0]
    if header[345] and header[257:263] == b"ustar\0":
        name = header[345:500].split(b"\0", 1)[0] + b"/" + name
    return name.decode("utf-8", "backslashreplace")


def _long_name(kind: bytes, content: bytes, before: str | None) -> str | None:
    if kind == b"L":
        return content.split(b"\0", 1)[0].decode("utf-8", "backslashreplace")
    while content:
        number, space, rest = content.partition(b" ")
        if not space or not number.isdigit() or len(number) > 5 or not len(number) + 1 < int(number) <= len(content):
            raise InvalidValue("pax values of a tar member are lines with their lengths in front")
        line, content = rest[: int(number) - len(number) - 1], content[int(number) :]
        if line.startswith(b"path="):
            before = line[5:].rstrip(b"\n").decode("utf-8", "backslashreplace")
        elif line.startswith(b"size="):
            raise InvalidValue("a tar member of more than 8 GiB is no replay")
    return before
