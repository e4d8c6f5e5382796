"""Unpacks LZMA with a limit of memory, which ``lzma.LZMAFile`` does not have.

The first bytes of a file say how large a dictionary its reader must keep, up to 4 GiB, however small the file is.
"""

import io
import lzma
from typing import BinaryIO, Final

from retick.errors import LimitExceeded
from retick.replay.limits import MIB

XZ_MEMORY: Final = 80 * MIB
"""Bytes with which every file can be unpacked that ``xz -9`` or a lower level has made."""
_PIECE: Final = 1 << 16


class XzFile:
    """An open file that is unpacked while it is read; files one behind the other are read as one."""

    def __init__(self, raw: BinaryIO, memory: int = XZ_MEMORY) -> None:
        """``memory`` is the most bytes that the unpacker may take; LimitExceeded is raised if it needs more."""
        self._raw, self._memory = raw, max(memory, XZ_MEMORY)
        self._unpacker: lzma.LZMADecompressor | None = self._new()
        self._may_be_padding = False
        """Whether the first of the files has ended and the next has given nothing: it may be anything."""

    def readinto1(self, room: memoryview) -> int:
        data = self.read1(len(room))
        room[: len(data)] = data
        return len(data)

    def read(self, size: int) -> bytes:
        """Unpack ``size`` bytes, or fewer at the end."""
        found = io.BytesIO()
        while found.tell() < size and (data := self.read1(size - found.tell())):
            found.write(data)
        return found.getvalue()

    def read1(self, size: int) -> bytes:
        """Unpack up to ``size`` bytes; nothing at the end. EOFError if the file was cut off."""
        while size and self._unpacker is not None:
            rest = b""
            if self._unpacker.eof:
                rest = self._unpacker.unused_data
                self._unpacker, self._may_be_padding = self._new(), True
            packed = rest or (self._raw.read(_PIECE) if self._unpacker.needs_input else b"")
            if self._unpacker.needs_input and not packed:
                if not self._may_be_padding:
                    raise EOFError("it was cut off")
                return b""
            if data := self._unpacked(self._unpacker, packed, size):
                self._may_be_padding = False
                return data
        return b""

    def _new(self) -> lzma.LZMADecompressor:
        return lzma.LZMADecompressor(memlimit=self._memory)

    def _unpacked(self, unpacker: lzma.LZMADecompressor, packed: bytes, size: int) -> bytes:
        try:
            return unpacker.decompress(packed, size)
        except lzma.LZMAError as error:
            if "limit" not in str(error):
                if not self._may_be_padding:
                    raise
                self._unpacker = None
                return b""
            mib = self._memory // MIB
            raise LimitExceeded(
                f"it needs more than {mib} MiB of memory to be unpacked", what="MiB of LZMA", limit=mib, actual=mib + 1
            ) from None
