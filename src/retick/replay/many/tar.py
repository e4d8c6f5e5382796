"""Reads tar archives of many small files, piece by piece: ustar, with the long names of GNU tar and of pax.

The tarfile module builds an object of twenty attributes for each member, which takes longer than a match takes to be
verified. This reads what is needed: name, size, and where the content is. Compiled, a header that is plain in every
field that matters is read without an object; it never decides what is an error, and leaves all others to the Python
below it.

::

    0    100  name
    124   12  size, octal digits; or, with the first bit set, a big-endian number
    148    8  sum of all bytes of the header, these eight as spaces; octal
    156    1  kind: "0", NUL or "7" a file, "L" a long name for the next, "K" a long link, "x" pax values for the next,
              "g" for all, "S" a sparse file of GNU; "1" to "6" are links, devices and folders, without content
    257    6  "ustar" and a NUL or a space
    345  155  prefix of the name, unless the magic has a space (GNU)
    482    1  of a sparse file: whether a further block of its map follows, in which it is byte 504
"""

from typing import Any, Final, NamedTuple
from zlib import adler32

from retick.errors import ChecksumMismatch, DecodeError, InvalidValue, LimitExceeded, Truncated

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython.bytes import PyBytes_FromString

__all__ = ["BLOCK", "Member", "Refused", "TarReader", "read_members"]

BLOCK: Final = 512
MAX_NAME: Final = 4096
"""Bytes of a long name, and of the pax values of one member."""
SPARSE: Final = "it is a sparse file of tar, and these are not read"
_EMPTY = bytes(BLOCK)
_WITHOUT_CONTENT = (b"1", b"2", b"3", b"4", b"5", b"6")
"""Kinds whose size, if they have one, is not that of anything in the archive."""


class Member(NamedTuple):
    """One file of an archive; its content is in the bytes that were given."""

    name: str
    start: int
    end: int


class Refused(NamedTuple):
    """A file of an archive that is not read."""

    before: int
    """How many files that are read come before it, of the same piece."""
    name: str
    problem: str


class _Said(NamedTuple):
    """What was read about the next member before its header."""

    name: str | None = None
    size: int | None = None
    is_sparse: bool = False


class TarReader:
    """Finds the files in the bytes of an archive, which come in pieces."""

    def __init__(self, max_size: int) -> None:
        self.max_size = max_size
        """Bytes of the largest file; of a larger one, nothing is read."""
        self.at_end = False
        """The archive's end was read; what follows is no part of it."""
        self.error: DecodeError | None = None
        """Why the archive cannot be read further; what comes before it was returned."""
        self.refused: list[Refused] = []
        """Files of the last piece that are not read: too large, or sparse."""
        self._said: _Said | None = None
        self._skip = 0
        self._after_map: int | None = None
        """In the map of a sparse file: bytes that follow it."""

    @property
    def is_between(self) -> bool:
        """Whether the next bytes are a header, and nothing that was read before is about it."""
        is_new = self._said is None and self._after_map is None
        return is_new and not self._skip and not self.at_end and self.error is None

    def read(self, data: bytes | bytearray | memoryview) -> tuple[list[Member], int]:
        """The files that are whole in ``data``, and how many bytes are done with.

        The next piece begins where this one was done with. For what is no tar archive, ``error`` is set after the files
        before it, and the next call raises it.
        """
        if self.error is not None:
            raise self.error
        view = memoryview(data).cast("B")
        found: list[Member] = []
        self.refused = []
        size = len(view)
        at = self._skipped(0, size)
        while not self.at_end and not self._skip and at + BLOCK <= size:
            if self._after_map is not None:
                at = self._map_block(view, at)
                continue
            if self._said is None:
                at = _plain_members(view, at, min(size, self.max_size), found)
                if at + BLOCK > size:
                    break
            try:
                after = self._member(view, at, found)
            except DecodeError as error:
                self.error = error
                break
            if after < 0:
                break
            if self.at_end:
                return found, size
            self._skip = after - at
            at = self._skipped(at, size)
        return found, at

    def _member(self, view: Any, at: Any, found: list[Any]) -> Any:
        """Where the member ends whose header is here; -1 if more bytes are needed to read it."""
        header = bytes(view[at : at + BLOCK])
        if header == _EMPTY:
            self.at_end = True
            return at
        _check_sum(header)
        said = self._said or _Said()
        kind = header[156:157]
        length = _number(header)
        if kind in (b"L", b"K", b"x", b"X", b"g"):
            after = _after(at, length)
            if kind in (b"K", b"g"):
                return after
            if length > MAX_NAME:
                raise LimitExceeded("a tar member's name is too long", what="tar name", limit=MAX_NAME, actual=length)
            if after > len(view):
                return -1
            said = _values(kind, bytes(view[at + BLOCK : at + BLOCK + length]), said)
            self._said = said if said != _Said() else None
            return after
        if said.size is not None:
            length = said.size
        after = _after(at, length)
        name = _name_of(header) if said.name is None else said.name
        if kind in _WITHOUT_CONTENT or (kind == b"\0" and _name_of(header).endswith("/")):
            after = at + BLOCK
        elif kind == b"S" or said.is_sparse:
            self.refused.append(Refused(len(found), name, SPARSE))
            if kind == b"S" and header[482]:
                self._after_map, after = after - at - BLOCK, at + BLOCK
        elif kind in (b"0", b"\0", b"7"):
            if length > self.max_size:
                self.refused.append(Refused(len(found), name, f"it is over the limit of {self.max_size} bytes"))
            elif at + BLOCK + length > len(view):
                return -1
            else:
                found.append(Member(name, at + BLOCK, at + BLOCK + length))
        self._said = None
        return after

    def _map_block(self, view: Any, at: Any) -> Any:
        """Where to go on after a further block of a sparse file's map."""
        self._skip = BLOCK
        if not view[at + 504]:
            self._skip += self._after_map or 0
            self._after_map = None
        return self._skipped(at, len(view))

    def finish(self, left: int) -> None:
        """No more bytes come, and ``left`` were not done with; a Truncated if a member is cut off."""
        if self.error is not None:
            raise self.error
        if not self.at_end and (left or self._skip > BLOCK or self._after_map is not None):
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
    return _text(name)


def _after(at: Any, length: Any) -> Any:
    return at + BLOCK + (length + BLOCK - 1) // BLOCK * BLOCK


def _values(kind: bytes, content: bytes, said: _Said) -> _Said:
    """What is said of the next member, with a long name or pax values more."""
    if kind == b"L":
        return said._replace(name=_text(content.split(b"\0", 1)[0]))
    while content:
        number, space, rest = content.partition(b" ")
        if not space or not number.isdigit() or len(number) > 5 or not len(number) + 1 < int(number) <= len(content):
            raise InvalidValue("pax values of a tar member are lines with their lengths in front")
        line, content = rest[: int(number) - len(number) - 1], content[int(number) :]
        key, _, value = line.rstrip(b"\n").partition(b"=")
        if key in (b"path", b"GNU.sparse.name"):
            if key != b"path" or not said.is_sparse or said.name is None:
                said = said._replace(name=_text(value))
        elif key == b"size":
            if not value.isdigit() or len(value) > 20:
                raise InvalidValue(f"the size of a tar member is {value[:24]!r}, which is no number")
            said = said._replace(size=int(value))
        if key.startswith(b"GNU.sparse."):
            said = said._replace(is_sparse=True)
    return said


def _text(name: bytes) -> str:
    return name.decode("utf-8", "backslashreplace")
