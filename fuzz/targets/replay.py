"""Recordings (RPLK, RTK) and desync bundles. In half of the mutations the CRCs are corrected afterwards."""

import atexit
import io
import struct
import tarfile
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import Any

from fuzz.target import Bug, Target, name_of, of
from retick import replay
from retick.audit.desync.bundle import Bundle, load_bundle, loads_bundle, read_archive, save_bundle
from retick.audit.desync.report_json import report_from_json
from retick.errors import DecodeError
from retick.replay import formats, rplk, rtk, storage
from retick.replay.replay import unpack_inputs
from retick.replay.rtk import RtkReader
from retick.replay.rtk_blocks import decode_body
from retick.rollback.desync.report import DesyncReport, Divergence, FieldValues, InputRow
from retick.verify.kernel import TarReader, read_members
from retick.verify.rows import Row, read_row, row_line

__all__ = ["TARGETS"]

LIMITS = replay.ReadLimits(max_bytes=1 << 20, max_records=1 << 12)
FOLDER = tempfile.TemporaryDirectory(prefix="retick-fuzz-")
atexit.register(FOLDER.cleanup)


def _recorded() -> bytes:
    rich = replay.Recorder(seed=3, num_players=3, input_size=1, local_players=(1,), block_frames=4, game_id="fuzz")
    rich.add_metadata("note", "x" * 100)
    for frame in range(10):
        rich.add_arrival(frame, 2, frame, 2)
        rich.add_frame((frame, 1, 2))
        rich.add_checksum(frame + 1, frame * 99)
    rich.finish(9 * 99)
    return rich.drain()


def _read(data: bytes) -> Any:
    return replay.loads(data, limits=LIMITS)


ROW = Row("a.rplk", "differs", "frame 3", 1, 60, 5, 6, 1, 3, None)


def _tar() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for name, size in (("a.rplk", 20), ("n" * 120, 3)):
            member = tarfile.TarInfo(name)
            member.size = size
            tar.addfile(member, io.BytesIO(bytes(size)))
    return out.getvalue()[:4096]


def _mend_tar(data: bytes) -> bytes:
    """Correct the sums of everything at the places of headers."""
    buffer = bytearray(data)
    for at in range(0, len(buffer) - 511, 512):
        if any(buffer[at : at + 100]):
            buffer[at + 148 : at + 156] = b" " * 8
            buffer[at + 148 : at + 156] = b"%06o\0 " % (sum(buffer[at : at + 512]) & 0o777777)
    return bytes(buffer)


def _tar_law(data: bytes, found: Any) -> None:
    if any(not 0 <= start <= end <= len(data) for _, start, end in found):
        raise Bug("a member is outside of the archive")


def _row_law(data: bytes, found: Any) -> None:
    if read_row(row_line(found)) != found:
        raise Bug("a row is another one after writing and reading it again")


def _law(data: bytes, found: Any) -> None:
    if replay.loads(replay.dumps(found)) != found:
        raise Bug("what was read is not the same after writing and reading again")
    try:
        cut = replay.loads(data, strict=True, limits=LIMITS).truncated
    except DecodeError:
        cut = True
    if cut != found.truncated:
        raise Bug("the strict reader and the lenient one disagree on whether the file is complete")


def _mend(data: bytes) -> bytes:
    """The file with right CRCs; in RTK up to the first block whose size is wrong."""
    buffer = bytearray(data)
    if buffer.startswith(b"RPLK") and len(buffer) >= 32:
        struct.pack_into("<I", buffer, 16, (len(buffer) - 32) // 4)
        struct.pack_into("<I", buffer, 20, zlib.crc32(buffer[32:]))
    at = 8
    while buffer.startswith(b"RTK\n") and at + 16 <= len(buffer):
        (size,) = struct.unpack_from("<I", buffer, at + 4)
        if at + 16 + size > len(buffer):
            break
        crc = zlib.crc32(buffer[at + 16 : at + 16 + size], zlib.crc32(buffer[at : at + 12]))
        struct.pack_into("<I", buffer, at + 12, crc)
        at += 16 + size
    return bytes(buffer)


LATE = replay.Replay(seed=9, frames=bytes(400), start_frame=70, start_state=bytes(99), checkpoints={80: 5})
SHORT = replay.Replay(seed=1, frames=b"\2\0\1\0" * 20)
REPORT = DesyncReport(
    peers=(0, 1), silent=(), alarm=90, last_agreed=80, first_differing=81, exact=True,
    divergences=(Divergence(frame=81, groups=((0,), (1,)), checksums=(1, 2)),),
    fields=(FieldValues(name="p1.x", values=((0, 4300), (1, None))),
            FieldValues(name="speed", values=((0, 0.5), (1, "text")))),
    hidden=(), inputs=(InputRow(frame=80, values=(1, 2)),), input_differences=(), left_out=((0, 3),),
)  # fmt: skip
BUNDLE = Bundle(
    report=REPORT, peer_id=1, game="retick.games.fighter:Fighter", around=SHORT, agreed_state=b"state",
    differing_state=b"other", recordings={0: SHORT},
)  # fmt: skip


def _bundle(data: bytes) -> Any:
    """The file itself."""
    path = Path(FOLDER.name, "fuzzed.desync")
    path.write_bytes(data)
    return load_bundle(path)


def _file(data: bytes) -> Any:
    path = Path(FOLDER.name, "fuzzed.rtk")
    path.write_bytes(data)
    return storage.load(path, limits=LIMITS)


def _bundle_head(data: bytes) -> Any:
    """An archive with these bytes as bundle.json."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("bundle.json", data)
    return _bundle(archive.getvalue())


def _archive() -> bytes:
    path = Path(FOLDER.name, "genuine.desync")
    save_bundle(path, BUNDLE)
    return path.read_bytes()


def _head() -> bytes:
    with zipfile.ZipFile(io.BytesIO(_archive())) as file:
        return file.read("bundle.json")


def _inputs(data: bytes) -> Any:
    return unpack_inputs(data[1:], data[0] % 8 + 1 if data else 1)


GENUINE = (_recorded(), replay.dumps(LATE), replay.dumps(SHORT, format="rtk"), b"RTK\n")

TARGETS: tuple[Target, ...] = (
    of("replay/rplk", _read, replay.dumps(SHORT), b"RPLK", law=_law, mend=_mend, also=(rplk.loads, formats.loads)),
    of("replay/rtk", _read, *GENUINE, law=_law, mend=_mend,
       also=(rtk.loads, formats.loads, decode_body, RtkReader.read_block)),
    of("replay/file", _file, *GENUINE, mend=_mend, also=(storage.load, storage.read_bounded), share=0.1),
    of("replay/tar", read_members, _tar(), mend=_mend_tar, law=_tar_law, also=(TarReader.read,)),
    of("replay/row", read_row, row_line(ROW).encode(), law=_row_law),
    of("replay/inputs", _inputs, bytes(range(9)), also=(unpack_inputs,)),
    of("bundle/archive", _bundle, _archive(), also=(load_bundle, loads_bundle, read_archive), share=0.2),
    Target(name="bundle/report", read=_bundle_head, seeds=(_head(),), share=0.2,
           decoders=(name_of(load_bundle), name_of(report_from_json))),
)  # fmt: skip
