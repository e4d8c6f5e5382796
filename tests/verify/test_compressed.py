"""Compressed archives that are cut off or damaged: everything before that is read, and then the error comes."""

import bz2
import gzip
import io
import lzma
import random
import zlib

import pytest

from retick.verify.archives import DAMAGE, STEP, Unpacked

PACK = {".tgz": gzip.compress, ".tar.gz": gzip.compress, ".tar.bz2": bz2.compress, ".tar.xz": lzma.compress}
DATA = random.Random(1).randbytes(3 * STEP + 100)


def read_all(packed: bytes, ending: str, piece: int, can_go_back: bool = True) -> tuple[bytes, BaseException | None]:
    file, found, room = Unpacked(io.BytesIO(packed), ending, can_go_back=can_go_back), b"", bytearray(piece)
    while True:
        try:
            size = file.readinto(memoryview(room))
        except DAMAGE as error:
            with pytest.raises(type(error)):
                file.readinto(memoryview(room))
            return found, error
        if not size:
            return found, None
        found += room[:size]


@pytest.mark.parametrize("ending", PACK)
@pytest.mark.parametrize("piece", [1000, STEP, 1 << 20])
def test_whole_ones_come_as_they_are(ending: str, piece: int) -> None:
    assert read_all(PACK[ending](DATA), ending, piece) == (DATA, None)
    assert read_all(PACK[ending](b""), ending, piece) == (b"", None)


@pytest.mark.parametrize("ending", PACK)
def test_of_one_that_is_cut_off_everything_comes_that_can_be_unpacked(ending: str) -> None:
    packed = PACK[ending](DATA)
    found, error = read_all(packed[: len(packed) * 9 // 10], ending, 1 << 20)
    assert isinstance(error, EOFError)
    assert DATA.startswith(found)
    assert len(found) >= (0 if ending == ".tar.bz2" else len(DATA) * 8 // 10), "bzip2 has blocks of 900 kB"


@pytest.mark.parametrize("piece", [1000, 1 << 20])
def test_damage_costs_no_more_than_the_byte_before_it(piece: int) -> None:
    pack = zlib.compressobj(wbits=31)
    packed = pack.compress(DATA) + pack.flush(zlib.Z_FULL_FLUSH) + b"\x07"  # a block of a kind that there is not
    found, error = read_all(packed + bytes(100), ".tgz", piece)
    assert isinstance(error, zlib.error)
    assert found == DATA[:-1], "zlib looks at the next block as it gives the last byte"
    less, error = read_all(packed + bytes(100), ".tgz", piece, can_go_back=False)
    assert isinstance(error, zlib.error)
    assert DATA.startswith(less)
    assert len(DATA) - STEP <= len(less) <= len(found)


def test_a_wrong_sum_comes_after_the_bytes() -> None:
    packed = bytearray(gzip.compress(DATA))
    packed[-5] ^= 1
    found, error = read_all(bytes(packed), ".tar.gz", 1 << 20)
    assert found == DATA
    assert isinstance(error, gzip.BadGzipFile)
