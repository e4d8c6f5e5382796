"""Small archives that unpack to much more memory than a file of their size may take."""

import lzma
import struct
import tarfile
import zlib
from pathlib import Path
from typing import Any

import pytest

MIB = 1 << 20
FOUR_GIB = 40
"""The code of the largest dictionary in a block of xz."""


def xz_bomb(path: Path, zeros: int, *, code: int = FOUR_GIB) -> Path:
    """A tar archive with one member of ``zeros`` bytes, whose block asks for the dictionary of a code."""
    member = tarfile.TarInfo("m.rplk")
    member.size = zeros
    packer = lzma.LZMACompressor(lzma.FORMAT_XZ, check=lzma.CHECK_NONE, preset=0)
    parts = [packer.compress(member.tobuf(tarfile.GNU_FORMAT))]
    parts += [packer.compress(bytes(MIB)) for _ in range(zeros // MIB)]
    parts += [packer.compress(bytes(1024)), packer.flush()]
    data = bytearray(b"".join(parts))
    size = (data[12] + 1) * 4
    head = data[12 : 12 + size]
    head[head.index(b"\x21\x01") + 2] = code  # LZMA2 and its one byte of properties
    head[-4:] = struct.pack("<I", zlib.crc32(head[:-4]))
    data[12 : 12 + size] = head
    path.write_bytes(data)
    return path


def repeated_value(path: Path, rows: int, size: int, column: str = "replay") -> Path:
    """A Parquet file of ``rows`` rows that all name one value of a dictionary."""
    arrow: Any = pytest.importorskip("pyarrow")
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    one = arrow.array([bytes(size)], arrow.binary()) if column == "replay" else arrow.array(["x" * size])
    big = arrow.DictionaryArray.from_arrays(arrow.array([0] * rows, arrow.int32()), one)
    other: Any = {"path": ["m.rplk"] * rows, "replay": [b""] * rows}
    parquet.write_table(
        arrow.table({**other, column: big}),
        path, compression="zstd", use_dictionary=True, store_schema=False, dictionary_pagesize_limit=1 << 30,
        write_statistics=False,
    )  # fmt: skip
    return path


def large_pages(path: Path, values: int, size: int, **options: Any) -> Path:
    """A Parquet file of plain pages that were compressed to nearly nothing."""
    arrow: Any = pytest.importorskip("pyarrow")
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    table = arrow.table({"path": [f"{at}.rplk" for at in range(values)], "replay": [bytes(size)] * values})
    settings = {"compression": "zstd", "use_dictionary": False, "write_statistics": False, **options}
    parquet.write_table(table, path, **settings)
    return path
